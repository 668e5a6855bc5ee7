package memory

import (
	"math"
	"slices"
	"strings"

	"dagscope/explain/memory"
	"dagscope/explain/numbers"
	"dagscope/explain/numbers/panels"
	"dagscope/internal/words"
	"dagscope/show/panel/core"
	"dagscope/show/panel/kit"
	"dagscope/show/scene"
	"dagscope/trace"
)

func init() {
	core.Register(core.Drawing(core.Panel{
		ID: "snapshot",
		Doc: "What lay where at one instant: a map for each memory, a cell for each block at its coordinates, coloured where a valid copy " +
			"lies there, by whether it is the only one (owner) or shared. Inside, the tasks that are using the copy: a square for " +
			"one that writes, a circle for one that reads. The instant is the middle of the window inside the run unless it is given; several give a line " +
			"of maps each.",
		Reads: func(*core.Options) []string {
			return panels.Joined(memory.Needs, panels.TaskTimes, []string{"task.kind", "task.key"})
		},
		Open: openSnapshot,
	}))
}

// Colours of the states of copies: pale, as tasks are drawn on them.
var (
	ownerColor  = scene.RGB(0xd55e00).Mix(scene.White, 0.55)
	sharedColor = scene.RGB(0x0072b2).Mix(scene.White, 0.6)
)

// snapshotView draws what lay where at an instant.
type snapshotView struct {
	run    *trace.Run
	stays  *memory.Residency
	uses   *memory.Uses
	places []int32
	left   int
	blocks *blockMap
	known  []int32
	colors core.Colors
	kinds  []string // of tasks that use blocks
	o      core.Snapshot
}

func openSnapshot(run *trace.Run, o *core.Options) (core.View, error) {
	r, err := panels.StaysOf(run, memory.Convention(o.Snapshot.StarVZ))
	if err != nil {
		return nil, err
	}
	v := &snapshotView{run: run, stays: r, uses: memory.FindUses(run), places: shownPlaces(run, r, o), colors: o.Colors, o: o.Snapshot}
	if len(v.places) == 0 {
		return nil, &panels.Missing{Why: "no memory of the selected nodes ever held a copy"}
	}
	if len(v.places) > mostFacets {
		v.left = len(v.places) - mostFacets
		v.places = v.places[:mostFacets]
	}
	if v.colors == nil {
		v.colors = core.TaskColors([]*trace.Run{run}, false)
	}
	v.known = knownBlocks(run, r, v.uses)
	v.blocks = newBlockMap(run, v.known)
	used := make([]bool, len(run.Task.Kind.Dict))
	for _, task := range v.uses.Task {
		if k := run.Task.Kind.Index[task]; k >= 0 && !used[k] {
			used[k] = true
			v.kinds = append(v.kinds, run.Task.Kind.Dict[k])
		}
	}
	slices.SortFunc(v.kinds, core.CompareNatural)
	return v, nil
}

// times are the instants of a drawing.
func (v *snapshotView) times(q core.Query) []int64 {
	if len(v.o.At) > 0 {
		return v.o.At
	}
	from, to := panels.InsideRun(v.run, q.T0, q.T1)
	return []int64{from + (to-from)/2}
}

// snapshotDrawing collects the primitives of one drawing.
type snapshotDrawing struct {
	view    *snapshotView
	facets  *facets
	back    scene.Rects // blocks
	states  scene.Rects // of copies
	squares scene.Rects
	circles []scene.Area
	texts   []scene.Text
	hidden  int // tasks beyond one in a cell
}

// Draw draws the instants.
func (v *snapshotView) Draw(q core.Query) scene.Panel {
	times := v.times(q)
	d := snapshotDrawing{view: v, facets: newFacets(v.blocks, len(v.places), len(times), q),
		back:   scene.Rects{Palette: []scene.Color{scene.Lane}, Edges: scene.Abut},
		states: scene.Rects{Palette: []scene.Color{scene.Lane, sharedColor, ownerColor}, Edges: scene.Abut}}
	for line, t := range times {
		if len(times) == 1 {
			line = -1
		}
		d.Line(t, line)
	}
	p := scene.Panel{ID: "snapshot", Height: d.facets.height, X: &scene.Axis{Max: float64(max(q.Width, 1))}, Layers: []scene.Layer{
		{Name: "copies", Rects: []scene.Rects{d.back, d.states}},
		{Name: "tasks", Rects: []scene.Rects{d.squares}, Areas: d.circles}, {Name: "names", Texts: d.texts}}}
	p.Legend = []scene.LegendEntry{{Label: "owner", Color: ownerColor}, {Label: "shared", Color: sharedColor}}
	for _, kind := range v.kinds { // of the whole run, so that pictures of several instants agree
		p.Legend = append(p.Legend, scene.LegendEntry{Label: kind, Color: v.colors.Of(kind)})
	}
	p.Note = d.note(times)
	return p
}

