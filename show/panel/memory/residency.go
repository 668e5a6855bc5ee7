package memory

import (
	"fmt"
	"math"
	"path"
	"slices"

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
		ID: "residency", Time: true,
		Doc: "Where copies of blocks lay: a row for each block, in each pixel the exact share of its time that a valid copy lay in each " +
			"memory, stacked. As copies are shared, shares may add up to more than 100 %, which is the thin line in each row. The " +
			"first row is the mean over all blocks. By default the blocks that moved most.",
		Reads: func(*core.Options) []string { return panels.Joined(memory.Needs, panels.TaskTimes) },
		Open:  openResidency,
	}))
}

const (
	residencyRows  = 12 // of blocks, unless more are asked for
	mostResidency  = 400
	residencyPitch = 26
	residencyGap   = 3
)

// residencyView draws where copies lay.
type residencyView struct {
	run    *trace.Run
	stays  *memory.Residency
	places []int32
	class  map[int32]uint8 // of a place
	colors []scene.Color   // of a class
	names  []string        // of a class
	rows   []residencyRow
	sum    []*kit.Compact // copies of all blocks in each place, nil for no such row
	blocks int            // of which the sum is
	top    float64        // copies at the upper edge of a row
	left   int            // blocks that have no row
	moved  bool           // transfers name their blocks
	o      core.Residency
}

// residencyRow is a block, on every node that has it.
type residencyRow struct {
	label   string
	handles []int32
}

func openResidency(run *trace.Run, o *core.Options) (core.View, error) {
	r, err := panels.StaysOf(run, memory.Convention(o.Residency.StarVZ))
	if err != nil {
		return nil, err
	}
	v := &residencyView{run: run, stays: r, places: shownPlaces(run, r, o), o: o.Residency}
	if len(v.places) == 0 {
		return nil, &panels.Missing{Why: "no memory of the selected nodes ever held a copy"}
	}
	v.classify()
	if err := v.Choose(); err != nil {
		return nil, err
	}
	v.measure()
	return v, nil
}

// classify gives memories colours: with few each its own, else those of equal
// names on different nodes the same.
func (v *residencyView) classify() {
	v.class = map[int32]uint8{}
	several := panels.SeveralNodes(v.run) && len(v.places) > len(kit.SeriesColors)
	known := map[string]uint8{}
	for _, p := range v.places {
		name := placeName(v.run, p)
		if several {
			name = panels.MemoryName(v.run, p)
		}
		c, ok := known[name]
		if !ok {
			c = uint8(min(len(v.names), len(kit.SeriesColors)-1))
			if int(c) == len(v.names) {
				v.names, v.colors = append(v.names, name), append(v.colors, kit.SeriesColors[c].Mix(scene.White, 0.25))
			} else {
				v.names[c] = "other memories"
			}
			known[name] = c
		}
		v.class[p] = c
	}
}

// Choose finds the blocks that get rows: in the order of the table of handles.
func (v *residencyView) Choose() error {
	labels := memory.NewLabels(v.run)
	uses := memory.FindUses(v.run)
	known := memory.Busiest(v.run, v.stays, uses, len(v.run.Handle.Node))
	known = slices.DeleteFunc(known, func(h int32) bool { from, to := v.stays.Of(h); return from == to })
	most := v.o.Most
	if most <= 0 {
		most = residencyRows
	}
	if v.o.Blocks != nil {
		most = mostResidency
		known = slices.DeleteFunc(known, func(h int32) bool {
			return !slices.ContainsFunc(v.o.Blocks, func(p string) bool { ok, err := path.Match(p, labels.Of(h)); return ok && err == nil })
		})
		if len(known) == 0 {
			return &panels.Missing{Why: fmt.Sprintf("no block has a label like %v: these are coordinates as x,y, else names, else # and a row", v.o.Blocks)}
		}
	}
	v.rank(known, labels, uses)
	at := map[string]int{}
	total := map[string]bool{}
	for _, h := range known {
		label := labels.Of(h)
		total[label] = true
		i, ok := at[label]
		if !ok {
			if len(v.rows) == most {
				continue
			}
			i = len(v.rows)
			at[label] = i
			v.rows = append(v.rows, residencyRow{label: label})
		}
		v.rows[i].handles = append(v.rows[i].handles, h)
	}
	v.left, v.blocks = len(total)-len(v.rows), len(total)
	slices.SortStableFunc(v.rows, func(a, b residencyRow) int { return core.CompareNatural(a.label, b.label) })
	return nil
}

