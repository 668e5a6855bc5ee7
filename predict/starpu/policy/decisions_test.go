package policy_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"dagscope/predict/platform"
	"dagscope/predict/starpu"
	"dagscope/predict/starpu/policy"
	"dagscope/predict/workload"
	"dagscope/trace"

	"pgregory.net/rapid"
)

// observer is a policy whose queues are looked at whenever it is asked for
// something.
type observer struct {
	*spy
	log  *starpu.DecisionLog
	seen []observed
}

// observed is what queues held when so many decisions had been recorded.
type observed struct {
	decisions int
	queues    [][]int32
}

func (o *observer) LogDecisions(m *starpu.DecisionLog) {
	o.log = m
	if p, ok := o.Policy.(starpu.DecisionLogger); ok {
		p.LogDecisions(m)
	}
}

func (o *observer) look() {
	if o.log.Enabled() {
		o.seen = append(o.seen, observed{o.log.Len(), policy.Contents(o.Policy)})
	}
}

func (o *observer) Push(task int32) {
	o.look()
	o.spy.Push(task)
	o.look()
}

func (o *observer) Pop(worker int32) int32 {
	o.look()
	defer o.look()
	return o.spy.Pop(worker)
}

// drawn is a program, a machine and options.
type drawn struct {
	g *workload.Graph
	m *platform.Machine
	d starpu.Durations
	o starpu.Options
}

func draw(t *rapid.T) drawn {
	g := program(t, rapid.IntRange(0, 60).Draw(t, "tasks"))
	m := machine(rapid.IntRange(1, 4).Draw(t, "cpus"), rapid.IntRange(0, 2).Draw(t, "gpus"))
	x := drawn{g, m, lengths(t, g, m), starpu.DefaultOptions()}
	x.o.Prefetch, x.o.Pipeline = rapid.Bool().Draw(t, "prefetch"), rapid.IntRange(0, 3).Draw(t, "pipeline")
	x.o.Record = rapid.Bool().Draw(t, "record")
	return x
}

// watch runs a policy with all its decisions recorded.
func (x drawn) watch(t rapid.TB, name string) (*observer, *starpu.Result, *trace.Run) {
	o := &observer{spy: newSpy(t, name, x.g.Tasks())}
	x.o.Decisions = &starpu.Decisions{}
	r := run(t, x.g, x.m, x.d, o, x.o)
	recorded, err := r.Trace()
	if err != nil {
		t.Fatal(err)
	}
	return o, r, recorded
}

// each checks a property under every policy.
func each(t *testing.T, check func(t *rapid.T, name string)) {
	for _, name := range policy.Names() {
		t.Run(name, func(t *testing.T) { rapid.Check(t, func(t *rapid.T) { check(t, name) }) })
	}
}

func TestWatchingChangesNothing(t *testing.T) {
	each(t, func(t *rapid.T, name string) {
		x := draw(t)
		_, watched, _ := x.watch(t, name)
		alone := run(t, x.g, x.m, x.d, newSpy(t, name, x.g.Tasks()), x.o)
		if watched.Makespan != alone.Makespan || watched.Events != alone.Events || !slices.Equal(watched.Worker, alone.Worker) ||
			!slices.Equal(watched.Begin, alone.Begin) || !slices.Equal(watched.End, alone.End) {
			t.Fatalf("watched it takes %d ns, else %d", watched.Makespan, alone.Makespan)
		}
	})
}

// Estimates add up to the bit, and of the fittest workers the first is chosen.
func TestEstimatesAddUp(t *testing.T) {
	end := map[string]func(clock float64, e *trace.Estimates, i int) float64{
		"dm": func(_ float64, e *trace.Estimates, i int) float64 {
			return e.Available[i] + e.Queued[i] + e.Duration[i]
		},
		"heft": func(clock float64, e *trace.Estimates, i int) float64 {
			want := max(e.Available[i], clock+e.Transfer[i]) + e.Duration[i]
			if math.Abs(want-e.End[i]) < 1e-6 { // arrivals are dates, not sums
				return e.End[i]
			}
			return want
		},
		"modular-heft": func(clock float64, e *trace.Estimates, i int) float64 {
			begin := max(clock, e.Available[i]+e.Queued[i])
			return begin + max(0, clock+e.Transfer[i]-begin) + e.Duration[i]
		},
	}
	data := func(clock float64, e *trace.Estimates, i int) float64 {
		return max(e.Available[i]+e.Queued[i], clock+e.Transfer[i]) + e.Duration[i]
	}
	for _, name := range []string{"dmda", "dmdap", "dmdar", "dmdas", "dmdasd"} {
		end[name] = data
	}
	each(t, func(t *rapid.T, name string) {
		x := draw(t)
		_, _, r := x.watch(t, name)
		estimated := requireSums(t, r, end[name])
		if want := end[name] != nil; want && estimated < ran(x.g) || !want && estimated > 0 {
			t.Fatalf("found estimates for %d decisions of %d tasks", estimated, ran(x.g))
		}
	})
}

