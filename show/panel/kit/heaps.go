package kit

import (
	"slices"

	"dagscope/show/panel/core"
)

// Groups of pieces on a lane (docs/design/methods.md, Aggregation) are drawn as
// heaps: rectangles as long as the group in which each kind has its share of
// the time as height, stacked, so that idle time inside is missing height. A
// heap narrower than a pixel is counted in the shares of its columns like a
// narrow piece, a dynamic group piece by piece, and a wide one is cut at mixed
// columns: the ink of every column stays exact.
//
// Dynamic groups are found once, when the panel is opened. Slices are summed
// for the window that is drawn: no more of them are seen than pixels, however
// many the run has. What is not gathered takes its time out of its slices, so
// that nothing is painted over another. Slices narrower than a pixel would say
// less than pixels do: every piece is drawn then.

// Gathering is what a drawing gathers.
type Gathering struct {
	Held      []bool  // by row of spans: not drawn by itself
	Paler     bool    // than single pieces, where both are drawn
	Step      int64   // of slices counted from zero, 0 for groups
	Groups    *Groups // nil for slices
	Threshold int64   // of groups
}

// Groups are runs of consecutive pieces: rows [lo, hi) of the spans. As spans
// they have neither class nor row.
type Groups struct {
	*Spans
	Lo, Hi []int32
	At     []int32 // shares of a group: [at[g], at[g+1])
	Class  []uint8
	busy   []int64 // ns
}

// heap is a group, or a part of a slice: what follows the first offset ns of
// the time that the shares are of.
type heap struct {
	start, end int64
	offset, of int64
	class      []uint8
	busy       []int64 // ns of of
	lo, hi     int     // pieces in it, none for slices
}

// heaper makes the heaps of one lane after another.
type heaper struct {
	*Gathering
	bins *Bins // of slices
}

// heaper returns nil where nothing is gathered at this zoom.
func (g *Gathering) heaper(window *Grid, classes int) *heaper {
	switch {
	case g == nil || g.Groups == nil && g.Step < Narrowest(window):
		return nil
	case g.Groups != nil:
		return &heaper{Gathering: g}
	}
	t0 := floorTo(window.T0, g.Step)
	n := (window.T1 - t0 + g.Step - 1) / g.Step
	return &heaper{g, NewBins(NewGrid(t0, t0+n*g.Step, int(n)), classes)}
}

func floorTo(t, step int64) int64 {
	if r := t % step; r < 0 {
		return t - r - step
	} else {
		return t - r
	}
}

func (h *heaper) holds(i int) bool { return h != nil && h.Held[i] }

// Of returns the heaps of a lane whose pieces [lo, hi) may touch the window.
func (h *heaper) Of(d *laneDrawing, lo, hi int) []heap {
	switch {
	case h == nil:
		return nil
	case h.Groups != nil:
		return h.Groups.heaps(d)
	}
	return h.slices(d)
}

func (g *Groups) heaps(d *laneDrawing) []heap {
	lo, hi := g.Within(d.lane, d.bins.Grid.T0, d.bins.Grid.T1)
	out := make([]heap, 0, hi-lo)
	for i := lo; i < hi; i++ {
		if g.End[i] <= d.bins.Grid.T0 {
			continue
		}
		out = append(out, heap{start: g.Start[i], end: g.End[i], of: g.End[i] - g.Start[i], lo: int(g.Lo[i]), hi: int(g.Hi[i]),
			class: g.Class[g.At[i]:g.At[i+1]], busy: g.busy[g.At[i]:g.At[i+1]]})
	}
	return out
}

// slices sums what is gathered, slice by slice, and leaves out the time of what
// is not.
func (h *heaper) slices(d *laneDrawing) []heap {
	h.bins.Reset()
	g := h.bins.Grid
	var alone []int // pieces that stand alone
	lo, hi := d.gantt.Spans.Within(d.lane, g.T0, g.T1)
	for i := lo; i < hi; i++ {
		if !h.Held[i] {
			alone = append(alone, i)
			continue
		}
		h.bins.Add(d.gantt.Spans.Start[i], d.gantt.Spans.End[i], d.gantt.Gather.ClassOf(d.class(i)))
	}
	var out []heap
	used := SortedClasses(h.bins.Used)
	for k := range g.Columns() {
		var class []uint8
		var busy []int64
		for _, c := range used {
			if ns := h.bins.Busy[c][k]; ns > 0 {
				class, busy = append(class, c), append(busy, ns)
			}
		}
		for len(alone) > 0 && d.gantt.Spans.End[alone[0]] <= g.Edges[k] {
			alone = alone[1:]
		}
		if class != nil {
			out = d.free(out, alone, heap{start: g.Edges[k], end: g.Edges[k+1], class: class, busy: busy})
		}
	}
	return out
}

