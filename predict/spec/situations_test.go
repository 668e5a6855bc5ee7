package spec

import (
	"path/filepath"
	"slices"
	"testing"

	"dagscope/explain/progression"
	"dagscope/internal/testenv"
	"dagscope/trace"
)

// situation simulates an example, smaller where it is long.
func situation(t *testing.T, name string, assignments ...string) *trace.Run {
	t.Helper()
	s, err := Read(filepath.Join("..", "..", "docs", "examples", "situations", name))
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range assignments {
		if err := s.Set(a); err != nil {
			t.Fatal(err)
		}
	}
	b, err := s.Build(nil)
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
	return run
}

func progressed(t *testing.T, run *trace.Run, o progression.Options) *progression.Result {
	t.Helper()
	r, err := progression.Compute(run, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// clusters are the nodes of each cluster at an instant, from the slowest.
func clusters(r *progression.Result, step int) [][]int32 {
	all := make([][]int32, len(r.Mean[step]))
	for i, c := range r.Cluster[step] {
		all[c] = append(all[c], r.Node[i])
	}
	return all
}

// seen reports whether some nodes are a cluster of their own at some instant.
func seen(r *progression.Result, nodes ...int32) bool {
	for step := range r.Time {
		if slices.ContainsFunc(clusters(r, step), func(c []int32) bool { return slices.Equal(c, nodes) }) {
			return true
		}
	}
	return false
}

func most(r *progression.Result) (count int) {
	for step := range r.Time {
		count = max(count, len(r.Mean[step]))
	}
	return count
}

// fewer makes an LU of the examples small enough for a test.
var fewer = []string{"workload.tiles=50"}

// lateness is how much longer a run takes than the area bound.
func lateness(r *progression.Result) float64 { return float64(r.Time[len(r.Time)-1]) / r.ABE }

// The node at the slow link is the slowest; behind are those in its row and its
// column of the grid, before all others.
func TestSlowLink(t *testing.T) {
	r := progressed(t, situation(t, "slow-link.yaml", fewer...), progression.Options{})
	want := [][]int32{{0}, {1, 2, 3, 4, 5, 6, 12, 18, 24}, {7, 8, 9, 10, 11, 13, 14, 15, 16, 17, 19, 20, 21, 22, 23, 25, 26, 27, 28, 29}}
	for step := range r.Time {
		if slices.EqualFunc(clusters(r, step), want, slices.Equal[[]int32]) {
			return
		}
	}
	t.Errorf("found no instant with clusters %v", want)
}

// Nodes with more load are alone.
func TestMoreLoad(t *testing.T) {
	testenv.Slow(t)
	r := progressed(t, situation(t, "more-load.yaml", fewer...), progression.Options{})
	if !seen(r, 0) || !seen(r, 1) {
		t.Error("found no instant at which nodes 0 and 1 are alone, want one of each")
	}
	for step := range r.Time {
		if c := clusters(r, step); len(c) > 2 && !slices.Equal(c[0], []int32{0}) {
			t.Errorf("found nodes %v slowest at step %d, want node 0", c[0], step)
		}
	}
}

// A slow network makes all nodes late alike, which only bounds show.
func TestSlowNetwork(t *testing.T) {
	testenv.Slow(t)
	slow := progressed(t, situation(t, "slow-network.yaml", fewer...), progression.Options{})
	well := progressed(t, situation(t, "lu.yaml", fewer...), progression.Options{})
	if most(slow) != 1 || most(well) != 1 {
		t.Errorf("found %d and %d clusters, want one each", most(slow), most(well))
	}
	if lateness(slow) < 3 || lateness(well) > 2 {
		t.Errorf("found %.2f times the area bound with the slow network and %.2f with the other, want more than 3 and less than 2", lateness(slow), lateness(well))
	}
}

// Nodes that have lost a GPU are behind from the start.
func TestMissingGPUs(t *testing.T) {
	testenv.Slow(t)
	r := progressed(t, situation(t, "missing-gpus.yaml", fewer...), progression.Options{})
	for step := 4; step < 10; step++ {
		if c := clusters(r, step); !slices.Equal(c[0], []int32{0, 1}) {
			t.Errorf("found nodes %v slowest at step %d, want 0 and 1", c[0], step)
		}
	}
}

// Nodes with GPUs, which have more than they can do, are behind in the second
// phase.
func TestTwoPhases(t *testing.T) {
	testenv.Slow(t)
	r := progressed(t, situation(t, "two-phases.yaml", "workload.tiles=60"), progression.Options{Bandwidth: 0.03})
	if most(r) < 2 || !seen(r, 6, 7) || !seen(r, 0, 1, 2, 3, 4, 5) {
		t.Errorf("found at most %d clusters, want nodes 6 and 7 in one and the others in another", most(r))
	}
	counted := 0
	run := situation(t, "two-phases.yaml", "workload.tiles=10")
	for i := range run.Task.Kind.Index {
		if run.Task.Kind.At(i) == "dcmg" && !run.Task.Generation[i] {
			counted++
		}
	}
	if counted != 55 {
		t.Errorf("found %d tasks that count among those that make the matrix, want 55", counted)
	}
}

// makespan of an example in ms.
func makespan(t *testing.T, name string, assignments ...string) float64 {
	t.Helper()
	run := situation(t, name, assignments...)
	return float64(slices.Max(run.Task.End)) / 1e6
}

const onGPUs = "options.only_gpu=[trsm, syrk]"

// Work stealing, which knows of no GPUs, gains most where TRSM and SYRK are for
// GPUs only; on the small matrix dmda and dmdas do not.
func TestConstrained(t *testing.T) {
	testenv.Slow(t)
	gain := func(name, scheduler string) float64 {
		return makespan(t, name, "scheduler="+scheduler) / makespan(t, name, "scheduler="+scheduler, onGPUs)
	}
	if ws := gain("small.yaml", "ws"); ws < 1.3 {
		t.Errorf("found a gain of %.2f of ws on the small matrix, want 1.3", ws)
	}
	for _, scheduler := range []string{"dmda", "dmdas"} {
		if g := gain("small.yaml", scheduler); g > 1 {
			t.Errorf("found a gain of %.2f of %s on the small matrix, want none", g, scheduler)
		}
	}
	if ws := gain("large.yaml", "ws"); ws < 1.005 {
		t.Errorf("found a gain of %.3f of ws on the large matrix, want one", ws)
	}
	for _, scheduler := range []string{"dmdas", "ws"} {
		r := progressed(t, situation(t, "large.yaml", "scheduler="+scheduler, onGPUs), progression.Options{Steps: 1})
		if late := lateness(r); late > 1.02 {
			t.Errorf("found %.3f times the area bound with %s on the large matrix, want 2 %% at most", late, scheduler)
		}
	}
}

// With one task at a time the first steps of the critical path are sooner, and
// the whole is slower.
func TestPipelineSize(t *testing.T) {
	one, two := situation(t, "pipeline.yaml", "options.pipeline=1"), situation(t, "pipeline.yaml")
	a, b := potrfs(one), potrfs(two)
	for i := 1; i < 6; i++ {
		if a[i] >= b[i] {
			t.Errorf("found POTRF %d after %.1f ms with one task at a time, and after %.1f with two, want it sooner", i, a[i], b[i])
		}
	}
	if slices.Max(one.Task.End) <= slices.Max(two.Task.End) {
		t.Error("found the run faster with one task at a time, want it slower")
	}
}

// potrfs are the starts of the factorizations of diagonal tiles, in ms.
func potrfs(run *trace.Run) (all []float64) {
	for i := range run.Task.Start {
		if run.Task.Kind.At(i) == "POTRF" {
			all = append(all, float64(run.Task.Start[i])/1e6)
		}
	}
	slices.Sort(all)
	return all
}
