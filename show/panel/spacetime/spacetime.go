package spacetime

import (
	"fmt"
	"slices"
	"strings"

	"dagscope/explain/numbers"
	"dagscope/explain/numbers/panels"
	"dagscope/explain/schedule"
	"dagscope/internal/words"
	"dagscope/show/panel/core"
	"dagscope/show/panel/kit"
	"dagscope/show/scene"
	"dagscope/trace"
)

// Pick finds the task at a place, or the state in a trace without tasks.
func (v *spaceTime) Pick(q core.Query, t int64, y float64, reach int64) (core.Hit, bool) {
	if h, ok := v.pickStep(q, t, y, reach); ok {
		return h, true
	}
	l, p, ok := v.gantt.Pick(v.gantt.Lanes.Place(q.Height), t, y, reach, func(*kit.Piece) bool { return true })
	if !ok {
		return core.Hit{}, false
	}
	h := core.Hit{Table: core.HitState, Row: p.Row, Start: p.Start, End: p.End, RowName: v.gantt.Lanes.Lanes[l].Name}
	if v.states {
		h.Label, h.Resource = v.run.State.Kind.At(int(h.Row)), v.run.State.Resource[h.Row]
		return h, true
	}
	h.Table, h.Label = core.HitTask, v.run.Task.Kind.At(int(h.Row))
	h.Resource = v.workerOf(l, h.Row, h.Start)
	return h, true
}

// workerOf is the worker that a piece of a task ran on: of a lane of one worker
// that, else the one that the piece, or the task, names.
func (v *spaceTime) workerOf(l int, task int32, start int64) int32 {
	if of := v.gantt.Lanes.Lanes[l].Resources; len(of) == 1 {
		return of[0]
	}
	seg := &v.run.Segment
	first, _ := slices.BinarySearch(seg.Task, task)
	for k := first; k < len(seg.Task) && seg.Task[k] == task; k++ {
		if seg.Start[k] == start && v.gantt.Lanes.Of[seg.Worker[k]] == int32(l) {
			return seg.Worker[k]
		}
	}
	return v.run.Task.Worker[task]
}

// At counts the workers of each architecture that run a task; of states, the
// resources in each.
func (v *spaceTime) At(t int64) []core.Reading {
	if v.states {
		return v.gantt.StatesAt(t, v.run.State.Kind.At)
	}
	busy, all := map[string]int{}, map[string]int{}
	var archs []string
	seen := map[int32]bool{}
	for l := range v.gantt.Lanes.Lanes {
		one := &v.gantt.Lanes.Lanes[l]
		if _, ok := all[one.Arch]; !ok {
			archs = append(archs, one.Arch)
		}
		all[one.Arch] += len(one.Resources)
		clear(seen)
		v.gantt.Covering(l, t, func(p kit.Piece) {
			seen[v.workerOf(l, p.Row, p.Start)] = true
		})
		busy[one.Arch] += len(seen)
	}
	slices.SortFunc(archs, kit.CompareArchs)
	var out []core.Reading
	for _, arch := range archs {
		out = append(out, core.Reading{Label: kit.ArchName(arch), Value: fmt.Sprintf("%s of %s busy, %s idle", words.CountThin(busy[arch]), words.CountThin(all[arch]), words.CountThin(all[arch]-busy[arch])),
			Unit: "workers", Color: kit.ArchColor(arch)})
	}
	return out
}

// Rows are workers, or groups of them.
func (v *spaceTime) Rows(height float64) []core.Row {
	return v.gantt.Live(v.gantt.Lanes.Place(height))
}