// free appends the parts of a slice outside the pieces that stand alone.
func (d *laneDrawing) free(out []heap, alone []int, slice heap) []heap {
	first, at := len(out), slice.start
	part := func(until int64) {
		if until > at {
			p := slice
			p.start, p.end, p.offset = at, until, slice.of
			slice.of += until - at
			out = append(out, p)
		}
	}
	for _, i := range alone {
		if d.gantt.Spans.Start[i] >= slice.end {
			break
		}
		part(d.gantt.Spans.Start[i])
		at = max(at, d.gantt.Spans.End[i])
	}
	part(slice.end)
	if len(out) == first { // pieces overlap
		at = slice.start
		part(slice.end)
	}
	for i := first; i < len(out); i++ {
		out[i].of = slice.of
	}
	return out
}

// ClassOf is the class in a group of a piece of some class. Generation stays
// what it is.
func (g *Gathering) ClassOf(class uint8) uint8 {
	switch {
	case class%core.Variants == core.Generating:
		return class
	case g.Paler:
		return class - class%core.Variants + core.Gathered
	}
	return class - class%core.Variants + core.Plain
}

// binHeaps counts heaps in the columns that they touch.
func (d *laneDrawing) binHeaps(heaps []heap) {
	for i := range heaps {
		h := &heaps[i]
		narrow := h.end-h.start < d.narrowest
		if narrow && h.hi > h.lo {
			d.binPieces(h)
			continue
		}
		for s, class := range h.class {
			if first, last, ok := d.bins.Spread(h.start, h.end, h.offset, h.of, h.busy[s], class); ok && narrow {
				d.bins.mix(first, last)
			}
		}
	}
}

// binPieces counts the pieces of a narrow group where they are.
func (d *laneDrawing) binPieces(h *heap) {
	for i := h.lo; i < h.hi; i++ {
		if first, last, ok := d.bins.Add(d.gantt.Spans.Start[i], d.gantt.Spans.End[i], d.gantt.Gather.ClassOf(d.class(i))); ok {
			d.bins.mix(first, last)
		}
	}
}

// drawHeaps draws the wide heaps outside mixed columns.
func (d *laneDrawing) drawHeaps(heaps []heap) {
	g := d.bins.Grid
	for i := range heaps {
		h := &heaps[i]
		start, end := max(h.start, g.T0), min(h.end, g.T1)
		if h.end-h.start < d.narrowest || end <= start {
			continue
		}
		whole := float64(max(h.of*d.workers, total(h.busy)))
		d.unmixed(start, end, func(x0, x1 int64) { d.stackHeap(h, x0, x1, whole) })
	}
}

// stackHeap draws a part of a heap from the bottom of the lane up.
func (d *laneDrawing) stackHeap(h *heap, x0, x1 int64, whole float64) {
	bottom := float64(d.y + d.h)
	for s, class := range h.class {
		height := float64(h.busy[s]) / whole * float64(d.h)
		d.paint.shares.Add(float64(x0), float64(x1), float32(bottom-height), float32(height), class)
		bottom -= height
	}
}

func total(ns []int64) (sum int64) {
	for _, v := range ns {
		sum += v
	}
	return sum
}

// Share adds to the shares of the group from row from on, which are in the
// order of classes, as those of pixels are.
func (g *Groups) Share(from int, class uint8, busy int64) {
	at, there := slices.BinarySearch(g.Class[from:], class)
	if at += from; there {
		g.busy[at] += busy
		return
	}
	g.Class, g.busy = slices.Insert(g.Class, at, class), slices.Insert(g.busy, at, busy)
}
