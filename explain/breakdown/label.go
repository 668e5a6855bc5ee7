package breakdown

import (
	"cmp"
	"slices"

	"dagscope/explain/schedule"
	"dagscope/trace"
)

// labels tell what a worker was in, or had last been in, as a step function of
// time: the innermost task or state that is open; if none is, the last that
// was. Before the first it is trace.None. A label is the dictionary index of a
// task kind, or of a state kind after all of these.
type labels struct {
	time  []int64
	label []int32
	open  []labelled // stack
}

type labelled struct {
	start, end int64
	depth      int32
	label      int32
}

// labeller finds the labels of one worker after the other.
type labeller struct {
	run    *trace.Run
	lanes  *schedule.Lanes
	at     []int32 // by resource, one more: its state rows, which are sorted so
	states []labelled
}

func newLabeller(run *trace.Run, lanes *schedule.Lanes) labeller {
	l := labeller{run: run, lanes: lanes, at: make([]int32, len(run.Resource.Parent)+1)}
	for _, r := range run.State.Resource {
		l.at[r+1]++
	}
	for r := range run.Resource.Parent {
		l.at[r+1] += l.at[r]
	}
	return l
}

// of finds the labels of a worker by going through its pieces of tasks and its
// states in order of start, at equal times by depth, tasks last.
func (l *labeller) of(worker int32, into *labels) {
	into.time, into.label, into.open = into.time[:0], into.label[:0], into.open[:0]
	l.collect(l.stateRows(worker))
	piece, end := l.lanes.Of(worker)
	for _, state := range l.states {
		for ; piece < end && l.lanes.Start[piece] < state.start; piece++ {
			into.push(l.piece(piece))
		}
		into.push(state)
	}
	for ; piece < end; piece++ {
		into.push(l.piece(piece))
	}
	into.until(1<<63 - 1)
}

func (l *labeller) piece(i int32) labelled {
	return labelled{l.lanes.Start[i], l.lanes.End[i], 0, l.run.Task.Kind.Index[l.lanes.Task[i]]}
}

// stateRows are a worker's own states; a worker that has none takes those of
// the thread that drives it.
func (l *labeller) stateRows(worker int32) (from, to int32) {
	re, r := &l.run.Resource, worker
	if up := re.Parent[r]; l.at[r] == l.at[r+1] && up >= 0 && re.Level.At(int(up)) == trace.LevelThread {
		r = up
	}
	return l.at[r], l.at[r+1]
}

// collect puts state rows into order: they are but for several types of state.
func (l *labeller) collect(from, to int32) {
	s, kinds := &l.run.State, int32(len(l.run.Task.Kind.Dict))
	l.states = l.states[:0]
	for i := from; i < to; i++ {
		l.states = append(l.states, labelled{s.Start[i], s.End[i], s.Depth[i], kinds + s.Kind.Index[i]})
	}
	order := func(a, b labelled) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.depth, b.depth))
	}
	if !slices.IsSortedFunc(l.states, order) {
		slices.SortStableFunc(l.states, order)
	}
}

// push begins an item, unless it is empty.
func (l *labels) push(item labelled) {
	if item.start < item.end {
		l.until(item.start)
		l.open = append(l.open, item)
		l.set(item.start, item.label)
	}
}

// until closes what ends by t. When the innermost ends, what started before it
// and is still open takes over; when nothing is, its label stays.
func (l *labels) until(t int64) {
	for len(l.open) > 0 && l.top().end <= t {
		end := l.top().end
		for len(l.open) > 0 && l.top().end <= end {
			l.open = l.open[:len(l.open)-1]
		}
		if len(l.open) > 0 {
			l.set(end, l.top().label)
		}
	}
}

func (l *labels) top() labelled { return l.open[len(l.open)-1] }

func (l *labels) set(t int64, label int32) {
	if n := len(l.time); n > 0 && l.time[n-1] == t {
		l.label[n-1] = label
		return
	}
	l.time, l.label = append(l.time, t), append(l.label, label)
}
