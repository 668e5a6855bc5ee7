package comm

import (
	"fmt"
	"math"
	"slices"

	"dagscope/explain/comm"
	"dagscope/explain/numbers"
	"dagscope/explain/numbers/panels"
	"dagscope/internal/stat"
	"dagscope/internal/words"
	"dagscope/show/panel/core"
	"dagscope/show/panel/kit"
	"dagscope/show/scene"
	"dagscope/trace"
)

func init() {
	core.Register(core.Drawing(core.Panel{
		ID: "commatrix",
		Doc: "Messages from each node (rows) to each other (columns), or transfers between memory nodes: bytes, numbers, and the " +
			"delay from posted to received, its median in the upper half of a cell and the longest one in the lower half. The pair with most is framed and named. The darker the more; each square has a scale of its own, the same for all runs of a figure; that of delays is logarithmic. Of the messages " +
			"that start in the window. Of many nodes those with consecutive ranks are one row and column; memory nodes are " +
			"those of all nodes together.",
		Open: openMatrix,
		Settings: []core.Setting{
			ownMatrix.Word("between", "between what transfers are counted: nodes (messages), memories, or nodes where there are messages",
				func(o *matrixOptions) *string { return &o.between }, "best", string(panels.BetweenNodes), string(panels.BetweenMemories)),
			ownMatrix.Words("show", "quantities, a square for each", func(o *matrixOptions) *[]string { return &o.show }, amounts...),
			ownMatrix.Switch("pernode", "the memory nodes of each node by themselves, where they are at most 64", func(o *matrixOptions) *bool { return &o.byNode }),
		},
	}))
}

// matrixOptions are those of the communication matrix.
type matrixOptions struct {
	between string
	show    []string // nil for all
	byNode  bool     // memory nodes of each node by themselves, not those of all nodes together
}

const ownMatrix = core.Own[matrixOptions]("commatrix")

// Quantities of each pair of the matrix.
const (
	amountBytes = "bytes"
	amountCount = "count"
	amountDelay = "delay" // median from posted to received
)

// amounts are the quantities in the order in which they are drawn.
var amounts = []string{amountBytes, amountCount, amountDelay}

// matrixView draws the communication matrix.
type matrixView struct {
	run    *trace.Run
	list   *comm.List
	ends   comm.Ends
	show   []string
	names  []string
	group  []int32 // row and column of each place, trace.None for those not shown
	note   string
	memory bool
	shared bool          // rows are several nodes
	beside []*matrixView // of other runs, whose cells have the same scales
}

var _ core.Aligned = (*matrixView)(nil)

// Align gives the matrices of several runs the same scales: cells that are
// equally dark stand for equal amounts.
func (v *matrixView) Align(others []core.View) {
	v.beside = nil
	for _, other := range others {
		if other, ok := other.(*matrixView); ok && other != v && other.memory == v.memory {
			v.beside = append(v.beside, other)
		}
	}
}

// mostCellsAcross is the number of rows beyond which places share them.
const mostCellsAcross = 64

func openMatrix(run *trace.Run, o *core.Options) (core.View, error) {
	of := ownMatrix.Of(o)
	v := &matrixView{run: run, show: of.show}
	if v.show == nil {
		v.show = amounts
	}
	v.list = comm.Find(run, comm.Nodes)
	if of.between == string(panels.BetweenNodes) && len(v.list.Row) == 0 {
		return nil, panels.NoMessages(run)
	}
	if of.between == string(panels.BetweenMemories) || len(v.list.Row) == 0 {
		v.memory, v.ends = true, comm.Memories
		if v.list = comm.Find(run, comm.Memories); len(v.list.Row) == 0 {
			return nil, panels.NoTransfers(run)
		}
		if !panels.SeveralNodes(run) {
			v.note = "one node, no MPI: transfers between its memory nodes"
		}
	}
	v.gather(o)
	if len(v.names) == 0 {
		return nil, &panels.Missing{Why: "no node is selected"}
	}
	return v, nil
}

