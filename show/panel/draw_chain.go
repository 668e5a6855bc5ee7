package panel

import (
	"cmp"
	"slices"
	"strconv"

	"dagscope/explain/chain"
	"dagscope/explain/numbers"
	"dagscope/explain/schedule"
	"dagscope/internal/words"
	"dagscope/show/scene"
	"dagscope/trace"
)

func init() {
	register(drawing(Panel{
		ID: "chain", Time: true,
		Doc: "What the makespan consisted of: the critical chain, walked back from the end of the last task to what let each step begin. " +
			"The first row is all of it, coloured by class; the rows below show where it was: the workers of each " +
			"architecture and node, transfers, messages, the program. A task that kept a worker from one that was ready is coloured by why: " +
			"an idle worker would have ended that earlier (placement), less depends on it (order), or neither (capacity). " +
			"Heights are time averages of each pixel.",
		Open: openChain,
	}))
}

// classColors are those of classes; what executes is coloured by its mark.
var classColors = map[chain.Class]scene.Color{
	chain.Transfer: scene.RGB(0x0072b2), chain.TransferContention: scene.RGB(0x56b4e9),
	chain.MessagePost: scene.RGB(0xc994c7), chain.MessageReceiveLate: scene.RGB(0xdd1c77), chain.MessageFlight: scene.RGB(0x54278f),
	chain.MessageContention: scene.RGB(0x9e9ac8), chain.MessageReceive: scene.RGB(0xdadaeb),
	chain.MemoryWait: scene.RGB(0xd55e00), chain.Submission: scene.RGB(0x882255),
	chain.Creation: scene.RGB(0xaa4499), chain.Synchronisation: scene.RGB(0xddcc77), chain.Lock: scene.RGB(0x661100),
	chain.OffCPU: scene.RGB(0x332288), chain.Runtime: scene.RGB(0xf0e442), chain.Unexplained: scene.RGB(0x777777),
	chain.NoReadyTask: scene.RGB(0xdddddd),
}

var markColors = map[chain.Mark]scene.Color{
	chain.NoMark: scene.RGB(0xb7d3c6), chain.Capacity: scene.RGB(0x5f9e85), chain.Order: scene.RGB(0xe69f00), chain.Placement: scene.RGB(0x117733), chain.Exclusion: scene.RGB(0x999933),
}

// classMark is what parts of one colour have in common.
type classMark struct {
	class chain.Class
	mark  chain.Mark
}

// causeColor is that of a class or mark.
func causeColor(c chain.Cause) scene.Color {
	for mark, color := range markColors {
		if mark != chain.NoMark && (chain.Part{Mark: mark}).Cause() == c {
			return color
		}
	}
	return classMark{class: chain.Class(c)}.color()
}

func (c classMark) color() scene.Color {
	if c.class == chain.Execute {
		return markColors[c.mark]
	}
	return classColors[c.class]
}

// strong is the colour among tasks: pale ones would not be seen there.
func (c classMark) strong() scene.Color {
	if c == (classMark{chain.Execute, chain.NoMark}) {
		return scene.RGB(0x333333)
	}
	return c.color()
}

func (c classMark) label() string {
	if c.mark != chain.NoMark {
		return c.class.String() + " (" + c.mark.String() + ")"
	}
	return c.class.String()
}

// chainRow is a place where the chain was.
type chainRow struct {
	label string
	parts []chain.Part // in order of time
	ns    int64
}

type chainView struct {
	run      *trace.Run
	makespan int64
	rows     []chainRow // the first is the whole chain
	colors   []classMark
	left     int // places without a row of their own
}

// mostChainRows are places with a row of their own.
const mostChainRows = 16

func openChain(run *trace.Run, o *Options) (View, error) {
	parts := chain.New(run, chain.Options{}).Critical().Parts
	if len(parts) == 0 {
		return nil, &Missing{"no task of the application ran in this run"}
	}
	v := &chainView{run: run, makespan: schedule.Makespan(run), rows: []chainRow{{label: "chain", parts: parts}}, colors: colorsOfChain(parts)}
	at := map[string]int{}
	for _, p := range parts {
		name := placeOfPart(run, p)
		k, ok := at[name]
		if !ok {
			k = len(v.rows)
			at[name] = k
			v.rows = append(v.rows, chainRow{label: name})
		}
		v.rows[k].parts = append(v.rows[k].parts, p)
		v.rows[k].ns += p.To - p.From
	}
	places := v.rows[1:]
	slices.SortFunc(places, func(a, b chainRow) int { return cmp.Or(cmp.Compare(b.ns, a.ns), cmp.Compare(a.label, b.label)) })
	if len(places) > mostChainRows {
		v.left = len(places) - mostChainRows
		v.rows = v.rows[:1+mostChainRows]
	}
	slices.SortFunc(v.rows[1:], func(a, b chainRow) int { return compareNatural(a.label, b.label) })
	return v, nil
}

