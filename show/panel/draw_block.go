package panel

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"dagscope/explain/depend"
	"dagscope/explain/memory"
	"dagscope/explain/numbers"
	"dagscope/internal/words"
	"dagscope/show/scene"
	"dagscope/trace"
)

func init() {
	register(drawing(Panel{
		ID: "block", Time: true,
		Doc: "One block in detail: a row for each memory, coloured while a valid copy lies there (owner or shared). Inside, the tasks that " +
			"used it from there: plain those that wrote, hatched those that read. Along the lower edge what the manager did for " +
			"it; circles at the upper edge are requests, filled to fetch at once, empty to fetch ahead; arrows are transfers. " +
			"For a chosen task two lines: the end of its last dependency and the end of the task before it on its worker.",
		Reads: func(*Options) []string {
			return joined(memory.Needs, taskTimes, depend.Needs, []string{"task.kind", "task.key", "transfer.key", "segment"})
		},
		Open: openBlock,
	}))
}

// transferColors are the colours of transfers by reason.
var transferColors = Colors{
	trace.TransferFetch:        scene.RGB(0xd55e00),
	trace.TransferTaskPrefetch: scene.RGB(0x0072b2),
	trace.TransferPrefetch:     scene.RGB(0x56b4e9),
	trace.TransferIdleFetch:    scene.RGB(0x999933),
	trace.TransferMPI:          scene.RGB(0xaa4499),
}

// Colours of the rulers, those of Nesi 2019.
var (
	dependencyRuler = scene.RGB(0x117733)
	workerRuler     = scene.RGB(0xb8860b)
)

// blockView draws what happened to a piece of data.
type blockView struct {
	run    *trace.Run
	label  string
	facts  []blockFact // in order of start
	longer int64       // the longest fact, ns
	places []int32
	row    map[int32]int
	track  []int32 // of tasks within their row
	tracks []int   // of rows, at least 1
	colors Colors
	marks  []scene.Mark
	note   string
	o      Block
	shared *Options
}

func openBlock(run *trace.Run, o *Options) (View, error) {
	labels := memory.NewLabels(run)
	d, err := blockFactsOf(run, labels, o.Block.Handle, o.Block.Task, memory.Exact)
	if err != nil {
		return nil, err
	}
	v := &blockView{run: run, label: labels.Of(d.handles[0]), facts: d.facts, colors: o.Colors, o: o.Block, shared: o, row: map[int32]int{}}
	if v.colors == nil {
		v.colors = TaskColors([]*trace.Run{run}, false)
	}
	v.onMemories()
	slices.SortStableFunc(v.facts, func(a, b blockFact) int { return cmp.Compare(a.start, b.start) })
	v.choosePlaces(o)
	if len(v.places) == 0 {
		return nil, &Missing{"block " + v.label + " was in no memory of the selected nodes"}
	}
	v.stack()
	for _, f := range v.facts {
		v.longer = max(v.longer, f.end-f.start)
	}
	return v, v.rulers()
}

// onMemories moves the ends of messages, which are of communication threads, to
// the first memory of their node.
func (v *blockView) onMemories() {
	re := &v.run.Resource
	first := map[int32]int32{}
	for _, p := range memory.Places(v.run) {
		if _, ok := first[re.Node[p]]; !ok {
			first[re.Node[p]] = p
		}
	}
	move := func(p int32) int32 {
		if p < 0 || re.Level.At(int(p)) == trace.LevelMemoryManager {
			return p
		}
		if to, ok := first[re.Node[p]]; ok {
			return to
		}
		return trace.None
	}
	for i := range v.facts {
		v.facts[i].place, v.facts[i].source = move(v.facts[i].place), move(v.facts[i].source)
	}
}

// choosePlaces finds the memories that took part.
func (v *blockView) choosePlaces(o *Options) {
	used := map[int32]bool{}
	for _, f := range v.facts {
		used[f.place], used[f.source] = true, true
	}
	for _, p := range memory.Places(v.run) {
		if used[p] && o.showsNode(v.run.Resource.Node[p]) {
			v.row[p] = len(v.places)
			v.places = append(v.places, p)
		}
	}
}