// gather decides which places share a row.
func (v *matrixView) gather(o *core.Options) {
	var shown []int32
	v.group = make([]int32, len(v.list.Places))
	for p, place := range v.list.Places {
		v.group[p] = trace.None
		if o.ShowsNode(place.Node) {
			shown = append(shown, int32(p))
		}
	}
	switch {
	case v.memory && !(ownMatrix.Of(o).byNode && len(shown) <= mostCellsAcross):
		v.gatherMemories(shown)
	case v.memory:
		for _, p := range shown {
			name := panels.MemoryName(v.run, v.list.Places[p].Resource)
			if panels.SeveralNodes(v.run) {
				name = fmt.Sprintf("%d %s", v.list.Places[p].Node, name)
			}
			v.group[p], v.names = int32(len(v.names)), append(v.names, name)
		}
	default:
		v.gatherNodes(shown)
	}
}

// gatherMemories brings the memory nodes of one name on all nodes together.
func (v *matrixView) gatherMemories(shown []int32) {
	at := map[string]int32{}
	for _, p := range shown {
		name := panels.MemoryName(v.run, v.list.Places[p].Resource)
		if _, ok := at[name]; !ok {
			at[name], v.names = int32(len(v.names)), append(v.names, name)
		}
		v.group[p] = at[name]
	}
	if panels.SeveralNodes(v.run) {
		v.note = "memory nodes of all nodes together"
	}
}

// gatherNodes brings nodes with consecutive ranks together where they are many.
func (v *matrixView) gatherNodes(shown []int32) {
	per := (len(shown) + mostCellsAcross - 1) / mostCellsAcross
	for i := 0; i < len(shown); i += per {
		some := shown[i:min(i+per, len(shown))]
		for _, p := range some {
			v.group[p] = int32(len(v.names))
		}
		first, last := v.list.Places[some[0]].Node, v.list.Places[some[len(some)-1]].Node
		name := fmt.Sprint(first)
		if last != first {
			name = fmt.Sprintf("%d–%d", first, last)
		}
		v.names = append(v.names, name)
	}
	if v.shared = per > 1; v.shared {
		v.note = fmt.Sprintf("a row is %d nodes", per)
	}
}

// matrixCell is what went from one row to one column.
type matrixCell struct {
	bytes, count, delay int64
	longest             int64 // delay
	weight              int64 // messages whose delays are known
}

// topPair is the pair with most of something.
type topPair struct {
	value    float64
	from, to int32 // places
}

// cells sums the pairs of a window, and finds the pair with most of each quantity,
// of delays the longest. Where pairs share a cell its delay is the mean of their
// medians.
func (v *matrixView) cells(q core.Query) (cells []matrixCell, peaks map[string]topPair, total comm.Pair) {
	peaks = map[string]topPair{}
	n := int32(len(v.names))
	cells = make([]matrixCell, n*n)
	for _, p := range v.list.Pairs(q.T0, q.T1) {
		from, to := v.group[p.From], v.group[p.To]
		if from < 0 || to < 0 {
			continue
		}
		c := &cells[from*n+to]
		c.bytes, c.count = c.bytes+p.Bytes, c.count+p.Count
		c.delay, c.weight = c.delay+p.Delay.Median*p.Delay.Known, c.weight+p.Delay.Known
		if p.Delay.Known > 0 {
			c.longest = max(c.longest, p.Delay.Max)
		}
		for a, value := range map[string]int64{amountBytes: p.Bytes, amountCount: p.Count, amountDelay: p.Delay.Max} {
			if best, ok := peaks[a]; (!ok || float64(value) > best.value) && (a != amountDelay || p.Delay.Known > 0) {
				peaks[a] = topPair{float64(value), p.From, p.To}
			}
		}
		total.Bytes, total.Count = total.Bytes+p.Bytes, total.Count+p.Count
		total.Delay.Backward += p.Delay.Backward
	}
	for i := range cells {
		if c := &cells[i]; c.weight > 0 {
			c.delay /= c.weight
		}
	}
	return cells, peaks, total
}

