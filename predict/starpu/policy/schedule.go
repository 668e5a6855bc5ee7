package policy

import (
	"cmp"
	"math"
	"slices"

	"dagscope/internal/heap"
	"dagscope/predict/platform"
	"dagscope/predict/starpu"
	"dagscope/predict/workload"
)

// schedule is a plan under construction. Nodes are those of workload.Deps: tasks,
// then synchronisations, which take no time. Times are in µs.
type schedule struct {
	r       starpu.Runtime
	log     *starpu.DecisionLog
	g       *workload.Graph
	m       *platform.Machine
	deps    *workload.Deps
	writer  []int32   // by access: the task whose data it reads, none
	mean    affine    // what a copy takes, over all pairs of workers
	copies  []affine  // by pair of memories
	rank    []float64 // by node: the longest path from its start to the end
	worker  []int32   // by task, none without work
	start   []float64 // by task
	end     []float64 // by node
	arrival []float64 // by memory: when the data of a task can be there
	tables  []timetable
}

// affine is a time that grows linearly with a number of bytes.
type affine struct{ constant, slope float64 }

func (a affine) of(bytes int64) float64 { return a.constant + a.slope*float64(bytes) }

func newSchedule(r starpu.Runtime, p starpu.Program, deps *workload.Deps) *schedule {
	g, m := p.Graph(), p.Machine()
	s := &schedule{r: r, g: g, m: m, deps: deps, writer: writers(g)}
	s.rank, s.end = make([]float64, deps.Nodes()), make([]float64, deps.Nodes())
	s.worker, s.start = make([]int32, deps.Tasks), make([]float64, deps.Tasks)
	s.arrival = make([]float64, len(m.Memories))
	s.tables = make([]timetable, r.Workers())
	for w := range s.tables {
		s.tables[w].gaps = []gap{{0, math.Inf(1)}}
	}
	s.setCopies()
	return s
}

// writers finds by access the task that has written last before what it reads.
func writers(g *workload.Graph) []int32 {
	last := make([]int32, len(g.Bytes))
	for i := range last {
		last[i] = none
	}
	writer := make([]int32, len(g.Handle))
	for t := range int32(g.Tasks()) {
		for x := g.AccessAt[t]; x < g.AccessAt[t+1]; x++ {
			if writer[x] = none; g.Mode[x]&workload.Read != 0 {
				writer[x] = last[g.Handle[x]]
			}
		}
		if g.Sync != nil && g.Sync[t] {
			continue
		}
		for x := g.AccessAt[t]; x < g.AccessAt[t+1]; x++ {
			if g.Mode[x]&workload.Write != 0 {
				last[g.Handle[x]] = t
			}
		}
	}
	return writer
}

// setCopies determines what copies take between memory nodes, alone on their
// links.
func (s *schedule) setCopies() {
	n := int32(len(s.m.Memories))
	s.copies = make([]affine, n*n)
	for from := range n {
		for to := range n {
			s.copies[s.m.Pair(from, to)] = s.copy(from, to)
		}
	}
	workers := int32(s.r.Workers())
	for a := range workers {
		for b := range workers {
			c := s.copies[s.m.Pair(s.r.Memory(a), s.r.Memory(b))]
			s.mean.constant += c.constant / float64(workers*workers)
			s.mean.slope += c.slope / float64(workers*workers)
		}
	}
}

// copy is what a copy takes: through the first memory node where there is no
// direct route.
func (s *schedule) copy(from, to int32) affine {
	if from == to {
		return affine{}
	}
	if s.m.Routes[s.m.Pair(from, to)] == nil {
		if from == 0 || to == 0 {
			return affine{}
		}
		a, b := s.copy(from, 0), s.copy(0, to)
		return affine{a.constant + b.constant, a.slope + b.slope}
	}
	const sample = 1 << 20
	constant := 1e6 * s.m.Uncontended(from, to, 0)
	return affine{constant, (1e6*s.m.Uncontended(from, to, sample) - constant) / sample}
}

// rankAll computes upward ranks: the mean length of a task, and the longest
// path of what follows, with the mean transfer time of its data.
func (s *schedule) rankAll(order []int32) {
	for _, v := range slices.Backward(order) {
		for _, n := range s.deps.Succs(v) {
			s.rank[v] = max(s.rank[v], s.rank[n])
		}
		s.rank[v] += s.meanLength(v)
		s.rankWriters(v)
	}
}

// rankWriters updates the ranks of the tasks that wrote the data of a task by
// its transfers: they come later in the reverse order, and add their own
// length.
func (s *schedule) rankWriters(v int32) {
	if int(v) >= s.deps.Tasks {
		return
	}
	for x := s.g.AccessAt[v]; x < s.g.AccessAt[v+1]; x++ {
		if w := s.writer[x]; w != none && w != v {
			s.rank[w] = max(s.rank[w], s.mean.of(s.g.Bytes[s.g.Handle[x]])+s.rank[v])
		}
	}
}

// works says that a node is a task with work.
func (s *schedule) works(v int32) bool {
	return int(v) < s.deps.Tasks && (s.g.Sync == nil || !s.g.Sync[v])
}

