// Package efficiency answers: what share of the time that the workers had did
// they work, and what do the rest of it come from: nodes with unequal work,
// tasks on the wrong architecture, workers with unequal work, or waiting?
//
// The approach is that of POP (docs/design/methods.md, Efficiencies): factors
// that multiply up to the parallel efficiency. On one architecture and node they
// are POP's own, from the useful time of each worker. An average over CPUs and
// GPUs would mislead, so elsewhere the area bound takes the place of the average,
// and two more factors say what the distribution over nodes and the allocation to
// architectures cost. [Result.Against] adds what takes a run to compare with.
//
// What it does not do: simulate. Dividing the communication efficiency into
// serialisation and transfer takes a replay of the run, whose makespans callers hand
// in ([Options].Replayed). Nor does it say what repairing a factor would
// gain, since a factor is a share of time and not of what can be saved.
package efficiency

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"dagscope/explain/bound"
	"dagscope/explain/breakdown"
	"dagscope/explain/kind"
	"dagscope/explain/processor"
	"dagscope/explain/schedule"
	"dagscope/internal/words"
	"dagscope/trace"
)

// Needs names the columns that this package reads; [StateNeeds] come on top for
// the time that running tasks spend in MPI calls, for locks and off the
// processor, and for what MPI and OpenMP each cost.
var Needs = append([]string{"resource.name", "task.gflop"}, slices.Concat(kind.Needs, schedule.Needs)...)

// StateNeeds names the columns of states that this package reads.
var StateNeeds = slices.Concat(schedule.StateNeeds, processor.Needs)

// Options choose what is measured. The zero value follows
// docs/design/methods.md, Efficiencies.
type Options struct {
	Generation bool            // count tasks that prepare the input
	Lanes      *schedule.Lanes // of all tasks, if they are laid out already
	Replayed   *Replayed       // nil: the communication efficiency is not divided
}

// Replayed are makespans of the run with its recorded schedule, simulated, in ns.
type Replayed struct {
	Makespan int64 `json:"makespan_ns"`      // as it was
	Instant  int64 `json:"instantaneous_ns"` // transfers and messages take no time
}

// Result holds the efficiencies of a run and of its parts.
type Result struct {
	From, To int64  // from the first start to the last end of the tasks, ns
	Run      Part   // all workers
	Nodes    []Part // by rank
	Types    []Part // by node and architecture
	Workers  []Part // by resource row
	MPI      *MPI   // nil where there are no ranks with MPI states
	Kinds    []Kind // by the names of kind and architecture

	basis
	replayed *Replayed
	costs    *bound.Costs     // of the whole run
	count    []float64        // tasks of each kind of costs
	name     map[int32]string // of resources that are named, by row
	lacks    []string         // see Missing
}

// Part is a set of workers with the times that its efficiencies are made of, ns.
// On each level the definition is the same, applied to its own workers and what
// they did.
type Part struct {
	Node     int32 // trace.None for all nodes
	Arch     int32 // index into run.Resource.Arch.Dict, trace.None for all, or where it is not known
	Worker   int32 // resource row of a single worker, else trace.None
	Count    int   // of workers
	Span     int64 // T, the makespan
	Useful   int64 // Σ u
	Longest  int64 // max u
	Busiest  int32 // worker whose that is, trace.None if nobody worked
	ABE      float64
	Largest  float64 // of the area bounds of its nodes
	Load     float64 // of the loads L(n, r) of its types
	HardNode int32   // node of Largest
	HardType int     // index into Result.Types of Load
}

// Uniform reports that the workers are of one architecture on one node: ABE is
// the mean useful time, and distribution and allocation are 1.
func (r *Result) Uniform() bool { return len(r.Types) == 1 }

// The efficiencies of a part multiply up: Parallel = Distribution × Allocation ×
// LoadBalance × Communication. What cannot be divided is NaN: where nobody worked
// there is no balance.
func (p *Part) Parallel() float64      { return ratio(p.ABE, float64(p.Span)) }
func (p *Part) Distribution() float64  { return ratio(p.ABE, p.Largest) }
func (p *Part) Allocation() float64    { return ratio(p.Largest, p.Load) }
func (p *Part) LoadBalance() float64   { return ratio(p.Load, float64(p.Longest)) }
func (p *Part) Communication() float64 { return ratio(float64(p.Longest), float64(p.Span)) }

