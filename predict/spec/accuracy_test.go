package spec_test

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"dagscope/internal/testenv"
	"dagscope/predict/spec"
	"dagscope/predict/starpu"
	"dagscope/predict/starpu/policy"
)

// Reference makespans: StarPU's own simulation of the same task graphs,
// machines and models.

// row is a line of the reference.
type row struct {
	machine, scheduler, variant string
	tiles, tile                 int
	makespan                    float64 // µs
}

func (r row) String() string {
	return fmt.Sprintf("%s %s %d×%d %s", r.machine, r.scheduler, r.tiles, r.tile, r.variant)
}

// rows reads the reference; further files of the same columns can be named in
// DAGSCOPE_MAKESPANS, separated as in PATH.
func rows(t *testing.T) (all []row) {
	t.Helper()
	files := append([]string{testenv.Reference(t, "data/starpu/reference/makespans.tsv")}, filepath.SplitList(os.Getenv("DAGSCOPE_MAKESPANS"))...)
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			if r, ok := parseRow(lines.Text()); ok && slices.Contains(policy.Names(), r.scheduler) {
				all = append(all, r)
			}
		}
	}
	if len(all) < 100 {
		t.Fatalf("found %d reference rows, want 100 at least", len(all))
	}
	return all
}

func parseRow(line string) (r row, ok bool) {
	c := strings.Split(line, "\t")
	if len(c) < 8 {
		return r, false
	}
	r.machine, r.scheduler, r.variant = c[0], c[1], c[4]
	var errs [3]error
	r.tiles, errs[0] = strconv.Atoi(c[2])
	r.tile, errs[1] = strconv.Atoi(c[3])
	r.makespan, errs[2] = strconv.ParseFloat(c[7], 64)
	return r, errs == [3]error{}
}

// variants are the differences from StarPU's defaults.
var variants = map[string]struct{ workload, platform, costs, options string }{
	"default":    {},
	"zerocost":   {costs: "costs: zero"},
	"notransfer": {costs: "costs: {base: default, transfer: 0}"},
	"noprefetch": {options: "options: {prefetch: false}"},
	"nopipeline": {options: "options: {pipeline: 0}"},
	"gpuonly":    {platform: ", cpus: 0"},
	"cpuonly":    {platform: ", gpus: 0"},
	"1gpu":       {platform: ", gpus: 1"},
	"noprio":     {workload: ", priorities: none"},
	"ooc":        {workload: ", generate: {kind: INIT, duration: 1ms}"},
}

// spec is the simulation of a row. Further files may have variants of other
// names: "c4g2" for 4 CPU workers and 2 GPUs, "lim500" for as many MiB on each
// GPU, "lu" for that factorization.
func (r row) spec(t testing.TB, seed int) string {
	t.Helper()
	v, kind, n := variants[r.variant], "cholesky", [2]int{}
	if got, _ := fmt.Sscanf(r.variant, "c%dg%d", &n[0], &n[1]); got == 2 {
		v.platform = fmt.Sprintf(", cpus: %d, gpus: %d", n[0], n[1])
	}
	if got, _ := fmt.Sscanf(r.variant, "lim%d", &n[0]); got == 1 {
		v.options = fmt.Sprintf("options: {gpu_memory: %dMiB}", n[0])
	}
	if r.variant == "lu" {
		kind = "lu"
	}
	return fmt.Sprintf(`
workload: {kind: %s, tiles: %d, tile: %d%s}
platform: {starpu: %s, host: %s%s}
models: {starpu: %[5]s, host: %[6]s}
scheduler: %[8]s
seed: %[9]d
%[10]s
%[11]s
`, kind, r.tiles, r.tile, v.workload, testenv.Reference(t, "data/starpu/perfmodels/sampling"), r.machine, v.platform, r.scheduler, seed, v.costs, v.options)
}

// simulate runs a spec.
func simulate(text string, record bool) (*starpu.Result, error) {
	s, err := spec.Parse("spec.yaml", []byte(text))
	if err != nil {
		return nil, err
	}
	b, err := s.Build(nil)
	if err != nil {
		return nil, err
	}
	return b.Run(record)
}

// relative is the error of a simulated makespan.
func (r row) relative(t *testing.T) float64 {
	got, err := simulate(r.spec(t, 0), false)
	if err != nil {
		t.Errorf("%v: %v", r, err)
		return math.NaN()
	}
	return float64(got.Makespan)/1e3/r.makespan - 1
}

// measured is a row with what the simulation says.
type measured struct {
	row
	err float64 // relative
}

func (m measured) simulated() float64 { return m.makespan * (1 + m.err) }

// all simulates rows side by side.
func all(t *testing.T, rows []row) []measured {
	t.Helper()
	out := make([]measured, len(rows))
	var wg sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := range next {
				out[i] = measured{rows[i], rows[i].relative(t)}
			}
		})
	}
	for i := range rows {
		next <- i
	}
	close(next)
	wg.Wait()
	return out
}

// spread is what a group of errors comes to.
type spread struct{ median, p90, worst float64 }

