package panel

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"dagscope/analysis/idle"
	workers "dagscope/analysis/lane"
	"dagscope/analysis/outlier"
	"dagscope/scene"
	"dagscope/trace"
)

// IdleBy is the definition of the idle shares beside the lanes (METHODS 1).
type IdleBy string

// Definitions of idleness.
const (
	IdleTasks   IdleBy = ""        // share of the makespan without application task
	IdleRuntime IdleBy = "runtime" // share in the runtime's own Idle and Sleeping states
	IdleBoth    IdleBy = "both"    // both, side by side
	IdleNone    IdleBy = "none"    // not shown
)

// Bound is a named time that is drawn as a vertical line.
type Bound struct {
	Name string // "ABE"
	NS   int64
}

// SpaceTime are the options of the space-time panel. The zero value is the
// default.
type SpaceTime struct {
	Title        string
	Idle         IdleBy
	Bounds       []Bound     // given
	Computed     []BoundName // computed when the panel is opened
	Aggregation  Aggregation
	Links        Links
	HideMakespan bool
	HideOutliers bool
	NoFold       bool // never draw groups of workers as one row
	Fold         bool // always do
}

func init() {
	register(Panel{
		ID:    "st",
		Title: "Space-time",
		Doc: "One row per worker, grouped by node and architecture; application tasks coloured by kind. " +
			"What is narrower than a pixel is drawn as stacked shares whose height is the share of time, so idle time " +
			"is missing height at every zoom. Outliers (longer than Q3 + 1.5 IQR of their kind and architecture) are in " +
			"full colour. Bars at the right are the idle share of each worker. Traces without tasks show the states " +
			"of their resources instead.",
		Needs: []string{"task.start|state.start"},
		Columns: []Column{
			{"key", "", "job id as the runtime printed it (tasks only)"},
			{"kind", "", "codelet, function or state"},
			{"worker", "", "worker as traced"},
			{"node", "", "rank, -1 if unknown"},
			{"arch", "", "architecture of the worker"},
			{"start", "ns", "since zero"},
			{"end", "ns", "since zero"},
			{"outlier", "", "longer than usual for its kind and architecture"},
			{"generation", "", "prepares the input"},
		},
		Open: openSpaceTime,
	})
}

// spaceTime is the panel opened on a run.
type spaceTime struct {
	run      *trace.Run
	options  *Options
	gantt    gantt
	legend   []scene.LegendEntry
	idle     []float64 // per lane, nil if not shown
	makespan int64
	states   bool // the lanes show states, not tasks
	folded   bool
}

func openSpaceTime(run *trace.Run, o *Options) (View, error) {
	v := &spaceTime{run: run, options: o, makespan: workers.Makespan(run)}
	if _, _, ok := Extent(run); !ok {
		return nil, &Missing{"No task ran and no state lasted in this run."}
	}
	if tasksDrawn(run) {
		v.openTasks()
	} else {
		v.openStates()
	}
	if len(v.gantt.lanes.lanes) == 0 {
		return nil, &Missing{"No worker is selected."}
	}
	return v, nil
}

func tasksDrawn(run *trace.Run) bool {
	for i := range run.Task.Start {
		if ran(&run.Task, i) {
			return true
		}
	}
	return false
}

func (v *spaceTime) openTasks() {
	lanes := workerLanes(v.run, v.options)
	st := &v.options.SpaceTime
	if v.folded = !st.NoFold && (st.Fold || len(lanes.lanes) > foldBeyond); v.folded {
		lanes = lanes.fold()
	}
	t := &v.run.Task
	colors := v.options.Colors
	if colors == nil {
		colors = TaskColors([]*trace.Run{v.run}, false)
	}
	class := newClasses(t.Kind.Dict, colors, v.options.fade())
	long := v.options.Outlier
	if long == nil && !st.HideOutliers {
		long = longTasks(v.run)
	}
	v.gantt = gantt{lanes: lanes, palette: class.palette, full: class.full, kind: v.classNames(class)}
	v.gantt.spans = v.taskSpans(class, long)
	v.legend = v.taskLegend(class, colors)
	v.idle = v.idleShares()
}

// taskSpans are the tasks on their lanes, the pieces of those that were
// suspended.
func (v *spaceTime) taskSpans(class *classes, long []bool) *spans {
	t, of := &v.run.Task, v.gantt.lanes.of
	b := newSpanBuilder(len(t.Start))
	pieces := v.run.Segment.Task
	for i := range t.Start {
		if !ran(t, i) || t.Kind.Index[i] < 0 {
			continue
		}
		c := class.of[t.Kind.Index[i]]
		switch {
		case t.Generation[i]:
			c += generating
		case long != nil && long[i]:
			c += outlying
		}
		at, split := slices.BinarySearch(pieces, int32(i))
		if !split {
			b.addShown(of[t.Worker[i]], t.Start[i], t.End[i], c, int32(i))
			continue
		}
		for ; at < len(pieces) && pieces[at] == int32(i); at++ {
			s := &v.run.Segment
			b.addShown(of[s.Worker[at]], s.Start[at], s.End[at], c, int32(i))
		}
	}
	return b.build(len(v.gantt.lanes.lanes))
}