// Transfer is what the communication efficiency would gain if transfers and
// messages took no time; NaN without a replay.
func (r *Result) Transfer() float64 {
	if r.replayed == nil {
		return math.NaN()
	}
	return ratio(float64(r.replayed.Instant), float64(r.replayed.Makespan))
}

// Serialisation is what remains of the communication efficiency: waiting for
// dependencies, submission and the runtime.
func (r *Result) Serialisation() float64 { return r.Run.Communication() / r.Transfer() }

func ratio(a, b float64) float64 {
	if b <= 0 {
		return math.NaN()
	}
	return a / b
}

// Replay is why the communication efficiency is not divided.
const Replay = "serialisation and transfer (need a replay)"

// ErrNothing is the error of a run of which no efficiency can be computed.
var ErrNothing = errors.New("no task ran on a known worker: nothing to divide")

// Compute measures a run that has the columns of Needs. The error is ErrNothing,
// or an area bound that could not be certified. A run without tasks whose ranks
// have MPI states has only what MPI makes of it: there are no parts, and the factors
// of Run are NaN.
func Compute(run *trace.Run, o Options) (*Result, error) {
	m := newMeasure(run, o)
	r := &Result{From: m.from, To: m.to, replayed: o.Replayed}
	if len(m.lanes.Task) > 0 && m.to > m.from {
		m.useful()
		m.parts(r)
		r.basis = m.basis
		r.kinds()
		if err := r.bounds(); err != nil {
			return nil, err
		}
	}
	m.mpi(r)
	if r.MPI == nil && r.Run.Longest == 0 {
		return nil, ErrNothing
	}
	m.missing(r)
	r.name = map[int32]string{}
	if r.Run.Longest > 0 {
		r.name[r.Run.Busiest] = run.Resource.Name.At(int(r.Run.Busiest))
	}
	if r.MPI != nil {
		for _, k := range r.MPI.Ranks {
			r.name[k.Resource] = run.Resource.Name.At(int(k.Resource))
		}
	}
	return r, nil
}

// measure is what is known of a run on the way to a Result.
type measure struct {
	run      *trace.Run
	o        Options
	lanes    *schedule.Lanes // of tasks that are useful work
	from, to int64
	workers  []int32
	types    schedule.Types
	arch     []int // of each type: index into run.Resource.Arch.Dict plus one, 0 where it is not known
	states   states
	queued   *processor.Lost // of threads without exact states; nil where it is not known

	silent   []int32 // nodes without MPI states, where others have some
	byWorker []int64 // u by place in workers
	basis
}

func newMeasure(run *trace.Run, o Options) *measure {
	m := &measure{run: run, o: o, workers: kind.Workers(run)}
	m.lanes = schedule.Select(run, o.Lanes, m.works())
	m.types = schedule.GroupTypes(run, m.workers)
	m.kindName = append([]string{""}, run.Task.Kind.Dict...)
	m.archName = append([]string{""}, run.Resource.Arch.Dict...)
	for _, t := range m.types.Type {
		m.arch = append(m.arch, 1+slices.Index(run.Resource.Arch.Dict, t.Arch))
	}
	m.states = newStates(run)
	if run.State.Kind.Find(trace.StateOffCPU) < 0 {
		m.queued = processor.Find(run)
	}
	m.from, m.to = m.window()
	return m
}

// works selects the tasks whose time is useful: those that count and, where
// threads come and go, what the program does outside of explicit tasks, which is
// its own code too (the initial and the implicit tasks of OpenMP).
func (m *measure) works() func(task int) bool {
	t, counted := &m.run.Task, kind.Options{Generation: m.o.Generation}
	return func(i int) bool {
		return counted.Counts(t, i) || m.run.Meta.Lifetimes && t.Internal[i] && t.Worker[i] >= 0 && t.End[i] != trace.NoTime
	}
}