// matrixAmounts are how the quantities are drawn.
var matrixAmounts = map[string]struct {
	color scene.Color
	value func(*matrixCell) float64
	known func(*matrixCell) bool
	text  func(v float64) string
}{
	amountBytes: {kit.BytesColor, func(c *matrixCell) float64 { return float64(c.bytes) }, func(c *matrixCell) bool { return c.count > 0 },
		words.BytesFine},
	amountCount: {kit.CountColor, func(c *matrixCell) float64 { return float64(c.count) }, func(c *matrixCell) bool { return c.count > 0 },
		func(v float64) string { return words.CountThin(int(v)) }},
	amountDelay: {kit.DelayColor, func(c *matrixCell) float64 { return float64(c.delay) }, func(c *matrixCell) bool { return c.weight > 0 },
		words.Duration[float64]},
}

// Draw draws the messages that start in a window.
func (v *matrixView) Draw(q core.Query) scene.Panel {
	cells, peaks, total := v.cells(q)
	titles := panels.Each(v.show, func(a string) string { return v.title(a, peaks) })
	n := len(v.names)
	grids, height := kit.PlaceGrids(titles, n, n, q, 90)
	p := scene.Panel{ID: "commatrix", Height: height, X: kit.GridAxis(grids, q, "to", func(c int) string { return v.names[c] })}
	scaled := slices.Clone(cells)
	for _, other := range v.beside {
		more, _, _ := other.cells(q)
		scaled = append(scaled, more...)
	}
	back, fill, texts := scene.Layer{Name: "cells"}, scene.Layer{Name: "amounts"}, scene.Layer{Name: "texts"}
	frames := scene.Layer{Name: "most"}
	for i, a := range v.show {
		g := &grids[i]
		back.Rects = append(back.Rects, g.Back())
		fill.Rects = append(fill.Rects, v.fill(g, a, cells, v.scale(a, scaled), &texts))
		texts.Texts = append(texts.Texts, g.Heading())
		if most, ok := peaks[a]; ok && n > 1 {
			frames.Rects = append(frames.Rects, g.Frame(int(v.group[most.to]), int(v.group[most.from])))
		}
	}
	p.Layers = []scene.Layer{back, fill, frames, texts}
	p.Left = []scene.Layer{kit.RowNames(&grids[0], "from", func(r int) string { return v.names[r] })}
	p.Note = v.noteOf(q, peaks, total)
	return p
}

// fill colours the cells of one quantity by their shares of the darkest colour,
// and writes into them.
func (v *matrixView) fill(g *kit.CellGrid, a string, cells []matrixCell, share func(float64) float64, texts *scene.Layer) scene.Rects {
	of, n := matrixAmounts[a], len(v.names)
	r := scene.Rects{Palette: kit.Ramp(of.color), Edges: scene.Crisp}
	for i := range cells {
		c := &cells[i]
		if !of.known(c) {
			continue
		}
		value := of.value(c)
		color := kit.TintOf(r.Palette, share(value), 1)
		if a == amountDelay {
			longest := kit.TintOf(r.Palette, share(float64(c.longest)), 1)
			g.Halves(&r, i%n, i/n, color, longest)
			g.TextIn(texts, i%n, i/n, 0.25, of.text(value), r.Palette[color])
			g.TextIn(texts, i%n, i/n, 0.75, of.text(float64(c.longest)), r.Palette[longest])
			continue
		}
		g.Add(&r, i%n, i/n, color)
		g.Text(texts, i%n, i/n, of.text(value), r.Palette[color])
	}
	return r
}