// addShown adds a piece if its lane is shown.
func (b *spanBuilder) addShown(lane int32, start, end int64, class uint8, row int32) {
	if lane >= 0 {
		b.add(lane, start, end, class, row)
	}
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
func (v *spaceTime) taskLegend(class *classes, colors Colors) []scene.LegendEntry {
	t := &v.run.Task
	count := make([]int, len(t.Kind.Dict))
	counts := make([]bool, len(t.Kind.Dict)) // some task of the kind is not generation
	seen := make([]bool, len(t.Start))       // a suspended task has several spans
	for _, row := range v.gantt.spans.row {
		if seen[row] {
			continue
		}
		seen[row] = true
		k := t.Kind.Index[row]
		count[k]++
		counts[k] = counts[k] || !t.Generation[row]
	}
	var order []int
	other, others := 0, 0
	for k, n := range count {
		if _, known := colors[t.Kind.Dict[k]]; known && n > 0 {
			order = append(order, k)
		} else if n > 0 {
			other, others = other+n, others+1
		}
	}
	slices.SortFunc(order, func(a, b int) int { return compareNatural(t.Kind.Dict[a], t.Kind.Dict[b]) })
	var legend []scene.LegendEntry
	for _, k := range order {
		e := scene.LegendEntry{Label: t.Kind.Dict[k], Detail: grouped(count[k]), Color: class.palette[class.of[k]]}
		if !counts[k] {
			e.Color, e.Hatch = class.palette[class.of[k]+generating], scene.RGB(0x9a9a9a)
		}
		legend = append(legend, e)
	}
	if others > 0 {
		legend = append(legend, scene.LegendEntry{Label: fmt.Sprintf("%d other kinds", others),
			Detail: grouped(other), Color: otherColor.Mix(scene.White, v.options.fade())})
	}
	return legend
}

// longTasks marks the outliers (METHODS 2).
func longTasks(run *trace.Run) []bool {
	long := make([]bool, len(run.Task.Start))
	for _, row := range outlier.Compute(run, outlier.Options{}).Long() {
		long[row] = true
	}
	return long
}

// idleShares are the idle shares of the lanes over the makespan (METHODS 1),
// of several workers their mean; NaN where the run does not tell.
func (v *spaceTime) idleShares() []float64 {
	by := v.options.SpaceTime.Idle
	if by == IdleNone || v.makespan <= 0 {
		return nil
	}
	w := idle.Compute(v.run, idle.Options{})
	share := make(map[int32]float64)
	for i, r := range w.Worker {
		share[r] = w.Share(i)
		if by == IdleRuntime {
			var traced bool
			if share[r], traced = w.RuntimeShare(i); !traced {
				share[r] = math.NaN()
			}
		}
	}
	out := make([]float64, len(v.gantt.lanes.lanes))
	for l := range out {
		var shares []float64
		for _, r := range v.gantt.lanes.lanes[l].resources {
			if s, ok := share[r]; ok {
				shares = append(shares, s)
			}
		}
		out[l] = mean(shares)
	}
	return out
}

// Draw draws a window of the run.
func (v *spaceTime) Draw(q Query) scene.Panel {
	r := v.gantt.lanes.place(q.Height)
	layers, count := v.gantt.draw(q, r)
	p := scene.Panel{ID: "st", Title: v.options.SpaceTime.Title, Height: float64(r.height), Layers: layers,
		Legend: v.legend, Left: []scene.Layer{v.gantt.lanes.leftLabels(r)}, Note: v.note(count)}
	if v.idle != nil {
		p.Right = []scene.Layer{v.gantt.lanes.idleLabels(r, v.idle, v.idleTitle())}
	}
	if !v.states {
		p.Marks = v.marks(q)
	}
	return p
}

func (v *spaceTime) idleTitle() string {
	if v.options.SpaceTime.Idle == IdleRuntime {
		return "idle (runtime)"
	}
	return "idle"
}

// note says in small print what the drawing had to summarise.
func (v *spaceTime) note(d drawn) string {
	what := "tasks"
	if v.states {
		what = "states"
	}
	note := grouped(d.exact+d.narrow) + " " + what
	if whole := len(v.gantt.spans.row); d.exact+d.narrow < whole {
		note += " of " + grouped(whole)
	}
	if d.generation > 0 {
		note += ", " + grouped(d.generation) + " of generation hatched"
	}
	if d.outliers > 0 {
		note += ", " + plural(d.outliers, "outlier", "outliers") + " in full colour"
	}
	switch {
	case v.folded:
		note += "; rows are means of groups of workers: height is the share of their time"
	case d.narrow > 0:
		note += "; what is narrower than a pixel (" + grouped(d.narrow) + ") is shown as shares of time"
	}
	return note
}

// marks are the makespan, the bounds and, when there is something before it,
// the zero of time.
func (v *spaceTime) marks(q Query) []scene.Mark {
	var marks []scene.Mark
	if q.T0 < -(q.T1-q.T0)/100 && q.T1 > 0 {
		marks = append(marks, scene.Mark{X: 0, Color: scene.Soft, Dash: []float32{2, 2}})
	}
	if !v.options.SpaceTime.HideMakespan && v.makespan > 0 {
		marks = append(marks, scene.Mark{X: float64(v.makespan), Color: scene.Ink,
			Label: "makespan " + scene.FormatTime(float64(v.makespan))})
	}
	for i, b := range v.options.SpaceTime.Bounds {
		marks = append(marks, scene.Mark{X: float64(b.NS), Label: b.Name + " " + scene.FormatTime(float64(b.NS)),
			Color: boundColors[i%len(boundColors)], Dash: []float32{5, 3}})
	}
	return marks
}

var boundColors = []scene.Color{scene.RGB(0xb2182b), scene.RGB(0x4d4d9a), scene.RGB(0x1b7837)}

// grouped writes a number with a narrow space between groups of three digits.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for at := len(s) - 3; at > 0 && s[at-1] != '-'; at -= 3 {
		s = s[:at] + "\u2009" + s[at:]
	}
	return s
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(n) + " " + many
}
