package spacetime

import (
	"slices"

	"dagscope/explain/schedule"
	"dagscope/internal/interval"
	"dagscope/internal/words"
	"dagscope/show/panel/core"
	"dagscope/show/panel/kit"
	"dagscope/show/scene"
)

// Numbers beside the tasks are of the window that is drawn: those of the whole
// run where it shows all of it.

// kindCounts are the tasks on the lanes by kind, those without last, and how
// many of them are generation.
type kindCounts struct{ tasks, generated []int }

func (v *spaceTime) newCounts() kindCounts {
	n := len(v.run.Task.Kind.Dict) + 1
	return kindCounts{make([]int, n), make([]int, n)}
}

// taskLegend lists the kinds on the selected lanes by name, with their counts
// in the run; kinds beyond the palette are one entry.
func (v *spaceTime) taskLegend(colors core.Colors) []scene.LegendEntry {
	v.counted = v.CountKinds()
	v.named = func(kind string) bool {
		_, known := colors[kind]
		return known || slices.Contains(v.options.Focus, kind)
	}
	return v.legendOf(v.counted)
}

// legendIn is the legend for a window, with counts of the tasks that touch it.
func (v *spaceTime) legendIn(q core.Query) []scene.LegendEntry {
	switch {
	case v.shaded != nil || v.showsAll(q):
		return v.legend
	case v.states:
		return v.stateLegendIn(q)
	}
	return slices.Concat(v.legendOf(v.countIn(q)), v.linkLegend(q), v.messageLegend(q), v.criticalLegend(q))
}

// showsAll reports whether no task, or state, lies outside a window.
func (v *spaceTime) showsAll(q core.Query) bool {
	if v.states {
		return v.gantt.Sorted().Inside(q)
	}
	return q.T0 <= v.base.First && q.T1 >= v.base.Last
}

// legendOf lists the kinds that have tasks in the run with the given counts.
func (v *spaceTime) legendOf(c kindCounts) []scene.LegendEntry {
	kinds := v.run.Task.Kind.Dict
	var order []int
	other, others := 0, 0
	for k, n := range v.counted.tasks[:len(kinds)] {
		switch {
		case n == 0:
		case v.named(kinds[k]) || v.class.Hidden[k]:
			order = append(order, k)
		default:
			other, others = other+c.tasks[k], others+1
		}
	}
	slices.SortFunc(order, func(a, b int) int { return core.CompareNatural(kinds[a], kinds[b]) })
	var legend []scene.LegendEntry
	for _, k := range order {
		legend = append(legend, v.kindEntry(k, c.tasks[k]))
	}
	grey := core.OtherColor
	if len(v.options.Focus) > 0 {
		grey = grey.Mix(scene.White, core.RecededShare)
	}
	grey = grey.Mix(scene.White, v.options.Paleness())
	if others > 0 {
		legend = append(legend, scene.LegendEntry{Label: words.PluralThin(others, "other kind", "other kinds"), Detail: words.CountThin(other), Color: grey})
	}
	if v.counted.tasks[len(kinds)] > 0 {
		legend = append(legend, scene.LegendEntry{Label: "without kind", Detail: words.CountThin(c.tasks[len(kinds)]), Color: grey})
	}
	return legend
}

// kindEntry is the entry of a kind with so many tasks.
func (v *spaceTime) kindEntry(k, n int) scene.LegendEntry {
	name := v.run.Task.Kind.Dict[k]
	e := scene.LegendEntry{Label: name, Kind: name, Detail: words.CountThin(n), Color: v.class.Palette[v.class.Of[k]]}
	if v.counted.generated[k] == v.counted.tasks[k] {
		e.Color, e.Hatch = v.class.Palette[v.class.Of[k]+core.Generating], scene.RGB(0x9a9a9a)
	}
	if v.class.Hidden[k] {
		e.Color, e.Hatch, e.Detail = scene.Lane, scene.None, "hidden"
	}
	return e
}

// CountKinds counts the tasks of the run.
func (v *spaceTime) CountKinds() kindCounts {
	if tasks, generated, ok := v.base.CountKinds(func(r int) bool { return v.gantt.Lanes.Of[r] >= 0 }); ok {
		return kindCounts{tasks, generated}
	}
	c := v.newCounts()
	v.countEach(c, func(int) bool { return true })
	return c
}

