package comm

import (
	"cmp"
	"slices"
	"strings"

	"dagscope/trace"
)

// Block is a piece of data that nodes know under one name, with its owner.
type Block struct {
	Handle int32 // row of the handle table, the first of the block
	X, Y   int32 // trace.NoInt where it has no such coordinate
	Owner  int32 // rank
	Bytes  int64
}

// Matrix are the blocks of one name that have coordinates, by X and Y.
type Matrix struct {
	Name   string
	Blocks []Block
	Grid   Grid // block-cyclic distribution, zero for none
}

// Grid is a two-dimensional block-cyclic distribution: the owner of block (x, y)
// depends on x mod P and y mod Q only.
type Grid struct{ P, Q int32 }

// Distribution says which node owns which block.
type Distribution struct {
	Matrices []Matrix // by name
	Loose    []Block  // blocks without coordinates
	Disputed int      // blocks for which nodes name different owners: the first counts

	first []int32 // by handle
}

// First is the handle that stands for the block of each handle.
func (d *Distribution) First() []int32 { return d.first }

// identity is what the handles of one block have in common.
type identity struct {
	tag  int64
	name int32
	x, y int32
	node int32
	row  int32
}

// identify tells the block of a handle: nodes name the same block by its tag.
// Without one a handle is a block of the node that lists it, known by name and
// coordinates, or alone.
func identify(h *trace.Handles, i int) identity {
	switch {
	case h.Tag[i] >= 0:
		return identity{tag: h.Tag[i], row: trace.None}
	case h.X[i] != trace.NoInt:
		return identity{tag: trace.NoSize, name: h.Name.Index[i], x: h.X[i], y: h.Y[i], node: h.Node[i], row: trace.None}
	}
	return identity{tag: trace.NoSize, row: int32(i)}
}

// Distribute finds the owner of each block. Handles whose owner is not known
// belong to the node that lists them.
func Distribute(run *trace.Run) *Distribution {
	d := &Distribution{}
	h := &run.Handle
	known := map[identity]int{} // position of the block's first handle
	d.first = make([]int32, len(h.Node))
	owners := make([]int32, len(h.Node))
	disputed := map[identity]bool{}
	of := map[string]*Matrix{}
	for i := range h.Node {
		owner := h.Node[i]
		if h.Owner[i] >= 0 {
			owner = h.Owner[i]
		}
		id := identify(h, i)
		owners[i], d.first[i] = owner, int32(i)
		if before, seen := known[id]; seen {
			d.first[i] = int32(before)
			disputed[id] = disputed[id] || owners[before] != owner
			continue
		}
		known[id] = i
		b := Block{int32(i), h.X[i], h.Y[i], owner, max(0, h.Bytes[i])}
		if b.X == trace.NoInt {
			d.Loose = append(d.Loose, b)
			continue
		}
		name := h.Name.At(i)
		if of[name] == nil {
			of[name] = &Matrix{Name: name}
		}
		of[name].Blocks = append(of[name].Blocks, b)
	}
	for _, wrong := range disputed {
		if wrong {
			d.Disputed++
		}
	}
	for _, m := range of {
		slices.SortFunc(m.Blocks, func(a, b Block) int {
			return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y), cmp.Compare(a.Handle, b.Handle))
		})
		m.Grid = m.grid()
		d.Matrices = append(d.Matrices, *m)
	}
	slices.SortFunc(d.Matrices, func(a, b Matrix) int { return strings.Compare(a.Name, b.Name) })
	return d
}

// Size is the number of blocks along X and Y, from 0; 1 along Y for a vector.
func (m *Matrix) Size() (nx, ny int32) {
	for _, b := range m.Blocks {
		nx, ny = max(nx, b.X+1), max(ny, b.Y+1)
	}
	return max(nx, 1), max(ny, 1)
}

// mostCells bounds the blocks between the coordinates of which a grid is looked
// for.
const mostCells = 1 << 24

// grid finds the least periods of the owner along X and Y. Each must be seen to
// repeat; a matrix of one owner has none.
func (m *Matrix) grid() Grid {
	nx, ny := m.Size()
	if m.Blocks[0].X < 0 || int64(nx)*int64(ny) > mostCells || m.single() {
		return Grid{}
	}
	for i := range m.Blocks {
		if m.Blocks[i].Y < 0 {
			m = m.vector()
			break
		}
	}
	p := period(nx, ny, m.Blocks, func(b *Block) (int32, int32) { return b.X, b.Y })
	q := period(ny, nx, m.Blocks, func(b *Block) (int32, int32) { return b.Y, b.X })
	if p == 0 || q == 0 || !m.cyclic(p, q) {
		return Grid{}
	}
	return Grid{p, q}
}

func (m *Matrix) single() bool {
	return !slices.ContainsFunc(m.Blocks, func(b Block) bool { return b.Owner != m.Blocks[0].Owner })
}

// vector is a matrix in which blocks without a second coordinate have 0.
func (m *Matrix) vector() *Matrix {
	v := &Matrix{Name: m.Name, Blocks: slices.Clone(m.Blocks)}
	for i := range v.Blocks {
		v.Blocks[i].Y = max(0, v.Blocks[i].Y)
	}
	return v
}

// period is the least p such that along the first coordinate owners repeat
// after p blocks, whatever the second; 0 where they do not repeat.
func period(n, across int32, blocks []Block, at func(*Block) (along, other int32)) int32 {
	seen := make([]int32, int(n)*int(across))
	for p := int32(1); 2*p <= max(n, 2); p++ {
		clear(seen)
		if slices.IndexFunc(blocks, func(b Block) bool {
			along, other := at(&b)
			cell := &seen[int(other)*int(p)+int(along%p)]
			before := *cell
			*cell = b.Owner + 1
			return before != 0 && before != b.Owner+1
		}) < 0 {
			return p
		}
	}
	return 0
}

// cyclic tells whether the owner follows from both remainders.
func (m *Matrix) cyclic(p, q int32) bool {
	owner := make([]int32, int(p)*int(q))
	for _, b := range m.Blocks {
		cell := &owner[int(b.X%p)*int(q)+int(b.Y%q)]
		if *cell != 0 && *cell != b.Owner+1 {
			return false
		}
		*cell = b.Owner + 1
	}
	return true
}

// Owned counts the blocks of a node.
type Owned struct {
	Node          int32
	Blocks, Bytes int64
}

// Owners counts the blocks of each node that has any, by rank.
func (m *Matrix) Owners() []Owned {
	of := map[int32]*Owned{}
	var ranks []int32
	for _, b := range m.Blocks {
		if of[b.Owner] == nil {
			of[b.Owner] = &Owned{Node: b.Owner}
			ranks = append(ranks, b.Owner)
		}
		of[b.Owner].Blocks++
		of[b.Owner].Bytes += b.Bytes
	}
	slices.Sort(ranks)
	out := make([]Owned, len(ranks))
	for i, r := range ranks {
		out[i] = *of[r]
	}
	return out
}
