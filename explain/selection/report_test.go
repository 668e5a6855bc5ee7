package selection

import (
	"maps"
	"math"
	"slices"
	"testing"

	"dagscope/explain/bound"
	"dagscope/explain/breakdown"
	"dagscope/explain/chain"
	"dagscope/explain/kind"
	"dagscope/explain/schedule"
	"dagscope/explain/utilization"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// The whole of a run says what the packages say that the report is made of.
func TestWholeRunIsTheReport(t *testing.T) {
	runs := map[string]*trace.Run{"cholesky": tracetest.Cholesky(tracetest.Options{Nodes: 2})}
	for _, name := range bundledRuns {
		runs[name] = bundled(t, name)
	}
	for name, run := range runs {
		t.Run(name, func(t *testing.T) {
			s := compute(t, prepare(t, run), Area{T1: schedule.Makespan(run)})
			requireIdleShare(t, run, s)
			requireKinds(t, run, s)
			requireBreakdown(t, run, s)
			requireBound(t, run, s)
			requireGaps(t, run, s)
		})
	}
}

func requireIdleShare(t *testing.T, run *trace.Run, s *Stats) {
	w := utilization.ByWorker(run, utilization.WorkerOptions{})
	total := int64(len(w.Worker)) * (w.To - w.From)
	for _, busy := range w.Busy {
		total -= busy
	}
	if s.Idle.Total != total || math.Abs(s.Idle.Share-w.Total()) > 1e-12 {
		t.Errorf("idle %d ns (%v), want %d ns (%v)", s.Idle.Total, s.Idle.Share, total, w.Total())
	}
}

func requireKinds(t *testing.T, run *trace.Run, s *Stats) {
	k := kind.Compute(run, kind.Options{})
	if len(s.Kinds) != k.Len() {
		t.Fatalf("%d rows of kinds, want %d", len(s.Kinds), k.Len())
	}
	for i, got := range s.Kinds {
		if got.Kind != run.Task.Kind.Dict[k.Kind[i]] || got.Arch != kind.ArchName(run, k.Arch[i]) || int64(got.Count) != k.Count[i] ||
			got.Busy != k.Total[i] || math.Abs(got.Mean-k.Mean[i]) > 1e-9*k.Mean[i] {
			t.Errorf("kind %+v, want %d tasks of %v ns, %d ns in all", got, k.Count[i], k.Mean[i], k.Total[i])
		}
	}
}

func requireBreakdown(t *testing.T, run *trace.Run, s *Stats) {
	want := breakdown.Compute(run, breakdown.Options{To: schedule.Makespan(run)}).Total(breakdown.Global)
	if got := *s.Breakdown; got != (Breakdown{want.Work, want.Idleness, want.Overhead}) {
		t.Errorf("breakdown %+v, want %+v", got, want)
	}
}

func requireBound(t *testing.T, run *trace.Run, s *Stats) {
	areas, err := bound.Areas(run, bound.Options{}, false)
	if err != nil {
		t.Fatal(err)
	}
	if want := areas[0].Time; math.Abs(s.Bound.ABE-want) > 1e-9*want || s.Bound.Length != schedule.Makespan(run) {
		t.Errorf("bound %+v, want %v of %d", *s.Bound, want, schedule.Makespan(run))
	}
}

// requireGaps compares with the gaps before tasks.
func requireGaps(t *testing.T, run *trace.Run, s *Stats) {
	_, gap := chain.New(run, chain.Options{}).Delays().Sum()
	got := map[string]int64{}
	for _, c := range s.Idle.Classes {
		got[c.Class] = c.Time
	}
	if want := gap.Names(); !maps.Equal(got, want) || s.Idle.After+s.Idle.Unused != s.Idle.Total-gap.Sum() {
		t.Errorf("idle %+v, gaps %+v", s.Idle, want)
	}
}

// What compares runs says the same of what is after the last tasks.
func TestTailIsThatOfComparison(t *testing.T) {
	run := bundled(t, "native-chol-n10-dmdas")
	s := compute(t, prepare(t, run), Area{T1: schedule.Makespan(run)})
	after, span := int64(0), schedule.Makespan(run)
	lanes := schedule.Build(run, schedule.Keep(run, false))
	for _, w := range kind.Workers(run) {
		if from, to := lanes.Of(w); from < to {
			after += span - slices.Max(lanes.End[from:to])
		}
	}
	if after == 0 || s.Idle.After != after {
		t.Errorf("%d ns after the last tasks, want %d", s.Idle.After, after)
	}
}

// A worker that generates the input is not idle: what reports call idle is both.
func TestInputIsNotIdleTime(t *testing.T) {
	run := bundled(t, "native-chol-n10-dmdas")
	busiest := kind.Compute(run, kind.Options{}).Kind[0]
	for i, k := range run.Task.Kind.Index {
		run.Task.Generation[i] = k == busiest
	}
	s := compute(t, prepare(t, run), Area{T1: schedule.Makespan(run)})
	w := utilization.ByWorker(run, utilization.WorkerOptions{})
	total := int64(len(w.Worker)) * schedule.Makespan(run)
	for _, busy := range w.Busy {
		total -= busy
	}
	if s.Input.Total == 0 || s.Idle.Total+s.Input.Total != total || sumOf(&s.Idle) != s.Idle.Total {
		t.Errorf("idle %+v and input %+v, want %d ns together", s.Idle, s.Input, total)
	}
	if !slices.Equal(s.Input.Kinds, []string{run.Task.Kind.Dict[busiest]}) || !hasNote(s, "generate the input") {
		t.Errorf("input %+v, notes %q", s.Input, s.Notes)
	}
}

// On one architecture the area bound is all the work on all the workers.
func TestBoundOfSomeWorkers(t *testing.T) {
	run := bundled(t, "sg-mirage-n12-dmdas")
	x, span := prepare(t, run), schedule.Makespan(run)
	var gpus []int32
	for _, w := range kind.Workers(run) {
		if run.Resource.Arch.At(int(w)) == "cuda" {
			gpus = append(gpus, w)
		}
	}
	a := Area{T0: span / 4, T1: span / 2, Workers: gpus[1:]}
	s, mean := compute(t, x, a), map[string]float64{}
	k := kind.Compute(run, kind.Options{})
	for i := range k.Len() {
		if kind.ArchName(run, k.Arch[i]) == "cuda" {
			mean[run.Task.Kind.Dict[k.Kind[i]]] = k.Mean[i]
		}
	}
	want, tasks := 0.0, 0.0
	for i, name := range s.Histogram.Kinds {
		n := float64(sum(s.Histogram.Counts[i]))
		want, tasks = want+n*mean[name]/float64(len(a.Workers)), tasks+n
	}
	if tasks == 0 || s.Bound == nil {
		t.Fatalf("bound %v of %v tasks", s.Bound, tasks)
	}
	if math.Abs(s.Bound.ABE-want) > 1e-9*want || s.Bound.Length != span/2-span/4 {
		t.Errorf("bound %+v of %v tasks, want %v", *s.Bound, tasks, want)
	}
}
