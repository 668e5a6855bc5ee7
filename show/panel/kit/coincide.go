package kit

import (
	"math"
	"math/bits"
	"slices"

	"dagscope/show/panel/core"
	"dagscope/show/scene"
)

// Curves of equal values lie on each other, and only the last would be seen.
// Where they do for long enough, the others are drawn once more above it as
// dashes in turn, so that each has its colour there.

const (
	curveWidth = 1.4
	hidden     = curveWidth / 2 // distance below which a curve is behind another, pixels
	turn       = 8              // length of a dash, pixels
)

// coinciding are the dashes of the curves that others hide.
func coinciding(all []Shown, q core.Query, g *Grid, a *YAxis) (lines []scene.Line) {
	if len(all) < 2 || len(all) > MostCurves {
		return nil
	}
	perPixel := float64(g.T1-g.T0) / float64(max(q.Width, 1))
	with := togetherAt(all, g, a)
	for i := range all {
		for from := 0; from < g.Columns(); {
			set, to := with[i][from], from+1
			for to < g.Columns() && with[i][to] == set {
				to++
			}
			n, rank := bits.OnesCount8(set), bits.OnesCount8(set&(1<<i-1))
			long := float64(g.Edges[to]-g.Edges[from]) >= float64(n*turn)*perPixel
			if n > 1 && rank < n-1 && long {
				l := scene.Line{Step: true, Color: all[i].Color, Width: curveWidth, Dash: []float32{turn, float32(turn * (n - 1))}}
				start := float64(g.Edges[from]) + float64(rank*turn)*perPixel
				lines = append(lines, along(l, all[i].Mean, g, a, start, to))
			}
			from = to
		}
	}
	return lines
}

// togetherAt has for each curve and column the set of curves that lie on each
// other there, itself among them.
func togetherAt(all []Shown, g *Grid, a *YAxis) (with [][]uint8) {
	y := make([]float64, len(all))
	order := make([]int, len(all))
	for i := range all {
		with, order[i] = append(with, make([]uint8, g.Columns())), i
	}
	for k := range g.Columns() {
		for i := range all {
			y[i] = float64(a.Y(all[i].Mean[k]))
		}
		slices.SortFunc(order, func(i, j int) int {
			switch {
			case y[i] < y[j]:
				return -1
			case y[i] > y[j]:
				return 1
			}
			return i - j
		})
		for from := 0; from < len(order); {
			set, to := uint8(0), from
			for to < len(order) && y[order[to]]-y[order[from]] < hidden {
				set |= 1 << order[to]
				to++
			}
			for _, i := range order[from:to] {
				with[i][k] = set
			}
			from = to
		}
	}
	return with
}

// along is a line from a time to the end of the columns before one.
func along(l scene.Line, mean []float64, g *Grid, a *YAxis, start float64, to int) scene.Line {
	for k := range to {
		if float64(g.Edges[k+1]) <= start {
			continue
		}
		y, n := a.Y(mean[k]), len(l.Y)
		if n == 0 || math.Abs(float64(l.Y[n-1]-y)) >= Flat {
			l.X, l.Y = append(l.X, max(start, float64(g.Edges[k]))), append(l.Y, y)
		}
	}
	l.X, l.Y = append(l.X, float64(g.Edges[to])), append(l.Y, l.Y[len(l.Y)-1])
	return l
}