// stack puts tasks that overlap in one memory on tracks of their own.
func (v *blockView) stack() {
	v.track, v.tracks = make([]int32, len(v.facts)), slices.Repeat([]int{1}, len(v.places))
	free := make([][]int64, len(v.places)) // by row and track, from when on
	for i, f := range v.facts {
		row, ok := v.row[f.place]
		if f.what != factTask || !ok {
			continue
		}
		k := slices.IndexFunc(free[row], func(t int64) bool { return t <= f.start })
		if k < 0 {
			k = len(free[row])
			free[row] = append(free[row], 0)
		}
		free[row][k], v.track[i] = f.end, int32(k)
		v.tracks[row] = max(v.tracks[row], k+1)
	}
}

// rulers finds the two instants that decide when the chosen task could start.
func (v *blockView) rulers() error {
	if v.o.Task == "" {
		return nil
	}
	t := &v.run.Task
	task := t.Key.Find(v.o.Task)
	if task == trace.None {
		return noTask(v.o.Task)
	}
	v.note = "task " + v.o.Task + " (" + t.Kind.At(int(task)) + ")"
	last := depend.Find(v.run)
	if p := last.Of[task]; p != trace.None {
		v.marks = append(v.marks, scene.Mark{X: float64(last.End(p)), Label: "last dependency", Color: dependencyRuler})
	}
	before := trace.NoTime
	for i, w := range t.Worker {
		if w == t.Worker[task] && w >= 0 && int32(i) != task && t.Start[i] < t.Start[task] && t.End[i] <= t.Start[task] {
			before = max(before, t.End[i])
		}
	}
	if before != trace.NoTime {
		v.marks = append(v.marks, scene.Mark{X: float64(before), Label: "worker free", Color: workerRuler})
	}
	if t.Start[task] != trace.NoTime {
		v.marks = append(v.marks, scene.Mark{X: float64(t.Start[task]), Label: "task " + v.o.Task, Color: scene.Ink})
	}
	return nil
}

const (
	blockPitch  = 58
	blockGap    = 8
	requestSize = 3.2 // radius of a circle
)

// layout is the place of a row in a body: y and height.
func (v *blockView) layout(q Query) (height float64, at func(row int) (y, h float64)) {
	n := float64(len(v.places))
	height = heightOr(q, n*blockPitch+blockGap)
	pitch := (height - blockGap) / n
	gap := min(blockGap, pitch*0.2)
	return height, func(row int) (float64, float64) { return gap + pitch*float64(row), pitch - gap }
}

// blockDrawing collects the primitives of one drawing.
type blockDrawing struct {
	view   *blockView
	q      Query
	at     func(row int) (y, h float64)
	radius float64 // of circles, ns

	back, states, writes, reads, actions scene.Rects
	arrows                               map[string]*scene.Arrows
	discs                                []scene.Area
	rings                                []scene.Line
	texts                                []scene.Text
	kinds, acts                          map[string]int
	requests                             int
}

func colorIn(r *scene.Rects, c scene.Color) uint8 {
	at := indexOf(r.Palette, c)
	if at < 0 && len(r.Palette) < 256 {
		at = len(r.Palette)
		r.Palette = append(r.Palette, c)
	}
	return uint8(max(at, 0))
}

// Draw draws a window.
func (v *blockView) Draw(q Query) scene.Panel {
	height, at := v.layout(q)
	d := blockDrawing{view: v, q: q, at: at, radius: requestSize * float64(max(q.T1-q.T0, 1)) / float64(max(q.Width, 1)),
		arrows: map[string]*scene.Arrows{}, kinds: map[string]int{}, acts: map[string]int{}}
	if q.Body { // drawings for a screen have one to two columns for each of its pixels
		d.radius *= math.Sqrt2
	}
	d.back.Palette, d.back.Edges = []scene.Color{scene.Lane}, scene.Crisp
	d.states.Palette, d.states.Edges, d.states.MinWidth = []scene.Color{sharedColor, ownerColor}, scene.Crisp, 0.5
	d.writes.MinWidth, d.reads.MinWidth, d.actions.MinWidth = 1, 1, 1
	d.reads.Hatch = scene.White
	for row := range v.places {
		y, h := at(row)
		d.back.Add(float64(q.T0), float64(q.T1), float32(y), float32(h), 0)
	}
	d.draw()
	p := scene.Panel{ID: "block", Height: height, Layers: []scene.Layer{
		{Name: "rows", Rects: []scene.Rects{d.back}}, {Name: "copies", Rects: []scene.Rects{d.states}},
		{Name: "tasks", Rects: []scene.Rects{d.reads, d.writes}, Texts: d.texts}, {Name: "managers", Rects: []scene.Rects{d.actions}},
		d.transfers(), {Name: "requests", Areas: d.discs, Lines: d.rings}}}
	if q.Body {
		return p
	}
	p.Marks = v.marks
	d.margins(&p)
	return p
}

