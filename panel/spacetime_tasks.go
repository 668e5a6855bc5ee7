package panel

import (
	"slices"
	"sync"

	workers "dagscope/analysis/lane"
	"dagscope/analysis/outlier"
	"dagscope/scene"
	"dagscope/trace"
)

// openTasks lays the tasks out on their lanes. Everything that needs them in
// order starts from the same layout, which takes most of the time; meanwhile
// outliers are found.
func (v *spaceTime) openTasks() error {
	v.foldLanes()
	t := &v.run.Task
	v.long = v.options.Outlier
	var found sync.WaitGroup
	if v.long == nil && !v.options.SpaceTime.HideOutliers {
		found.Go(func() { v.long = longTasks(v.run) })
	}
	v.laid = workers.Build(v.run, func(i int) bool { return ran(t, i) })
	found.Wait()
	colors := v.options.Colors
	if colors == nil {
		colors = TaskColors([]*trace.Run{v.run}, false)
	}
	v.class = newClasses(append(slices.Clone(t.Kind.Dict), ""), colors, v.options.fade())
	v.gantt.palette, v.gantt.full, v.gantt.kind = v.class.palette, v.class.full, v.classNames(v.class)
	v.gantt.spans = v.taskSpans()
	v.idle = v.idleColumns()
	v.gather()
	v.openLinks()
	v.legend = append(v.taskLegend(colors), v.linkLegend()...)
	v.laid = nil // what is drawn is in the spans
	return v.computeBounds()
}

// foldLanes chooses the lanes: workers, or groups of them where they are many
// or it is asked for.
func (v *spaceTime) foldLanes() {
	lanes, st := workerLanes(v.run, v.options), &v.options.SpaceTime
	many := len(lanes.lanes) > foldBeyond && !st.NoFold
	if v.folded = many || st.Fold || st.Aggregation.Mode == AggregateNodes; v.folded {
		lanes = lanes.fold()
	}
	v.gantt.lanes = lanes
}

// taskSpans are the tasks on their lanes, the pieces of those that were
// suspended. Where lanes are workers, the layout serves as it is.
func (v *spaceTime) taskSpans() *spans {
	class, of := make([]uint8, len(v.laid.Task)), v.taskClasses()
	set := v.gantt.lanes
	workers.Parallel(len(v.laid.At)-1, func() func(int) {
		return func(r int) {
			for i := v.laid.At[r]; i < v.laid.At[r+1]; i++ {
				class[i] = of[v.laid.Task[i]]
			}
		}
	})
	if !set.several() {
		from, to := make([]int32, len(set.lanes)), make([]int32, len(set.lanes))
		for l := range set.lanes {
			from[l], to[l] = v.laid.Of(set.lanes[l].resources[0])
		}
		return newSpans(from, to, v.laid.Start, v.laid.End, class, v.laid.Task)
	}
	b := newSpanBuilder(len(class))
	for r := range len(v.laid.At) - 1 {
		for i := v.laid.At[r]; i < v.laid.At[r+1]; i++ {
			b.addShown(set.of[r], v.laid.Start[i], v.laid.End[i], class[i], v.laid.Task[i])
		}
	}
	return b.build(len(set.lanes))
}

// taskClasses are the classes of the tasks' kinds and variants.
func (v *spaceTime) taskClasses() []uint8 {
	t := &v.run.Task
	class := make([]uint8, len(t.Start))
	for i, k := range t.Kind.Index {
		if k < 0 {
			k = int32(len(t.Kind.Dict)) // it has none
		}
		switch class[i] = v.class.of[k]; {
		case t.Generation[i]:
			class[i] += generating
		case v.long != nil && v.long[i]:
			class[i] += outlying
		}
	}
	return class
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

// taskLegend lists the kinds on the selected lanes by name, with their counts;
// kinds beyond the palette are one entry.
func (v *spaceTime) taskLegend(colors Colors) []scene.LegendEntry {
	t := &v.run.Task
	count, generated := v.countKinds()
	var order []int
	other, others := 0, 0
	for k, n := range count {
		if k == len(t.Kind.Dict) {
			continue
		}
		if _, known := colors[t.Kind.Dict[k]]; known && n > 0 {
			order = append(order, k)
		} else if n > 0 {
			other, others = other+n, others+1
		}
	}
	slices.SortFunc(order, func(a, b int) int { return compareNatural(t.Kind.Dict[a], t.Kind.Dict[b]) })
	var legend []scene.LegendEntry
	for _, k := range order {
		e := scene.LegendEntry{Label: t.Kind.Dict[k], Detail: grouped(count[k]), Color: v.class.palette[v.class.of[k]]}
		if generated[k] == count[k] {
			e.Color, e.Hatch = v.class.palette[v.class.of[k]+generating], scene.RGB(0x9a9a9a)
		}
		legend = append(legend, e)
	}
	if others > 0 {
		legend = append(legend, scene.LegendEntry{Label: plural(others, "other kind", "other kinds"),
			Detail: grouped(other), Color: otherColor.Mix(scene.White, v.options.fade())})
	}
	if n := count[len(t.Kind.Dict)]; n > 0 {
		legend = append(legend, scene.LegendEntry{Label: "without kind", Detail: grouped(n), Color: otherColor.Mix(scene.White, v.options.fade())})
	}
	return legend
}

// countKinds counts the tasks on the lanes by kind, those without last, and
// how many of them are generation.
func (v *spaceTime) countKinds() (count, generated []int) {
	t, lanes := &v.run.Task, v.gantt.lanes.of
	count, generated = make([]int, len(t.Kind.Dict)+1), make([]int, len(t.Kind.Dict)+1)
	for i, k := range t.Kind.Index {
		if !ran(t, i) || lanes[t.Worker[i]] < 0 {
			continue
		}
		if k < 0 {
			k = int32(len(t.Kind.Dict))
		}
		if count[k]++; t.Generation[i] {
			generated[k]++
		}
	}
	return count, generated
}

// longTasks marks the outliers (METHODS 2).
func longTasks(run *trace.Run) []bool {
	long := make([]bool, len(run.Task.Start))
	for _, row := range outlier.Compute(run, outlier.Options{}).Long() {
		long[row] = true
	}
	return long
}