// rank sorts handles by what their blocks did, on all nodes together: those that
// moved most first, then those that lay in most memories, came and went most
// often, and were used most.
func (v *residencyView) rank(known []int32, labels *memory.Labels, uses *memory.Uses) {
	moves := make([]int64, len(v.run.Handle.Node))
	for _, h := range v.run.Transfer.Handle {
		if h >= 0 {
			moves[h]++
		}
	}
	of := map[string]*[4]int64{}
	name := make(map[int32]string, len(known))
	for _, h := range known {
		name[h] = labels.Of(h)
		sum := of[name[h]]
		if sum == nil {
			sum = &[4]int64{}
			of[name[h]] = sum
		}
		from, to := v.stays.Of(h)
		used, end := uses.Of(h)
		sum[0], sum[2], sum[3] = sum[0]+moves[h], sum[2]+int64(to-from), sum[3]+int64(end-used)
		for i := from; i < to; i++ { // sorted by place
			if i == from || v.stays.Place[i] != v.stays.Place[i-1] {
				sum[1]++
			}
		}
		v.moved = v.moved || moves[h] > 0
	}
	slices.SortStableFunc(known, func(a, b int32) int {
		x, y := of[name[a]], of[name[b]]
		return slices.Compare(y[:], x[:])
	})
}

// measure finds how many copies a row must have room for, and sums all blocks.
func (v *residencyView) measure() {
	v.top = 1
	for _, row := range v.rows {
		var spans interval.Spans
		for _, h := range row.handles {
			from, to := v.stays.Of(h)
			for i := from; i < to; i++ {
				spans.Add(v.stays.Start[i], v.stays.End[i])
			}
		}
		if steps := interval.Concurrency(spans); len(steps.Value) > 0 {
			v.top = max(v.top, slices.Max(steps.Value))
		}
	}
	if v.o.NoSum || v.o.Blocks != nil {
		return
	}
	for _, f := range v.stays.Copies(v.places) {
		v.sum = append(v.sum, kit.NewCompact(f))
	}
}

// lines is the number of rows.
func (v *residencyView) lines() int {
	if v.sum != nil {
		return len(v.rows) + 1
	}
	return len(v.rows)
}

// Draw draws a window.
func (v *residencyView) Draw(q core.Query) scene.Panel {
	n := v.lines()
	height := kit.HeightOr(q, float64(n)*residencyPitch+residencyGap)
	pitch := (height - residencyGap) / float64(n)
	gap := min(residencyGap, pitch*0.2)
	g := kit.NewGrid(q.T0, q.T1, q.Width)
	back := scene.Rects{Palette: []scene.Color{scene.Lane}, Edges: scene.Crisp}
	shares := scene.Rects{Palette: v.colors, Edges: scene.Abut}
	whole := scene.Layer{Name: "100 %"}
	left := scene.Layer{Name: "blocks", Unit: scene.Pixels}
	b := kit.NewBins(g, len(v.colors))
	every := max(1, int(math.Ceil(10/pitch)))
	for i := range n {
		y, h := float32(residencyGap+pitch*float64(i)), float32(pitch-gap)
		back.Add(float64(q.T0), float64(q.T1), y, h, 0)
		label := fmt.Sprintf("all %s", words.CountThin(v.blocks))
		row := i - (n - len(v.rows))
		if row < 0 {
			v.mean(&shares, g, y, h)
		} else {
			b.Reset()
			v.tally(b, &v.rows[row])
			v.stack(&shares, b, y, h)
			label = v.rows[row].label
		}
		if v.top > 1 && h >= 6 {
			line := y + h - h/float32(v.top)
			whole.Lines = append(whole.Lines, scene.Line{X: []float64{float64(q.T0), float64(q.T1)}, Y: []float32{line, line},
				Color: kit.Faint(scene.Ink, 0x70), Width: 0.6})
		}
		if i%every == 0 {
			left.Texts = append(left.Texts, scene.Text{X: -kit.LabelAway, Y: y + h/2, S: label, Size: min(11, float32(max(pitch-1, 9))), Color: scene.Ink, Anchor: scene.End})
		}
	}
	p := scene.Panel{ID: "residency", Height: height, Layers: []scene.Layer{{Name: "rows", Rects: []scene.Rects{back}},
		{Name: "copies", Rects: []scene.Rects{shares}}, whole}}
	if q.Body {
		return p
	}
	p.Left, p.YLabel = []scene.Layer{left}, "block"
	for c, name := range v.names {
		p.Legend = append(p.Legend, scene.LegendEntry{Label: name, Color: v.colors[c]})
	}
	p.Note = fmt.Sprintf("a row is %.0f %% high", v.top*100)
	if why := panels.OutsideRun(v.run, q.T0, q.T1); why != "" {
		p.Note += "; " + why
	}
	if v.left > 0 {
		did := "lay in fewer memories or changed less"
		if v.moved {
			did = "moved less"
		}
		p.Note += fmt.Sprintf("; %s that %s have no row", words.PluralThin(v.left, "block", "blocks"), did)
	}
	return p
}

