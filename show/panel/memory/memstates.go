package memory

import (
	"fmt"
	"slices"
	"strings"

	"dagscope/explain/memory"
	"dagscope/explain/numbers"
	"dagscope/explain/numbers/panels"
	"dagscope/internal/interval"
	"dagscope/internal/words"
	"dagscope/show/panel/core"
	"dagscope/show/panel/kit"
	"dagscope/show/scene"
	"dagscope/trace"
)

func init() {
	core.Register(core.Drawing(core.Panel{
		ID: "memstates", Time: true, Rows: true,
		Doc: "What the managers of memories did: a row for each memory. Of what overlaps the innermost is drawn; copies, which " +
			"overlap most, are pale and below. Inside what is wide enough stands the block that it was for; at the right the most frequent state " +
			"(copies apart, unless one is chosen) with its share of the window. Allocations that failed are darker; those that failed " +
			"in less than 1 µs are marks along the lower edge, with their number where several stand together.",
		Reads: func(*core.Options) []string {
			return panels.Joined(memory.Needs, panels.TaskTimes, []string{"state.type", "task.kind", "segment"})
		},
		Open: openManagers,
	}))
}

// failedName is the class of allocations that failed.
const failedName = "Allocating (failed)"

// managerColors are the colours of what managers do.
var managerColors = core.Colors{
	memory.Allocating:      scene.RGB(0xd55e00),
	failedName:             scene.RGB(0x882255),
	memory.AllocatingReuse: scene.RGB(0xe69f00),
	memory.Freeing:         scene.RGB(0x009e73),
	memory.WritingBack:     scene.RGB(0xcc79a7),
	memory.Reclaiming:      scene.RGB(0x332288),
	memory.Copying:         scene.RGB(0x0072b2).Mix(scene.White, 0.7),
	memory.CopyingAsync:    scene.RGB(0x0072b2).Mix(scene.White, 0.45),
}

// managerView draws what managers of memories did.
type managerView struct {
	run     *trace.Run
	gantt   kit.Gantt
	actions *memory.Actions
	labels  *memory.Labels
	kinds   []string // of the classes
	class   []uint8  // of each action, hidden for what is not shown
	o       core.MemStates
	paper   bool               // see [core.Options]
	union   [][]interval.Cover // time of a kind by lane
	failed  failures
}

func openManagers(run *trace.Run, o *core.Options) (core.View, error) {
	v := &managerView{run: run, actions: memory.FindActions(run), labels: memory.NewLabels(run), o: o.MemStates, paper: o.Paper}
	if v.actions.Len() == 0 {
		return nil, &panels.Missing{Why: panels.NoManagers}
	}
	marked := make([]bool, len(run.Resource.Parent))
	for i, p := range v.actions.Place {
		marked[p] = marked[p] || v.shows(v.actions.Kind.At(i))
	}
	set := kit.LanesOf(run, o, marked)
	if len(set.Lanes) == 0 {
		return nil, &panels.Missing{Why: "no selected memory has states that are shown"}
	}
	for i := range set.Lanes {
		l := &set.Lanes[i]
		l.Label, l.Arch, l.Block = panels.MemoryName(run, l.Resources[0]), "", kit.MemoriesBlock
	}
	slices.SortStableFunc(set.Lanes, func(a, b kit.Lane) int {
		if a.Node != b.Node || a.Pin != b.Pin {
			return 0
		}
		return int(a.Resources[0] - b.Resources[0])
	})
	set.Finish(len(run.Resource.Parent))
	set.Collapse(o)
	for i := range set.Lanes {
		set.Lanes[i].Wide = false
	}
	v.gantt.Lanes = set
	v.classify()
	v.layOut()
	v.findFailures()
	return v, nil
}

// shows reports whether a state is to be shown.
func (v *managerView) shows(kind string) bool {
	return v.o.States == nil || slices.Contains(v.o.States, kind)
}

// classify gives kinds of actions their classes; failed allocations have one of
// their own.
func (v *managerView) classify() {
	of := map[string]uint8{}
	v.class = make([]uint8, v.actions.Len())
	colors := managerColors
	spare := 0
	for i := range v.class {
		kind := v.actions.Kind.At(i)
		if !v.shows(kind) {
			v.class[i] = core.Hidden
			continue
		}
		if v.actions.Outcome[i] == memory.Failed {
			kind = failedName
		}
		c, ok := of[kind]
		if !ok {
			c = uint8(min(len(v.kinds), core.Hidden-1))
			of[kind] = c
			color, known := colors[kind]
			if !known {
				color = core.Palette[spare%len(core.Palette)]
				spare++
			}
			v.kinds, v.gantt.Palette = append(v.kinds, kind), append(v.gantt.Palette, color)
		}
		v.class[i] = c
	}
	v.gantt.Full, v.gantt.Normal = v.gantt.Palette, true
}