func (d *snapshotDrawing) note(times []int64) string {
	var dates []string
	for _, t := range times {
		dates = append(dates, words.Duration(t))
	}
	if len(dates) > 4 {
		dates = append(dates[:3], "…", dates[len(dates)-1])
	}
	parts := []string{"at " + strings.Join(dates, ", "), "square: writes, circle: reads"}
	if why := panels.OutsideRun(d.view.run, slices.Max(times), slices.Max(times)); why != "" {
		parts[0] += ", " + why
	}
	if d.hidden > 0 {
		parts = append(parts, words.PluralThin(d.hidden, "more task uses", "more tasks use")+" what another is drawn on")
	}
	if d.view.left > 0 {
		parts = append(parts, words.PluralThin(d.view.left, "memory is", "memories are")+" left out")
	}
	return strings.Join(parts, "; ")
}

// Line draws one instant.
func (d *snapshotDrawing) Line(t int64, line int) {
	at := map[int32]int{}
	for k, p := range d.view.places {
		at[p] = k
		x, y := d.facets.At(k, line)
		title := placeName(d.view.run, p)
		if line >= 0 && k == 0 {
			title += ", " + words.Duration(t)
		}
		d.texts = append(d.texts, d.facets.writing(title, x, y)...)
		for _, h := range d.view.known {
			if d.view.run.Handle.Node[h] == d.view.run.Resource.Node[p] {
				d.cell(&d.back, h, x, y, 0)
			}
		}
	}
	var last panels.SnapshotCell
	for _, c := range panels.SnapshotAt(d.view.run, d.view.stays, d.view.uses, t) {
		k, ok := at[c.Place]
		if !ok {
			continue
		}
		x, y := d.facets.At(k, line)
		if c.State != memory.Invalid && (c.Handle != last.Handle || c.Place != last.Place) {
			d.cell(&d.states, c.Handle, x, y, uint8(c.State))
		}
		if c.Task >= 0 {
			if c.Handle == last.Handle && c.Place == last.Place && last.Task >= 0 {
				d.hidden++
			} else {
				d.task(&c, x, y)
			}
		}
		last = c
	}
}

func (d *snapshotDrawing) cell(to *scene.Rects, handle int32, x, y float64, color uint8) {
	if x0, x1, top, h, ok := d.facets.box(handle, x, y); ok {
		to.Add(x0, x1, top, h, color)
	}
}

// task draws a task inside the cell of what it uses.
func (d *snapshotDrawing) task(c *panels.SnapshotCell, x, y float64) {
	x0, x1, top, h, ok := d.facets.box(c.Handle, x, y)
	if !ok {
		return
	}
	color := d.view.colors.Of(d.view.run.Task.Kind.At(int(c.Task)))
	middle, center := (x0+x1)/2, top+h/2
	half := (x1 - x0) * 0.31
	if memory.Writes(c.Mode) {
		d.squares.Palette = append(d.squares.Palette, color)
		at := len(d.squares.Palette) - 1
		if known := kit.IndexOf(d.squares.Palette[:at], color); known >= 0 {
			d.squares.Palette, at = d.squares.Palette[:at], known
		}
		d.squares.Add(middle-half, middle+half, center-float32(half), float32(2*half), uint8(at))
		return
	}
	d.circles = append(d.circles, circle(middle, center, half, half, color))
}

// circle is a disc about a point: rx in units of the axis, ry in pixels.
func circle(x float64, y float32, rx, ry float64, color scene.Color) scene.Area {
	const corners = 12
	a := scene.Area{Color: color}
	for i := range corners + 1 {
		sin, cos := math.Sincos(math.Pi * float64(i) / corners)
		a.X = append(a.X, x-rx*cos)
		a.Y0, a.Y1 = append(a.Y0, y-float32(ry*sin)), append(a.Y1, y+float32(ry*sin))
	}
	return a
}

// Data returns what lay where.
func (v *snapshotView) Data(q core.Query) numbers.Table {
	s := core.WholeRun()
	s.At, s.StarVZ = v.times(q), v.o.StarVZ
	return core.NumbersOf("snapshot", v.run, s, q)
}