// colorsOfChain are the colours that parts have, in order of class and mark.
func colorsOfChain(parts []chain.Part) (list []classMark) {
	for _, p := range parts {
		if c := (classMark{p.Class, p.Mark}); !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b classMark) int { return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(a.mark, b.mark)) })
	return list
}

// placeOfPart names the row of a part: workers of an architecture, transfers,
// messages, the program; on several nodes those of each node.
func placeOfPart(run *trace.Run, p chain.Part) string {
	name := "program"
	switch re := &run.Resource; {
	case p.Transfer >= 0 && run.Transfer.Kind.At(int(p.Transfer)) == trace.TransferMPI:
		name = "messages"
	case p.Transfer >= 0:
		name = "transfers"
	case p.Resource >= 0 && re.Arch.At(int(p.Resource)) != "":
		name = archName(re.Arch.At(int(p.Resource)))
	case p.Resource < 0:
		return "runtime"
	}
	if p.Resource >= 0 && slices.Max(run.Resource.Node) > 0 && run.Resource.Node[p.Resource] >= 0 {
		return strconv.Itoa(int(run.Resource.Node[p.Resource])) + " " + name
	}
	return name
}

// Heights of rows in pixels.
const (
	chainBar   = 26
	chainPitch = 15
	chainGap   = 8 // below the first row
)

// Draw draws a window of the chain.
func (v *chainView) Draw(q Query) scene.Panel {
	natural := float64(chainBar + chainGap + chainPitch*(len(v.rows)-1))
	p := scene.Panel{ID: "chain", Height: heightOr(q, natural)}
	scale := p.Height / natural
	g := newGrid(q.T0, q.T1, q.Width)
	down := 0.0
	var names []wanted
	var shares []float64
	for i, row := range v.rows {
		height := chainPitch * scale
		if i == 0 {
			height = chainBar * scale
		}
		parts := v.stack(row, g)
		if i == 0 {
			shares = means(parts)
		}
		d := stackDrawing{grid: g, parts: parts, axis: yAxis{high: 1, top: 1, bottom: float32(height) - 1, per: 1}, down: float32(down)}
		p.Layers = append(p.Layers, d.areas(false))
		names = append(names, wanted{float32(down + height/2), row.label})
		if down += height; i == 0 {
			down += chainGap * scale
		}
	}
	if q.Body {
		return scene.Panel{ID: p.ID, Height: p.Height, Layers: p.Layers}
	}
	labels := scene.Layer{Name: "labels", Unit: scene.Pixels}
	size, _ := font(float32(chainPitch * scale))
	for _, n := range apart(names, size+1) {
		labels.Texts = append(labels.Texts, scene.Text{X: -6, Y: n.y, S: n.text, Size: size, Color: scene.Ink, Anchor: scene.End})
	}
	p.Left = []scene.Layer{labels}
	for i, c := range v.colors {
		if shares[i] >= 0.00005 { // else it would be 0.00 %
			p.Legend = append(p.Legend, scene.LegendEntry{Label: c.label(), Detail: words.PercentFine(shares[i]), Color: c.color()})
		}
	}
	if v.left > 0 {
		p.Note = words.PluralThin(v.left, "place of the chain has no row", "places of the chain have no row")
	}
	return p
}

// stack is the share of each colour in each column.
func (v *chainView) stack(row chainRow, g *grid) []stacked {
	parts := make([]stacked, len(v.colors))
	at := map[classMark]int{}
	for i, c := range v.colors {
		at[c] = i
		parts[i] = stacked{label: c.label(), color: c.color(), mean: make([]float64, g.columns())}
	}
	for _, p := range row.parts {
		from, to := max(p.From, g.t0), min(p.To, g.t1)
		if from >= to {
			continue
		}
		mean := parts[at[classMark{p.Class, p.Mark}]].mean
		for k := g.column(from); from < to; k++ {
			end := min(to, g.edges[k+1])
			mean[k] += float64(end-from) / float64(g.edges[k+1]-g.edges[k])
			from = end
		}
	}
	return parts
}

// means are the shares of the parts in the window: of what of it the chain
// covers.
func means(parts []stacked) []float64 {
	out, sum := make([]float64, len(parts)), 0.0
	for i, p := range parts {
		for _, v := range p.mean {
			out[i] += v
		}
		sum += out[i]
	}
	for i := range out {
		if sum > 0 {
			out[i] /= sum
		}
	}
	return out
}

// Data returns the parts of the chain in the window.
func (v *chainView) Data(q Query) numbers.Table { return numbersOf("chain", v.run, wholeRun(), q) }