func copying(kind string) bool { return kind == memory.Copying || kind == memory.CopyingAsync }

// layOut makes the pieces of the lanes: what is innermost of everything but
// copies, and copies in the time that is left.
func (v *managerView) layOut() {
	of, a := v.gantt.Lanes.Of, v.actions
	lanes := len(v.gantt.Lanes.Lanes)
	spans := make([][]interval.Spans, lanes)
	for l := range spans {
		spans[l] = make([]interval.Spans, len(v.kinds))
	}
	above, below := kit.NewSpanBuilder(a.Len()), kit.NewSpanBuilder(a.Len())
	on := of
	several := v.gantt.Lanes.Several()
	if several {
		on = slices.Clone(of)
		for r := range on {
			if of[r] >= 0 {
				on[r] = int32(r)
			}
		}
	}
	for i, p := range a.Place {
		if of[p] < 0 || v.class[i] == core.Hidden || a.End[i] <= a.Start[i] {
			continue
		}
		spans[of[p]][v.class[i]].Add(a.Start[i], a.End[i])
		to := above
		if copying(v.kinds[v.class[i]]) {
			to = below
		}
		to.Add(on[p], a.Start[i], a.End[i], v.class[i], int32(i))
	}
	v.union = make([][]interval.Cover, lanes)
	for l := range spans {
		for _, s := range spans[l] {
			v.union[l] = append(v.union[l], interval.NewCover(interval.Union(s)))
		}
	}
	n := lanes
	if several {
		n = len(of)
	}
	top, under := kit.Flatten(above.Build(n)), kit.Flatten(below.Build(n))
	all := kit.NewSpanBuilder(top.Len() + under.Len())
	for l := range n {
		lane := int32(l)
		if several {
			lane = of[l]
		}
		for i := top.From[l]; i < top.To[l]; i++ {
			all.AddShown(lane, top.Start[i], top.End[i], top.Class[i], top.Row[i])
		}
		subtract(under, top, l, func(start, end int64, i int32) { all.AddShown(lane, start, end, under.Class[i], under.Row[i]) })
	}
	v.gantt.Spans = all.Build(lanes)
}

// subtract calls f for the parts of the pieces of a lane that others, which do
// not overlap, do not cover.
func subtract(from, others *kit.Spans, lane int, f func(start, end int64, i int32)) {
	k := others.From[lane]
	for i := from.From[lane]; i < from.To[lane]; i++ {
		start, end := from.Start[i], from.End[i]
		for k < others.To[lane] && others.End[k] <= start {
			k++
		}
		for n := k; n < others.To[lane] && others.Start[n] < end; n++ {
			if others.Start[n] > start {
				f(start, others.Start[n], i)
			}
			start = max(start, others.End[n])
		}
		if start < end {
			f(start, end, i)
		}
	}
}

func (v *managerView) height(q core.Query) float64 {
	units, inner, outer := v.gantt.Lanes.Units()
	natural := float64(units*22 + inner*4 + outer*9 + 8)
	if natural > kit.StateBody {
		natural = 0
	}
	return kit.HeightOr(q, natural)
}

// Draw draws a window.
func (v *managerView) Draw(q core.Query) scene.Panel {
	r := v.gantt.Lanes.Place(v.height(q))
	layers, count := v.gantt.Draw(q, r)
	p := scene.Panel{ID: "memstates", Height: float64(r.Height), Layers: layers}
	if !v.o.HideTexts {
		p.Layers = append(p.Layers, v.texts(q, r))
	}
	if v.anyFailed() {
		p.Layers = append(p.Layers, v.failMarks(q, r))
	}
	if q.Body {
		return p
	}
	p.Left, p.Right = []scene.Layer{v.gantt.Lanes.LeftLabels(r)}, []scene.Layer{v.shares(q, r)}
	p.Legend = v.Legend(q)
	var notes []string
	if count.Narrow > 0 && !v.paper {
		notes = append(notes, fmt.Sprintf("%s of %s pieces are narrower than a pixel and shown as shares of time", words.CountThin(count.Narrow), words.CountThin(v.gantt.Spans.Len())))
	}
	p.Note = strings.Join(notes, "; ")
	return p
}