func init() {
	st := core.Panel{
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
	core.Register(st)
	panels.Add(spaceTimeNumbers(&st))
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
	run        *trace.Run
	options    *core.Options
	gantt      kit.Gantt
	legend     []scene.LegendEntry    // of the whole run
	counted    kindCounts             // of the whole run
	stateKinds []stateEntry           // of the legend, where states are shown
	named      func(kind string) bool // kinds that have an entry of their own
	idle       []idleColumn
	makespan   int64
	pieces     int  // on the lanes
	states     bool // the lanes show states, not tasks
	folded     bool
	class      *core.Classes
	long       []bool          // by task: an outlier; nil if none are shown
	base       *core.Base      // of the run; nil where states are shown
	laid       *schedule.Lanes // of the tasks that are drawn
	means      bool            // some lane is the mean of several workers
	remarks    []string        // what layers could not do
	shaded     *shading        // nil where colours are those of kinds

	bounds     []core.Bound // computed
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

func openSpaceTime(run *trace.Run, o *core.Options) (core.View, error) {
	v := &spaceTime{run: run, options: o}
	var err error
	if v.base = o.Base; v.base == nil && tasksDrawn(run) {
		v.base = core.NewBase(run, v.index())
	}
	switch {
	case v.base == nil || len(v.base.Lanes.Task) == 0:
		if _, _, ok := panels.Extent(run); !ok {
			return nil, nothingLasted
		}
		v.openStates()
	case !v.base.Lasts:
		return nil, nothingLasted
	default:
		v.makespan = v.base.Makespan
		if err = v.openTasks(); err == nil && o.SpaceTime.Color != core.ShadeKind {
			err = v.shade(o.SpaceTime.Color)
		}
	}
	if len(v.gantt.Lanes.Lanes) == 0 {
		return nil, &panels.Missing{Why: "No worker is selected."}
	}
	return v, err
}

var nothingLasted = &panels.Missing{Why: "No task ran and no state lasted in this run."}

func tasksDrawn(run *trace.Run) bool {
	for i := range run.Task.Start {
		if schedule.Ran(&run.Task, i) {
			return true
		}
	}
	return false
}

// Draw draws a window of the run.
func (v *spaceTime) Draw(q core.Query) scene.Panel {
	r := v.gantt.Lanes.Place(q.Height)
	layers, count := v.gantt.Draw(q, r)
	p := scene.Panel{ID: "st", Title: v.options.SpaceTime.Title, Height: float64(r.Height), Layers: layers}
	note := ""
	if !v.states {
		p.Marks = v.marks(q)
		note = v.drawAbove(q, r, &p)
	}
	if q.Body {
		return scene.Panel{ID: p.ID, Height: p.Height, Layers: p.Layers}
	}
	p.Legend, p.Note = v.legendIn(q), v.note(count)+note+v.shadedNote()
	p.Left, p.Right = []scene.Layer{v.gantt.Lanes.LeftLabels(r)}, v.idleLayers(r, q)
	return p
}

// drawAbove adds what lies above the tasks, and returns what it has to note.
func (v *spaceTime) drawAbove(q core.Query, r *kit.Rows, p *scene.Panel) (note string) {
	names := newLabelPlacer(q, float64(r.Height), p.Marks)
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
func (v *spaceTime) note(d kit.Drawn) string {
	note := v.amount(d)
	if d.Generation > 0 {
		note += ", " + words.CountThin(d.Generation) + " of generation hatched"
	}
	if d.Outliers > 0 {
		color := " in full colour"
		if v.critical != nil {
			color = " in stronger colour"
		}
		note += ", " + v.outlying(d.Outliers) + color
	}
	note += v.gatheredNote(d)
	switch {
	case v.folded:
		note += "; rows are means of groups of workers: height is the share of their time"
	case d.Narrow > 0 && !v.options.Paper:
		note += "; what is narrower than a pixel (" + words.CountThin(d.Narrow) + ") is shown as shares of time"
	}
	return strings.Join(append([]string{note}, v.remarks...), "; ")
}

// amount says how much was drawn: tasks, or their pieces where some were
// suspended, and of how many tasks if it is all.
func (v *spaceTime) amount(d kit.Drawn) string {
	one, many, of := "task", "tasks", ""
	switch split := !v.states && v.laid.First != nil; {
	case v.states:
		one, many = "state", "states"
	case split && d.Pieces() == v.pieces:
		one, many, of = "piece", "pieces", " of "+words.PluralThin(v.begun(), "task", "tasks")
	case split:
		one, many = "piece of tasks", "pieces of tasks"
	}
	if d.Pieces() < v.pieces {
		return words.CountThin(d.Pieces()) + " of " + words.PluralThin(v.pieces, one, many)
	}
	return words.PluralThin(d.Pieces(), one, many) + of
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
	for l := range v.gantt.Lanes.Lanes {
		for _, r := range v.gantt.Lanes.Lanes[l].Resources {
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
func (v *spaceTime) gatheredNote(d kit.Drawn) string {
	g := v.gantt.Gather
	switch {
	case g == nil:
		return ""
	case d.Gathered == 0 && g.Groups == nil:
		return "; slices of " + words.Duration(g.Step) + " are narrower than a pixel here: every task is drawn"
	case d.Gathered == 0:
		return "; no group: threshold " + words.Duration(g.Threshold)
	case v.folded:
		return "; in slices of " + words.Duration(g.Step)
	case g.Groups == nil:
		return "; " + words.CountThin(d.Gathered) + " in slices of " + words.Duration(g.Step) + ", height is the share of time"
	}
	return "; paler: " + words.CountThin(d.Gathered) + " in " + words.PluralThin(d.Groups, "group", "groups") + " (threshold " + words.Duration(g.Threshold) + "), height is the share of time"
}

// marks are the makespan, the bounds and, when there is something before it,
// the zero of time.
func (v *spaceTime) marks(q core.Query) []scene.Mark {
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
	_ core.Reader = (*spaceTime)(nil)
	_ core.Picker = (*spaceTime)(nil)
)
