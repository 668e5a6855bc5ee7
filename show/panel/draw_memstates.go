package panel

import (
	"fmt"
	"slices"
	"strings"

	"dagscope/explain/memory"
	"dagscope/explain/numbers"
	"dagscope/internal/interval"
	"dagscope/internal/words"
	"dagscope/show/scene"
	"dagscope/trace"
)

func init() {
	register(drawing(Panel{
		ID: "memstates", Time: true, Rows: true,
		Doc: "What the managers of memories did: a row for each memory. Of what overlaps the innermost is drawn; copies, which " +
			"overlap most, are pale and below. Inside what is wide enough stands the block that it was for; at the right the most frequent state " +
			"(copies apart, unless one is chosen) with its share of the window. Allocations that failed are darker.",
		Reads: func(*Options) []string {
			return joined(memory.Needs, taskTimes, []string{"state.type", "task.kind", "segment"})
		},
		Open: openManagers,
	}))
}

// memoriesBlock is the block of lanes that are memories.
const memoriesBlock = "memories"

// failedName is the class of allocations that failed.
const failedName = "Allocating (failed)"

// managerColors are the colours of what managers do.
var managerColors = Colors{
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
	gantt   gantt
	actions *memory.Actions
	labels  *memory.Labels
	kinds   []string // of the classes
	class   []uint8  // of each action, hidden for what is not shown
	o       MemStates
	union   [][]interval.Cover // time of a kind by lane
}

func openManagers(run *trace.Run, o *Options) (View, error) {
	v := &managerView{run: run, actions: memory.FindActions(run), labels: memory.NewLabels(run), o: o.MemStates}
	if v.actions.Len() == 0 {
		return nil, &Missing{noManagers}
	}
	marked := make([]bool, len(run.Resource.Parent))
	for i, p := range v.actions.Place {
		marked[p] = marked[p] || v.shows(v.actions.Kind.At(i))
	}
	set := lanesOf(run, o, marked)
	if len(set.lanes) == 0 {
		return nil, &Missing{"no selected memory has states that are shown"}
	}
	for i := range set.lanes {
		l := &set.lanes[i]
		l.label, l.arch, l.block = memoryName(run, l.resources[0]), "", memoriesBlock
	}
	slices.SortStableFunc(set.lanes, func(a, b lane) int {
		if a.node != b.node || a.pin != b.pin {
			return 0
		}
		return int(a.resources[0] - b.resources[0])
	})
	set.finish(len(run.Resource.Parent))
	set.collapse(o)
	for i := range set.lanes {
		set.lanes[i].wide = false
	}
	v.gantt.lanes = set
	v.classify()
	v.layOut()
	return v, nil
}

// shows tells whether a state is to be shown.
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
			v.class[i] = hidden
			continue
		}
		if v.actions.Outcome[i] == memory.Failed {
			kind = failedName
		}
		c, ok := of[kind]
		if !ok {
			c = uint8(min(len(v.kinds), hidden-1))
			of[kind] = c
			color, known := colors[kind]
			if !known {
				color = palette[spare%len(palette)]
				spare++
			}
			v.kinds, v.gantt.palette = append(v.kinds, kind), append(v.gantt.palette, color)
		}
		v.class[i] = c
	}
	v.gantt.full, v.gantt.normal = v.gantt.palette, true
}

func copying(kind string) bool { return kind == memory.Copying || kind == memory.CopyingAsync }