// countEach counts the tasks on the lanes that some function takes.
func (v *spaceTime) countEach(c kindCounts, takes func(task int) bool) {
	t, lanes := &v.run.Task, v.gantt.Lanes.Of
	for i, k := range t.Kind.Index {
		if !schedule.Ran(t, i) || lanes[t.Worker[i]] < 0 || !takes(i) {
			continue
		}
		if k < 0 {
			k = int32(len(t.Kind.Dict))
		}
		if c.tasks[k]++; t.Generation[i] {
			c.generated[k]++
		}
	}
}

// countIn counts the tasks that touch a window, through the index where each
// kind has a class of its own and no task was suspended.
func (v *spaceTime) countIn(q core.Query) kindCounts {
	c := v.newCounts()
	kinds, ok := v.kindsOfClasses()
	if !ok || !v.base.WholeTasks {
		t := &v.run.Task
		v.countEach(c, func(i int) bool { return t.Start[i] < q.T1 && t.End[i] > q.T0 })
		return c
	}
	for r, lane := range v.gantt.Lanes.Of {
		if lane < 0 {
			continue
		}
		if v.base.Tracks[r] == nil {
			v.countPieces(c, int32(r), q)
		}
		for _, t := range v.base.Tracks[r] {
			lo, hi := t.Within(q.T0, q.T1)
			n := make([]int, len(t.Classes()))
			t.Count(lo, hi, n)
			for s, class := range t.Classes() {
				k := kinds[class/core.Variants]
				if c.tasks[k] += n[s]; class%core.Variants == core.Generating {
					c.generated[k] += n[s]
				}
			}
		}
	}
	return c
}

// countPieces counts those of a worker whose tasks have no index.
func (v *spaceTime) countPieces(c kindCounts, r int32, q core.Query) {
	l := v.base.Lanes
	for i, to := l.Of(r); i < to && l.Start[i] < q.T1; i++ {
		if l.End[i] <= q.T0 {
			continue
		}
		k := v.run.Task.Kind.Index[l.Task[i]]
		if k < 0 {
			k = int32(len(c.tasks) - 1)
		}
		c.tasks[k]++
	}
}

// kindsOfClasses maps the classes of the base to kinds; ok is false where
// several kinds share one.
func (v *spaceTime) kindsOfClasses() (kinds [256 / int(core.Variants)]int, ok bool) {
	for i := range kinds {
		kinds[i] = -1
	}
	for k, class := range v.base.Kind {
		if kinds[class/core.Variants] >= 0 {
			return kinds, false
		}
		kinds[class/core.Variants] = k
	}
	return kinds, true
}

// idleIn is the share of a window, as far as the makespan reaches, without
// application task on each lane (docs/design/methods.md, Idleness); ok is false
// where nothing of the makespan is in it.
func (v *spaceTime) idleIn(q core.Query) (share []float64, ok bool) {
	whole := v.base.IdleWorkers()
	p := kit.Period{From: max(q.T0, whole.From), To: min(q.T1, whole.To)}
	if p.From >= p.To {
		return nil, false
	}
	for l := range v.gantt.Lanes.Lanes {
		var busy int64
		of := v.gantt.Lanes.Lanes[l].Resources
		for _, r := range of {
			busy += workerBusy(v.base, r, p)
		}
		share = append(share, 1-float64(busy)/float64(int64(len(of))*(p.To-p.From)))
	}
	return share, true
}

// workerBusy is the time of a period that counted tasks cover on a worker.
func workerBusy(b *core.Base, r int32, p kit.Period) (ns int64) {
	if tracks := b.Tracks[r]; len(tracks) == 1 {
		t := tracks[0]
		busy := make([]int64, len(t.Classes()))
		t.Busy(p.From, p.To, busy)
		for s, class := range t.Classes() {
			if class%core.Variants != core.Generating {
				ns += busy[s]
			}
		}
		return ns
	}
	var covered interval.Spans // in order of start
	l := b.Lanes
	for i, to := l.Of(r); i < to && l.Start[i] < p.To; i++ {
		if l.End[i] > p.From && !b.Run.Task.Generation[l.Task[i]] {
			covered.Extend(max(l.Start[i], p.From), min(l.End[i], p.To))
		}
	}
	return covered.Length()
}