// tally counts the stays of a block.
func (v *residencyView) tally(b *kit.Bins, row *residencyRow) {
	for _, h := range row.handles {
		from, to := v.stays.Of(h)
		for i := from; i < to; i++ {
			if c, ok := v.class[v.stays.Place[i]]; ok {
				b.Add(v.stays.Start[i], v.stays.End[i], c)
			}
		}
	}
}

// stack draws the columns of a row, each as high as its copies.
func (v *residencyView) stack(to *scene.Rects, b *kit.Bins, y, h float32) {
	used := kit.SortedClasses(b.Used)
	open := make([]kit.StackedRun, len(used))
	g := b.Grid
	for k := range g.Columns() {
		scale := float64(h) / (float64(g.Edges[k+1]-g.Edges[k]) * v.top)
		bottom := float64(y + h)
		for n, class := range used {
			height := float64(b.Busy[class][k]) * scale
			bottom -= height
			open[n].Next(to, g, k, float32(bottom), float32(height), class)
		}
	}
	for n, class := range used {
		open[n].Next(to, g, g.Columns(), 0, 0, class)
	}
}

// mean draws the mean over all blocks.
func (v *residencyView) mean(to *scene.Rects, g *kit.Grid, y, h float32) {
	sums := make([][]float64, len(v.colors))
	for i, p := range v.places {
		means := v.sum[i].Reduce(g).Mean
		c := v.class[p]
		if sums[c] == nil {
			sums[c] = means
			continue
		}
		for k, mean := range means {
			sums[c][k] += mean
		}
	}
	open := make([]kit.StackedRun, len(sums))
	scale := float64(h) / (float64(v.blocks) * v.top)
	for k := range g.Columns() {
		bottom := float64(y + h)
		for c := range sums {
			height := sums[c][k] * scale
			bottom -= height
			open[c].Next(to, g, k, float32(bottom), float32(height), uint8(c))
		}
	}
	for c := range sums {
		open[c].Next(to, g, g.Columns(), 0, 0, uint8(c))
	}
}

// At is the number of blocks that lie in each memory at an instant.
func (v *residencyView) At(t int64) (readings []core.Reading) {
	for i, p := range v.places {
		if v.sum != nil {
			readings = append(readings, core.Reading{Label: placeName(v.run, p), Value: words.CountThin(int(v.sum[i].At(t))), Unit: "copies", Color: v.colors[v.class[p]]})
		}
	}
	return readings
}

// Data returns the exact shares of slices of the window.
func (v *residencyView) Data(q core.Query) numbers.Table {
	s := core.WholeRun()
	s.StarVZ = v.o.StarVZ
	return core.NumbersOf("residency", v.run, s, q)
}

var _ core.Reader = (*residencyView)(nil)