// meanLength is the mean over the workers that can run a task.
func (s *schedule) meanLength(v int32) float64 {
	if !s.works(v) {
		return 0
	}
	sum, able := 0.0, 0
	for w := range int32(s.r.Workers()) {
		if s.r.Can(v, w) {
			sum += s.r.Length(v, w)
			able++
		}
	}
	return sum / float64(max(able, 1))
}

// placeAll places every node: among those whose predecessors have been placed,
// always that of the highest rank. Ranks fall along dependencies, so that this
// is the order of ranks.
func (s *schedule) placeAll() {
	waits := make([]int32, s.deps.Nodes())
	var next heap.Pairs[float64, int32] // by falling rank, then by number
	for v := range waits {
		if waits[v] = int32(len(s.deps.Preds(int32(v)))); waits[v] == 0 {
			next.Push(-s.rank[v], int32(v), struct{}{})
		}
	}
	for next.Len() > 0 {
		v := next.Pop().Tie
		s.place(v)
		for _, n := range s.deps.Succs(v) {
			if waits[n]--; waits[n] == 0 {
				next.Push(-s.rank[n], n, struct{}{})
			}
		}
	}
}

// place assigns a node its worker and its time.
func (s *schedule) place(v int32) {
	after := 0.0
	for _, p := range s.deps.Preds(v) {
		after = max(after, s.end[p])
	}
	if !s.works(v) {
		s.end[v] = after
		if int(v) < s.deps.Tasks {
			s.worker[v], s.start[v] = none, after
		}
		return
	}
	s.fetch(v, after)
	best, begin, end := int32(none), 0.0, math.Inf(1)
	for w := range int32(s.r.Workers()) {
		if !s.r.Can(v, w) {
			continue
		}
		length := s.r.Length(v, w)
		if b, _ := s.tables[w].earliest(s.arrival[s.r.Memory(w)], length); best == none || b+length < end {
			best, begin, end = w, b, b+length
		}
	}
	s.worker[v], s.start[v], s.end[v] = best, begin, end
	s.logEstimates(v, best, after, end)
	s.tables[best].take(begin, end)
}

// logEstimates logs what was expected of the workers that can run a task. The
// plan's clock is the end of its predecessors; a worker is available from the
// beginning of the gap that the task would have.
func (s *schedule) logEstimates(v, best int32, after, end float64) {
	if s.log.Plan(v, best); !s.log.WantsEstimates(v) {
		return
	}
	s.log.SetBasis(starpu.Basis{Clock: after, Best: end, Alpha: 1})
	for w := range int32(s.r.Workers()) {
		if !s.r.Can(v, w) {
			continue
		}
		length, arrival := s.r.Length(v, w), s.arrival[s.r.Memory(w)]
		begin, free := s.tables[w].earliest(arrival, length)
		s.log.AddEstimate(starpu.Estimate{
			Worker: w, Available: max(after, free), Transfer: arrival - after, Duration: length, End: begin + length, Fitness: begin + length - end,
		})
	}
}

// fetch predicts when all data of a task can be in each memory.
func (s *schedule) fetch(v int32, after float64) {
	for m := range s.arrival {
		s.arrival[m] = after
	}
	for x := s.g.AccessAt[v]; x < s.g.AccessAt[v+1]; x++ {
		if s.g.Mode[x]&workload.Read == 0 {
			continue
		}
		from, ready := s.origin(x)
		if from == none {
			continue
		}
		for m := range s.arrival {
			c := s.copies[s.m.Pair(from, int32(m))]
			s.arrival[m] = max(s.arrival[m], ready+c.of(s.g.Bytes[s.g.Handle[x]]))
		}
	}
}

// origin is the memory node where the data of an access is written, and when.
func (s *schedule) origin(x int32) (memory int32, ready float64) {
	if w := s.writer[x]; w != none {
		if s.end[w] == 0 { // not placed yet, since no order is prescribed
			return none, 0
		}
		return s.r.Memory(s.worker[w]), s.end[w]
	}
	if s.g.Home != nil {
		return s.g.Home[s.g.Handle[x]], 0
	}
	return 0, 0
}

// timetable is when a worker is free.
type timetable struct{ gaps []gap }

// gap is a time without a task, in µs.
type gap struct{ begin, end float64 }

// earliest is when a task of some length can begin, not before ready, and since
// when the worker is free then.
func (t *timetable) earliest(ready, length float64) (begin, free float64) {
	i, _ := slices.BinarySearchFunc(t.gaps, ready, func(g gap, r float64) int { return cmp.Compare(g.end, r) })
	for ; ; i++ {
		if b := max(ready, t.gaps[i].begin); b+length <= t.gaps[i].end {
			return b, t.gaps[i].begin
		}
	}
}

// take cuts a time out of the gap that contains it.
func (t *timetable) take(begin, end float64) {
	i, _ := slices.BinarySearchFunc(t.gaps, begin, func(g gap, b float64) int { return cmp.Compare(g.end, b) })
	for t.gaps[i].end < end {
		i++
	}
	g := t.gaps[i]
	rest := make([]gap, 0, 2)
	if begin > g.begin {
		rest = append(rest, gap{g.begin, begin})
	}
	if end < g.end {
		rest = append(rest, gap{end, g.end})
	}
	t.gaps = slices.Replace(t.gaps, i, i+1, rest...)
}
