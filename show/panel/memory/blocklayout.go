package memory

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"dagscope/explain/memory"
	"dagscope/explain/numbers/panels"
	"dagscope/show/panel/core"
	"dagscope/show/scene"
	"dagscope/trace"
)

// blockMap places pieces of data as cells of a matrix: those with two
// coordinates in the row of the first and the column of the second, matrices of
// different names side by side. Those with one coordinate, or none, are laid
// out one after the other in rows below, in the order of the coordinate, else
// of the table of handles, so that a vector is read like a text.
type blockMap struct {
	col, row   []int32 // of each handle, -1 for those that are not shown
	cols, rows int
	names      []mapName
	ticks      []mapTick
}

// mapName is what stands above a part of the map.
type mapName struct {
	text     string
	col, row int
}

// mapTick is a coordinate beside a row or above a column.
type mapTick struct {
	text    string
	at      int
	isRow   bool
	between int // how many cells to the next of its part
}

const mostMatrices = 6 // side by side; more would be too small, their blocks go to the list

// newBlockMap places the handles of a run that anything is known of.
func newBlockMap(run *trace.Run, known []int32) *blockMap {
	h := &run.Handle
	m := &blockMap{col: slices.Repeat([]int32{-1}, len(h.Node)), row: slices.Repeat([]int32{-1}, len(h.Node))}
	of := map[string][]int32{}
	var names []string
	var rest []int32
	for _, i := range known {
		if h.X[i] == trace.NoInt || h.Y[i] == trace.NoInt || h.X[i] < 0 || h.Y[i] < 0 || h.X[i] > 1<<16 || h.Y[i] > 1<<16 {
			rest = append(rest, i)
			continue
		}
		name := ""
		if len(h.Name.Index) > 0 {
			name = h.Name.At(int(i))
		}
		if of[name] == nil {
			names = append(names, name)
		}
		of[name] = append(of[name], i)
	}
	for n, name := range names {
		if n >= mostMatrices {
			rest = append(rest, of[name]...)
			continue
		}
		rest = append(rest, m.matrix(run, name, of[name], len(names) > 1)...)
	}
	m.list(run, rest)
	return m
}

// matrix places the blocks of one matrix right of what is there; it returns
// those whose place is taken by another.
func (m *blockMap) matrix(run *trace.Run, name string, blocks []int32, named bool) (rest []int32) {
	h := &run.Handle
	low, high := [2]int32{math.MaxInt32, math.MaxInt32}, [2]int32{-1, -1}
	for _, i := range blocks {
		for k, v := range [2]int32{h.X[i], h.Y[i]} {
			low[k], high[k] = min(low[k], v), max(high[k], v)
		}
	}
	if m.cols > 0 {
		m.cols++
	}
	type place struct{ node, row, col int32 }
	taken := map[place]bool{}
	for _, i := range blocks {
		p := place{h.Node[i], h.X[i] - low[0], h.Y[i] - low[1] + int32(m.cols)}
		if taken[p] {
			rest = append(rest, i)
			continue
		}
		taken[p] = true
		m.row[i], m.col[i] = p.row, p.col
	}
	if named {
		m.names = append(m.names, mapName{name, m.cols, -1})
	}
	for c := low[1]; c <= high[1]; c++ {
		m.ticks = append(m.ticks, mapTick{fmt.Sprint(c), m.cols + int(c-low[1]), false, int(high[1] - low[1] + 1)})
	}
	if m.cols == 0 {
		for r := low[0]; r <= high[0]; r++ {
			m.ticks = append(m.ticks, mapTick{fmt.Sprint(r), int(r - low[0]), true, int(high[0] - low[0] + 1)})
		}
	}
	m.cols += int(high[1]-low[1]) + 1
	m.rows = max(m.rows, int(high[0]-low[0])+1)
	return rest
}

// list places what has no place in a matrix below it, line by line. Handles of
// several nodes begin anew: a memory shows those of its node only.
func (m *blockMap) list(run *trace.Run, rest []int32) {
	if len(rest) == 0 {
		return
	}
	h := &run.Handle
	slices.SortStableFunc(rest, func(a, b int32) int {
		return cmp.Or(cmp.Compare(h.Node[a], h.Node[b]), cmp.Compare(h.X[a], h.X[b]), cmp.Compare(h.Y[a], h.Y[b]), cmp.Compare(a, b))
	})
	if m.cols == 0 {
		m.cols = max(8, int(math.Ceil(math.Sqrt(float64(len(rest))*1.5))))
	} else {
		m.rows++
	}
	first, n, most := m.rows, 0, 0
	for k, i := range rest {
		if k > 0 && h.Node[i] != h.Node[rest[k-1]] {
			n = 0
		}
		m.row[i], m.col[i] = int32(first+n/m.cols), int32(n%m.cols)
		n++
		most = max(most, n)
	}
	m.rows = first + (most+m.cols-1)/m.cols
	if first > 0 {
		m.names = append(m.names, mapName{"without coordinates", 0, first})
	}
}

// knownBlocks are the handles that anything is known of, in the order of the
// table.
func knownBlocks(run *trace.Run, r *memory.Residency, u *memory.Uses) []int32 {
	all := memory.Busiest(run, r, u, len(run.Handle.Node))
	slices.Sort(all)
	return all
}

// facets places a map for each memory, and for each of several lines of them,
// on a body: x in pixels from its left edge.
type facets struct {
	of      *blockMap
	cell    float64
	across  int // facets beside each other
	lines   int
	width   float64 // pitch of facets
	line    float64 // pitch of lines
	height  float64
	above   float64 // room for names above a map
	left    float64 // room for the coordinates of rows
	ticking bool
}

