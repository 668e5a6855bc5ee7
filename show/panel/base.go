package panel

import (
	"cmp"
	"slices"
	"sync"

	"dagscope/explain/index"
	"dagscope/explain/schedule"
	"dagscope/explain/utilization"
	"dagscope/internal/parallel"
	"dagscope/trace"
)

// Base is what the views of a run start from: the order of tasks on workers and
// the outliers (package index), and sums over them from which any window is drawn
// for the price of its pixels. It belongs to one run, is never changed and may be
// shared by views in several goroutines. It takes about 23 bytes a task.
type Base struct {
	Lanes   *schedule.Lanes // of the tasks that are drawn: those that ran on a worker, the runtime's own left out
	Outlier []bool          // by task (docs/design/methods.md, Outliers)

	run        *trace.Run
	wholeTasks bool       // no task was suspended: pieces are tasks
	leftOut    bool       // Lanes lack tasks of the runtime's own
	kind       []uint8    // first class of a kind, by dictionary index, and of tasks without
	class      []uint8    // of each piece: that of its kind, and the variant
	tracks     [][]*track // by resource
	count      [][]classCount
	makespan   int64
	first      int64 // start of the first task
	last       int64 // end of the last
	lasts      bool  // tasks or states take some time

	idleOnce sync.Once
	idle     *utilization.Workers
}

// classCount counts the pieces of a class on a resource.
type classCount struct {
	class  uint8
	pieces int
}

// BaseNeeds names the columns that [NewBase] reads, and with them all that the
// index needs.
var BaseNeeds = joined(index.Needs, []string{"task.kind"})

// NewBase makes the base of a run from its index. A run without tasks has a base
// without pieces.
func NewBase(run *trace.Run, x *index.Index) *Base {
	b := &Base{Lanes: x.Lanes, Outlier: x.Outlier}
	b.finish(run)
	return b
}

// with returns the base for other outliers, itself if they are the same.
func (b *Base) with(long []bool) *Base {
	if slices.Equal(long, b.Outlier) {
		return b
	}
	other := &Base{Lanes: b.Lanes, Outlier: long}
	other.finish(b.run)
	return other
}

// allLanes are the lanes of all tasks, also of the runtime's own (implicit tasks of
// OpenMP), where the base has them: nil where it left some out or there is no base.
func (b *Base) allLanes() *schedule.Lanes {
	if b == nil || b.leftOut {
		return nil
	}
	return b.Lanes
}

// without returns the base without tasks of some kinds (by dictionary index),
// with the given first class of each kind.
func (b *Base) without(kinds []bool, first []uint8) *Base {
	other := &Base{Lanes: b.Lanes, Outlier: b.Outlier, kind: first}
	if slices.Contains(kinds, true) {
		t := &b.run.Task
		other.Lanes = schedule.Select(b.run, b.Lanes, func(i int) bool { k := t.Kind.Index[i]; return k < 0 || !kinds[k] })
	}
	other.finish(b.run)
	return other
}

// finish computes what follows from the layout and the outliers.
func (b *Base) finish(run *trace.Run) {
	b.run, b.wholeTasks, b.leftOut = run, len(run.Segment.Task) == 0, slices.Contains(run.Task.Internal, true)
	var ready sync.WaitGroup
	ready.Go(func() {
		b.makespan = schedule.Makespan(run)
		b.first, b.last, b.lasts = Extent(run)
	})
	if b.kind == nil {
		b.kind = kindClasses(run)
	}
	of := b.taskClasses()
	b.class = make([]uint8, len(b.Lanes.Task))
	n := len(b.Lanes.At) - 1
	b.tracks, b.count = make([][]*track, n), make([][]classCount, n)
	parallel.For(n, func(r int) { b.index(int32(r), of) })
	ready.Wait()
}

// taskClasses are the classes of all tasks, in the order of the table: its columns
// are then read once, whatever the number of workers.
func (b *Base) taskClasses() []uint8 {
	const rows = 1 << 16
	class := make([]uint8, len(b.run.Task.Start))
	parallel.For((len(class)+rows-1)/rows, func(c int) {
		for i := c * rows; i < min((c+1)*rows, len(class)); i++ {
			class[i] = b.classOf(i)
		}
	})
	return class
}

// classOf is the class of a task.
func (b *Base) classOf(task int) uint8 {
	t := &b.run.Task
	k := int(t.Kind.Index[task])
	if k < 0 {
		k = len(b.kind) - 1
	}
	switch {
	case t.Generation[task]:
		return b.kind[k] + generating
	case b.Outlier != nil && b.Outlier[task]:
		return b.kind[k] + outlying
	}
	return b.kind[k]
}

// index gives the pieces on a resource their classes, by task, counts these, and
// makes the tracks.
func (b *Base) index(r int32, of []uint8) {
	l := b.Lanes
	from, to := l.Of(r)
	var count [256]int
	for i := from; i < to; i++ {
		c := of[l.Task[i]]
		b.class[i] = c
		count[c]++
	}
	b.tracks[r] = newTracks(l.Start[from:to], l.End[from:to], b.class[from:to], l.Task[from:to], false)
	for c, n := range count {
		if n > 0 {
			b.count[r] = append(b.count[r], classCount{uint8(c), n})
		}
	}
}

// countKinds counts the tasks of resources by kind, those without last, and how
// many of them are generation; ok is false where that is not known: some were
// suspended, or kinds share a class.
func (b *Base) countKinds(shown func(resource int) bool) (count, generated []int, ok bool) {
	if !b.wholeTasks || len(b.kind) > mostKinds {
		return nil, nil, false
	}
	count, generated = make([]int, len(b.kind)), make([]int, len(b.kind))
	for r, classes := range b.count {
		for _, c := range classes {
			if !shown(r) {
				continue
			}
			k := c.class / variants // kinds have classes in their order
			count[k] += c.pieces
			if c.class%variants == generating {
				generated[k] += c.pieces
			}
		}
	}
	return count, generated, true
}

// mostKinds is the number of kinds that have classes of their own; the rest
// share one.
const mostKinds = 62

// kindClasses gives each kind its first class: the kinds that took most time
// one of their own.
func kindClasses(run *trace.Run) []uint8 {
	names := run.Task.Kind.Dict
	first := make([]uint8, len(names)+1)
	if len(names) < mostKinds {
		for k := range first {
			first[k] = uint8(k) * variants
		}
		return first
	}
	total := taskTime(run)
	order := make([]int, len(names))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(total[names[b]], total[names[a]]) })
	for rank, k := range order {
		first[k] = uint8(min(rank, mostKinds)) * variants
	}
	first[len(names)] = mostKinds * variants
	return first
}

// drawnAs maps the classes of a base to those of a view; ok is false where
// kinds that share a class are told apart. Hidden kinds have no class.
func (b *Base) drawnAs(of []uint8, hides []bool, outliers bool) (remap *[256]uint8, ok bool) {
	remap = new([256]uint8)
	var set [256]bool
	for k, first := range b.kind {
		for v := range variants {
			class := of[k] + v
			switch {
			case hides[k]:
				class = hidden
			case v == outlying && !outliers:
				class = of[k] + plain
			}
			c := first + v
			if set[c] && remap[c] != class {
				return nil, false
			}
			remap[c], set[c] = class, true
		}
	}
	return remap, true
}

// idleWorkers are the idle shares by tasks, which need no state.
func (b *Base) idleWorkers() *utilization.Workers {
	b.idleOnce.Do(func() { b.idle = utilization.ByWorker(b.run, utilization.WorkerOptions{Lanes: b.Lanes}) })
	return b.idle
}
