package selection

import (
	"cmp"
	"slices"
	"sync"

	"dagscope/explain/kind"
	"dagscope/internal/parallel"
)

// tally counts tasks by kind and architecture, each with a place before the
// first for tasks or workers that have none.
type tally struct {
	kinds, bins int
	count       []int   // tasks that touch the area, [architecture*kinds + kind]
	busy        []int64 // inside it, ns
	duration    []int64 // of these tasks, whole, ns
	starts      []int64 // tasks that start inside, [kind*bins + bin]
}

func (x *Index) newTally() *tally {
	kinds, archs := 1+len(x.run.Task.Kind.Dict), 1+len(x.run.Resource.Arch.Dict)
	return &tally{
		kinds: kinds, bins: x.bins.len(),
		count: make([]int, kinds*archs), busy: make([]int64, kinds*archs), duration: make([]int64, kinds*archs),
		starts: make([]int64, kinds*x.bins.len()),
	}
}

func (t *tally) add(u *tally) {
	for i := range t.count {
		t.count[i] += u.count[i]
		t.busy[i] += u.busy[i]
		t.duration[i] += u.duration[i]
	}
	for i := range t.starts {
		t.starts[i] += u.starts[i]
	}
}

// startsOf are the tasks of a kind that start inside, by bin.
func (t *tally) startsOf(kind int32) []int64 {
	return t.starts[int(kind+1)*t.bins : int(kind+2)*t.bins]
}

// tally counts the tasks of an area, workers side by side.
func (x *Index) tally(c *chosen) *tally {
	var all []*tally
	var mutex sync.Mutex
	parallel.With(len(c.workers), func() func(int) {
		mine := x.newTally()
		mutex.Lock()
		defer mutex.Unlock()
		all = append(all, mine)
		return func(i int) { x.tallyWorker(c, c.workers[i], mine) }
	})
	sum := x.newTally()
	for _, t := range all {
		sum.add(t)
	}
	return sum
}

func (x *Index) tallyWorker(c *chosen, w int32, t *tally) {
	kinds, l := x.run.Task.Kind.Index, x.lanes
	row := int(x.run.Resource.Arch.Index[w]+1) * t.kinds
	x.touching(c, w, func(p int) {
		kind, duration := int(kinds[l.Task[p]])+1, x.duration(p)
		t.busy[row+kind] += min(c.T1, l.End[p]) - max(c.T0, l.Start[p])
		if x.isFirstInside(c, p, w) {
			t.count[row+kind]++
			t.duration[row+kind] += duration
		}
		if l.Start[p] >= c.T0 && l.IsFirst(int32(p)) {
			t.starts[kind*t.bins+x.bins.of(duration)]++
		}
	})
}

// touching calls f for the pieces on a worker that touch the area and belong to
// tasks that it chooses, in order.
func (x *Index) touching(c *chosen, w int32, f func(piece int)) {
	if c.T0 == c.T1 {
		return
	}
	l, from, to := x.lanes, x.lanes.At[w], x.lanes.At[w+1]
	x.pieces.visit(from, to, c.T0, c.T1, func(from, to int) {
		for p := from; p < to; p++ {
			if touches(l.Start[p], l.End[p], c.T0, c.T1) && x.isChosen(c, p) {
				f(p)
			}
		}
	})
}

// isChosen tells whether the area chooses the task of a piece.
func (x *Index) isChosen(c *chosen, p int) bool {
	if !c.choosesTasks() {
		return true
	}
	if c.kinds != nil && !c.kinds[x.run.Task.Kind.Index[x.lanes.Task[p]]+1] {
		return false
	}
	d := x.duration(p)
	return c.Min <= d && d <= c.Max
}

// duration is how long the task of a piece worked in all, as kind.Durations.
func (x *Index) duration(p int) int64 {
	if x.segment == nil {
		return x.lanes.End[p] - x.lanes.Start[p]
	}
	return x.durationOf(x.lanes.Task[p])
}

// durationOf is how long a task worked.
func (x *Index) durationOf(task int32) (sum int64) {
	t, s := &x.run.Task, &x.run.Segment
	from, to := x.segments(task)
	if from == to {
		return t.End[task] - t.Start[task]
	}
	covered := s.Start[from]
	for k := from; k < to; k++ {
		sum += max(0, s.End[k]-max(s.Start[k], covered))
		covered = max(covered, s.End[k])
	}
	return sum
}

// isFirstInside tells whether a piece is the first of its task that touches the
// area, so that a task of several pieces counts once.
func (x *Index) isFirstInside(c *chosen, p int, worker int32) bool {
	s, l := &x.run.Segment, x.lanes
	for k, to := x.segments(l.Task[p]); k < to; k++ {
		if c.isChosen[s.Worker[k]] && touches(s.Start[k], s.End[k], c.T0, c.T1) {
			return s.Worker[k] == worker && s.Start[k] == l.Start[p] && s.End[k] == l.End[p]
		}
	}
	return true
}

// segments are the segment rows of a task.
func (x *Index) segments(task int32) (from, to int32) {
	if x.segment == nil {
		return 0, 0
	}
	return x.segment[task], x.segment[task+1]
}

// segmentRows finds the segments of each task, which are sorted by task; nil
// without any.
func segmentRows(tasks int, task []int32) []int32 {
	if len(task) == 0 {
		return nil
	}
	at := make([]int32, tasks+1)
	for _, v := range task {
		at[v+1]++
	}
	for v := range tasks {
		at[v+1] += at[v]
	}
	return at
}

// putKinds lists what was counted, by the names of kind and architecture.
func (x *Index) putKinds(s *Stats, t *tally) {
	s.Kinds = []Kind{}
	for i, n := range t.count {
		if n == 0 && t.busy[i] == 0 {
			continue
		}
		s.Tasks += n
		s.Kinds = append(s.Kinds, Kind{
			Kind: x.kindName(int32(i%t.kinds) - 1), Arch: kind.ArchName(x.run, int32(i/t.kinds)-1),
			Count: n, Busy: t.busy[i], Share: share(t.busy[i], s.Wall), Mean: share(t.duration[i], int64(n)),
		})
	}
	slices.SortFunc(s.Kinds, func(a, b Kind) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Arch, b.Arch))
	})
}

// kindName is the name of a kind, "" of none.
func (x *Index) kindName(kind int32) string {
	if kind < 0 {
		return ""
	}
	return x.run.Task.Kind.Dict[kind]
}
