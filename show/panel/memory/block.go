package memory

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"dagscope/explain/depend"
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
		ID: "block", Time: true,
		Doc: "One block in detail: a row for each memory, coloured while a valid copy lies there (owner or shared). Inside, the tasks that " +
			"used it from there: plain those that wrote, hatched those that read. Along the lower edge what the manager did for " +
			"it; circles at the upper edge are requests, filled to fetch at once, empty to fetch ahead; arrows are transfers. " +
			"For a chosen task two lines: the end of its last dependency and the end of the task before it on its worker. " +
			"Several blocks stand above each other, such as all that the chosen task uses.",
		Reads: func(*core.Options) []string {
			return panels.Joined(memory.Needs, panels.TaskTimes, depend.Needs, []string{"task.kind", "task.key", "transfer.key", "segment"})
		},
		Open: openBlock,
	}))
}

// transferColors are the colours of transfers by reason.
var transferColors = core.Colors{
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
	labels []string    // of the blocks
	facts  []blockFact // in order of start
	longer int64       // the longest fact, ns
	places []int32     // of the rows
	block  []int       // of the rows
	row    map[blockPlace]int
	track  []int32 // of tasks within their row
	tracks []int   // of rows, at least 1
	colors core.Colors
	marks  []scene.Mark
	note   string
	o      core.Block
	shared *core.Options
}

// blockFact is a fact about one of the blocks.
type blockFact struct {
	panels.BlockFact
	block int
}

// blockPlace is a memory in the part of a block.
type blockPlace struct {
	block int
	place int32
}

func openBlock(run *trace.Run, o *core.Options) (core.View, error) {
	labels := memory.NewLabels(run)
	blocks, err := panels.BlockFactsOf(run, labels, o.Block.Handle, o.Block.Task, memory.Exact)
	if err != nil {
		return nil, err
	}
	v := &blockView{run: run, colors: o.Colors, o: o.Block, shared: o, row: map[blockPlace]int{}}
	for b, d := range blocks {
		v.labels = append(v.labels, labels.Of(d.Handles[0]))
		for _, f := range d.Facts {
			v.facts = append(v.facts, blockFact{f, b})
		}
	}
	if v.colors == nil {
		v.colors = core.TaskColors([]*trace.Run{run}, false)
	}
	v.onMemories()
	slices.SortStableFunc(v.facts, func(a, b blockFact) int { return cmp.Compare(a.Start, b.Start) })
	v.choosePlaces(o)
	if len(v.places) == 0 {
		return nil, &panels.Missing{Why: "block " + strings.Join(v.labels, "; ") + " was in no memory of the selected nodes"}
	}
	v.stack()
	for _, f := range v.facts {
		v.longer = max(v.longer, f.End-f.Start)
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
		v.facts[i].Place, v.facts[i].Source = move(v.facts[i].Place), move(v.facts[i].Source)
	}
}

// choosePlaces finds the memories that took part.
func (v *blockView) choosePlaces(o *core.Options) {
	used := map[blockPlace]bool{}
	for _, f := range v.facts {
		used[blockPlace{f.block, f.Place}], used[blockPlace{f.block, f.Source}] = true, true
	}
	for b := range v.labels {
		for _, p := range memory.Places(v.run) {
			if at := (blockPlace{b, p}); used[at] && o.ShowsNode(v.run.Resource.Node[p]) {
				v.row[at] = len(v.places)
				v.places, v.block = append(v.places, p), append(v.block, b)
			}
		}
	}
}