// layOut makes the pieces of the lanes: what is innermost of everything but
// copies, and copies in the time that is left.
func (v *managerView) layOut() {
	of, a := v.gantt.lanes.of, v.actions
	lanes := len(v.gantt.lanes.lanes)
	spans := make([][]interval.Spans, lanes)
	for l := range spans {
		spans[l] = make([]interval.Spans, len(v.kinds))
	}
	above, below := newSpanBuilder(a.Len()), newSpanBuilder(a.Len())
	on := of
	several := v.gantt.lanes.several()
	if several {
		on = slices.Clone(of)
		for r := range on {
			if of[r] >= 0 {
				on[r] = int32(r)
			}
		}
	}
	for i, p := range a.Place {
		if of[p] < 0 || v.class[i] == hidden || a.End[i] <= a.Start[i] {
			continue
		}
		spans[of[p]][v.class[i]].Add(a.Start[i], a.End[i])
		to := above
		if copying(v.kinds[v.class[i]]) {
			to = below
		}
		to.add(on[p], a.Start[i], a.End[i], v.class[i], int32(i))
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
	top, under := flatten(above.build(n)), flatten(below.build(n))
	all := newSpanBuilder(top.len() + under.len())
	for l := range n {
		lane := int32(l)
		if several {
			lane = of[l]
		}
		for i := top.from[l]; i < top.to[l]; i++ {
			all.addShown(lane, top.start[i], top.end[i], top.class[i], top.row[i])
		}
		subtract(under, top, l, func(start, end int64, i int32) { all.addShown(lane, start, end, under.class[i], under.row[i]) })
	}
	v.gantt.spans = all.build(lanes)
}

// subtract calls f for the parts of the pieces of a lane that others, which do
// not overlap, do not cover.
func subtract(from, others *spans, lane int, f func(start, end int64, i int32)) {
	k := others.from[lane]
	for i := from.from[lane]; i < from.to[lane]; i++ {
		start, end := from.start[i], from.end[i]
		for k < others.to[lane] && others.end[k] <= start {
			k++
		}
		for n := k; n < others.to[lane] && others.start[n] < end; n++ {
			if others.start[n] > start {
				f(start, others.start[n], i)
			}
			start = max(start, others.end[n])
		}
		if start < end {
			f(start, end, i)
		}
	}
}

func (v *managerView) height(q Query) float64 {
	units, inner, outer := v.gantt.lanes.units()
	natural := float64(units*22 + inner*4 + outer*9 + 8)
	if natural > stateBody {
		natural = 0
	}
	return heightOr(q, natural)
}

// Draw draws a window.
func (v *managerView) Draw(q Query) scene.Panel {
	r := v.gantt.lanes.place(v.height(q))
	layers, count := v.gantt.draw(q, r)
	p := scene.Panel{ID: "memstates", Height: float64(r.height), Layers: layers}
	if !v.o.HideTexts {
		p.Layers = append(p.Layers, v.texts(q, r))
	}
	if q.Body {
		return p
	}
	p.Left, p.Right = []scene.Layer{v.gantt.lanes.leftLabels(r)}, []scene.Layer{v.shares(q, r)}
	p.Legend = v.legend(q)
	var notes []string
	if count.narrow > 0 {
		notes = append(notes, fmt.Sprintf("%s of %s pieces are narrower than a pixel and shown as shares of time", words.CountThin(count.narrow), words.CountThin(v.gantt.spans.len())))
	}
	p.Note = strings.Join(notes, "; ")
	return p
}

// texts are the blocks inside wide pieces.
func (v *managerView) texts(q Query, r *rows) scene.Layer {
	const size, padding = 9, 6
	layer := scene.Layer{Name: "handles"}
	s := v.gantt.sorted()
	perNS := float64(max(q.Width, 1)) / float64(max(q.T1-q.T0, 1))
	for l := range v.gantt.lanes.lanes {
		if r.h[l] < size+2 || len(v.gantt.lanes.lanes[l].resources) > 1 {
			continue
		}
		lo, hi := s.within(l, q.T0, q.T1)
		for i := lo; i < hi && len(layer.Texts) < mostTexts; i++ {
			start, end := max(s.start[i], q.T0), min(s.end[i], q.T1)
			label := v.labels.Of(v.actions.Handle[s.row[i]])
			if label == "" || float64(end-start)*perNS < scene.TextWidth(label, size, false)+padding {
				continue
			}
			on := v.gantt.palette[s.class[i]]
			layer.Texts = append(layer.Texts, scene.Text{X: float64(start+end) / 2, Y: r.y[l] + r.h[l]/2, S: label, Size: size,
				Color: contrast(on), On: on, Anchor: scene.Middle, Room: float64(end - start)})
		}
	}
	return layer
}

// shareOf is the part of a window that a memory spent in a kind of state, of a
// row of several memories the mean.
func (v *managerView) shareOf(lane, class int, q Query) float64 {
	return float64(v.union[lane][class].Within(q.T0, q.T1)) / float64(max(q.T1-q.T0, 1))
}

// frequent is the chosen state of a lane, or the one that took most time of all
// but copies.
func (v *managerView) frequent(lane int, q Query) (class int, share float64) {
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
func (v *managerView) shares(q Query, r *rows) scene.Layer {
	layer := scene.Layer{Name: "shares", Unit: scene.Pixels}
	size, _ := font(r.pitch)
	size = min(size, 10)
	var texts []wanted
	for l := range v.gantt.lanes.lanes {
		if len(v.gantt.lanes.lanes[l].resources) > 1 {
			continue
		}
		if class, share := v.frequent(l, q); class >= 0 && share > 0 {
			name := v.kinds[class]
			if v.o.Select != "" {
				name = v.o.Select
			}
			texts = append(texts, wanted{r.middle(block{l, l + 1}), words.PercentFine(share) + " " + name})
		}
	}
	for _, t := range apart(texts, size+1) {
		layer.Texts = append(layer.Texts, scene.Text{X: labelAway, Y: t.y, S: t.text, Size: size, Color: scene.Soft})
	}
	return layer
}

func (v *managerView) legend(q Query) (legend []scene.LegendEntry) {
	for c, kind := range v.kinds {
		total := int64(0)
		for l := range v.union {
			total += v.union[l][c].Within(q.T0, q.T1)
		}
		if total > 0 {
			legend = append(legend, scene.LegendEntry{Label: kind, Detail: words.Duration(total), Color: v.gantt.palette[c]})
		}
	}
	slices.SortFunc(legend, func(a, b scene.LegendEntry) int { return compareNatural(a.Label, b.Label) })
	return legend
}

// Rows are memories.
func (v *managerView) Rows(height float64) []Row {
	return v.gantt.live(v.gantt.lanes.place(v.height(Query{Height: height})))
}

// Pick finds the state at a place.
func (v *managerView) Pick(q Query, t int64, y float64, reach int64) (Hit, bool) {
	l, p, ok := v.gantt.pick(v.gantt.lanes.place(v.height(q)), t, y, reach, func(p *shownPiece) bool { return v.actions.State[p.row] >= 0 })
	if !ok {
		return Hit{}, false
	}
	label := v.kinds[v.class[p.row]]
	if block := v.labels.Of(v.actions.Handle[p.row]); block != "" {
		label += " " + block
	}
	return Hit{Table: HitState, Row: v.actions.State[p.row], Label: label, Start: v.actions.Start[p.row], End: v.actions.End[p.row],
		Resource: v.actions.Place[p.row], RowName: v.gantt.lanes.lanes[l].name}, true
}

// Data returns what the managers did in the window.
func (v *managerView) Data(q Query) numbers.Table {
	return numbersOf("memstates", v.run, wholeRun(), q)
}

var (
	_ Picker = (*managerView)(nil)
	_ Rowed  = (*managerView)(nil)
)
