package campaign

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"dagscope/explain/bound"
	"dagscope/predict/spec"
)

// specFile writes a spec and what it names, and returns its path.
func specFile(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"machine.yaml": `
name: two
memories:
- {name: CUDA0, kind: gpu, arch: cuda, device: 0, capacity: 8GiB, link: {bandwidth: 12GBps, latency: 10us}}
- {name: CUDA1, kind: gpu, arch: cuda, device: 1, capacity: 8GiB, link: {bandwidth: 12GBps, latency: 10us}}
workers:
- {arch: cuda, memory: CUDA0}
- {arch: cuda, memory: CUDA1}
- {arch: cpu, count: 4}
`,
		"spec.yaml": `
workload: {kind: cholesky, tiles: 6, tile: 960}
platform: {file: machine.yaml}
models:
  durations:
    potrf: {cpu: 9ms, cuda: 5ms}
    trsm: {cpu: 18ms, cuda: 1.6ms}
    syrk: {cpu: 17ms, cuda: 0.7ms}
    gemm: {cpu: 33ms, cuda: 1.1ms}
scheduler: dmdas
`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "spec.yaml")
}

func over(t testing.TB, texts ...string) *Axes {
	t.Helper()
	a := new(Axes)
	for _, text := range texts {
		axis, err := ParseAxis(text)
		if err != nil {
			t.Fatal(err)
		}
		a.Over = append(a.Over, axis)
	}
	return a
}

// simulated runs a campaign in a directory.
func simulated(t testing.TB, dir, text string, a *Axes, o Options) *Campaign {
	t.Helper()
	p, err := NewPlan("test", text, "", nil, a)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Start(dir, p, false)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	return c
}