// stack puts tasks that overlap in one memory on tracks of their own.
func (v *blockView) stack() {
	v.track, v.tracks = make([]int32, len(v.facts)), slices.Repeat([]int{1}, len(v.places))
	free := make([][]int64, len(v.places)) // by row and track, from when on
	for i, f := range v.facts {
		row, ok := v.row[blockPlace{f.block, f.Place}]
		if f.What != panels.FactTask || !ok {
			continue
		}
		k := slices.IndexFunc(free[row], func(t int64) bool { return t <= f.Start })
		if k < 0 {
			k = len(free[row])
			free[row] = append(free[row], 0)
		}
		free[row][k], v.track[i] = f.End, int32(k)
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
		return panels.NoTask(v.o.Task)
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
	blocksApart = 14  // more between the rows of two blocks
	requestSize = 3.2 // radius of a circle
)

// layout is the place of a row in a body: y and height.
func (v *blockView) layout(q core.Query) (height float64, at func(row int) (y, h float64)) {
	n, parts := float64(len(v.places)), float64(len(v.labels)-1)
	height = kit.HeightOr(q, n*blockPitch+blockGap+parts*blocksApart)
	apart := min(blocksApart, height/(n+parts+1)*0.3)
	pitch := (height - blockGap - parts*apart) / n
	gap := min(blockGap, pitch*0.2)
	return height, func(row int) (float64, float64) {
		return gap + pitch*float64(row) + apart*float64(v.block[row]), pitch - gap
	}
}

// blockDrawing collects the primitives of one drawing.
type blockDrawing struct {
	view   *blockView
	q      core.Query
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

// Draw draws a window.
func (v *blockView) Draw(q core.Query) scene.Panel {
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
	d.Draw()
	p := scene.Panel{ID: "block", Height: height, Layers: []scene.Layer{
		{Name: "rows", Rects: []scene.Rects{d.back}}, {Name: "copies", Rects: []scene.Rects{d.states}},
		{Name: "tasks", Rects: []scene.Rects{d.reads, d.writes}, Texts: d.texts}, {Name: "managers", Rects: []scene.Rects{d.actions}},
		d.transfers(), {Name: "requests", Areas: d.discs, Lines: d.rings}}}
	if q.Body {
		return p
	}
	p.Marks = v.marks
	d.Margins(&p)
	return p
}

// Draw draws the facts of the window, circles at its edges too.
func (d *blockDrawing) Draw() {
	margin := int64(math.Ceil(d.radius)) + 1
	from, _ := slices.BinarySearchFunc(d.view.facts, d.q.T0-margin-d.view.longer, func(f blockFact, t int64) int { return cmp.Compare(f.Start, t) })
	for i := from; i < len(d.view.facts) && d.view.facts[i].Start < d.q.T1+margin; i++ {
		f := &d.view.facts[i]
		if f.End < d.q.T0-margin {
			continue
		}
		row, ok := d.view.row[blockPlace{f.block, f.Place}]
		if !ok {
			continue
		}
		y, h := d.at(row)
		switch f.What {
		case panels.FactState:
			d.states.Add(float64(f.Start), float64(f.End), float32(y), float32(h), uint8(f.State)-1)
		case panels.FactTask:
			d.task(f, int(d.view.track[i]), d.view.tracks[row], y, h)
		case panels.FactAction:
			d.action(f, y, h)
		case panels.FactRequest:
			d.request(f, y)
		default:
			d.arrow(f, y, h)
		}
	}
}

// task draws a task in the middle part of its row.
func (d *blockDrawing) task(f *blockFact, track, tracks int, y, h float64) {
	if d.view.shared.Hides(f.Name) {
		return
	}
	top, room := y+h*0.26, h*0.5
	pitch := room / float64(tracks)
	top += pitch * float64(track)
	height := max(pitch-min(1, pitch*0.2), 0.5)
	color, to := d.view.shared.ColorOf(d.view.colors, f.Name), &d.writes
	if !memory.Writes(f.Mode) {
		to = &d.reads
	}
	to.Add(float64(f.Start), float64(f.End), float32(top), float32(height), kit.ColorIn(to, color))
	d.kinds[f.Name]++
	start, end := max(f.Start, d.q.T0), min(f.End, d.q.T1)
	if height < 11 || end <= start || len(d.texts) >= kit.MostTexts {
		return
	}
	text := f.Name + " " + d.view.run.Task.Key.At(int(f.Task))
	if float64(end-start)*float64(d.q.Width) >= (scene.TextWidth(text, 9, false)+6)*float64(d.q.T1-d.q.T0) {
		d.texts = append(d.texts, scene.Text{X: float64(start+end) / 2, Y: float32(top + height/2), S: text, Size: 9, Color: kit.Contrast(color), On: color,
			Anchor: scene.Middle, Room: float64(end - start)})
	}
}

// action draws what the manager did along the lower edge.
func (d *blockDrawing) action(f *blockFact, y, h float64) {
	name := f.Name
	if f.Mode == "failed" {
		name = failedName
	}
	height := max(2, h*0.12)
	d.actions.Add(float64(f.Start), float64(f.End), float32(y+h-height), float32(height), kit.ColorIn(&d.actions, managerColors.Of(name)))
	d.acts[name]++
}

// request draws a circle at the upper edge.
func (d *blockDrawing) request(f *blockFact, y float64) {
	if d.view.o.HideRequests {
		return
	}
	d.requests++
	color := transferColors.Of(f.Name)
	disc := circle(float64(f.Start), float32(y+requestSize+0.5), d.radius, requestSize, color)
	if f.Name == trace.TransferFetch {
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
	from, ok := d.view.row[blockPlace{f.block, f.Source}]
	if !ok || f.Source == f.Place {
		return
	}
	a := d.arrows[f.Name]
	if a == nil {
		a = &scene.Arrows{Color: transferColors.Of(f.Name), Width: 1.4, Head: 7}
		d.arrows[f.Name] = a
	}
	y0, h0 := d.at(from)
	a.X0, a.X1 = append(a.X0, float64(f.Start)), append(a.X1, float64(f.End))
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

// Margins writes what stands beside the body.
func (d *blockDrawing) Margins(p *scene.Panel) {
	left := scene.Layer{Name: "memories", Unit: scene.Pixels}
	for row, place := range d.view.places {
		y, h := d.at(row)
		left.Texts = append(left.Texts, scene.Text{X: -kit.LabelAway, Y: float32(y + h/2), S: placeName(d.view.run, place), Size: float32(min(11, max(h, 6))), Color: scene.Ink, Anchor: scene.End})
	}
	p.Left = []scene.Layer{left}
	if len(d.view.labels) > 1 {
		p.Right = []scene.Layer{d.blockNames()}
	}
	p.Legend = []scene.LegendEntry{{Label: "owner", Color: ownerColor}, {Label: "shared", Color: sharedColor}}
	for _, kind := range kit.SortedKeys(d.kinds) {
		p.Legend = append(p.Legend, scene.LegendEntry{Label: kind, Kind: kind, Detail: words.CountThin(d.kinds[kind]), Color: d.view.colors.Of(kind)})
	}
	for _, name := range d.reasons() {
		p.Legend = append(p.Legend, scene.LegendEntry{Label: name, Detail: words.CountThin(len(d.arrows[name].X0)), Color: transferColors.Of(name), Swatch: scene.Stroke})
	}
	for _, name := range kit.SortedKeys(d.acts) {
		p.Legend = append(p.Legend, scene.LegendEntry{Label: name, Detail: words.CountThin(d.acts[name]), Color: managerColors.Of(name)})
	}
	parts := []string{"block " + d.view.labels[0], "plain: writes, hatched: reads"}
	if n := len(d.view.labels); n > 1 {
		parts[0] = words.PluralThin(n, "block", "blocks")
	}
	if d.requests > 0 {
		parts = append(parts, words.PluralThin(d.requests, "request", "requests")+" (circles)")
	}
	if d.view.note != "" {
		parts = append(parts, d.view.note)
	}
	p.Note = strings.Join(parts, "; ")
}

// blockNames stand right of the rows of each of several blocks.
func (d *blockDrawing) blockNames() scene.Layer {
	layer := scene.Layer{Name: "blocks", Unit: scene.Pixels}
	for first := 0; first < len(d.view.places); {
		last := first
		for last+1 < len(d.view.places) && d.view.block[last+1] == d.view.block[first] {
			last++
		}
		top, _ := d.at(first)
		foot, h := d.at(last)
		layer.Texts = append(layer.Texts, scene.Text{X: kit.LabelAway, Y: float32(top+foot+h) / 2, S: d.view.labels[d.view.block[first]], Size: float32(min(11, max(h, 6))),
			Color: scene.Ink, Bold: true})
		first = last + 1
	}
	return layer
}

// rowName is what a row is known by: its memory, of several blocks with the block.
func (v *blockView) rowName(row int) string {
	name := v.run.Resource.Name.At(int(v.places[row]))
	if len(v.labels) > 1 {
		name = v.labels[v.block[row]] + " " + name
	}
	return name
}

// Rows are memories.
func (v *blockView) Rows(height float64) []core.Row {
	_, at := v.layout(core.Query{Height: height})
	var out []core.Row
	for row, p := range v.places {
		y, h := at(row)
		group := ""
		if panels.SeveralNodes(v.run) {
			group = fmt.Sprintf("%s%d", kit.NodePrefix, v.run.Resource.Node[p])
		}
		label := placeName(v.run, p)
		if len(v.labels) > 1 {
			label = v.labels[v.block[row]] + " " + label
		}
		out = append(out, core.Row{Name: v.rowName(row), Label: label, Group: group, Block: group + "/" + kit.PlacesBlock,
			Node: v.run.Resource.Node[p], Y: y, H: h, Tracks: 1, Resources: []int32{p}})
	}
	return out
}

// Pick finds the task at a place.
func (v *blockView) Pick(q core.Query, t int64, y float64, reach int64) (hit core.Hit, found bool) {
	_, at := v.layout(q)
	best := int64(math.MaxInt64)
	for i, f := range v.facts {
		row, ok := v.row[blockPlace{f.block, f.Place}]
		if !ok || f.What != panels.FactTask || f.Start > t+reach || f.End < t-reach {
			continue
		}
		top, h := at(row)
		pitch := h * 0.5 / float64(v.tracks[row])
		first := top + h*0.26 + pitch*float64(v.track[i])
		if y < first-1 || y > first+pitch+1 {
			continue
		}
		if away := max(f.Start-t, t-f.End+1, 0); away <= best {
			best, found = away, true
			hit = core.Hit{Table: core.HitTask, Row: f.Task, Label: f.Name + " " + f.Mode, Start: f.Start, End: f.End, Resource: v.run.Task.Worker[f.Task],
				RowName: v.rowName(row)}
		}
	}
	return hit, found
}

// Data returns everything about the block in the window.
func (v *blockView) Data(q core.Query) numbers.Table {
	s := core.WholeRun()
	s.Handle, s.Task = v.o.Handle, v.o.Task
	return core.NumbersOf("block", v.run, s, q)
}

var (
	_ core.Picker = (*blockView)(nil)
	_ core.Rowed  = (*blockView)(nil)
)
