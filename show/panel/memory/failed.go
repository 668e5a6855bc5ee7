package memory

import (
	"math"
	"slices"

	"dagscope/explain/memory"
	"dagscope/internal/words"
	"dagscope/show/panel/core"
	"dagscope/show/panel/kit"
	"dagscope/show/scene"
)

// Allocations that fail do so in no time: the manager finds no room and tries
// again. As pieces of a row they would be nothing, or a share of nothing, though
// what says that a memory is too small is how many there are (Nesi 2019, case A).
// So those below a microsecond are marks along the lower edge of their row; where
// marks would touch they are one, with their number.

// brief is the length below which a failed allocation is a mark, ns.
const brief = 1000

const (
	failMark  = 2.0 // width and height of a mark, pixels
	failTall  = 6.0
	failApart = 16 // pixels between numbers
)

// failures are the rows of failed allocations below a microsecond by lane, in
// order of time.
type failures [][]int32

func (v *managerView) findFailures() {
	v.failed = make(failures, len(v.gantt.Lanes.Lanes))
	a, of := v.actions, v.gantt.Lanes.Of
	for i, p := range a.Place {
		if of[p] >= 0 && v.class[i] != core.Hidden && a.Outcome[i] == memory.Failed && a.End[i]-a.Start[i] < brief {
			v.failed[of[p]] = append(v.failed[of[p]], int32(i))
		}
	}
	for _, rows := range v.failed {
		slices.SortStableFunc(rows, func(x, y int32) int { return int(min(max(a.Start[x]-a.Start[y], -1), 1)) })
	}
}

// failuresWithin are those of a lane that begin in a window.
func (v *managerView) failuresWithin(lane int, from, to int64) []int32 {
	first := func(t int64) int {
		n, _ := slices.BinarySearchFunc(v.failed[lane], t, func(row int32, t int64) int { return int(min(max(v.actions.Start[row]-t, -1), 1)) })
		return n
	}
	return v.failed[lane][first(from):max(first(from), first(to))]
}

func (v *managerView) anyFailed() bool {
	return slices.ContainsFunc(v.failed, func(rows []int32) bool { return len(rows) > 0 })
}

// failMarks draws the marks of a window, and how many those are that stand for
// several as far as there is room.
func (v *managerView) failMarks(q core.Query, r *kit.Rows) scene.Layer {
	const size = 8
	layer := scene.Layer{Name: "failed"}
	perPixel := float64(max(q.T1-q.T0, 1)) / float64(max(q.Width, 1))
	marks := scene.Rects{Palette: []scene.Color{managerColors.Of(failedName)}, MinWidth: failMark, Edges: scene.Crisp}
	behind := scene.Rects{Palette: []scene.Color{scene.Lane}, Edges: scene.Blend} // numbers, which stand on pieces of any colour
	for l := range v.failed {
		rows := v.failuresWithin(l, q.T0, q.T1)
		tall := min(failTall, r.H[l]*0.4)
		free := math.Inf(-1) // from where on there is room for a number
		for len(rows) > 0 {
			start := v.actions.Start[rows[0]]
			last, n := start, 1
			for n < len(rows) && float64(v.actions.Start[rows[n]]-last) < (failMark+1)*perPixel && float64(v.actions.Start[rows[n]]-start) < failApart*perPixel {
				last = v.actions.Start[rows[n]]
				n++
			}
			rows = rows[n:]
			marks.Add(float64(start), float64(last), r.Y[l]+r.H[l]-tall, tall, 0)
			at := float64(start+last) / 2
			label := words.CountThin(n)
			if half := scene.TextWidth(label, size, false)/2 + 1; n > 1 && r.H[l] >= 2*size && at-half*perPixel >= free && !v.o.HideTexts && len(layer.Texts) < kit.MostTexts {
				free = at + half*perPixel
				behind.Add(at-half*perPixel, free, r.Y[l]+r.H[l]-tall-size, size, 0)
				layer.Texts = append(layer.Texts, scene.Text{X: at, Y: r.Y[l] + r.H[l] - tall - size/2, S: label, Size: size, Bold: true,
					Color: managerColors.Of(failedName), Anchor: scene.Middle})
			}
		}
	}
	layer.Rects = []scene.Rects{behind, marks}
	return layer
}

// failLegend counts the marks of a window.
func (v *managerView) failLegend(q core.Query) (legend []scene.LegendEntry) {
	n := 0
	for l := range v.failed {
		n += len(v.failuresWithin(l, q.T0, q.T1))
	}
	if n > 0 {
		legend = append(legend, scene.LegendEntry{Label: "failed in < 1 µs", Detail: words.CountThin(n), Color: managerColors.Of(failedName), Swatch: scene.Stroke})
	}
	return legend
}

// pickFailure finds the mark nearest to a place.
func (v *managerView) pickFailure(r *kit.Rows, t int64, y float64, reach int64) (row int32, lane int, found bool) {
	best := int64(math.MaxInt64)
	for l := range v.failed {
		if foot := float64(r.Y[l] + r.H[l]); y > foot || y < foot-failTall {
			continue
		}
		for _, i := range v.failuresWithin(l, t-reach, t+reach+1) {
			if away := max(v.actions.Start[i]-t, t-v.actions.Start[i]); away < best {
				best, row, lane, found = away, i, l, true
			}
		}
	}
	return row, lane, found
}
