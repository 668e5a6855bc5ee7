package spacetime

import (
	"slices"

	"dagscope/explain/aggregate"
	"dagscope/explain/numbers/panels"
	"dagscope/explain/schedule"
	"dagscope/show/panel/core"
	"dagscope/show/panel/kit"
)

// gather prepares the aggregation that was asked for (docs/design/methods.md,
// Aggregation). What stands alone is the same for groups and slices: outliers,
// unless they are hidden, generation, excluded tasks, kinds that are not
// listed, and tasks longer than the threshold. A row that is a mean of workers
// has no tasks to stand alone.
func (v *spaceTime) gather() {
	a := &v.options.SpaceTime.Aggregation
	switch {
	case a.Mode == core.AggregateNone || len(v.laid.Task) == 0:
	case a.Mode == core.AggregateNodes, a.Mode == core.AggregateStatic && v.means:
		v.gantt.Gather = &kit.Gathering{Step: v.sliceStep(), Held: slices.Repeat([]bool{true}, len(v.gantt.Sorted().Start))}
	case a.Mode == core.AggregateStatic:
		single := a.Kinds != nil || a.Threshold > 0 || len(a.Exclude) > 0
		v.gantt.Gather = &kit.Gathering{Step: v.sliceStep(), Held: v.heldBySlices(), Paler: single}
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
	return panels.RoundNumber(v.makespan / 100)
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
	s := v.gantt.Sorted()
	held := make([]bool, len(s.Start))
	for i, row := range s.Row {
		k := t.Kind.Index[row]
		held[i] = !alone[row] && k >= 0 && listed[k] && (a.Threshold == 0 || s.End[i]-s.Start[i] <= a.Threshold)
	}
	return held
}

// gatherDynamic finds the groups of consecutive tasks of each worker. Pieces
// are numbered alike here and there: both follow the layout.
func (v *spaceTime) gatherDynamic() {
	threshold := v.threshold()
	g := aggregate.Dynamic(v.run, aggregate.Options{Threshold: threshold, Kinds: v.options.SpaceTime.Aggregation.Kinds,
		Outlier: v.alone(), Generation: true, Lanes: v.laid})
	b := groupBuilder{groups: kit.Groups{Spans: &kit.Spans{}, At: []int32{0}}, class: v.class,
		Gathering: kit.Gathering{Threshold: threshold, Held: make([]bool, len(v.laid.Task)), Paler: true}}
	first, last := make([]int32, len(v.laid.At)), make([]int32, len(v.laid.At)) // groups of a resource
	piece := int32(0)
	for i := range g.Len() {
		w := g.Worker[i]
		if i == 0 || g.Worker[i-1] != w {
			first[w], piece = int32(b.Len()), v.laid.At[w]
		}
		if !g.Pure[i] {
			b.Add(g, i, piece)
		}
		piece += g.Tasks[i]
		last[w] = int32(b.Len())
	}
	lanes := v.gantt.Lanes.Lanes
	from, to := make([]int32, len(lanes)), make([]int32, len(lanes))
	for l := range lanes {
		from[l], to[l] = first[lanes[l].Resources[0]], last[lanes[l].Resources[0]]
	}
	b.groups.Spans = kit.NewSpans(from, to, b.groups.Start, b.groups.End, nil, nil)
	b.Gathering.Groups = &b.groups
	v.gantt.Gather = &b.Gathering
}

// groupBuilder collects groups that are drawn as one.
type groupBuilder struct {
	kit.Gathering
	groups kit.Groups
	class  *core.Classes
}

func (b *groupBuilder) Len() int { return len(b.groups.Start) }

// Add takes group i, whose first piece is given.
func (b *groupBuilder) Add(of *aggregate.Groups, i int, piece int32) {
	g := &b.groups
	g.Start, g.End = append(g.Start, of.Start[i]), append(g.End, of.End[i])
	g.Lo, g.Hi = append(g.Lo, piece), append(g.Hi, piece+of.Tasks[i])
	for p := piece; p < piece+of.Tasks[i]; p++ {
		b.Held[p] = true
	}
	from := len(g.Class)
	for s := of.At[i]; s < of.At[i+1]; s++ {
		g.Share(from, b.ClassOf(b.class.Of[of.Share.Kind[s]]), of.Share.Busy[s])
	}
	g.At = append(g.At, int32(len(g.Class)))
}
