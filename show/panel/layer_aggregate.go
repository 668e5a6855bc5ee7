package panel

import (
	"math"
	"slices"

	"dagscope/explain/aggregate"
	"dagscope/explain/schedule"
)

// gather prepares the aggregation that was asked for (docs/design/methods.md,
// Aggregation). What stands alone is the same for groups and slices: outliers,
// unless they are hidden, generation, excluded tasks, kinds that are not
// listed, and tasks longer than the threshold. A row that is a mean of workers
// has no tasks to stand alone.
func (v *spaceTime) gather() {
	a := &v.options.SpaceTime.Aggregation
	switch {
	case a.Mode == AggregateNone || len(v.laid.Task) == 0:
	case a.Mode == AggregateNodes, a.Mode == AggregateStatic && v.means:
		v.gantt.gather = &gathering{step: v.sliceStep(), held: slices.Repeat([]bool{true}, len(v.gantt.sorted().start))}
	case a.Mode == AggregateStatic:
		single := a.Kinds != nil || a.Threshold > 0 || len(a.Exclude) > 0
		v.gantt.gather = &gathering{step: v.sliceStep(), held: v.heldBySlices(), paler: single}
	case v.means:
		v.remark("rows that are means of workers are not aggregated into groups")
	default:
		v.gatherDynamic()
	}
}

// sliceStep is the length of slices.
func (v *spaceTime) sliceStep() int64 {
	if s := v.options.SpaceTime.Aggregation.Step; s > 0 {
		return s
	}
	return roundNumber(v.makespan / 100)
}

// threshold is that of dynamic groups: as given, else the longest outlier (as
// in StarVZ), else the longest task, so that what has no outliers is grouped.
func (v *spaceTime) threshold() int64 {
	if t := v.options.SpaceTime.Aggregation.Threshold; t > 0 {
		return t
	}
	outlier, longest := int64(0), int64(0)
	for i, end := range v.laid.End {
		d := end - v.laid.Start[i]
		longest = max(longest, d)
		if v.long != nil && v.long[v.laid.Task[i]] {
			outlier = max(outlier, d)
		}
	}
	if outlier > 0 {
		return outlier
	}
	return longest
}

// roundNumber is the greatest of 1, 2, 5, 10, 20 … that is not above n.
func roundNumber(n int64) int64 {
	power := int64(math.Pow10(int(math.Log10(float64(max(1, n))))))
	for _, f := range []int64{5, 2} {
		if f*power <= n {
			return f * power
		}
	}
	return power
}

// alone marks the tasks that stand alone whatever their length and kind.
func (v *spaceTime) alone() []bool {
	t := &v.run.Task
	alone := slices.Clone(t.Generation)
	for i, long := range v.long {
		alone[i] = alone[i] || long
	}
	rows, _ := v.find(v.options.SpaceTime.Aggregation.Exclude)
	for _, row := range rows {
		alone[row] = true
	}
	return alone
}

func (v *spaceTime) heldBySlices() []bool {
	a, t := &v.options.SpaceTime.Aggregation, &v.run.Task
	alone := v.alone()
	listed := slices.Repeat([]bool{true}, len(t.Kind.Dict))
	if a.Kinds != nil {
		listed = schedule.Choose(t.Kind.Dict, a.Kinds)
	}
	s := v.gantt.sorted()
	held := make([]bool, len(s.start))
	for i, row := range s.row {
		k := t.Kind.Index[row]
		held[i] = !alone[row] && k >= 0 && listed[k] && (a.Threshold == 0 || s.end[i]-s.start[i] <= a.Threshold)
	}
	return held
}

// gatherDynamic finds the groups of consecutive tasks of each worker. Pieces
// are numbered alike here and there: both follow the layout.
func (v *spaceTime) gatherDynamic() {
	threshold := v.threshold()
	g := aggregate.Dynamic(v.run, aggregate.Options{Threshold: threshold, Kinds: v.options.SpaceTime.Aggregation.Kinds,
		Outlier: v.alone(), Generation: true, Lanes: v.laid})
	b := groupBuilder{groups: groups{spans: &spans{}, at: []int32{0}}, class: v.class,
		gathering: gathering{threshold: threshold, held: make([]bool, len(v.laid.Task)), paler: true}}
	first, last := make([]int32, len(v.laid.At)), make([]int32, len(v.laid.At)) // groups of a resource
	piece := int32(0)
	for i := range g.Len() {
		w := g.Worker[i]
		if i == 0 || g.Worker[i-1] != w {
			first[w], piece = int32(b.len()), v.laid.At[w]
		}
		if !g.Pure[i] {
			b.add(g, i, piece)
		}
		piece += g.Tasks[i]
		last[w] = int32(b.len())
	}
	lanes := v.gantt.lanes.lanes
	from, to := make([]int32, len(lanes)), make([]int32, len(lanes))
	for l := range lanes {
		from[l], to[l] = first[lanes[l].resources[0]], last[lanes[l].resources[0]]
	}
	b.groups.spans = newSpans(from, to, b.groups.start, b.groups.end, nil, nil)
	b.gathering.groups = &b.groups
	v.gantt.gather = &b.gathering
}

// groupBuilder collects groups that are drawn as one.
type groupBuilder struct {
	gathering
	groups groups
	class  *classes
}

func (b *groupBuilder) len() int { return len(b.groups.start) }

// add takes group i, whose first piece is given.
func (b *groupBuilder) add(of *aggregate.Groups, i int, piece int32) {
	g := &b.groups
	g.start, g.end = append(g.start, of.Start[i]), append(g.end, of.End[i])
	g.lo, g.hi = append(g.lo, piece), append(g.hi, piece+of.Tasks[i])
	for p := piece; p < piece+of.Tasks[i]; p++ {
		b.held[p] = true
	}
	from := len(g.class)
	for s := of.At[i]; s < of.At[i+1]; s++ {
		g.share(from, b.classOf(b.class.of[of.Share.Kind[s]]), of.Share.Busy[s])
	}
	g.at = append(g.at, int32(len(g.class)))
}

// share adds to the shares of the group from row from on, which are in the
// order of classes, as those of pixels are.
func (g *groups) share(from int, class uint8, busy int64) {
	at, there := slices.BinarySearch(g.class[from:], class)
	if at += from; there {
		g.busy[at] += busy
		return
	}
	g.class, g.busy = slices.Insert(g.class, at, class), slices.Insert(g.busy, at, busy)
}