// window is the makespan; without any task that counts, the time of the implicit
// ones.
func (m *measure) window() (from, to int64) {
	t, keep := &m.run.Task, schedule.Keep(m.run, m.o.Generation)
	from, to = math.MaxInt64, math.MinInt64
	for i, start := range t.Start {
		if keep(i) && t.End[i] != trace.NoTime {
			from, to = min(from, start), max(to, t.End[i])
		}
	}
	if from <= to {
		return from, to
	}
	for i, start := range m.lanes.Start {
		from, to = min(from, start), max(to, m.lanes.End[i])
	}
	if from <= to {
		return from, to
	}
	return m.states.window()
}

// parts sums the useful time of workers by type, node and run.
func (m *measure) parts(r *Result) {
	re, span := &m.run.Resource, m.to-m.from
	none := Part{Node: trace.None, Arch: trace.None, Worker: trace.None, Busiest: trace.None, Span: span}
	r.Run = none
	for k, t := range m.types.Type {
		p := none
		p.Node, p.HardNode, p.HardType = t.Node, t.Node, k
		if n := len(r.Nodes); n == 0 || r.Nodes[n-1].Node != t.Node {
			r.Nodes = append(r.Nodes, p)
		}
		p.Arch = int32(m.arch[k] - 1)
		r.Types = append(r.Types, p)
	}
	for i, w := range m.workers {
		k, u := int(m.types.Of[w]), m.byWorker[i]
		node, _ := slices.BinarySearchFunc(r.Nodes, re.Node[w], func(p Part, node int32) int { return cmp.Compare(p.Node, node) })
		for _, p := range []*Part{&r.Run, &r.Nodes[node], &r.Types[k]} {
			p.Count++
			p.Useful += u
			if u > p.Longest {
				p.Longest, p.Busiest = u, w
			}
		}
		r.Workers = append(r.Workers, Part{Node: re.Node[w], Arch: int32(m.arch[k] - 1), Worker: w, Count: 1, Span: span,
			Useful: u, Longest: u, Busiest: w, ABE: float64(u), Largest: float64(u), Load: float64(u), HardNode: re.Node[w], HardType: k})
	}
}

// missing notes what of the run is not known.
func (m *measure) missing(r *Result) {
	t, re := &m.run.Task, &m.run.Resource
	unplaced := 0
	keep := schedule.Keep(m.run, m.o.Generation)
	for i, w := range t.Worker {
		if w < 0 && keep(i) {
			unplaced++
		}
	}
	say := func(format string, args ...any) { r.lacks = append(r.lacks, fmt.Sprintf(format, args...)) }
	switch {
	case len(m.lanes.Task) == 0:
		say("tasks on known workers: only MPI can be judged")
	case unplaced > 0:
		say("the worker of %s: not in the useful time", words.Plural(unplaced, "task"))
	}
	if slices.ContainsFunc(m.workers, func(w int32) bool { return re.Arch.At(int(w)) == "" }) {
		say("the architecture of workers: unknown ones count as one")
	}
	switch {
	case len(m.silent) > 0:
		say("MPI states of %s: MPI and OpenMP not divided", nodeList(m.silent))
	case r.MPI == nil && m.run.Meta.Lifetimes && len(r.Nodes) > 1:
		say("MPI states: time in MPI calls counts as useful")
	}
	if used := breakdown.ProcessorTime(m.run); used > 0 && used < r.Run.Useful {
		say("off-CPU time: %s count as useful, %s of processor time were used", words.Duration(r.Run.Useful), words.Duration(used))
	}
}

// Missing names what is not known, and what that does to the numbers.
func (r *Result) Missing() []string {
	var missing []string
	if r.replayed == nil {
		missing = append(missing, Replay)
	}
	if never := r.neverRan(); len(never) > 0 {
		names := words.List(never, 3)
		if utf8.RuneCountInString(names) > 50 { // keep to a line
			names = words.Plural(len(never), "kind")
		}
		missing = append(missing, fmt.Sprintf("durations of %s (never ran there)", names))
	}
	return append(missing, r.lacks...)
}

// nodeList names nodes.
func nodeList(nodes []int32) string {
	return words.Agree(len(nodes), "node", "nodes") + " " + strings.Join(words.Ranges(nodes), ", ")
}