// texts are the blocks inside wide pieces.
func (v *managerView) texts(q core.Query, r *kit.Rows) scene.Layer {
	const size, padding = 9, 6
	layer := scene.Layer{Name: "handles"}
	s := v.gantt.Sorted()
	perNS := float64(max(q.Width, 1)) / float64(max(q.T1-q.T0, 1))
	for l := range v.gantt.Lanes.Lanes {
		if r.H[l] < size+2 || len(v.gantt.Lanes.Lanes[l].Resources) > 1 {
			continue
		}
		lo, hi := s.Within(l, q.T0, q.T1)
		for i := lo; i < hi && len(layer.Texts) < kit.MostTexts; i++ {
			start, end := max(s.Start[i], q.T0), min(s.End[i], q.T1)
			label := v.labels.Of(v.actions.Handle[s.Row[i]])
			if label == "" || float64(end-start)*perNS < scene.TextWidth(label, size, false)+padding {
				continue
			}
			on := v.gantt.Palette[s.Class[i]]
			layer.Texts = append(layer.Texts, scene.Text{X: float64(start+end) / 2, Y: r.Y[l] + r.H[l]/2, S: label, Size: size,
				Color: kit.Contrast(on), On: on, Anchor: scene.Middle, Room: float64(end - start)})
		}
	}
	return layer
}

// shareOf is the part of a window that a memory spent in a kind of state, of a
// row of several memories the mean.
func (v *managerView) shareOf(lane, class int, q core.Query) float64 {
	return float64(v.union[lane][class].Within(q.T0, q.T1)) / float64(max(q.T1-q.T0, 1))
}

// frequent is the chosen state of a lane, or the one that took most time of all
// but copies.
func (v *managerView) frequent(lane int, q core.Query) (class int, share float64) {
	class = -1
	for c, kind := range v.kinds {
		s := v.shareOf(lane, c, q)
		switch {
		case v.o.Select != "" && strings.HasPrefix(kind, v.o.Select) && (kind == v.o.Select || kind == failedName):
			share += s
			class = c
		case v.o.Select == "" && !copying(kind) && s > share:
			class, share = c, s
		}
	}
	return class, share
}

// shares are written right of the rows.
func (v *managerView) shares(q core.Query, r *kit.Rows) scene.Layer {
	layer := scene.Layer{Name: "shares", Unit: scene.Pixels}
	size, _ := kit.Font(r.Pitch)
	size = min(size, 10)
	var texts []kit.Wanted
	for l := range v.gantt.Lanes.Lanes {
		if len(v.gantt.Lanes.Lanes[l].Resources) > 1 {
			continue
		}
		if class, share := v.frequent(l, q); class >= 0 && share > 0 {
			name := v.kinds[class]
			if v.o.Select != "" {
				name = v.o.Select
			}
			texts = append(texts, kit.Wanted{Y: r.Middle(kit.Block{From: l, To: l + 1}), Text: words.PercentFine(share) + " " + name})
		}
	}
	for _, t := range kit.Apart(texts, size+1) {
		layer.Texts = append(layer.Texts, scene.Text{X: kit.LabelAway, Y: t.Y, S: t.Text, Size: size, Color: scene.Soft})
	}
	return layer
}

func (v *managerView) Legend(q core.Query) (legend []scene.LegendEntry) {
	for c, kind := range v.kinds {
		total := int64(0)
		for l := range v.union {
			total += v.union[l][c].Within(q.T0, q.T1)
		}
		if total > 0 {
			legend = append(legend, scene.LegendEntry{Label: kind, Detail: words.Duration(total), Color: v.gantt.Palette[c]})
		}
	}
	slices.SortFunc(legend, func(a, b scene.LegendEntry) int { return core.CompareNatural(a.Label, b.Label) })
	return append(legend, v.failLegend(q)...)
}

// Rows are memories.
func (v *managerView) Rows(height float64) []core.Row {
	return v.gantt.Live(v.gantt.Lanes.Place(v.height(core.Query{Height: height})))
}

// Pick finds the state at a place.
func (v *managerView) Pick(q core.Query, t int64, y float64, reach int64) (core.Hit, bool) {
	r := v.gantt.Lanes.Place(v.height(q))
	row, l, ok := v.pickFailure(r, t, y, reach)
	if !ok || v.actions.State[row] < 0 {
		var p kit.Piece
		if l, p, ok = v.gantt.Pick(r, t, y, reach, func(p *kit.Piece) bool { return v.actions.State[p.Row] >= 0 }); !ok {
			return core.Hit{}, false
		}
		row = p.Row
	}
	label := v.kinds[v.class[row]]
	if block := v.labels.Of(v.actions.Handle[row]); block != "" {
		label += " " + block
	}
	return core.Hit{Table: core.HitState, Row: v.actions.State[row], Label: label, Start: v.actions.Start[row], End: v.actions.End[row],
		Resource: v.actions.Place[row], RowName: v.gantt.Lanes.Lanes[l].Name}, true
}

// Data returns what the managers did in the window.
func (v *managerView) Data(q core.Query) numbers.Table {
	return core.NumbersOf("memstates", v.run, core.WholeRun(), q)
}

var (
	_ core.Picker = (*managerView)(nil)
	_ core.Rowed  = (*managerView)(nil)
)
