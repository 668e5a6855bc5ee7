// Package whatif answers: what would a recorded run gain if one thing were
// different?
//
// The problem: a change acts through the scheduler, transfers and memory, so that
// no share of the run's time says what removing it would gain; and one simulation
// of each is no answer either, since a change of durations by a thousandth can
// move a makespan by more than the gain. The approach: the run is simulated again
// (the base), by the scheduler that it had or that repeats it best, and once more
// for each change; the gain is the difference of the two, both simulated, under
// the same random perturbations of the same tasks (common random numbers), in
// pairs, until the interval of the difference is narrow or the time is over. A
// base that does not repeat the run answers nothing, and says so.
//
// What it does not do: add gains up. Two changes together are a third.
package whatif

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"dagscope/internal/parallel"
	"dagscope/internal/stat"
	"dagscope/predict/plain"
	"dagscope/predict/platform"
	"dagscope/predict/spec"
	"dagscope/predict/starpu"
	"dagscope/predict/starpu/policy"
	"dagscope/trace"
)

// A base is valid from these on: its makespan is off by so much at most, and so
// much of the work ran on the same node and architecture.
const (
	MaxError     = 0.03
	MinPlacement = 0.9
)

// Fit is how well a scheduler repeats a run.
type Fit struct {
	Scheduler string  `json:"scheduler"`
	Makespan  int64   `json:"makespan_ns"`          // simulated, from the first start of a task
	Error     float64 `json:"error"`                // of the makespan: 0.01 is 1 % too long; of several attempts that of the median
	Low       float64 `json:"error_low,omitempty"`  // 10 % quantile of several attempts
	High      float64 `json:"error_high,omitempty"` // 90 % quantile
	Attempts  int     `json:"attempts,omitempty"`   // with durations that differ by a thousandth; 0: one was enough
	Placement float64 `json:"placement"`            // share of the work of each group of equal tasks on the same node and architecture
	Tasks     float64 `json:"tasks"`                // share of the work of tasks that are on the same node and architecture themselves
	Order     float64 `json:"order"`                // rank correlation of starts
	Failed    string  `json:"failed,omitempty"`
}

// Valid reports whether changes of the simulation say something of the run.
func (f *Fit) Valid() bool {
	return f.Failed == "" && math.Abs(f.Error) <= MaxError && f.Placement >= MinPlacement
}

// Base is a run with its simulation.
type Base struct {
	Run      *trace.Run
	Recorded int64 // ns, makespan of the run
	Fit            // of the scheduler that is taken
	Known    bool  // the run names its scheduler, or the user has
	Fits     []Fit // of all schedulers that were tried, the best first
	Noise    float64
	Warnings []string
	Lacks    []Lack // what the run does not say of what a replay takes

	// Pinned is the run with its recorded schedule, all else simulated: it answers
	// changes that leave decisions alone where no scheduler repeats the run.
	Pinned Fit

	set []string // what all simulations of it have
	// pinnedSet is what those of the recorded schedule have in addition.
	pinnedSet []string
	load      spec.Loader
	only      [2][]string // kinds that the run had only on devices, only on CPUs, of those that could run elsewhere
	sim       *spec.Simulation
	pinned    *spec.Simulation // nil if it cannot be made
}

// Options are those of [NewBase].
type Options struct {
	Scheduler string        // "": the run's own, else the one that repeats it best
	Set       []string      // keys of the spec that hold for base and changes, as KEY=VALUE
	Load      spec.Loader   // opens runs that Set and changes name; nil: they may name none
	Pinned    bool          // repeat the recorded schedule also where a scheduler repeats the run
	Budget    time.Duration // after which no more schedulers are tried; 0: all are
	Quick     bool          // try rare schedulers only where no common one repeats the run nearly exactly
}