// comparably is a table as text but for how long runs took.
func comparably(t testing.TB, table *Table) string {
	t.Helper()
	rows := slices.Clone(table.Rows)
	for i := range rows {
		rows[i].Seconds = 0
	}
	var b bytes.Buffer
	if err := (&Table{Keys: table.Keys, Rows: rows}).Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A run that fails is a line of the table, and others go on; one at a time gives
// the table of many at a time.
func TestFailuresAndOrder(t *testing.T) {
	text := specFile(t)
	axes := over(t, "options.pipeline=0,2,4,9", "workload.tiles=3,5")
	c := simulated(t, filepath.Join(t.TempDir(), "c"), text, axes, Options{Jobs: 4})
	if n, why := c.Table.Failures(); n != 2 || !strings.Contains(why, "found a pipeline of 9 tasks") {
		t.Errorf("%d runs failed, the first: %s", n, why)
	}
	if len(c.Table.Rows) != 8 {
		t.Fatalf("%d rows, want 8", len(c.Table.Rows))
	}
	alone := simulated(t, filepath.Join(t.TempDir(), "c"), text, axes, Options{Jobs: 1, Memory: 1})
	if comparably(t, alone.Table) != comparably(t, c.Table) {
		t.Error("the tables of one and of four jobs differ")
	}
	again, err := Open(c.Dir)
	if err != nil || comparably(t, again.Table) != comparably(t, c.Table) {
		t.Errorf("the table differs when it is opened again (%v)", err)
	}
}

// What is done is not repeated: after a stop, with more points, with a torn
// last line wherever the writer was killed.
func TestResume(t *testing.T) {
	text, dir := specFile(t), filepath.Join(t.TempDir(), "c")
	ctx, stop := context.WithCancel(context.Background())
	p, err := NewPlan("test", text, "", nil, over(t, "workload.tiles=2..9"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := Start(dir, p, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Start(dir, p, false); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("a campaign is open twice: %v", err)
	}
	err = c.Run(ctx, Options{Jobs: 1, Done: func(done, _ int) {
		if done == 3 {
			stop()
		}
	}})
	c.Close()
	if !errors.Is(err, context.Canceled) || len(c.Table.Rows) < 3 || len(c.Table.Rows) > 5 {
		t.Fatalf("stopped after %d of 8 runs: %v", len(c.Table.Rows), err)
	}
	before := c.Table.Rows
	var ran atomic.Int64
	all := simulated(t, dir, text, over(t, "workload.tiles=1..9"), Options{Done: func(int, int) { ran.Add(1) }})
	if int(ran.Load()) != 9-len(before) || len(all.Table.Rows) != 9 {
		t.Errorf("%d of %d missing runs were simulated", ran.Load(), 9-len(before))
	}
	for _, r := range before {
		if !slices.ContainsFunc(all.Table.Rows, func(x Row) bool { return fmt.Sprint(x) == fmt.Sprint(r) }) {
			t.Errorf("the row of %v was made anew", r.Values)
		}
	}
}

func TestTornTable(t *testing.T) {
	text, dir := specFile(t), filepath.Join(t.TempDir(), "c")
	c := simulated(t, dir, text, over(t, "workload.tiles=2..4", "options.pipeline=1,9"), Options{})
	file := filepath.Join(dir, resultsFile)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range whole {
		if err := os.WriteFile(file, whole[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		table, n, err := readTable(file, c.Plan.Keys)
		if lines := bytes.Count(whole[:cut], []byte("\n")); err != nil || len(table.Rows) != max(lines-1, 0) {
			t.Fatalf("cut after %d bytes: %d rows of %d lines, %v", cut, len(table.Rows), lines, err)
		}
		if want := bytes.LastIndexByte(whole[:cut], '\n') + 1; int(n) != want {
			t.Fatalf("cut after %d bytes: goes on at %d, want %d", cut, n, want)
		}
	}
	if err := os.WriteFile(file, whole[:len(whole)/2], 0o644); err != nil {
		t.Fatal(err)
	}
	if again := simulated(t, dir, text, over(t, "workload.tiles=2..4", "options.pipeline=1,9"), Options{}); comparably(t, again.Table) != comparably(t, c.Table) {
		t.Error("the table that was torn and completed differs")
	}
}

// Results of another spec, other parameters or another program are not mixed.
func TestRefusals(t *testing.T) {
	text, dir := specFile(t), filepath.Join(t.TempDir(), "c")
	axes := over(t, "workload.tiles=2,3")
	simulated(t, dir, text, axes, Options{})
	start := func(version string, set []string, a *Axes) error {
		p, err := NewPlan(version, text, "", set, a)
		if err != nil {
			t.Fatal(err)
		}
		c, err := Start(dir, p, false)
		if err == nil {
			c.Close()
		}
		return err
	}
	refused := func(err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	refused(start("next", nil, axes), "its runs are of test, this is next")
	refused(start("test", []string{"platform.gpus=1"}, axes), "--set")
	refused(start("test", nil, over(t, "platform.gpus=1")), "its parameters are")
	edit := func(name, from, to string) {
		file := filepath.Join(filepath.Dir(text), name)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(strings.Replace(string(text), from, to, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	edit("machine.yaml", "count: 4", "count: 5")
	refused(start("test", nil, axes), "machine.yaml has changed since")
	edit("machine.yaml", "count: 5", "count: 4")
	edit("spec.yaml", "9ms", "8ms")
	refused(start("test", nil, axes), "another spec")
	p, err := NewPlan("test", text, "", nil, axes)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Start(dir, p, true)
	if err != nil || len(c.Table.Rows) != 0 {
		t.Fatalf("begun again with %d rows: %v", len(c.Table.Rows), err)
	}
	c.Close()
	if _, err := Start(filepath.Dir(text), p, true); err == nil {
		t.Error("a directory with other things in it becomes a campaign")
	}
	if _, err := NewPlan("test", text, "", nil, over(t, "platform.gpu=1")); err == nil || !strings.Contains(err.Error(), "unknown key") {
		t.Errorf("an unknown key: %v", err)
	}
}

// The quick bounds are those of the report, which takes them from the trace.
func TestBounds(t *testing.T) {
	text := specFile(t)
	for _, set := range []string{"seed=0", "platform.gpus=0", "platform.cpus=1", "workload.tiles=12", "options.only_gpu=[gemm]", "options.only_cpu=[potrf]", "scheduler=lws", "models.durations={potrf: 3ms, trsm: 3ms, syrk: 1ms, gemm: 2ms}"} {
		s, err := spec.Read(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range []string{set, "costs=zero"} { // with costs kernels take longer than their models say; without, a microsecond now and then
			if err := s.Set(a); err != nil {
				t.Fatal(err)
			}
		}
		b, err := s.Build(nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := limitsOf(b)
		if err != nil {
			t.Fatal(err)
		}
		r, err := b.Run(true)
		if err != nil {
			t.Fatal(err)
		}
		run, err := r.Trace()
		if err != nil {
			t.Fatal(err)
		}
		want, err := bound.Quick(run, bound.Options{Allow: pairs(b)})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.area-want.Area.Time) > 1e-4*want.Area.Time || math.Abs(got.path-want.CPE.Time) > 1e-4*want.CPE.Time {
			t.Errorf("%s: area bound %.0f, critical path %.0f; the report says %.0f and %.0f", set, got.area, got.path, want.Area.Time, want.CPE.Time)
		}
		m := measure(b, r)
		m.bounds(got)
		if !(m.Bound > 0 && m.Bound <= 1) {
			t.Errorf("%s: the bound is %v of the makespan", set, m.Bound)
		}
		busy := 0.0
		for i := range run.Task.Start {
			busy += float64(run.Task.End[i] - run.Task.Start[i])
		}
		if idle := 1 - busy/float64(m.Makespan)/float64(m.Workers); math.Abs(idle-m.Idle) > 1e-9 {
			t.Errorf("%s: idle share %v, want %v", set, m.Idle, idle)
		}
	}
}

// pairs are the durations of a simulation: a trace shows only those that were
// used.
func pairs(b *spec.Simulation) (all []bound.Pair) {
	w := newWork(b)
	for i, c := range b.Graph.Class {
		for k, on := range w.types {
			if ns := w.on(i, k); !math.IsInf(ns, 1) {
				p := bound.Pair{Kind: b.Graph.Classes[c].Kind, Arch: on.Arch, Duration: ns}
				if !slices.Contains(all, p) {
					all = append(all, p)
				}
			}
		}
	}
	return all
}

func TestSummary(t *testing.T) {
	table := &Table{Keys: []string{"seed", "scheduler"}}
	for seed, ns := range []int64{10, 20, 60} {
		table.Rows = append(table.Rows, Row{[]string{fmt.Sprint(seed), "lws"}, Metrics{Makespan: ns, Idle: 0.5}})
	}
	table.Rows = append(table.Rows, Row{[]string{"0", "ws"}, Failure(errors.New("no"))})
	s := table.Summary()
	if fmt.Sprint(s.Keys) != "[scheduler]" || len(s.Groups) != 2 {
		t.Fatalf("summary %+v", s)
	}
	g := s.Groups[0]
	if g.Runs != 3 || g.Mean != 30 || g.Median != 20 || g.Min != 10 || g.Max != 60 || g.Idle != 0.5 {
		t.Errorf("group %+v", g)
	}
	// Student's 0.975 quantile of two degrees of freedom is 4.3027.
	if half := 4.302653 * math.Sqrt(700) / math.Sqrt(3); math.Abs(g.High-30-half) > 1e-4 || math.Abs(30-half-g.Low) > 1e-4 {
		t.Errorf("interval %v to %v, want 30 ± %v", g.Low, g.High, half)
	}
	if s.Groups[1].Runs != 0 || s.Groups[1].Failed != 1 || s.Equal() {
		t.Errorf("groups %+v", s.Groups)
	}
	if (&Table{Keys: []string{"a"}}).Summary() != nil {
		t.Error("a summary without seeds")
	}
}

// BenchmarkSweep simulates 200 Cholesky factorizations of 30×30 tiles.
func BenchmarkSweep(b *testing.B) {
	text := specFile(b)
	for b.Loop() {
		simulated(b, filepath.Join(b.TempDir(), "c"), text, over(b, "workload.tiles=30", "options.pipeline=1,2", "seed=1..100"), Options{})
	}
}
