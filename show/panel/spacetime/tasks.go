package spacetime

import (
	"math"
	"slices"

	"dagscope/explain/index"
	"dagscope/show/panel/core"
	"dagscope/show/panel/kit"
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
		v.base = v.base.With(v.options.Outlier)
	}
	if v.long = v.base.Outlier; v.options.SpaceTime.HideOutliers {
		v.long = nil
	}
	colors := v.options.Colors
	if colors == nil {
		colors = core.TaskColors([]*trace.Run{v.run}, false)
	}
	v.class = core.NewClasses(append(slices.Clone(t.Kind.Dict), ""), colors, v.options)
	v.gantt.Palette, v.gantt.Full, v.gantt.Kind = v.class.Palette, v.class.Full, v.classNames(v.class)
	if v.critical != nil {
		v.gantt.Palette, v.gantt.Full = pale(v.class.Palette), pale(v.class.Full)
	}
	v.layTasks()
	v.layCritical()
	v.idle = v.idleColumns()
	v.gather()
	v.openLinks()
	v.openMessages()
	always := core.Query{T0: math.MinInt64 / 2, T1: math.MaxInt64}
	v.legend = slices.Concat(v.taskLegend(colors), v.linkLegend(always), v.messageLegend(always), v.criticalLegend(always))
	return v.computeBounds()
}

// layTasks puts the pieces of tasks on the lanes, as the base has them. Only
// where kinds that share a class there are distinguished here, or hidden kinds
// take part in aggregation, the layout is gone through again.
func (v *spaceTime) layTasks() {
	base, hides := v.base, v.class.Hidden
	remap, ok := base.DrawnAs(v.class.Of, hides, v.long != nil)
	if !ok || slices.Contains(hides, true) && v.options.SpaceTime.Aggregation.Mode != core.AggregateNone {
		base = base.Without(hides, v.class.Of)
		remap, _ = base.DrawnAs(v.class.Of, make([]bool, len(hides)), v.long != nil)
	}
	v.laid, v.gantt.Remap = base.Lanes, remap
	v.gantt.Tracks = make([][]*core.Track, len(v.gantt.Lanes.Lanes))
	for l := range v.gantt.Lanes.Lanes {
		v.gantt.Tracks[l] = base.TracksOf(v.gantt.Lanes.Lanes[l].Resources)
		v.means = v.means || len(v.gantt.Lanes.Lanes[l].Resources) > 1
		for _, r := range v.gantt.Lanes.Lanes[l].Resources {
			from, to := base.Lanes.Of(r)
			v.pieces += int(to - from)
		}
	}
	if v.gantt.Lazy = func() *kit.Spans { return v.taskSpans(base) }; !v.means {
		v.gantt.Spans = spansOf(base, v.gantt.Lanes)
	}
}

// foldLanes chooses the lanes: workers, or groups of them where they are many
// or it is asked for.
func (v *spaceTime) foldLanes(o *core.Options) {
	lanes, st := kit.WorkerLanes(v.run, o), &v.options.SpaceTime
	many := len(lanes.Lanes) > kit.FoldBeyond && !st.NoFold
	if v.folded = many || st.Fold || st.Aggregation.Mode == core.AggregateNodes; v.folded {
		lanes = lanes.Fold()
	}
	v.gantt.Lanes = lanes
}

// spansOf are the pieces on lanes that are workers: the layout as it is.
func spansOf(b *core.Base, set *kit.Lanes) *kit.Spans {
	n := len(set.Lanes)
	s := &kit.Spans{From: make([]int32, n), To: make([]int32, n), Overlap: make([]bool, n),
		Start: b.Lanes.Start, End: b.Lanes.End, Class: b.Class, Row: b.Lanes.Task}
	for l := range set.Lanes {
		r := set.Lanes[l].Resources[0]
		s.From[l], s.To[l] = b.Lanes.Of(r)
		s.Overlap[l] = b.Tracks[r] == nil || len(b.Tracks[r]) > 1
	}
	return s
}

// taskSpans are the pieces on lanes of which some are means of several workers,
// whose pieces are brought into one order.
func (v *spaceTime) taskSpans(base *core.Base) *kit.Spans {
	b, set, laid := kit.NewSpanBuilder(len(base.Class)), v.gantt.Lanes, base.Lanes
	for r := range len(laid.At) - 1 {
		for i := laid.At[r]; i < laid.At[r+1]; i++ {
			b.AddShown(set.Of[r], laid.Start[i], laid.End[i], base.Class[i], laid.Task[i])
		}
	}
	return b.Build(len(set.Lanes))
}

// classNames are the texts inside wide tasks; colours that several kinds share
// have none.
func (v *spaceTime) classNames(class *core.Classes) []string {
	names := make([]string, len(class.Palette))
	shared := make([]bool, len(class.Palette))
	for k, kind := range v.run.Task.Kind.Dict {
		for variant := range core.Variants {
			c := class.Of[k] + variant
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