// scale is what share of the darkest colour a value has: in proportion, delays by
// their logarithms.
func (v *matrixView) scale(a string, cells []matrixCell) func(float64) float64 {
	of, least, most := matrixAmounts[a], math.Inf(1), 0.0
	for i := range cells {
		if of.known(&cells[i]) {
			least, most = min(least, of.value(&cells[i])), max(most, of.value(&cells[i]))
			if a == amountDelay {
				most = max(most, float64(cells[i].longest))
			}
		}
	}
	if a != amountDelay {
		return func(x float64) float64 { return x / most }
	}
	least = max(least, 1)
	room := math.Log(max(most, least)/least) + 2*math.Ln2 // equal ones are in the middle
	return func(x float64) float64 { return (math.Log(max(x, least)/least) + math.Ln2) / room }
}

// title names a quantity and the pair that has most of it, by itself also where
// pairs share a cell.
func (v *matrixView) title(a string, peaks map[string]topPair) string {
	what := map[string]string{amountBytes: "bytes", amountCount: "messages", amountDelay: "median / longest delay"}[a]
	if v.memory && a == amountCount {
		what = "transfers"
	}
	if v.memory && a == amountDelay {
		what = "median / longest duration"
	}
	most, ok := peaks[a]
	if !ok {
		return what
	}
	if a != amountDelay {
		what += ", most"
	} else {
		what += ","
	}
	return fmt.Sprintf("%s %s from %s to %s", what, matrixAmounts[a].text(most.value), v.placeName(most.from), v.placeName(most.to))
}

// placeName is a node, or a memory node.
func (v *matrixView) placeName(p int32) string {
	if v.shared {
		return fmt.Sprint(v.list.Places[p].Node)
	}
	return v.names[v.group[p]]
}

// slowest names the node, or memory node, whose messages are under way longest in
// the mean, where that is at least twice that of the median one.
func (v *matrixView) slowest(q core.Query) string {
	sum, known := make([]int64, len(v.list.Places)), make([]int64, len(v.list.Places))
	for _, p := range v.list.Pairs(q.T0, q.T1) {
		if v.group[p.From] < 0 || v.group[p.To] < 0 {
			continue
		}
		for _, end := range []int32{p.From, p.To} {
			sum[end], known[end] = sum[end]+p.Delay.Sum, known[end]+p.Delay.Known
		}
	}
	best, means := -1, []float64(nil)
	mean := func(p int) float64 { return float64(sum[p]) / float64(known[p]) }
	for p, n := range known {
		if n == 0 {
			continue
		}
		means = append(means, mean(p))
		if best < 0 || mean(p) > mean(best) {
			best = p
		}
	}
	if len(means) < 3 {
		return ""
	}
	slowest, median := mean(best), stat.Quantile(means, 0.5)
	if slowest < 2*median {
		return ""
	}
	what, name := "node ", v.placeName(int32(best))
	if v.memory {
		what = ""
	}
	return fmt.Sprintf("; those from and to %s%s take %s in the mean, of the median one %s", what, name, words.Duration(slowest), words.Duration(median))
}

func (v *matrixView) noteOf(q core.Query, peaks map[string]topPair, total comm.Pair) string {
	one, many := "message", "messages"
	if v.memory {
		one, many = "transfer", "transfers"
	}
	note := words.PluralThin(int(total.Count), one, many) + ", " + words.BytesFine(float64(total.Bytes))
	if total.Delay.Backward > 0 {
		note += "; " + words.CountThin(int(total.Delay.Backward)) + " end before they start, as clocks differ: not among the delays"
	}
	if most, ok := peaks[amountDelay]; ok {
		note += fmt.Sprintf("; the longest delay is %s, from %s to %s", words.Duration(most.value), v.placeName(most.from), v.placeName(most.to))
	}
	note += v.slowest(q)
	if v.note != "" {
		note += "; " + v.note
	}
	return note
}

// Data returns the pairs of both matrices.
func (v *matrixView) Data(q core.Query) numbers.Table {
	return core.NumbersOf("commatrix", v.run, core.WholeRun(), q)
}
