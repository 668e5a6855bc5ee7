package panel

import (
	"slices"
	"strings"

	"dagscope/explain/numbers"
	"dagscope/explain/schedule"
	"dagscope/internal/words"
	"dagscope/show/scene"
	"dagscope/trace"
)

// IdleBy is the definition of the idle shares beside the lanes
// (docs/design/methods.md, Idleness).
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
	Messages     Messages
	Chain        bool // the critical chain: rows that it uses are shown whatever is selected
	HideMakespan bool
	HideOutliers bool
	NoFold       bool   // never draw groups of workers as one row
	Fold         bool   // always do
	Color        string // what colours tasks: ShadeKind, ShadeDuration, ShadeRatio or a hardware counter
}

func init() {
	st := Panel{
		ID:    "st",
		Title: "Space-time",
		Time:  true,
		Rows:  true,
		Doc: "One row per worker, grouped by node and architecture; application tasks coloured by kind. " +
			"What is narrower than a pixel is drawn as stacked shares whose height is the share of time, so idle time " +
			"is missing height at every zoom. Tasks that overlap on a worker lie in lanes of their own inside its row. Outliers (longer than Q3 + 1.5 IQR of their kind and architecture) are in " +
			"full colour. Bars at the right are the idle share of each worker. Traces without tasks show the states " +
			"of their resources instead.",
		Needs:   []string{"task.start|state.start"},
		Columns: spaceTimeColumns,
		Reads:   spaceTimeReads,
		Open:    openSpaceTime,
	}
	register(st)
	Add(spaceTimeNumbers(&st))
}

var spaceTimeColumns = []numbers.Column{
	{Name: "key", Doc: "job id as the runtime printed it (tasks only)"},
	{Name: "kind", Doc: "codelet, function or state"},
	{Name: "worker", Doc: "worker as traced"},
	{Name: "node", Doc: "rank, -1 if unknown"},
	{Name: "arch", Doc: "architecture of the worker"},
	{Name: "start", Unit: "ns", Doc: "since zero"},
	{Name: "end", Unit: "ns", Doc: "since zero"},
	{Name: "outlier", Doc: "longer than usual for its kind and architecture"},
	{Name: "generation", Doc: "prepares the input"},
}

// spaceTime is the panel opened on a run.
type spaceTime struct {
	run      *trace.Run
	options  *Options
	gantt    gantt
	legend   []scene.LegendEntry    // of the whole run
	counted  kindCounts             // of the whole run
	named    func(kind string) bool // kinds that have an entry of their own
	idle     []idleColumn
	makespan int64
	pieces   int  // on the lanes
	states   bool // the lanes show states, not tasks
	folded   bool
	class    *classes
	long     []bool          // by task: an outlier; nil if none are shown
	base     *Base           // of the run; nil where states are shown
	laid     *schedule.Lanes // of the tasks that are drawn
	means    bool            // some lane is the mean of several workers
	remarks  []string        // what layers could not do
	shaded   *shading        // nil where colours are those of kinds

	bounds     []Bound // computed
	nodeBounds []nodeBound
	links      *linkSet // nil for none
	messages   *messageSet
	critical   *criticalSet // nil for none
}

// remark notes what a layer could not do.
func (v *spaceTime) remark(s string) {
	if !slices.Contains(v.remarks, s) {
		v.remarks = append(v.remarks, s)
	}
}

func openSpaceTime(run *trace.Run, o *Options) (View, error) {
	v := &spaceTime{run: run, options: o}
	var err error
	if v.base = o.Base; v.base == nil && tasksDrawn(run) {
		v.base = NewBase(run, v.index())
	}
	switch {
	case v.base == nil || len(v.base.Lanes.Task) == 0:
		if _, _, ok := Extent(run); !ok {
			return nil, nothingLasted
		}
		v.openStates()
	case !v.base.lasts:
		return nil, nothingLasted
	default:
		v.makespan = v.base.makespan
		if err = v.openTasks(); err == nil && o.SpaceTime.Color != ShadeKind {
			err = v.shade(o.SpaceTime.Color)
		}
	}
	if len(v.gantt.lanes.lanes) == 0 {
		return nil, &Missing{"No worker is selected."}
	}
	return v, err
}

var nothingLasted = &Missing{"No task ran and no state lasted in this run."}

func tasksDrawn(run *trace.Run) bool {
	for i := range run.Task.Start {
		if schedule.Ran(&run.Task, i) {
			return true
		}
	}
	return false
}

