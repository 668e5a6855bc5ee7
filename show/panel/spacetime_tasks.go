package panel

import (
	"math"
	"slices"

	"dagscope/explain/index"
	"dagscope/trace"
)

// index is that of the run with the outliers to mark, none if they are hidden.
func (v *spaceTime) index() *index.Index {
	switch {
	case v.options.SpaceTime.HideOutliers:
		return &index.Index{Lanes: index.Lanes(v.run)}
	case v.options.Outlier != nil:
		return &index.Index{Lanes: index.Lanes(v.run), Outlier: v.options.Outlier}
	}
	return index.New(v.run)
}

// openTasks puts the tasks, laid out already, on the lanes that were asked for.
func (v *spaceTime) openTasks() error {
	v.foldLanes(v.openCritical())
	t := &v.run.Task
	if v.options.Outlier != nil && !v.options.SpaceTime.HideOutliers {
		v.base = v.base.with(v.options.Outlier)
	}
	if v.long = v.base.Outlier; v.options.SpaceTime.HideOutliers {
		v.long = nil
	}
	colors := v.options.Colors
	if colors == nil {
		colors = TaskColors([]*trace.Run{v.run}, false)
	}
	v.class = newClasses(append(slices.Clone(t.Kind.Dict), ""), colors, v.options)
	v.gantt.palette, v.gantt.full, v.gantt.kind = v.class.palette, v.class.full, v.classNames(v.class)
	if v.critical != nil {
		v.gantt.palette, v.gantt.full = pale(v.class.palette), pale(v.class.full)
	}
	v.layTasks()
	v.layCritical()
	v.idle = v.idleColumns()
	v.gather()
	v.openLinks()
	v.openMessages()
	v.legend = slices.Concat(v.taskLegend(colors), v.linkLegend(), v.messageLegend(), v.criticalLegend(Query{T0: math.MinInt64, T1: math.MaxInt64}))
	return v.computeBounds()
}

// layTasks puts the pieces of tasks on the lanes, as the base has them. Only
// where kinds that share a class there are told apart here, or hidden kinds
// take part in aggregation, the layout is gone through again.
func (v *spaceTime) layTasks() {
	base, hides := v.base, v.class.hidden
	remap, ok := base.drawnAs(v.class.of, hides, v.long != nil)
	if !ok || slices.Contains(hides, true) && v.options.SpaceTime.Aggregation.Mode != AggregateNone {
		base = base.without(hides, v.class.of)
		remap, _ = base.drawnAs(v.class.of, make([]bool, len(hides)), v.long != nil)
	}
	v.laid, v.gantt.remap = base.Lanes, remap
	v.gantt.tracks = make([][]*track, len(v.gantt.lanes.lanes))
	for l := range v.gantt.lanes.lanes {
		v.gantt.tracks[l] = base.tracksOf(v.gantt.lanes.lanes[l].resources)
		v.means = v.means || len(v.gantt.lanes.lanes[l].resources) > 1
		for _, r := range v.gantt.lanes.lanes[l].resources {
			from, to := base.Lanes.Of(r)
			v.pieces += int(to - from)
		}
	}
	if v.gantt.lazy = func() *spans { return v.taskSpans(base) }; !v.means {
		v.gantt.spans = spansOf(base, v.gantt.lanes)
	}
}

// foldLanes chooses the lanes: workers, or groups of them where they are many
// or it is asked for.
func (v *spaceTime) foldLanes(o *Options) {
	lanes, st := workerLanes(v.run, o), &v.options.SpaceTime
	many := len(lanes.lanes) > foldBeyond && !st.NoFold
	if v.folded = many || st.Fold || st.Aggregation.Mode == AggregateNodes; v.folded {
		lanes = lanes.fold()
	}
	v.gantt.lanes = lanes
}

// tracksOf are the tracks of resources, nil if those of one are too many.
func (b *Base) tracksOf(resources []int32) []*track {
	tracks := []*track{}
	for _, r := range slices.Sorted(slices.Values(resources)) {
		if b.tracks[r] == nil {
			return nil
		}
		tracks = append(tracks, b.tracks[r]...)
	}
	return tracks
}

// spansOf are the pieces on lanes that are workers: the layout as it is.
func spansOf(b *Base, set *laneSet) *spans {
	n := len(set.lanes)
	s := &spans{from: make([]int32, n), to: make([]int32, n), overlap: make([]bool, n),
		start: b.Lanes.Start, end: b.Lanes.End, class: b.class, row: b.Lanes.Task}
	for l := range set.lanes {
		r := set.lanes[l].resources[0]
		s.from[l], s.to[l] = b.Lanes.Of(r)
		s.overlap[l] = b.tracks[r] == nil || len(b.tracks[r]) > 1
	}
	return s
}

// taskSpans are the pieces on lanes of which some are means of several workers,
// whose pieces are brought into one order.
func (v *spaceTime) taskSpans(base *Base) *spans {
	b, set, laid := newSpanBuilder(len(base.class)), v.gantt.lanes, base.Lanes
	for r := range len(laid.At) - 1 {
		for i := laid.At[r]; i < laid.At[r+1]; i++ {
			b.addShown(set.of[r], laid.Start[i], laid.End[i], base.class[i], laid.Task[i])
		}
	}
	return b.build(len(set.lanes))
}

// classNames are the texts inside wide tasks; colours that several kinds share
// have none.
func (v *spaceTime) classNames(class *classes) []string {
	names := make([]string, len(class.palette))
	shared := make([]bool, len(class.palette))
	for k, kind := range v.run.Task.Kind.Dict {
		for variant := range variants {
			c := class.of[k] + variant
			shared[c] = shared[c] || names[c] != ""
			names[c] = kind
		}
	}
	for c := range names {
		if shared[c] {
			names[c] = ""
		}
	}
	return names
}
