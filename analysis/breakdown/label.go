package breakdown

import (
	"cmp"
	"slices"

	"dagscope/analysis/lane"
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
	run   *trace.Run
	lanes *lane.Lanes
	at    []int32 // by resource, one more: its state rows, which are sorted so
	items []labelled
}

func newLabeller(run *trace.Run, lanes *lane.Lanes) *labeller {
	l := &labeller{run: run, lanes: lanes, at: make([]int32, len(run.Resource.Parent)+1)}
	for _, r := range run.State.Resource {
		l.at[r+1]++
	}
	for r := range run.Resource.Parent {
		l.at[r+1] += l.at[r]
	}
	return l
}

// of returns the labels of a worker. States are its own; a worker that has
// none takes those of the thread that drives it.
func (l *labeller) of(worker int32, into *labels) {
	l.items = l.items[:0]
	for i, end := l.lanes.Of(worker); i < end; i++ {
		l.add(l.lanes.Start[i], l.lanes.End[i], 1<<30, l.run.Task.Kind.Index[l.lanes.Task[i]])
	}
	r := worker
	if up := l.run.Resource.Parent[r]; l.at[r] == l.at[r+1] && up >= 0 && l.run.Resource.Level.At(int(up)) == trace.LevelThread {
		r = up
	}
	s, kinds := &l.run.State, int32(len(l.run.Task.Kind.Dict))
	for i := l.at[r]; i < l.at[r+1]; i++ {
		l.add(s.Start[i], s.End[i], s.Depth[i], kinds+s.Kind.Index[i])
	}
	slices.SortStableFunc(l.items, func(a, b labelled) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.depth, b.depth))
	})
	into.time, into.label, into.open = into.time[:0], into.label[:0], into.open[:0]
	for _, item := range l.items {
		into.until(item.start)
		into.open = append(into.open, item)
		into.set(item.start, item.label)
	}
	into.until(1<<63 - 1)
}

func (l *labeller) add(start, end int64, depth, label int32) {
	if start < end {
		l.items = append(l.items, labelled{start, end, depth, label})
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