// draw draws the facts of the window, circles at its edges too.
func (d *blockDrawing) draw() {
	margin := int64(math.Ceil(d.radius)) + 1
	from, _ := slices.BinarySearchFunc(d.view.facts, d.q.T0-margin-d.view.longer, func(f blockFact, t int64) int { return cmp.Compare(f.start, t) })
	for i := from; i < len(d.view.facts) && d.view.facts[i].start < d.q.T1+margin; i++ {
		f := &d.view.facts[i]
		if f.end < d.q.T0-margin {
			continue
		}
		row, ok := d.view.row[f.place]
		if !ok {
			continue
		}
		y, h := d.at(row)
		switch f.what {
		case factState:
			d.states.Add(float64(f.start), float64(f.end), float32(y), float32(h), uint8(f.state)-1)
		case factTask:
			d.task(f, int(d.view.track[i]), d.view.tracks[row], y, h)
		case factAction:
			d.action(f, y, h)
		case factRequest:
			d.request(f, y)
		default:
			d.arrow(f, y, h)
		}
	}
}

// task draws a task in the middle part of its row.
func (d *blockDrawing) task(f *blockFact, track, tracks int, y, h float64) {
	if d.view.shared.hides(f.name) {
		return
	}
	top, room := y+h*0.26, h*0.5
	pitch := room / float64(tracks)
	top += pitch * float64(track)
	height := max(pitch-min(1, pitch*0.2), 0.5)
	color, to := d.view.shared.colorOf(d.view.colors, f.name), &d.writes
	if !memory.Writes(f.mode) {
		to = &d.reads
	}
	to.Add(float64(f.start), float64(f.end), float32(top), float32(height), colorIn(to, color))
	d.kinds[f.name]++
	start, end := max(f.start, d.q.T0), min(f.end, d.q.T1)
	if height < 11 || end <= start || len(d.texts) >= mostTexts {
		return
	}
	text := f.name + " " + d.view.run.Task.Key.At(int(f.task))
	if float64(end-start)*float64(d.q.Width) >= (scene.TextWidth(text, 9, false)+6)*float64(d.q.T1-d.q.T0) {
		d.texts = append(d.texts, scene.Text{X: float64(start+end) / 2, Y: float32(top + height/2), S: text, Size: 9, Color: contrast(color), On: color,
			Anchor: scene.Middle, Room: float64(end - start)})
	}
}

// action draws what the manager did along the lower edge.
func (d *blockDrawing) action(f *blockFact, y, h float64) {
	name := f.name
	if f.mode == "failed" {
		name = failedName
	}
	height := max(2, h*0.12)
	d.actions.Add(float64(f.start), float64(f.end), float32(y+h-height), float32(height), colorIn(&d.actions, managerColors.Of(name)))
	d.acts[name]++
}

// request draws a circle at the upper edge.
func (d *blockDrawing) request(f *blockFact, y float64) {
	if d.view.o.HideRequests {
		return
	}
	d.requests++
	color := transferColors.Of(f.name)
	disc := circle(float64(f.start), float32(y+requestSize+0.5), d.radius, requestSize, color)
	if f.name == trace.TransferFetch {
		d.discs = append(d.discs, disc)
		return
	}
	ring := scene.Line{Color: color, Width: 1}
	for i, x := range disc.X {
		ring.X, ring.Y = append(ring.X, x), append(ring.Y, disc.Y0[i])
	}
	for i := len(disc.X) - 1; i >= 0; i-- {
		ring.X, ring.Y = append(ring.X, disc.X[i]), append(ring.Y, disc.Y1[i])
	}
	d.rings = append(d.rings, ring)
}

// arrow draws a transfer from row to row.
func (d *blockDrawing) arrow(f *blockFact, y, h float64) {
	from, ok := d.view.row[f.source]
	if !ok || f.source == f.place {
		return
	}
	a := d.arrows[f.name]
	if a == nil {
		a = &scene.Arrows{Color: transferColors.Of(f.name), Width: 1.4, Head: 7}
		d.arrows[f.name] = a
	}
	y0, h0 := d.at(from)
	a.X0, a.X1 = append(a.X0, float64(f.start)), append(a.X1, float64(f.end))
	a.Y0, a.Y1 = append(a.Y0, float32(y0+h0*0.5)), append(a.Y1, float32(y+h*0.5))
}