func spreadOf(group []measured) spread {
	e := make([]float64, len(group))
	for i, m := range group {
		e[i] = math.Abs(m.err)
	}
	slices.Sort(e)
	at := func(q float64) float64 { return e[int(math.Ceil(q*float64(len(e))))-1] }
	return spread{at(0.5), at(0.9), e[len(e)-1]}
}

func (s spread) String() string {
	return fmt.Sprintf("median %5.2f %%  90 %% %5.2f %%  worst %6.2f %%", 100*s.median, 100*s.p90, 100*s.worst)
}

// table prints errors by what a key says of each.
func table(t *testing.T, group []measured, key func(measured) string) {
	t.Helper()
	by := map[string][]measured{}
	for _, m := range group {
		by[key(m)] = append(by[key(m)], m)
	}
	var names []string
	for n := range by {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		t.Logf("%-24s %3d rows  %v", n, len(by[n]), spreadOf(by[n]))
	}
}

// modelled are the policies that the bands are promised for.
var modelled = []string{"dm", "dmda", "dmdap", "dmdar", "dmdas", "dmdasd", "prio", "eager"}

// TestMakespans holds the simulation against StarPU's, over machines, sizes,
// policies and options.
func TestMakespans(t *testing.T) {
	every := rows(t)
	t.Run("small", func(t *testing.T) {
		compareMakespans(t, slices.DeleteFunc(slices.Clone(every), func(r row) bool { return r.tiles > 10 }))
	})
	t.Run("all", func(t *testing.T) {
		testenv.Slow(t)
		compareMakespans(t, every)
	})
}

func compareMakespans(t *testing.T, rows []row) {
	got := all(t, rows)
	table(t, got, func(m measured) string { return "policy " + m.scheduler })
	table(t, got, func(m measured) string { return "variant " + m.variant })
	table(t, got, func(m measured) string { return "machine " + m.machine })
	table(t, got, func(m measured) string { return fmt.Sprintf("tiles %2d", m.tiles) })
	table(t, got, func(m measured) string { return fmt.Sprintf("tile %3d", m.tile) })
	var banded []measured
	for _, m := range got {
		checkRow(t, m)
		if m.tiles >= 10 && slices.Contains(modelled, m.scheduler) {
			banded = append(banded, m)
		}
	}
	s := spreadOf(banded)
	t.Logf("%-24s %3d rows  %v", "bands", len(banded), s)
	if s.median > 0.02 || s.p90 > 0.05 {
		t.Errorf("makespans are off by %v, want a median of 2 %% and 90 %% within 5 %%", s)
	}
	checkOrder(t, got)
}

// checkRow holds a row against its own band.
func checkRow(t *testing.T, m measured) {
	t.Helper()
	limit := 0.10
	switch {
	case m.tiles < 10:
		limit = math.Inf(1)
	case m.scheduler == "ws" || m.scheduler == "lws" || m.scheduler == "random":
		limit = 0.03 // the reference is one draw, with seed 0: other seeds are up to 10 % off on average
	case m.scheduler == "heteroprio" || m.scheduler == "modular-heft":
		limit = math.Inf(1) // no band: their distance is printed
	}
	if math.Abs(m.err) > 0.02 || limit < math.Inf(1) && math.Abs(m.err) > limit {
		t.Logf("%-40v %10.0f µs, simulated %10.0f: %+6.2f %%", m.row, m.makespan, m.simulated(), 100*m.err)
	}
	if !(math.Abs(m.err) <= limit) {
		t.Errorf("%v takes %.0f µs, want %.0f within %.0f %%", m.row, m.simulated(), m.makespan, 100*limit)
	}
}

// checkOrder wants the same order of policies wherever the reference tells
// them apart.
func checkOrder(t *testing.T, got []measured) {
	t.Helper()
	const apart = 1.03
	pairs, wrong := 0, 0
	for i, a := range got {
		for _, b := range got[i+1:] {
			if a.machine != b.machine || a.tiles != b.tiles || a.tile != b.tile || a.variant != b.variant || !ordered(a) || !ordered(b) {
				continue
			}
			slow, fast := a, b
			if slow.makespan < fast.makespan {
				slow, fast = b, a
			}
			if slow.makespan < apart*fast.makespan {
				continue
			}
			pairs++
			if slow.simulated() <= fast.simulated() {
				wrong++
				t.Logf("%v (%.0f µs, simulated %.0f) is not slower than %s (%.0f, simulated %.0f)", slow.row, slow.makespan, slow.simulated(), fast.scheduler, fast.makespan, fast.simulated())
			}
		}
	}
	t.Logf("order of policies: %d of %d pairs are the other way round", wrong, pairs)
	if wrong > 0 {
		t.Errorf("found %d of %d pairs of policies in another order than the reference", wrong, pairs)
	}
}

func ordered(m measured) bool {
	return m.tiles >= 10 && m.scheduler != "random" && m.scheduler != "heteroprio" && m.scheduler != "modular-heft"
}
