// Package progression answers: which nodes of a run of many get on more slowly
// than the others, and from when on (docs/design/methods.md, Progression; Nesi
// 2023, section III)?
//
// The problem: a Gantt chart does not scale with nodes, and shows whether they
// are busy, not how far they are. The progression of a node is the weighed
// share of its own tasks that have ended, from 0 to 1: nodes that keep pace have
// the same, however their work is divided (eq. 2 and 3). At a number of
// instants nodes with nearly the same progression are put together by modal
// clustering: a cluster is what lies between two minima of a Gaussian kernel
// density. Two bounds say whether all nodes are late alike: the area bound of
// the run, and the sum of the area bounds of what was done in each step.
//
// What it does not do: follow clusters through time (each instant is clustered
// by itself, as in the paper), or say why a node is late.
package progression

import (
	"fmt"
	"slices"

	"dagscope/explain/bound"
	"dagscope/explain/kind"
	"dagscope/explain/schedule"
	"dagscope/trace"
)

// Needs names the columns that this package reads.
var Needs = append([]string{"resource.name"}, kind.Needs...)

// Defaults of the paper.
const (
	DefaultSteps     = 20
	DefaultBandwidth = 0.01
)

// Weights say what a task of a kind counts for on a node.
type Weights string

// Weights of tasks.
const (
	// ByArch is eq. 2 with every worker of the node whose architecture can run the
	// kind (ran it anywhere), at the mean of the architecture on the node, or over
	// all nodes where the node has none.
	ByArch Weights = ""
	// ByWorker is eq. 2 with the workers that ran the kind only, at the mean of
	// each: what StarVZ does. A worker that happened to run nothing of a kind makes
	// the node slower at it.
	ByWorker Weights = "worker"
	// ByCount is eq. 1: all tasks count alike.
	ByCount Weights = "count"
)

// Options choose what is computed. The zero value is the paper's.
type Options struct {
	Steps         int     // number of steps from 0 to the makespan
	Bandwidth     float64 // of the density, as a share of the progression
	SheatherJones bool    // choose the bandwidth at each instant by the data
	Weights       Weights
	Generation    bool    // count tasks that prepare the input
	Nodes         []int32 // ranks, nil for all
	NoBounds      bool    // leave the area bounds out
	UsedWorkers   bool    // bounds count only workers that ran a task, as StarVZ does
}

func (o Options) withDefaults() Options {
	if o.Steps <= 0 {
		o.Steps = DefaultSteps
	}
	if !(o.Bandwidth > 0) {
		o.Bandwidth = DefaultBandwidth
	}
	return o
}

// Result is the progression of the nodes at a number of instants: Time[s],
// from 0 to the makespan in equal steps. Matrices are [instant][node] or
// [instant][cluster]; nodes count by their place in Node.
type Result struct {
	Time     []int64     // ns since zero
	Node     []int32     // ranks, ascending, of the nodes that ran a counted task
	Tasks    []int64     // counted tasks of each
	Without  []int32     // ranks of nodes with workers that ran none
	Progress [][]float64 // of each node, 0 to 1
	Global   []float64   // of all nodes as one

	Cluster   [][]int32   // cluster of each node, counted from the slowest
	Mean      [][]float64 // progression of each cluster: the mean of its nodes
	Size      [][]int32   // nodes of each cluster
	Bandwidth []float64   // that divided the nodes at each instant

	ABE     float64   // area bound of the run, ns; 0 where bounds are left out
	StepABE []float64 // area bound of what was done between two instants, ns; one less than there are instants
}

// Compute measures and clusters. A run without counted tasks has no node; an
// error is that of a linear program that could not be certified.
func Compute(run *trace.Run, o Options) (*Result, error) {
	o = o.withDefaults()
	r := &Result{}
	work := newWork(run, o)
	r.times(work.end, o.Steps)
	work.nodes(r)
	if len(r.Node) == 0 {
		return r, nil
	}
	work.progress(r)
	r.clusters(o)
	if o.NoBounds {
		return r, nil
	}
	return r, work.bounds(r)
}

// times are the instants. Times of tasks are whole ns, so that rounding an
// instant down changes no comparison with them.
func (r *Result) times(end int64, steps int) {
	for s := range int64(steps) + 1 {
		whole, rest := end/int64(steps), end%int64(steps)
		r.Time = append(r.Time, s*whole+s*rest/int64(steps))
	}
}

// Cumulative is the sum of the area bounds of the steps up to each instant, ns:
// when the progress of the instant could have been reached.
func (r *Result) Cumulative() []float64 {
	sum := make([]float64, len(r.Time))
	for s, t := range r.StepABE {
		sum[s+1] = sum[s] + t
	}
	return sum
}

// work is what the tasks of a run count for.
type work struct {
	run      *trace.Run
	o        Options
	counts   kind.Options
	end      int64 // makespan
	duration []int64
	place    []int32     // of each node by rank+1, trace.None for nodes left out
	node     []int32     // rank of each place
	tasks    []int64     // of each place
	count    [][]float64 // [place][kind] tasks
	weight   [][]float64 // [place][kind]
	all      []float64   // [kind] weights of all places as one
}

func newWork(run *trace.Run, o Options) *work {
	w := &work{run: run, o: o, counts: kind.Options{Generation: o.Generation}, duration: kind.Durations(run)}
	for i, end := range run.Task.End {
		if w.counted(i) {
			w.end = max(w.end, end)
		}
	}
	w.end = max(w.end, schedule.Makespan(run), 0)
	w.findPlaces()
	w.countTasks()
	w.weigh()
	return w
}

func (w *work) counted(i int) bool {
	return w.counts.Counts(&w.run.Task, i) && w.run.Task.Kind.Index[i] >= 0
}

