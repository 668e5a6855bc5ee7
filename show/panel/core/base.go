package core

import (
	"cmp"
	"slices"
	"sync"

	"dagscope/explain/index"
	"dagscope/explain/numbers/panels"
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

	Run        *trace.Run
	WholeTasks bool       // no task was suspended: pieces are tasks
	leftOut    bool       // Lanes lack tasks of the runtime's own
	Kind       []uint8    // first class of a kind, by dictionary index, and of tasks without
	Class      []uint8    // of each piece: that of its kind, and the variant
	Tracks     [][]*Track // by resource
	count      [][]classCount
	Makespan   int64
	First      int64 // start of the first task
	Last       int64 // end of the last
	Lasts      bool  // tasks or states take some time

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
var BaseNeeds = panels.Joined(index.Needs, []string{"task.kind"})

// NewBase makes the base of a run from its index. A run without tasks has a base
// without pieces.
func NewBase(run *trace.Run, x *index.Index) *Base {
	b := &Base{Lanes: x.Lanes, Outlier: x.Outlier}
	b.Finish(run)
	return b
}

// With returns the base for other outliers, itself if they are the same.
func (b *Base) With(long []bool) *Base {
	if slices.Equal(long, b.Outlier) {
		return b
	}
	other := &Base{Lanes: b.Lanes, Outlier: long}
	other.Finish(b.Run)
	return other
}

// AllLanes are the lanes of all tasks, also of the runtime's own (implicit tasks of
// OpenMP), where the base has them: nil where it left some out or there is no base.
func (b *Base) AllLanes() *schedule.Lanes {
	if b == nil || b.leftOut {
		return nil
	}
	return b.Lanes
}

// Without returns the base without tasks of some kinds (by dictionary index),
// with the given first class of each kind.
func (b *Base) Without(kinds []bool, first []uint8) *Base {
	other := &Base{Lanes: b.Lanes, Outlier: b.Outlier, Kind: first}
	if slices.Contains(kinds, true) {
		t := &b.Run.Task
		other.Lanes = schedule.Select(b.Run, b.Lanes, func(i int) bool { k := t.Kind.Index[i]; return k < 0 || !kinds[k] })
	}
	other.Finish(b.Run)
	return other
}

// Finish computes what follows from the layout and the outliers.
func (b *Base) Finish(run *trace.Run) {
	b.Run, b.WholeTasks, b.leftOut = run, len(run.Segment.Task) == 0, slices.Contains(run.Task.Internal, true)
	var ready sync.WaitGroup
	ready.Go(func() {
		b.Makespan = schedule.Makespan(run)
		b.First, b.Last, b.Lasts = panels.Extent(run)
	})
	if b.Kind == nil {
		b.Kind = kindClasses(run)
	}
	of := b.taskClasses()
	b.Class = make([]uint8, len(b.Lanes.Task))
	n := len(b.Lanes.At) - 1
	b.Tracks, b.count = make([][]*Track, n), make([][]classCount, n)
	parallel.For(n, func(r int) { b.index(int32(r), of) })
	ready.Wait()
}

// taskClasses are the classes of all tasks, in the order of the table: its columns
// are then read once, whatever the number of workers.
func (b *Base) taskClasses() []uint8 {
	const rows = 1 << 16
	class := make([]uint8, len(b.Run.Task.Start))
	parallel.For((len(class)+rows-1)/rows, func(c int) {
		for i := c * rows; i < min((c+1)*rows, len(class)); i++ {
			class[i] = b.ClassOf(i)
		}
	})
	return class
}

// ClassOf is the class of a task.
func (b *Base) ClassOf(task int) uint8 {
	t := &b.Run.Task
	k := int(t.Kind.Index[task])
	if k < 0 {
		k = len(b.Kind) - 1
	}
	switch {
	case t.Generation[task]:
		return b.Kind[k] + Generating
	case b.Outlier != nil && b.Outlier[task]:
		return b.Kind[k] + Outlying
	}
	return b.Kind[k]
}

// index gives the pieces on a resource their classes, by task, counts these, and
// makes the tracks.
func (b *Base) index(r int32, of []uint8) {
	l := b.Lanes
	from, to := l.Of(r)
	var count [256]int
	for i := from; i < to; i++ {
		c := of[l.Task[i]]
		b.Class[i] = c
		count[c]++
	}
	b.Tracks[r] = NewTracks(l.Start[from:to], l.End[from:to], b.Class[from:to], l.Task[from:to], false)
	for c, n := range count {
		if n > 0 {
			b.count[r] = append(b.count[r], classCount{uint8(c), n})
		}
	}
}

// CountKinds counts the tasks of resources by kind, those without last, and how
// many of them are generation; ok is false where that is not known: some were
// suspended, or kinds share a class.
func (b *Base) CountKinds(shown func(resource int) bool) (count, generated []int, ok bool) {
	if !b.WholeTasks || len(b.Kind) > MostKinds {
		return nil, nil, false
	}
	count, generated = make([]int, len(b.Kind)), make([]int, len(b.Kind))
	for r, classes := range b.count {
		for _, c := range classes {
			if !shown(r) {
				continue
			}
			k := c.class / Variants // kinds have classes in their order
			count[k] += c.pieces
			if c.class%Variants == Generating {
				generated[k] += c.pieces
			}
		}
	}
	return count, generated, true
}

// MostKinds is the number of kinds that have classes of their own; the rest
// share one.
const MostKinds = 62

// kindClasses gives each kind its first class: the kinds that took most time
// one of their own.
func kindClasses(run *trace.Run) []uint8 {
	names := run.Task.Kind.Dict
	first := make([]uint8, len(names)+1)
	if len(names) < MostKinds {
		for k := range first {
			first[k] = uint8(k) * Variants
		}
		return first
	}
	total := TaskTime(run)
	order := make([]int, len(names))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(total[names[b]], total[names[a]]) })
	for rank, k := range order {
		first[k] = uint8(min(rank, MostKinds)) * Variants
	}
	first[len(names)] = MostKinds * Variants
	return first
}

// DrawnAs maps the classes of a base to those of a view; ok is false where
// kinds that share a class are told apart. Hidden kinds have no class.
func (b *Base) DrawnAs(of []uint8, hides []bool, outliers bool) (remap *[256]uint8, ok bool) {
	remap = new([256]uint8)
	var set [256]bool
	for k, first := range b.Kind {
		for v := range Variants {
			class := of[k] + v
			switch {
			case hides[k]:
				class = Hidden
			case v == Outlying && !outliers:
				class = of[k] + Plain
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

// IdleWorkers are the idle shares by tasks, which need no state.
func (b *Base) IdleWorkers() *utilization.Workers {
	b.idleOnce.Do(func() { b.idle = utilization.ByWorker(b.Run, utilization.WorkerOptions{Lanes: b.Lanes}) })
	return b.idle
}

// Laid are the lanes of a base, nil without one.
func (b *Base) Laid() *schedule.Lanes {
	if b == nil {
		return nil
	}
	return b.Lanes
}

// TracksOf are the tracks of resources, nil if those of one are too many.
func (b *Base) TracksOf(resources []int32) []*Track {
	tracks := []*Track{}
	for _, r := range slices.Sorted(slices.Values(resources)) {
		if b.Tracks[r] == nil {
			return nil
		}
		tracks = append(tracks, b.Tracks[r]...)
	}
	return tracks
}