// Draw draws a window of the run.
func (v *spaceTime) Draw(q Query) scene.Panel {
	r := v.gantt.lanes.place(q.Height)
	layers, count := v.gantt.draw(q, r)
	p := scene.Panel{ID: "st", Title: v.options.SpaceTime.Title, Height: float64(r.height), Layers: layers}
	note := ""
	if !v.states {
		p.Marks = v.marks(q)
		note = v.drawAbove(q, r, &p)
	}
	if q.Body {
		return scene.Panel{ID: p.ID, Height: p.Height, Layers: p.Layers}
	}
	p.Legend, p.Note = v.legendIn(q), v.note(count)+note+v.legendNote(q)+v.shadedNote()
	p.Left, p.Right = []scene.Layer{v.gantt.lanes.leftLabels(r)}, v.idleLayers(r, q)
	return p
}

// drawAbove adds what lies above the tasks, and returns what it has to note.
func (v *spaceTime) drawAbove(q Query, r *rows, p *scene.Panel) (note string) {
	names := newLabelPlacer(q, float64(r.height), p.Marks)
	bars := v.nodeBars(q, r, names)
	links, note := v.linkLayers(q, r, names)
	messages, sent := v.messageLayers(q, r)
	critical, lost := v.criticalLayers(q, r)
	above := slices.Concat(critical, messages, links, bars)
	note += sent + lost
	names.clearNames(p.Layers, above)
	p.Layers = append(p.Layers, above...)
	return note
}

// note says in small print what the drawing had to summarise.
func (v *spaceTime) note(d drawn) string {
	note := v.amount(d)
	if d.generation > 0 {
		note += ", " + words.CountThin(d.generation) + " of generation hatched"
	}
	if d.outliers > 0 {
		color := " in full colour"
		if v.critical != nil {
			color = " in stronger colour"
		}
		note += ", " + v.outlying(d.outliers) + color
	}
	note += v.gatheredNote(d)
	switch {
	case v.folded:
		note += "; rows are means of groups of workers: height is the share of their time"
	case d.narrow > 0:
		note += "; what is narrower than a pixel (" + words.CountThin(d.narrow) + ") is shown as shares of time"
	}
	return strings.Join(append([]string{note}, v.remarks...), "; ")
}

// amount says how much was drawn: tasks, or their pieces where some were
// suspended, and of how many tasks if it is all.
func (v *spaceTime) amount(d drawn) string {
	one, many, of := "task", "tasks", ""
	switch split := !v.states && v.laid.First != nil; {
	case v.states:
		one, many = "state", "states"
	case split && d.pieces() == v.pieces:
		one, many, of = "piece", "pieces", " of "+words.PluralThin(v.begun(), "task", "tasks")
	case split:
		one, many = "piece of tasks", "pieces of tasks"
	}
	if d.pieces() < v.pieces {
		return words.CountThin(d.pieces()) + " of " + words.PluralThin(v.pieces, one, many)
	}
	return words.PluralThin(d.pieces(), one, many) + of
}

// outlying words a number of outliers, or of their pieces.
func (v *spaceTime) outlying(n int) string {
	if v.laid.First != nil {
		return words.PluralThin(n, "piece", "pieces") + " of outliers"
	}
	return words.PluralThin(n, "outlier", "outliers")
}

// begun is how many tasks began on the rows.
func (v *spaceTime) begun() (n int) {
	for l := range v.gantt.lanes.lanes {
		for _, r := range v.gantt.lanes.lanes[l].resources {
			for p, to := v.laid.Of(r); p < to; p++ {
				if v.laid.IsFirst(p) {
					n++
				}
			}
		}
	}
	return n
}

// gatheredNote says what was aggregated.
func (v *spaceTime) gatheredNote(d drawn) string {
	g := v.gantt.gather
	switch {
	case g == nil:
		return ""
	case d.gathered == 0 && g.groups == nil:
		return "; slices of " + words.Duration(g.step) + " are narrower than a pixel here: every task is drawn"
	case d.gathered == 0:
		return "; no group: threshold " + words.Duration(g.threshold)
	case v.folded:
		return "; in slices of " + words.Duration(g.step)
	case g.groups == nil:
		return "; " + words.CountThin(d.gathered) + " in slices of " + words.Duration(g.step) + ", height is the share of time"
	}
	return "; paler: " + words.CountThin(d.gathered) + " in " + words.PluralThin(d.groups, "group", "groups") + " (threshold " + words.Duration(g.threshold) + "), height is the share of time"
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
			Label: "makespan " + words.Duration(v.makespan)})
	}
	for i, b := range slices.Concat(v.bounds, v.options.SpaceTime.Bounds) {
		marks = append(marks, scene.Mark{X: float64(b.NS), Label: b.Name + " " + words.Duration(b.NS),
			Color: boundColors[i%len(boundColors)], Dash: []float32{5, 3}})
	}
	return marks
}

var boundColors = []scene.Color{scene.RGB(0xb2182b), scene.RGB(0x4d4d9a), scene.RGB(0x1b7837)}

var (
	_ Reader = (*spaceTime)(nil)
	_ Picker = (*spaceTime)(nil)
)