// NewBase simulates a run again. Without a scheduler all are tried. It is a
// [NotReplayed] when no simulation of the run can be made.
func NewBase(run *trace.Run, o Options) (*Base, error) {
	b := &Base{Run: run, set: slices.Concat(settings(run), o.Set), load: o.Load, Known: true, Lacks: Lacking(run)}
	names := []string{cmp.Or(o.Scheduler, run.Meta.Environment[spec.EnvScheduler])}
	if names[0] == "" {
		b.Known = false
		names = candidates(run)
	}
	b.restrict(names[0])
	over := func() bool { return false }
	if o.Budget > 0 {
		deadline := time.Now().Add(o.Budget)
		over = func() bool { return time.Now().After(deadline) }
	}
	b.Fits = make([]Fit, len(names))
	sims := make([]*spec.Simulation, len(names))
	errs := make([]error, len(names))
	b.Fits[0], sims[0], errs[0] = b.fit(names[0], nil)
	first := len(names)
	if o.Quick {
		first = min(first, len(common))
	}
	try := func(from, to int) {
		parallel.For(to-from, func(i int) {
			if i += from; over() {
				b.Fits[i], errs[i] = Fit{Scheduler: names[i], Failed: errLate.Error()}, errLate
				return
			}
			b.Fits[i], sims[i], errs[i] = b.fit(names[i], sims[0])
		})
	}
	if try(1, first); first < len(names) {
		if slices.ContainsFunc(b.Fits[:first], func(f Fit) bool { return f.nearlyExact() }) {
			b.Fits, sims, errs = b.Fits[:first], sims[:first], errs[:first]
		} else {
			try(first, len(names))
		}
	}
	if !slices.Contains(errs, nil) {
		if b.pin(); b.pinned == nil {
			why := errs[0]
			if b.Pinned.Failed != why.Error() {
				why = fmt.Errorf("%w; with its recorded schedule: %s", why, b.Pinned.Failed)
			}
			return nil, &NotReplayed{why, b.Lacks}
		}
		sims[0] = b.pinned // no scheduler gets to its end: its fit says so
	}
	if !over() {
		b.repeat(sims, o.Quick)
	}
	best := b.bestFit()
	b.Fit, b.sim = b.Fits[best], sims[best]
	if !prefetched(run) && prefetches(b.Scheduler) && !b.says("options.prefetch") {
		b.set = append(slices.Clone(b.set), noPrefetch)
	}
	b.Warnings = b.sim.Warnings
	slices.SortStableFunc(b.Fits, func(x, y Fit) int {
		switch {
		case x.better(&y):
			return -1
		case y.better(&x):
			return 1
		}
		return 0
	})
	b.Recorded = span(run, b.sim.Rows)
	if b.pinned == nil && (o.Pinned || !b.Valid()) {
		b.pin()
	}
	b.Noise = max(leastNoise, noise(run, b.sim.Rows))
	return b, nil
}

// patience is how much longer than the run a simulation of it may be: one that waits
// for memory for ever polls, and never ends, and one that takes half as long again
// repeats nothing either.
const patience = 1.5

// recordedSchedule stands for no scheduler: the schedule of the run is repeated.
const recordedSchedule = "recorded"

// pin repeats the recorded schedule. Where memory is limited, data that is fetched as
// soon as tasks are known to run somewhere drives out what the tasks before them need:
// whether it was is what repeats the run better.
func (b *Base) pin() {
	b.Pinned, b.pinned, _ = b.fit(recordedSchedule, nil)
	limited := b.pinned == nil || slices.ContainsFunc(b.pinned.Machine.Memories, func(m platform.Memory) bool { return m.Kind == platform.GPU && m.Capacity > 0 })
	if b.pinned != nil && math.Abs(b.Pinned.Error) <= 0.01 || !limited || b.says("options.prefetch") {
		return
	}
	set := b.set
	b.set = append(slices.Clone(set), noPrefetch)
	f, sim, _ := b.fit(recordedSchedule, nil)
	b.set = set
	if sim != nil && (b.pinned == nil || math.Abs(f.Error) < math.Abs(b.Pinned.Error)) {
		b.Pinned, b.pinned, b.pinnedSet = f, sim, []string{noPrefetch}
	}
}

// says reports whether a key is set for base and changes.
func (b *Base) says(key string) bool {
	return slices.ContainsFunc(b.set, func(s string) bool { return strings.HasPrefix(s, key+"=") })
}

// CanPin reports whether the recorded schedule answers what no scheduler does.
func (b *Base) CanPin() bool { return b.pinned != nil && math.Abs(b.Pinned.Error) <= MaxError }

// common schedulers come first among those that decide the same.
var common = []string{"lws", "dmdas", "dmda", "eager", "prio"}

// nearlyExact reports whether no other scheduler can repeat a run much better.
func (f *Fit) nearlyExact() bool {
	return f.Valid() && math.Abs(f.Error) <= 0.01 && f.Placement >= 0.97 && f.Order >= 0.98
}