const (
	facetTitle   = 18 // pixels above a map
	facetSpace   = 12 // between maps
	largestCell  = 24
	tickedCell   = 2 // from which on coordinates are written
	naturalAcros = 4 // maps beside each other that a natural height is made for
	mostFacets   = 48
)

// newFacets places n maps; oneLine keeps them beside each other and makes
// several lines of them.
func newFacets(m *blockMap, n, lines int, q core.Query) *facets {
	f := &facets{of: m, lines: lines, across: n, above: facetTitle + 11, left: 18}
	if len(m.names) > 0 && m.names[0].row < 0 {
		f.above += 11
	}
	width := float64(max(q.Width, 1))
	if lines > 1 {
		f.fit(width, q.Height, n)
		return f
	}
	if q.Height <= 0 {
		f.fit(width, 0, min(n, naturalAcros))
		f.lines = (n + f.across - 1) / f.across
		f.height = float64(f.lines)*f.line + 4
		return f
	}
	best := *f
	for across := 1; across <= n; across++ {
		one := *f
		one.lines = (n + across - 1) / across
		if one.fit(width, q.Height, across); one.cell > best.cell {
			best = one
		}
	}
	*f = best
	return f
}

// fit chooses the size of cells for so many maps beside each other.
func (f *facets) fit(width, height float64, across int) {
	f.across = across
	f.width = width / float64(across)
	f.cell = min((f.width-facetSpace-f.left)/float64(f.of.cols), largestCell)
	if height > 0 {
		f.line = (height - 4) / float64(f.lines)
		f.cell = min(f.cell, (f.line-f.above-facetSpace/2)/float64(f.of.rows))
	}
	f.cell = max(f.cell, 0.05)
	if f.cell > 2 {
		f.cell = math.Floor(f.cell*2) / 2
	}
	if height > 0 {
		f.height = height
	} else {
		f.line = f.cell*float64(f.of.rows) + f.above + facetSpace/2
		f.height = float64(f.lines)*f.line + 4
	}
	f.width = min(f.width, f.cell*float64(f.of.cols)+f.left+facetSpace*3)
	f.ticking = f.cell >= tickedCell
}

// At is where a map begins: its first cell.
func (f *facets) At(k, line int) (x, y float64) {
	if f.lines > 1 && line < 0 {
		line = k / f.across
		k %= f.across
	}
	return float64(k)*f.width + f.left + 2, float64(max(line, 0))*f.line + f.above
}

// box is the cell of a handle in a map that begins at x, y.
func (f *facets) box(handle int32, x, y float64) (x0, x1 float64, top, h float32, ok bool) {
	c, r := f.of.col[handle], f.of.row[handle]
	if c < 0 {
		return 0, 0, 0, 0, false
	}
	gap := 0.0
	if f.cell >= 5 {
		gap = 1
	}
	return x + float64(c)*f.cell, x + float64(c+1)*f.cell - gap, float32(y + float64(r)*f.cell), float32(f.cell - gap), true
}

// writing is the name of a map, of its parts, and its coordinates as far as
// there is room.
func (f *facets) writing(title string, x, y float64) (texts []scene.Text) {
	texts = append(texts, scene.Text{X: x, Y: float32(y - f.above + facetTitle/2), Size: 11, S: scene.Ellipsis(title, 11, true, max(f.width-f.left, 20)), Color: scene.Ink, Bold: true})
	for _, n := range f.of.names {
		top := y - f.above + facetTitle + 5
		if n.row >= 0 {
			top = y + (float64(n.row)-0.5)*f.cell
		}
		if n.row < 0 || f.cell >= 9 {
			texts = append(texts, scene.Text{X: x + float64(n.col)*f.cell, Y: float32(top), Size: 9, S: n.text, Color: scene.Soft})
		}
	}
	if !f.ticking {
		return texts
	}
	for _, t := range f.of.ticks {
		every := roundStep(14 / f.cell)
		if !t.isRow {
			every = roundStep(18 / f.cell)
		}
		if t.at%every != 0 {
			continue
		}
		middle := (float64(t.at) + 0.5) * f.cell
		if t.isRow {
			texts = append(texts, scene.Text{X: x - 3, Y: float32(y + middle), Size: 9, S: t.text, Color: scene.Soft, Anchor: scene.End})
		} else {
			texts = append(texts, scene.Text{X: x + middle, Y: float32(y - 6), Size: 9, S: t.text, Color: scene.Soft, Anchor: scene.Middle})
		}
	}
	return texts
}

// roundStep is the least of 1, 2, 5, 10, … that is no smaller.
func roundStep(least float64) int {
	for step := 1; ; step *= 10 {
		for _, k := range []int{1, 2, 5} {
			if float64(step*k) >= least || step > 1<<20 {
				return step * k
			}
		}
	}
}

// shownPlaces are the memories of selected nodes in which copies lay, or tasks
// used data, at any time.
func shownPlaces(run *trace.Run, r *memory.Residency, o *core.Options) (places []int32) {
	used := map[int32]bool{}
	for _, p := range r.Place {
		used[p] = true
	}
	for _, p := range memory.Places(run) {
		if used[p] && o.ShowsNode(run.Resource.Node[p]) {
			places = append(places, p)
		}
	}
	return places
}

// placeName names a memory, with its node where there are several.
func placeName(run *trace.Run, place int32) string {
	name := panels.MemoryName(run, place)
	if panels.SeveralNodes(run) && place >= 0 {
		return fmt.Sprintf("%d %s", run.Resource.Node[place], name)
	}
	return name
}