func (d *blockDrawing) transfers() scene.Layer {
	l := scene.Layer{Name: "transfers"}
	for _, name := range d.reasons() {
		l.Arrows = append(l.Arrows, *d.arrows[name])
	}
	return l
}

// reasons are those of the transfers that are drawn, in a fixed order.
func (d *blockDrawing) reasons() (names []string) {
	for name := range d.arrows {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// margins writes what stands beside the body.
func (d *blockDrawing) margins(p *scene.Panel) {
	left := scene.Layer{Name: "memories", Unit: scene.Pixels}
	for row, place := range d.view.places {
		y, h := d.at(row)
		left.Texts = append(left.Texts, scene.Text{X: -labelAway, Y: float32(y + h/2), S: placeName(d.view.run, place), Size: float32(min(11, max(h, 6))), Color: scene.Ink, Anchor: scene.End})
	}
	p.Left = []scene.Layer{left}
	p.Legend = []scene.LegendEntry{{Label: "owner", Color: ownerColor}, {Label: "shared", Color: sharedColor}}
	for _, kind := range sortedKeys(d.kinds) {
		p.Legend = append(p.Legend, scene.LegendEntry{Label: kind, Kind: kind, Detail: words.CountThin(d.kinds[kind]), Color: d.view.colors.Of(kind)})
	}
	for _, name := range d.reasons() {
		p.Legend = append(p.Legend, scene.LegendEntry{Label: name, Detail: words.CountThin(len(d.arrows[name].X0)), Color: transferColors.Of(name), Swatch: scene.Stroke})
	}
	for _, name := range sortedKeys(d.acts) {
		p.Legend = append(p.Legend, scene.LegendEntry{Label: name, Detail: words.CountThin(d.acts[name]), Color: managerColors.Of(name)})
	}
	parts := []string{"block " + d.view.label, "plain: writes, hatched: reads"}
	if d.requests > 0 {
		parts = append(parts, words.PluralThin(d.requests, "request", "requests")+" (circles)")
	}
	if d.view.note != "" {
		parts = append(parts, d.view.note)
	}
	p.Note = strings.Join(parts, "; ")
}

func sortedKeys(of map[string]int) []string {
	var names []string
	for name := range of {
		names = append(names, name)
	}
	slices.SortFunc(names, compareNatural)
	return names
}

// Rows are memories.
func (v *blockView) Rows(height float64) []Row {
	_, at := v.layout(Query{Height: height})
	var out []Row
	for row, p := range v.places {
		y, h := at(row)
		group := ""
		if severalNodes(v.run) {
			group = fmt.Sprintf("%s%d", nodePrefix, v.run.Resource.Node[p])
		}
		out = append(out, Row{Name: v.run.Resource.Name.At(int(p)), Label: placeName(v.run, p), Group: group, Block: group + "/" + placesBlock,
			Node: v.run.Resource.Node[p], Y: y, H: h, Tracks: 1, Resources: []int32{p}})
	}
	return out
}

// Pick finds the task at a place.
func (v *blockView) Pick(q Query, t int64, y float64, reach int64) (hit Hit, found bool) {
	_, at := v.layout(q)
	best := int64(math.MaxInt64)
	for i, f := range v.facts {
		row, ok := v.row[f.place]
		if !ok || f.what != factTask || f.start > t+reach || f.end < t-reach {
			continue
		}
		top, h := at(row)
		pitch := h * 0.5 / float64(v.tracks[row])
		first := top + h*0.26 + pitch*float64(v.track[i])
		if y < first-1 || y > first+pitch+1 {
			continue
		}
		if away := max(f.start-t, t-f.end+1, 0); away <= best {
			best, found = away, true
			hit = Hit{Table: HitTask, Row: f.task, Label: f.name + " " + f.mode, Start: f.start, End: f.end, Resource: v.run.Task.Worker[f.task],
				RowName: v.run.Resource.Name.At(int(f.place))}
		}
	}
	return hit, found
}

// Data returns everything about the block in the window.
func (v *blockView) Data(q Query) numbers.Table {
	s := wholeRun()
	s.Handle, s.Task = v.o.Handle, v.o.Task
	return numbersOf("block", v.run, s, q)
}

var (
	_ Picker = (*blockView)(nil)
	_ Rowed  = (*blockView)(nil)
)
