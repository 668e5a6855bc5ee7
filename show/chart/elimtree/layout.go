// Package elimtree draws the tree of fronts of a sparse factorization: what
// works on what, how much work each front is, and where the tree is pruned.
package elimtree

import (
	"fmt"
	"math"
	"slices"
)

// State is how a front is factorized.
type State uint8

// States.
const (
	Cut    State = iota // in tasks of its own
	Task                // with all below it in one task
	Inside              // inside of such a task
)

// Node is a front.
type Node struct {
	Name   string  // "": its number, from 1
	Parent int32   // -1: a root
	Work   float64 // of itself, ≥ 0, in the unit of [Options]
	State  State
	Layer  bool // of the layer at which the tree is pruned
}

// Sizes, pixels.
const (
	largest  = 34.0 // side of the front with most work
	smallest = 2.0
	tallest  = 620.0 // of the body
	farthest = 46.0  // from a level to the next
	margin   = 6.0
	fewNodes = 1500 // up to which fronts inside of tasks are drawn
)

// layout is where nodes are, in pixels of the body.
type layout struct {
	nodes  []Node
	order  []int32 // parents before their children, those of one parent in order
	x, y   []float64
	side   []float64
	most   float64 // work of a node
	hidden int     // nodes that are not drawn
	height float64
}

// place lays a tree out: children side by side below their parents, each
// subtree as wide as its nodes need, all scaled to the width.
func place(nodes []Node, width float64) (*layout, error) {
	l := &layout{nodes: nodes, x: make([]float64, len(nodes)), y: make([]float64, len(nodes)), side: make([]float64, len(nodes))}
	if err := l.sort(); err != nil {
		return nil, err
	}
	for v := range nodes {
		l.most = max(l.most, nodes[v].Work)
	}
	for v := range nodes {
		l.side[v] = smallest
		if l.most > 0 {
			l.side[v] = max(smallest, largest*math.Cbrt(nodes[v].Work/l.most))
		}
	}
	l.horizontal(width)
	l.vertical()
	return l, nil
}

// sort orders the nodes that are drawn from the roots down.
func (l *layout) sort() error {
	children := make([][]int32, len(l.nodes)+1)
	for v, n := range l.nodes {
		if n.Parent < -1 || int(n.Parent) >= len(l.nodes) {
			return fmt.Errorf("draw tree: found parent %d of node %d, want -1 to %d", n.Parent, v, len(l.nodes)-1)
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
		if l.nodes[v].State != Inside || len(l.nodes) <= fewNodes {
			l.order = append(l.order, v)
		}
		stack = append(stack, children[v+1]...)
	}
	if reached < len(l.nodes) {
		return fmt.Errorf("draw tree: found %d nodes below no root, want a tree", len(l.nodes)-reached)
	}
	l.hidden = len(l.nodes) - len(l.order)
	return nil
}

// horizontal gives each subtree its share of the width, that of its parent's
// part from the left, and puts a node above the middle of its subtree.
func (l *layout) horizontal(width float64) {
	below := make([]float64, len(l.nodes)) // room that children need
	total := 0.0
	for _, v := range slices.Backward(l.order) {
		if p := l.nodes[v].Parent; p >= 0 {
			below[p] += l.room(v, below)
		} else {
			total += l.room(v, below)
		}
	}
	scale := min((width-2*margin)/total, 6)
	left := make([]float64, len(l.nodes)) // of the next child
	root := (width - total*scale) / 2
	for _, v := range l.order {
		room := l.room(v, below)
		at := &root
		if p := l.nodes[v].Parent; p >= 0 {
			at = &left[p]
		}
		l.x[v] = *at + room*scale/2
		left[v] = *at + (room-below[v])*scale/2
		*at += room * scale
	}
}

// room is how wide a node and what is below it are before scaling.
func (l *layout) room(v int32, below []float64) float64 { return max(1.3*l.side[v], below[v]) }

// vertical puts nodes in levels by their distance from the root.
func (l *layout) vertical() {
	level, deepest := make([]int32, len(l.nodes)), int32(0)
	for _, v := range l.order {
		if p := l.nodes[v].Parent; p >= 0 {
			level[v] = level[p] + 1
		}
		deepest = max(deepest, level[v])
	}
	step := min(farthest, (tallest-largest)/float64(max(deepest, 1)))
	for _, v := range l.order {
		l.y[v] = margin + largest/2 + step*float64(level[v])
	}
	l.height = 2*margin + largest + step*float64(deepest)
}
