package comm

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"dagscope/explain/comm"
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
		ID: "distribution",
		Doc: "Which node owns which block: a square for each block at its coordinates, in the colour of its owner; beside it, how " +
			"often each block was sent to other nodes. Blocks without coordinates are counted in the note.",
		Open: openDistribution,
		Settings: []core.Setting{
			ownDistribution.Shown("sent", "how often each block was sent", func(o *distributionOptions) *bool { return &o.hideSent }),
		},
	}))
}

// distributionOptions are those of the map of owners.
type distributionOptions struct {
	hideSent bool // only the owners, not how often blocks were sent
}

const ownDistribution = core.Own[distributionOptions]("distribution")

// distributionView draws the owners of blocks.
type distributionView struct {
	run    *trace.Run
	matrix *comm.Matrix
	sent   map[int32]int64 // messages by the first handle of a block; nil if not drawn
	nx, ny int             // drawn
	color  map[int32]scene.Color
	owners []comm.Owned
	shown  func(node int32) bool
	note   string
}

// mostBlocksAcross is the number of rows and columns of blocks that are drawn.
const mostBlocksAcross = 250

func openDistribution(run *trace.Run, o *core.Options) (core.View, error) {
	if !panels.SeveralNodes(run) {
		return nil, &panels.Missing{Why: "the run has one node, which owns every block; panels presence and residency show where copies lie on it"}
	}
	d := comm.Distribute(run)
	if len(d.Matrices) == 0 {
		return nil, &panels.Missing{Why: "no handle of this run has block coordinates: the application gives them with starpu_data_set_coordinates"}
	}
	v := &distributionView{run: run, matrix: largest(d.Matrices), shown: o.ShowsNode}
	nx, ny := v.matrix.Size()
	v.nx, v.ny = min(int(nx), mostBlocksAcross), min(int(ny), mostBlocksAcross)
	v.Count()
	if !ownDistribution.Of(o).hideSent {
		v.sent, _ = panels.SentBlocks(run, d)
		if len(v.sent) == 0 {
			v.sent = nil
		}
	}
	v.note = v.describe(d, int(nx), int(ny))
	return v, nil
}

// largest is the matrix with most blocks.
func largest(all []comm.Matrix) *comm.Matrix {
	best := &all[0]
	for i := range all {
		if len(all[i].Blocks) > len(best.Blocks) {
			best = &all[i]
		}
	}
	return best
}

// Count sums the blocks of each owner and gives it a colour.
func (v *distributionView) Count() {
	v.owners, v.color = v.matrix.Owners(), map[int32]scene.Color{}
	for i, owner := range v.owners {
		v.color[owner.Node] = nodeColor(i, len(v.owners))
	}
}

// nodeColor tells owners apart: few have the colours of series, many go round
// the circle of hues by the golden ratio, so that neighbours differ.
func nodeColor(i, of int) scene.Color {
	if of <= len(kit.SeriesColors) {
		return kit.SeriesColors[i].Mix(scene.White, 0.25)
	}
	hue := math.Mod(float64(i)*0.6180339887, 1)
	light := []float64{0.52, 0.68, 0.80}[i%3]
	channel := func(shift float64) uint32 {
		k := math.Mod(shift+hue*12, 12)
		a := 0.55 * min(light, 1-light)
		return uint32(255 * (light - a*max(-1, min(k-3, 9-k, 1))))
	}
	return scene.RGB(channel(0)<<16 | channel(8)<<8 | channel(4))
}

// describe says what the distribution is.
func (v *distributionView) describe(d *comm.Distribution, nx, ny int) string {
	m := v.matrix
	var parts []string
	name := ""
	if m.Name != "" {
		name = " of " + m.Name
	}
	parts = append(parts, words.PluralThin(len(m.Blocks), "block", "blocks")+name+fmt.Sprintf(", %d × %d", nx, ny))
	if m.Grid != (comm.Grid{}) {
		parts = append(parts, fmt.Sprintf("block-cyclic on %d × %d nodes", m.Grid.P, m.Grid.Q))
	}
	if nx > v.nx || ny > v.ny {
		parts = append(parts, fmt.Sprintf("the first %d × %d are drawn", v.nx, v.ny))
	}
	if n := len(v.owners); n > mostOwners {
		least, most := v.owners[0].Blocks, v.owners[0].Blocks
		for _, o := range v.owners {
			least, most = min(least, o.Blocks), max(most, o.Blocks)
		}
		parts = append(parts, fmt.Sprintf("%d nodes own %d to %d blocks each", n, least, most))
	}
	if n := len(d.Matrices) - 1; n > 0 {
		parts = append(parts, words.PluralThin(n, "smaller matrix", "smaller matrices")+" not drawn")
	}
	if n := len(d.Loose); n > 0 {
		parts = append(parts, words.PluralThin(n, "block", "blocks")+" without coordinates")
	}
	if d.Disputed > 0 {
		parts = append(parts, "nodes name different owners of "+words.PluralThin(d.Disputed, "block", "blocks"))
	}
	return strings.Join(parts, "; ")
}