// findPlaces numbers the chosen nodes that have workers.
func (w *work) findPlaces() {
	for _, r := range kind.Workers(w.run) {
		if rank := w.run.Resource.Node[r]; w.o.Nodes == nil || slices.Contains(w.o.Nodes, rank) {
			w.node = append(w.node, rank)
		}
	}
	slices.Sort(w.node)
	w.node = slices.Compact(w.node)
	for i, rank := range w.node {
		for int(rank)+1 >= len(w.place) {
			w.place = append(w.place, trace.None)
		}
		w.place[rank+1] = int32(i)
	}
}

// placeOf is the place of the node of a resource, trace.None for one left out.
func (w *work) placeOf(resource int32) int32 {
	if rank := int(w.run.Resource.Node[resource]) + 1; rank < len(w.place) {
		return w.place[rank]
	}
	return trace.None
}

func matrix(rows, columns int) [][]float64 {
	m, all := make([][]float64, rows), make([]float64, rows*columns)
	for i := range m {
		m[i] = all[i*columns : (i+1)*columns : (i+1)*columns]
	}
	return m
}

func (w *work) countTasks() {
	w.tasks, w.count = make([]int64, len(w.node)), matrix(len(w.node), len(w.run.Task.Kind.Dict))
	for i, r := range w.run.Task.Worker {
		if !w.counted(i) {
			continue
		}
		if p := w.placeOf(r); p >= 0 {
			w.tasks[p]++
			w.count[p][w.run.Task.Kind.Index[i]]++
		}
	}
}

// nodes lists the nodes of the result. Weights of nodes without tasks are not
// asked for any more.
func (w *work) nodes(r *Result) {
	for p, rank := range w.node {
		if w.tasks[p] == 0 {
			r.Without = append(r.Without, rank)
			continue
		}
		r.Node, r.Tasks = append(r.Node, rank), append(r.Tasks, w.tasks[p])
	}
}

// progress adds up what ended in each step, then what ended until each instant.
func (w *work) progress(r *Result) {
	done := matrix(len(r.Time), len(w.node))
	total := make([]float64, len(w.node))
	r.Global = make([]float64, len(r.Time))
	sum := 0.0
	for i, end := range w.run.Task.End {
		if !w.counted(i) {
			continue
		}
		p := w.placeOf(w.run.Task.Worker[i])
		if p < 0 {
			continue
		}
		s, _ := slices.BinarySearch(r.Time, end)
		s = min(s, len(r.Time)-1)
		k := w.run.Task.Kind.Index[i]
		done[s][p] += w.weight[p][k]
		total[p] += w.weight[p][k]
		r.Global[s] += w.all[k]
		sum += w.all[k]
	}
	w.shares(r, done, total)
	for s := range r.Global {
		if s > 0 {
			r.Global[s] += r.Global[s-1]
		}
	}
	for s := range r.Global {
		r.Global[s] = share(r.Global[s], sum)
	}
	if w.o.Weights == ByWorker {
		w.globalSoFar(r)
	}
}

// shares makes the progression of the nodes that ran something.
func (w *work) shares(r *Result, done [][]float64, total []float64) {
	var used []int
	for p, n := range w.tasks {
		if n > 0 {
			used = append(used, p)
		}
	}
	r.Progress = matrix(len(r.Time), len(used))
	for s := range r.Time {
		for i, p := range used {
			if s > 0 {
				done[s][p] += done[s-1][p]
			}
			r.Progress[s][i] = share(done[s][p], total[p])
		}
	}
	for i := range used { // what rounding left
		r.Progress[len(r.Time)-1][i] = 1
	}
}

// share is a part of a whole, at most 1.
func share(part, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return min(part/whole, 1)
}

// bounds are the area bounds of the run and of each step: the tasks of a step
// count by the share of their time that lies in it, and take the means of the
// whole run.
func (w *work) bounds(r *Result) error {
	costs, err := bound.NewCosts(w.run, bound.Options{Generation: w.o.Generation, UsedWorkers: w.o.UsedWorkers})
	if err != nil {
		return fmt.Errorf("compute area bounds of steps: %w", err)
	}
	at := make([]int32, len(w.run.Task.Kind.Dict))
	for i, k := range costs.Kind {
		at[k] = int32(i)
	}
	all, parts := costs.Total(), matrix(len(r.Time)-1, len(costs.Kind))
	w.eachPart(r.Time, func(step int, kind int32, part float64) { parts[step][at[kind]] += part })
	a, err := costs.Area(all)
	if err != nil {
		return err
	}
	r.ABE = a.Time
	for s := range parts {
		a, err := costs.Area(parts[s])
		if err != nil {
			return fmt.Errorf("step %d: %w", s, err)
		}
		r.StepABE = append(r.StepABE, a.Time)
	}
	return nil
}

// eachPart visits the parts of every task by the steps that they lie in. What
// takes no time is all in one step.
func (w *work) eachPart(time []int64, visit func(step int, kind int32, part float64)) {
	t := &w.run.Task
	steps := len(time) - 1
	for i, start := range t.Start {
		if !w.counted(i) {
			continue
		}
		end, k := t.End[i], t.Kind.Index[i]
		s, exact := slices.BinarySearch(time, start)
		if !exact {
			s--
		}
		if end <= start {
			if start >= time[0] {
				visit(min(max(s, 0), steps-1), k, 1)
			}
			continue
		}
		for s = max(s, 0); s < steps && time[s] < end; s++ {
			if from, to := max(start, time[s]), min(end, time[s+1]); to > from {
				visit(s, k, float64(to-from)/float64(end-start))
			}
		}
	}
}
