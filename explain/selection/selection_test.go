package selection

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"dagscope/explain/chain"
	"dagscope/explain/depend"
	"dagscope/explain/kind"
	"dagscope/explain/schedule"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

func prepare(t testing.TB, run *trace.Run) *Index {
	t.Helper()
	x, err := New(run, Options{})
	if err == nil {
		err = x.Prepare()
	}
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func compute(t testing.TB, x *Index, a Area) *Stats {
	t.Helper()
	s, err := x.Compute(a)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestStatsAgainstInstants(t *testing.T) {
	for name, run := range smallRuns(t) {
		t.Run(name, func(t *testing.T) {
			x, n := prepare(t, run), &naive{run: run, last: depend.Find(run)}
			for _, a := range areas(run, rand.New(rand.NewPCG(3, 4))) {
				requireStats(t, n, a, compute(t, x, a))
			}
		})
	}
}

func requireStats(t *testing.T, n *naive, a Area, got *Stats) {
	t.Helper()
	same := func(what string, got, want any) {
		t.Helper()
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%+v: %s\n got %+v\nwant %+v", a, what, got, want)
		}
	}
	idle, breakdown, in := n.idle(a)
	same("idle", got.Idle, idle)
	same("input", got.Input, in)
	if got.Breakdown != nil {
		same("breakdown", *got.Breakdown, breakdown)
	}
	cut := n.cut(a)
	same("window", [2]int64{got.T0, got.T1}, [2]int64{cut.T0, cut.T1})
	same("wall", got.Wall, (cut.T1-cut.T0)*int64(len(a.Workers)))
	same("says that it is cut", strings.Contains(strings.Join(got.Notes, " "), "The area"), cut.T0 != a.T0 || cut.T1 != a.T1)
	same("tasks", got.Tasks, len(n.tasks(a)))
	same("kinds", append([]Kind(nil), got.Kinds...), n.kinds(a))
	states := map[string]int64{}
	for _, s := range got.States {
		states[s.State] = s.Time
	}
	same("states", states, n.states(a))
	same("histogram", got.Histogram, n.histogram(a, got.Histogram.Edges))
}

func TestCausesAddUpToIdleTime(t *testing.T) {
	for _, name := range bundledRuns {
		run := bundled(t, name)
		x, span, rng := prepare(t, run), schedule.Makespan(run), rand.New(rand.NewPCG(5, 6))
		for range 30 {
			a := Area{T0: rng.Int64N(span), Workers: kind.Workers(run)[rng.IntN(2):]}
			a.T1 = a.T0 + rng.Int64N(2*span)
			s := compute(t, x, a)
			if sum := sumOf(&s.Idle); sum != s.Idle.Total {
				t.Errorf("%s %+v: causes add up to %d, idle time is %d", name, a, sum, s.Idle.Total)
			}
			if b := s.Breakdown; b.Idleness+b.Overhead != s.Idle.Total || b.Work+s.Idle.Total+s.Input.Total != s.Wall {
				t.Errorf("%s %+v: breakdown %+v of %d ns of which %d idle", name, a, b, s.Wall, s.Idle.Total)
			}
		}
	}
}

// sumOf adds up the causes.
func sumOf(i *Idle) int64 {
	sum := i.Before + i.After + i.Unused
	for _, c := range i.Classes {
		sum += c.Time
	}
	return sum
}

// Two windows that follow each other make up the whole, and so do two halves
// of the workers.
func TestAreasAddUp(t *testing.T) {
	for _, name := range bundledRuns {
		run := bundled(t, name)
		x, span, workers := prepare(t, run), schedule.Makespan(run), kind.Workers(run)
		whole := compute(t, x, Area{T1: span})
		for _, cut := range []int64{0, 1, span / 3, span / 2, span} {
			requireSum(t, name, whole, compute(t, x, Area{T1: cut}), compute(t, x, Area{T0: cut, T1: span}))
		}
		half := len(workers) / 2
		requireSum(t, name, whole, compute(t, x, Area{T1: span, Workers: workers[:half]}), compute(t, x, Area{T1: span, Workers: workers[half:]}))
	}
}

func requireSum(t *testing.T, name string, whole, a, b *Stats) {
	t.Helper()
	for what, f := range map[string]func(*Stats) []int64{
		"idle": func(s *Stats) []int64 {
			all := make([]int64, len(chain.Classes()))
			for _, c := range s.Idle.Classes {
				class, _ := chain.FindClass(c.Class)
				all[class] = c.Time
			}
			return append(all, s.Wall, s.Idle.Total, s.Idle.After, s.Idle.Unused, s.Input.Total)
		},
		"breakdown": func(s *Stats) []int64 { return []int64{s.Breakdown.Work, s.Breakdown.Idleness, s.Breakdown.Overhead} },
		"busy": func(s *Stats) []int64 {
			busy := int64(0)
			for _, k := range s.Kinds {
				busy += k.Busy
			}
			return []int64{busy}
		},
		"histogram": func(s *Stats) []int64 {
			counts := make([]int64, len(s.Histogram.Edges)-1)
			for _, of := range s.Histogram.Counts {
				for bin, n := range of {
					counts[bin] += n
				}
			}
			return counts
		},
	} {
		sum := f(a)
		for i, v := range f(b) {
			sum[i] += v
		}
		if !slices.Equal(sum, f(whole)) {
			t.Errorf("%s: %s of parts add up to %v, the whole has %v", name, what, sum, f(whole))
		}
	}
}

// One index answers many requests at once; the first of them prepare it.
func TestQuestionsAtOnce(t *testing.T) {
	run := bundled(t, "native-chol-n10-dmdas")
	x, err := New(run, Options{})
	if err != nil {
		t.Fatal(err)
	}
	span, want := schedule.Makespan(run), prepare(t, run)
	var group sync.WaitGroup
	for i := range int64(8) {
		a := Area{T0: span * i / 10, T1: span * (i + 2) / 10}
		group.Go(func() {
			page, err := x.Page(a, Page{Sort: "key"})
			s, wrong := x.Compute(a)
			if err != nil || wrong != nil {
				t.Error(err, wrong)
				return
			}
			if s.Tasks != page.Total {
				t.Errorf("%+v: %d tasks, %d in the table", a, s.Tasks, page.Total)
			}
			if right, _ := want.Compute(a); !reflect.DeepEqual(s, right) {
				t.Errorf("%+v: %+v, want %+v", a, s, right)
			}
		})
	}
	group.Wait()
}

// Tasks that generate the input may overlap on one worker.
func TestOverlappingInputs(t *testing.T) {
	run := tracetest.Fork(8, 2)
	worker, at := kind.Workers(run)[0], [][2]int64{{10, 40}, {12, 14}, {20, 30}, {35, 50}, {60, 61}}
	for i, during := range at {
		run.Task.Generation[i+1], run.Task.Worker[i+1] = true, worker
		run.Task.Start[i+1], run.Task.End[i+1] = during[0], during[1]
	}
	x, n := prepare(t, run), &naive{run: run, last: depend.Find(run)}
	for _, a := range []Area{{T1: 100}, {T0: 13, T1: 33}, {T0: 31, T1: 60}, {T0: -5, T1: 61}} {
		a.Workers = kind.Workers(run)
		requireStats(t, n, a, compute(t, x, a))
	}
}
