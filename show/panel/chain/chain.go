package chain

import (
	"cmp"
	"slices"
	"strconv"

	"dagscope/explain/chain"
	"dagscope/explain/numbers"
	"dagscope/explain/numbers/panels"
	"dagscope/explain/schedule"
	"dagscope/internal/words"
	"dagscope/show/panel/core"
	"dagscope/show/panel/kit"
	"dagscope/show/scene"
	"dagscope/trace"
)

func init() {
	core.Register(core.Drawing(core.Panel{
		ID: "chain", Time: true,
		Doc: "What the makespan consisted of: the critical chain, walked back from the end of the last task to what let each step begin. " +
			"The first row is all of it, coloured by class; the rows below show where it was: the workers of each " +
			"architecture and node, transfers, messages, the program. A task that kept a worker from one that was ready is coloured by why: " +
			"an idle worker would have ended that earlier (placement), less depends on it (order), or neither (capacity). " +
			"Heights are time averages of each pixel.",
		Open: openChain,
	}))
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
	colors   []core.ClassMark
	left     int // places without a row of their own
}

// mostChainRows are places with a row of their own.
const mostChainRows = 16

func openChain(run *trace.Run, o *core.Options) (core.View, error) {
	parts := chain.New(run, chain.Options{}).Critical().Parts
	if len(parts) == 0 {
		return nil, &panels.Missing{Why: "no task of the application ran in this run"}
	}
	v := &chainView{run: run, makespan: schedule.Makespan(run), rows: []chainRow{{label: "chain", parts: parts}}, colors: core.ColorsOfChain(parts)}
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
	slices.SortFunc(v.rows[1:], func(a, b chainRow) int { return core.CompareNatural(a.label, b.label) })
	return v, nil
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
		name = kit.ArchName(re.Arch.At(int(p.Resource)))
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
func (v *chainView) Draw(q core.Query) scene.Panel {
	natural := float64(chainBar + chainGap + chainPitch*(len(v.rows)-1))
	p := scene.Panel{ID: "chain", Height: kit.HeightOr(q, natural)}
	scale := p.Height / natural
	g := kit.NewGrid(q.T0, q.T1, q.Width)
	down := 0.0
	var names []kit.Wanted
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
		d := kit.Stack{Grid: g, Parts: parts, Axis: kit.YAxis{High: 1, Top: 1, Bottom: float32(height) - 1, Per: 1}, Down: float32(down)}
		p.Layers = append(p.Layers, d.Areas(false))
		names = append(names, kit.Wanted{Y: float32(down + height/2), Text: row.label})
		if down += height; i == 0 {
			down += chainGap * scale
		}
	}
	if q.Body {
		return scene.Panel{ID: p.ID, Height: p.Height, Layers: p.Layers}
	}
	labels := scene.Layer{Name: "labels", Unit: scene.Pixels}
	size, _ := kit.Font(float32(chainPitch * scale))
	for _, n := range kit.Apart(names, size+1) {
		labels.Texts = append(labels.Texts, scene.Text{X: -6, Y: n.Y, S: n.Text, Size: size, Color: scene.Ink, Anchor: scene.End})
	}
	p.Left = []scene.Layer{labels}
	for i, c := range v.colors {
		if shares[i] >= 0.00005 { // else it would be 0.00 %
			p.Legend = append(p.Legend, scene.LegendEntry{Label: c.Label(), Detail: words.PercentFine(shares[i]), Color: c.Color()})
		}
	}
	if v.left > 0 {
		p.Note = words.PluralThin(v.left, "place of the chain has no row", "places of the chain have no row")
	}
	return p
}

// stack is the share of each colour in each column.
func (v *chainView) stack(row chainRow, g *kit.Grid) []kit.Stacked {
	parts := make([]kit.Stacked, len(v.colors))
	at := map[core.ClassMark]int{}
	for i, c := range v.colors {
		at[c] = i
		parts[i] = kit.Stacked{Label: c.Label(), Color: c.Color(), Mean: make([]float64, g.Columns())}
	}
	for _, p := range row.parts {
		from, to := max(p.From, g.T0), min(p.To, g.T1)
		if from >= to {
			continue
		}
		mean := parts[at[core.ClassMark{Class: p.Class, Mark: p.Mark}]].Mean
		for k := g.Column(from); from < to; k++ {
			end := min(to, g.Edges[k+1])
			mean[k] += float64(end-from) / float64(g.Edges[k+1]-g.Edges[k])
			from = end
		}
	}
	return parts
}

// means are the shares of the parts in the window: of what of it the chain
// covers.
func means(parts []kit.Stacked) []float64 {
	out, sum := make([]float64, len(parts)), 0.0
	for i, p := range parts {
		for _, v := range p.Mean {
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
func (v *chainView) Data(q core.Query) numbers.Table {
	return core.NumbersOf("chain", v.run, core.WholeRun(), q)
}