// candidates are the schedulers that a run may have had.
func candidates(run *trace.Run) []string {
	if len(run.Transfer.Start) == 0 && len(run.Access.Task) == 0 { // no StarPU: workers that share a memory
		return plain.Policies[:4]
	}
	others := slices.DeleteFunc(policy.Names(), func(name string) bool {
		return name == "heft" || slices.Contains(common, name) // heft is not StarPU's
	})
	return slices.Concat(common, others)
}

// better prefers what places and orders tasks as the run did, and takes as long: a
// makespan alone can be right by accident.
func (f *Fit) better(g *Fit) bool {
	if (f.Failed == "") != (g.Failed == "") {
		return f.Failed == ""
	}
	return f.Tasks+f.Order-math.Abs(f.Error) > g.Tasks+g.Order-math.Abs(g.Error)
}

// build makes a simulation of the run with some more keys.
func (b *Base) build(scheduler string, set []string, edited *trace.Run) (*spec.Simulation, error) {
	s, run := spec.OfRun(itself), b.Run
	if edited != run { // only durations are: what else follows from the run is as it was recorded
		s.Last(func(row int32) (int64, bool) {
			return edited.Task.End[row] - edited.Task.Start[row], edited.Task.End[row] != run.Task.End[row]
		})
	}
	whose := []string{"scheduler=" + scheduler}
	if scheduler == recordedSchedule {
		whose = append([]string{"options.pinned=true"}, b.pinnedSet...)
	}
	for _, assignment := range slices.Concat(b.set, whose, set) {
		if err := s.Set(assignment); err != nil {
			return nil, err
		}
	}
	return s.Build(func(name string) (*trace.Run, error) {
		switch {
		case name == itself:
			return run, nil
		case b.load == nil:
			return nil, errors.New("found another run, want none here")
		}
		return b.load(name)
	})
}

// errLate says that there was no time for a simulation.
var errLate = errors.New("not tried: the time was over")

// itself is how specs name the run that is simulated again.
const itself = "the run itself"

// run simulates. The plain engine keeps starts only of runs that it records.
func run(ctx context.Context, sim *spec.Simulation) (*starpu.Result, error) {
	return sim.RunContext(ctx, sim.Plain != nil)
}

// noPrefetch is set where a run shows that data was not fetched before tasks began.
const noPrefetch = "options.prefetch=false"

// prefetched reports whether a run shows data fetched before tasks began, or nothing
// of the kind.
func prefetched(run *trace.Run) bool {
	kinds := run.Transfer.Kind.Dict
	return slices.Contains(kinds, trace.TransferTaskPrefetch) || !slices.Contains(kinds, trace.TransferFetch)
}

// expects reports whether a scheduler decides by how long it expects tasks to take.
func expects(scheduler string) bool { return prefetches(scheduler) }

// prefetches reports whether a scheduler has data fetched when it places tasks; of the
// others a run does not say whether that was switched on.
func prefetches(scheduler string) bool {
	return strings.HasPrefix(scheduler, "dm") || strings.Contains(scheduler, "heft")
}

// fit simulates the run under a scheduler. What it takes is shared with a simulation
// under another one, if there is one.
func (b *Base) fit(scheduler string, other *spec.Simulation) (f Fit, sim *spec.Simulation, err error) {
	f.Scheduler = scheduler
	var r *starpu.Result
	var more []string
	if !prefetched(b.Run) && prefetches(scheduler) && !b.says("options.prefetch") {
		more = []string{noPrefetch}
	}
	shared := false
	if other != nil {
		if sim, shared = other.Under(scheduler); shared {
			sim.Options.Prefetch = other.Options.Prefetch && more == nil
		}
	}
	if !shared {
		sim, err = b.build(scheduler, more, b.Run)
	}
	if err == nil {
		sim.Options.Until = patience*float64(span(b.Run, sim.Rows))*1e-9 + 0.1
		r, err = run(context.Background(), sim)
		sim.Options.Until = 0
	}
	if err == nil && sim.Rows == nil {
		err = errors.New("found a simulation of other tasks than the run's")
	}
	if err != nil {
		f.Failed = err.Error()
		return f, nil, err
	}
	f.Makespan = sim.MakespanFromStart(r)
	recorded := span(b.Run, sim.Rows)
	f.Error = float64(f.Makespan-recorded) / float64(max(recorded, 1))
	f.agree(b.Run, sim, r)
	return f, sim, nil
}