// A worker that has nothing planned is available at once: what it waits for are
// transfers. Else it is available when a task of its plan ends.
func TestPlansTellTransfersFromWork(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, _, r := draw(t).watch(t, "heft")
		d, e := &r.Decision, &r.Estimate
		ends := make(map[int32][]float64) // by worker
		for i, row := range e.Decision {
			if e.Worker[i] == d.Worker[row] {
				ends[e.Worker[i]] = append(ends[e.Worker[i]], e.End[i])
			}
		}
		for i, row := range e.Decision {
			if at := e.Available[i]; at != d.Clock[row] && !slices.Contains(ends[e.Worker[i]], at) {
				t.Fatalf("decision %d at %v: worker %d is available at %v, when no task of its plan ends (%v)", row, d.Clock[row], e.Worker[i], at, ends[e.Worker[i]])
			}
		}
	})
}

// ran is how many tasks have work.
func ran(g *workload.Graph) (n int) {
	for _, sync := range g.Sync {
		if !sync {
			n++
		}
	}
	return n
}

// requireSums checks all estimates, and says how many decisions have some.
func requireSums(t rapid.TB, r *trace.Run, end func(float64, *trace.Estimates, int) float64) (estimated int) {
	d, e := &r.Decision, &r.Estimate
	for at := 0; at < len(e.Decision); {
		row := e.Decision[at]
		n := at
		for n < len(e.Decision) && e.Decision[n] == row {
			n++
		}
		best, chosen, least := math.Inf(1), trace.None, math.Inf(1)
		for i := at; i < n; i++ {
			best = min(best, e.End[i])
			if want := end(d.Clock[row], e, i); e.End[i] != want {
				t.Fatalf("decision %d ends at %v on %d, want %v", row, e.End[i], e.Worker[i], want)
			}
			if want := d.Alpha[row]*(e.End[i]-d.Best[row]) + d.Beta[row]*e.Transfer[i]; e.Fitness[i] != want {
				t.Fatalf("decision %d has fitness %v on %d, want %v", row, e.Fitness[i], e.Worker[i], want)
			}
			if index := r.Resource.Index; e.Fitness[i] < least || e.Fitness[i] == least && index[e.Worker[i]] < index[chosen] {
				chosen, least = e.Worker[i], e.Fitness[i]
			}
		}
		if best != d.Best[row] || chosen != d.Worker[row] {
			t.Fatalf("decision %d goes to %d with the earliest end %v, want %d and %v", row, d.Worker[row], d.Best[row], chosen, best)
		}
		at = n
		estimated++
	}
	return estimated
}

// What is pushed and popped determines what queues held, at every moment.
func TestDecisionsTellQueues(t *testing.T) {
	each(t, func(t *rapid.T, name string) {
		x := draw(t)
		o, _, r := x.watch(t, name)
		rows := map[int32]int32{} // tasks of the graph by row: the runtime's own are among them
		for i, internal := range r.Task.Internal {
			if !internal {
				rows[int32(i)] = graphTask(t, r, i)
			}
		}
		queues, looks := map[string][]int32{}, o.seen
		for i := range len(r.Decision.Task) + 1 {
			for ; len(looks) > 0 && looks[0].decisions == i; looks = looks[1:] {
				requireQueues(t, r, queues, looks[0].queues)
			}
			if i < len(r.Decision.Task) {
				replay(t, r, queues, i, rows)
			}
		}
		for name, left := range queues {
			if len(left) > 0 {
				t.Fatalf("%s is left with %v", name, left)
			}
		}
	})
}

func graphTask(t rapid.TB, r *trace.Run, row int) int32 {
	var number int32
	if _, err := fmt.Sscan(r.Task.Key.At(row), &number); err != nil {
		t.Fatal(err)
	}
	return number - 1
}

// replay does what the i-th decision did.
func replay(t rapid.TB, r *trace.Run, queues map[string][]int32, i int, tasks map[int32]int32) {
	d := &r.Decision
	name, task, place := d.Queue.At(i), tasks[d.Task[i]], int(d.Place[i])
	switch d.Kind.At(i) {
	case trace.DecisionPlan:
	case trace.DecisionPush:
		queues[name] = slices.Insert(queues[name], place, task)
	default:
		if queues[name][place] != task {
			t.Fatalf("decision %d takes task %d from place %d of %v", i, task, place, queues[name])
		}
		queues[name] = slices.Delete(queues[name], place, place+1)
	}
}

// requireQueues compares what decisions tell with what a policy really had, in
// the order of the numbers of its queues.
func requireQueues(t rapid.TB, r *trace.Run, told map[string][]int32, queues [][]int32) {
	var some []string // workers in the order of their numbers, then the others
	for i, level := range r.Resource.Level.Index {
		if r.Resource.Level.Dict[level] == trace.LevelWorker {
			some = append(some, fmt.Sprintf("%04d %s", r.Resource.Index[i], r.Resource.Name.At(i)))
		}
	}
	slices.Sort(some)
	for i, tasks := range queues {
		if i < len(some) && !slices.Equal(tasks, told[some[i][5:]]) {
			t.Fatalf("%s held %v, decisions tell %v", some[i], tasks, told[some[i][5:]])
		}
		if i < len(some) || len(tasks) == 0 {
			continue
		}
		found := false
		for _, queue := range told {
			found = found || slices.Equal(queue, tasks)
		}
		if !found {
			t.Fatalf("a shared queue held %v, decisions tell %v", tasks, told)
		}
	}
}
