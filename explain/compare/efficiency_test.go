package compare

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// drawPlaced is the same program each time, with its tasks one after the other on
// any worker, so that durations of a kind are those of the architectures.
func drawPlaced(t *rapid.T, seed uint64, tasks int) *trace.Run {
	run := tracetest.Random(seed, tasks)
	var workers []int32
	for r := range run.Resource.Node {
		if run.Resource.Level.At(r) == trace.LevelWorker {
			workers = append(workers, int32(r))
		}
	}
	clock, pace := int64(0), rapid.Int64Range(1, 3).Draw(t, "pace")
	for i := range run.Task.Start {
		length := pace * (run.Task.End[i] - run.Task.Start[i])
		run.Task.Worker[i] = rapid.SampledFrom(workers).Draw(t, "worker")
		run.Task.Start[i], run.Task.End[i] = clock, clock+length
		clock += length + rapid.Int64Range(0, 50).Draw(t, "pause")
	}
	return run
}

// Runs of one program on one machine have one bound at the pace of the reference,
// wherever they placed tasks: global efficiencies are in proportion to speed, and the
// reference's is its parallel efficiency.
func TestSideBySide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed, tasks := rapid.Uint64().Draw(t, "seed"), rapid.IntRange(1, 12).Draw(t, "tasks")
		s, err := NewSideBySide(Side{"first", drawPlaced(t, seed, tasks)}, Options{})
		for range rapid.IntRange(0, 3).Draw(t, "more") {
			if err == nil {
				err = s.Add(Side{"next", drawPlaced(t, seed, tasks)})
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		s.Finish()
		first := s.Runs[0]
		if *first.ComputationScalability != 1 && math.Abs(*first.ComputationScalability-1) > 1e-9 {
			t.Fatalf("the reference against itself: %v", *first.ComputationScalability)
		}
		for _, e := range s.Runs {
			f := e.Efficiency
			product := *f.LoadBalance * *f.Communication
			if f.Distribution != nil {
				product *= *f.Distribution * *f.Allocation
			}
			if math.Abs(product / *f.Parallel - 1) > 1e-9 {
				t.Fatalf("factors multiply up to %v, want %v", product, *f.Parallel)
			}
			if e.ComputationScalability == nil { // no pair in common
				continue
			}
			want := float64(first.Makespan) / float64(e.Makespan)
			if got := *e.GlobalEfficiency / *first.GlobalEfficiency; math.Abs(got/want-1) > 1e-9 {
				t.Fatalf("global efficiencies %v and %v, makespans %d and %d", *e.GlobalEfficiency, *first.GlobalEfficiency, e.Makespan, first.Makespan)
			}
		}
	})
}

// Two runs are compared by the same means as more.
func TestSideBySideOfTwo(t *testing.T) {
	a, b := bundled(t, "native-chol-tiny"), bundled(t, "sg-mirage-n12-dmdas")
	r := compared(t, a, b, Options{})
	s, err := NewSideBySide(Side{"a", a}, Options{})
	if err == nil {
		err = s.Add(Side{"b", b})
	}
	if err != nil {
		t.Fatal(err)
	}
	s.Finish()
	want, _ := json.MarshalIndent(s, "", " ")
	got, _ := json.MarshalIndent(r.Efficiency, "", " ")
	if !bytes.Equal(got, want) {
		t.Errorf("found\n%s\nwant\n%s", got, want)
	}
	if text := string(want); strings.Contains(text, "null") || strings.Contains(text, "serialisation\":") {
		t.Errorf("what is not known is not absent:\n%s", text)
	}
}

// Runs of other hosts do not say what was possible here.
func TestOtherHostsLendNothing(t *testing.T) {
	dmdas, other := bundled(t, "sg-mirage-n12-dmdas"), bundled(t, "sg-mirage-n12-dmdas")
	for i, w := range other.Task.Worker {
		if w >= 0 && other.Task.Kind.At(i) == "GEMM" {
			for r := range other.Resource.Arch.Index {
				if other.Resource.Level.At(r) == trace.LevelWorker && other.Resource.Arch.At(r) == "cpu" {
					other.Task.Worker[i] = int32(r)
				}
			}
		}
	}
	efficiency := func(host string) float64 {
		dmdas.Meta.Platform, other.Meta.Platform = &trace.Platform{Host: "here"}, &trace.Platform{Host: host}
		s, err := NewSideBySide(Side{"dmdas", dmdas}, Options{})
		if err == nil {
			err = s.Add(Side{"other", other})
		}
		if err != nil {
			t.Fatal(err)
		}
		s.Finish()
		return *s.Runs[0].Efficiency.Parallel
	}
	alone, lent := efficiency("elsewhere"), efficiency("here")
	if math.Abs(alone-0.775634) > 1e-6 || lent >= alone {
		t.Errorf("parallel efficiency %v beside a run of another host, %v beside one of the same host", alone, lent)
	}
}

func TestSideBySideRefusesRunsWithoutTasks(t *testing.T) {
	s, err := NewSideBySide(Side{"fork", tracetest.Fork(3, 2)}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Add(Side{"empty", tracetest.Chain(0)}); err == nil || !strings.Contains(err.Error(), "run B (empty)") {
		t.Errorf("found %v", err)
	}
}

func TestLetter(t *testing.T) {
	for i, want := range map[int]string{0: "A", 25: "Z", 26: "A2", 52: "A3"} {
		if got := Letter(i); got != want {
			t.Errorf("run %d is %s, want %s", i, got, want)
		}
	}
}