// mostOwners is the number of nodes that have an entry in the legend.
const mostOwners = 12

// Draw draws the map; it is of the whole run whatever the window.
func (v *distributionView) Draw(q core.Query) scene.Panel {
	titles := []string{"owner"}
	if v.sent != nil {
		titles = append(titles, "messages per block")
	}
	grids, height := kit.PlaceGrids(titles, v.ny, v.nx, q, 30)
	p := scene.Panel{ID: "distribution", Height: height, X: kit.GridAxis(grids, q, "second coordinate", kit.Ordinal), Note: v.note}
	back, fill, texts := scene.Layer{Name: "cells"}, scene.Layer{Name: "owners"}, scene.Layer{Name: "texts"}
	for i := range grids {
		back.Rects = append(back.Rects, grids[i].Back())
		texts.Texts = append(texts.Texts, grids[i].Heading())
	}
	fill.Rects = append(fill.Rects, v.ownerCells(&grids[0], &texts)...)
	if v.sent != nil {
		fill.Rects = append(fill.Rects, v.sentCells(&grids[1], &texts))
	}
	p.Layers = []scene.Layer{back, fill, texts}
	p.Left = []scene.Layer{kit.RowNames(&grids[0], "", kit.Ordinal)}
	p.YLabel = "first coordinate"
	if len(v.owners) <= mostOwners {
		for _, o := range v.owners {
			p.Legend = append(p.Legend, scene.LegendEntry{Label: fmt.Sprintf("node %d", o.Node),
				Detail: words.PluralThin(int(o.Blocks), "block", "blocks") + ", " + words.BytesFine(float64(o.Bytes)), Color: v.color[o.Node]})
		}
	}
	return p
}

// Inside says where a block is drawn.
func (v *distributionView) Inside(b *comm.Block) (column, row int, ok bool) {
	column, row = max(0, int(b.Y)), int(b.X)
	if b.Y == trace.NoInt {
		column = 0
	}
	return column, row, row >= 0 && row < v.nx && column < v.ny
}

// ownerCells colours the blocks by owner. A palette has room for 255 colours.
func (v *distributionView) ownerCells(g *kit.CellGrid, texts *scene.Layer) (all []scene.Rects) {
	for some := range slices.Chunk(v.owners, 200) {
		r := scene.Rects{Edges: scene.Crisp}
		at := map[int32]uint8{}
		for _, o := range some {
			c := v.color[o.Node]
			if !v.shown(o.Node) {
				c = scene.Border
			}
			at[o.Node] = uint8(len(r.Palette))
			r.Palette = append(r.Palette, c)
		}
		for i := range v.matrix.Blocks {
			b := &v.matrix.Blocks[i]
			color, known := at[b.Owner]
			column, row, ok := v.Inside(b)
			if !known || !ok {
				continue
			}
			g.Add(&r, column, row, color)
			g.Text(texts, column, row, kit.Ordinal(int(b.Owner)), r.Palette[color])
		}
		all = append(all, r)
	}
	return all
}

// sentCells shades the blocks by the messages that carried them.
func (v *distributionView) sentCells(g *kit.CellGrid, texts *scene.Layer) scene.Rects {
	r := scene.Rects{Palette: kit.Ramp(kit.BytesColor), Edges: scene.Crisp}
	most := int64(0)
	for _, n := range v.sent {
		most = max(most, n)
	}
	for i := range v.matrix.Blocks {
		b := &v.matrix.Blocks[i]
		n := v.sent[b.Handle]
		column, row, ok := v.Inside(b)
		if n == 0 || !ok || !v.shown(b.Owner) {
			continue
		}
		color := kit.TintOf(r.Palette, float64(n), float64(most))
		g.Add(&r, column, row, color)
		g.Text(texts, column, row, words.CountThin(int(n)), r.Palette[color])
	}
	return r
}

// Data returns the owner of each block.
func (v *distributionView) Data(q core.Query) numbers.Table {
	return core.NumbersOf("distribution", v.run, core.WholeRun(), q)
}
