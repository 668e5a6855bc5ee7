package tasking

import (
	"math/rand/v2"
	"testing"

	"dagscope/explain/bound"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// A program that is executed on unlimited workers, at once whenever it can,
// takes as long as its span. The same program executed with delays everywhere
// has the same work and the same span, which have to be found from the trace.
func TestSpanIsTimeOnUnlimitedWorkers(t *testing.T) {
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 6))
		var p *program
		if seed%2 == 0 {
			p = randomProgram(rng, 3, 6)
		} else {
			p = &program{ops: []op{{does: works, work: rng.Int64N(20)}, {does: forks, team: randomTeam(rng, 2)}, {does: works, work: 7}, {does: forks, team: randomTeam(rng, 2)}}}
		}
		work, span := execute(p, nil).work()
		m := execute(p, rng)
		s := FindSpan(m.record(t), Options{})
		if s.Work != work || s.Span != span || s.Circles != 0 {
			t.Fatalf("seed %d: work %d and span %d, want %d and %d; %d circles", seed, s.Work, s.Span, work, span, s.Circles)
		}
		checkPath(t, s)
	}
}

// checkPath: the steps of the longest chain are as long as the span together.
func checkPath(t *testing.T, s *Span) {
	t.Helper()
	sum := int64(0)
	for i, step := range s.Path {
		if sum += step.Work; step.Work < 0 || (step.Cause == First) != (i == 0) {
			t.Fatalf("step %d of the path is %+v", i, step)
		}
	}
	if sum != s.Span {
		t.Fatalf("the path is %d long, want the span %d", sum, s.Span)
	}
}

// Where tasks do not create tasks the span is the longest path of durations as
// observed.
func TestSpanOfGraphIsLongestPath(t *testing.T) {
	for seed := range uint64(200) {
		run := tracetest.Random(seed, 1+int(seed%60))
		b, err := bound.Compute(run, bound.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s := FindSpan(run, Options{})
		if float64(s.Span) != b.CPB.Time {
			t.Fatalf("seed %d: span %d, want %v", seed, s.Span, b.CPB.Time)
		}
		checkPath(t, s)
	}
}

func TestSpanOfWindow(t *testing.T) {
	run := tracetest.Chain(10) // of 10 ns each
	if s := FindSpan(run, Options{From: 25, To: 62}); s.Work != 37 || s.Span != 37 {
		t.Fatalf("work %d and span %d, want 37 of both", s.Work, s.Span)
	}
}

// Circles are no reason not to end.
func TestSpanOfCircle(t *testing.T) {
	run := tracetest.Chain(3)
	d := &run.Dep
	d.From = append([]int32{2}, d.From...)
	d.To = append([]int32{0}, d.To...)
	if s := FindSpan(run, Options{}); s.Circles == 0 || s.Span < 10 || s.Span > 30 || len(s.Path) == 0 {
		t.Fatalf("span %+v", s)
	}
}

// Runs that no program can have made: nothing panics, and all comes to an end.
func TestSpanOfNonsense(t *testing.T) {
	for seed := range uint64(600) {
		run := random(t, seed)
		rng := rand.New(rand.NewPCG(seed, 8))
		n := len(run.Task.Start)
		for range 1 + rng.IntN(8) {
			v, at := rng.IntN(n), rng.Int64N(3000)-500
			switch rng.IntN(8) {
			case 0:
				run.Task.Submit[v] = at
			case 1:
				run.Task.Start[v], run.Task.End[v], run.Task.Worker[v] = trace.NoTime, trace.NoTime, trace.None
			case 2:
				run.Task.Parent[v] = int32(rng.IntN(v+1)) - 1
			case 3:
				run.Dep.From, run.Dep.To = []int32{int32(rng.IntN(n)), int32(rng.IntN(n))}, []int32{0, int32(v)}
			case 4:
				if s := &run.State; len(s.Task) > 0 {
					i := rng.IntN(len(s.Task))
					s.Task[i], s.Start[i], s.End[i] = int32(v), at, at+rng.Int64N(300)
				}
			case 5:
				if s := &run.State; len(s.Task) > 0 {
					s.Kind.Index[rng.IntN(len(s.Task))] = int32(rng.IntN(len(s.Kind.Dict)))
				}
			case 6:
				if s := &run.Segment; len(s.Task) > 0 {
					i := rng.IntN(len(s.Task))
					s.Start[i], s.End[i] = at, at+rng.Int64N(100)
				}
			case 7:
				if e := &run.Event; len(e.Task) > 0 {
					e.Task[rng.IntN(len(e.Task))] = int32(v)
				}
			}
		}
		f := Compute(run, Options{})
		if f.Span.Span < 0 || f.Span.Work < 0 || f.Span.Circles == 0 && f.Span.Span > f.Span.Work {
			t.Fatalf("seed %d: span %d of a work of %d, %d circles", seed, f.Span.Span, f.Span.Work, f.Span.Circles)
		}
		f.Span.Uses(run)
		f.Span.Below(4)
	}
}
