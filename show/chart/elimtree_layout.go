package chart

import (
	"fmt"
	"math"
	"slices"
)

// Sizes, pixels.
const (
	maxSide       = 34.0 // of the front with most work
	minSide       = 2.0
	maxTreeHeight = 620.0 // of the body
	maxStep       = 46.0  // from a level to the next
	treeMargin    = 6.0
	manyFronts    = 1500 // beyond which fronts inside of tasks are not drawn
)

// treeLayout is where fronts are, in pixels of the body.
type treeLayout struct {
	fronts  []Front
	order   []int32 // parents before their children, those of one parent in order
	x, y    []float64
	side    []float64
	maxWork float64 // of a front
	hidden  int     // fronts that are not drawn
	height  float64
}

// layOut places children side by side below their parents, each subtree as wide
// as its fronts need, all scaled to the width.
func layOut(fronts []Front, width float64) (*treeLayout, error) {
	l := &treeLayout{fronts: fronts, x: make([]float64, len(fronts)), y: make([]float64, len(fronts)), side: make([]float64, len(fronts))}
	if err := l.sort(); err != nil {
		return nil, err
	}
	for v := range fronts {
		l.maxWork = max(l.maxWork, fronts[v].Work)
	}
	for v := range fronts {
		l.side[v] = minSide
		if l.maxWork > 0 {
			l.side[v] = max(minSide, maxSide*math.Cbrt(fronts[v].Work/l.maxWork))
		}
	}
	l.horizontal(width)
	l.vertical()
	return l, nil
}

// sort orders the fronts that are drawn from the roots down.
func (l *treeLayout) sort() error {
	children := make([][]int32, len(l.fronts)+1)
	for v, n := range l.fronts {
		if n.Parent < -1 || int(n.Parent) >= len(l.fronts) {
			return fmt.Errorf("draw tree: found parent %d of node %d, want -1 to %d", n.Parent, v, len(l.fronts)-1)
		}
		if n.Work < 0 || math.IsNaN(n.Work) || math.IsInf(n.Work, 0) {
			return fmt.Errorf("draw tree: found work %v of node %d, want a number that is not negative", n.Work, v)
		}
		children[n.Parent+1] = append(children[n.Parent+1], int32(v))
	}
	reached := 0
	for stack := slices.Clone(children[0]); len(stack) > 0; reached++ {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if l.fronts[v].State != Inside || len(l.fronts) <= manyFronts {
			l.order = append(l.order, v)
		}
		stack = append(stack, children[v+1]...)
	}
	if reached < len(l.fronts) {
		return fmt.Errorf("draw tree: found %d nodes below no root, want a tree", len(l.fronts)-reached)
	}
	l.hidden = len(l.fronts) - len(l.order)
	return nil
}

// horizontal gives each subtree its share of the width, that of its parent's
// part from the left, and puts a front above the middle of its subtree.
func (l *treeLayout) horizontal(width float64) {
	below := make([]float64, len(l.fronts)) // room that children need
	total := 0.0
	for _, v := range slices.Backward(l.order) {
		if p := l.fronts[v].Parent; p >= 0 {
			below[p] += l.room(v, below)
		} else {
			total += l.room(v, below)
		}
	}
	scale := min((width-2*treeMargin)/total, 6)
	left := make([]float64, len(l.fronts)) // of the next child
	root := (width - total*scale) / 2
	for _, v := range l.order {
		room := l.room(v, below)
		at := &root
		if p := l.fronts[v].Parent; p >= 0 {
			at = &left[p]
		}
		l.x[v] = *at + room*scale/2
		left[v] = *at + (room-below[v])*scale/2
		*at += room * scale
	}
}

// room is how wide a front and what is below it are before scaling.
func (l *treeLayout) room(v int32, below []float64) float64 { return max(1.3*l.side[v], below[v]) }

// vertical puts fronts in levels by their distance from the root.
func (l *treeLayout) vertical() {
	level, deepest := make([]int32, len(l.fronts)), int32(0)
	for _, v := range l.order {
		if p := l.fronts[v].Parent; p >= 0 {
			level[v] = level[p] + 1
		}
		deepest = max(deepest, level[v])
	}
	step := min(maxStep, (maxTreeHeight-maxSide)/float64(max(deepest, 1)))
	for _, v := range l.order {
		l.y[v] = treeMargin + maxSide/2 + step*float64(level[v])
	}
	l.height = 2*treeMargin + maxSide + step*float64(deepest)
}