// span is the time from the first start to the last end of counted tasks.
func span(run *trace.Run, rows []int32) int64 {
	first, last := int64(math.MaxInt64), int64(math.MinInt64)
	for _, row := range rows {
		if run.Task.Counted(int(row)) {
			first, last = min(first, run.Task.Start[row]), max(last, run.Task.End[row])
		}
	}
	return max(0, last-first)
}

// agree finds which share of the work a simulation places on the node and
// architecture where it was, and the rank correlation of starts. Tasks of a group
// are equal, so that which of them is where says nothing of the run; what the
// group has on each node and architecture does.
func (f *Fit) agree(run *trace.Run, sim *spec.Simulation, r *starpu.Result) {
	type place struct {
		group
		node int32
		arch string
	}
	t, re := &run.Task, &run.Resource
	there, here := map[place]int{}, map[place]int{} // tasks, recorded and simulated
	took, count := map[group]float64{}, map[group]int{}
	same, all := 0.0, 0.0
	var recorded, simulated []int64
	for i, row := range sim.Rows {
		g, ok := groupOf(run, row)
		if !ok {
			continue
		}
		w := t.Worker[row]
		recorded, simulated = append(recorded, t.Start[row]), append(simulated, r.Begin[i])
		work := float64(t.End[row] - t.Start[row])
		g.arch = 0 // the same task elsewhere
		p := place{g, max(re.Node[w], 0), cmp.Or(re.Arch.At(int(w)), platform.CPU)}
		q := p // of an engine that keeps no workers: all are the same
		if i < len(r.Worker) && r.Worker[i] >= 0 {
			w := &sim.Machine.Workers[r.Worker[i]]
			q.node, q.arch = w.Node, w.Arch
		}
		if p == q {
			same += work
		}
		there[p]++
		here[q]++
		took[g] += work
		count[g]++
		all += work
	}
	if all == 0 {
		return
	}
	f.Tasks = same / all
	for _, p := range slices.SortedFunc(maps.Keys(there), func(p, q place) int { // the sum depends on the order
		return cmp.Or(cmp.Compare(p.kind, q.kind), cmp.Compare(p.footprint, q.footprint), cmp.Compare(p.node, q.node), cmp.Compare(p.arch, q.arch))
	}) {
		n := there[p]
		f.Placement += float64(min(n, here[p])) / float64(count[p.group]) * took[p.group] / all
	}
	if f.Order = stat.Spearman(recorded, simulated); math.IsNaN(f.Order) {
		f.Order = 0
	}
}

// leastNoise is how much durations are perturbed at least: under any scheduler
// that decides at run time less than that changes what it decides.
const (
	leastNoise = 0.001
	mostNoise  = 0.5 // more is no noise: work differs from task to task
)

// noise is what a simulated run says of itself, else the variation that is seen:
// durations that are recorded may differ for other reasons than noise.
func noise(run *trace.Run, rows []int32) float64 {
	if said, known := run.Meta.Environment[spec.EnvNoise]; known {
		if cv, err := strconv.ParseFloat(said, 64); err == nil && cv >= 0 && cv <= mostNoise {
			return cv
		}
	}
	return variation(run, rows)
}

// variation is the coefficient of variation of durations within groups of equal
// tasks, the mean of the groups by work. It is that of a normal distribution with
// the quartiles that were seen: a few tasks that were disturbed for long are no
// noise of the others.
func variation(run *trace.Run, rows []int32) float64 {
	of := map[group][]int64{}
	for _, row := range rows {
		if g, ok := groupOf(run, row); ok {
			of[g] = append(of[g], run.Task.End[row]-run.Task.Start[row])
		}
	}
	const quartiles = 1.349 // between those of the standard normal distribution
	sum, weight := 0.0, 0.0
	for _, g := range slices.SortedFunc(maps.Keys(of), group.compare) { // the sum depends on the order
		durations := of[g]
		if len(durations) < 4 {
			continue
		}
		work := stat.Sum(durations)
		q := make([]float64, 3)
		stat.Quantiles(durations, []float64{0.25, 0.5, 0.75}, q)
		if q[1] > 0 {
			sum, weight = sum+(q[2]-q[0])/quartiles/q[1]*work, weight+work
		}
	}
	if weight == 0 {
		return 0
	}
	return min(sum/weight, mostNoise)
}
