package sparse

// block is a block column of a front that is cut up.
type block struct {
	height int32 // rows down to the staircase of its last column
	panel  int64 // flops of its factorization
	update int64 // flops of applying its reflectors to one column
}

// blockTable has the block columns of all fronts that are cut up.
type blockTable struct {
	at     []int32 // by front: its first block; none where it has none
	blocks []block
}

func (t *blockTable) of(f, j int32) *block    { return &t.blocks[t.at[f]+j-1] }
func (t *blockTable) height(f, j int32) int32 { return t.of(f, j).height }

// cutting is how a front is cut up.
type cutting struct {
	width  int32 // of a block column
	blocks int32
	panels int32 // block columns with reflectors
}

// cut is how front f is cut into block columns; nothing without rows.
func (a *Analysis) cut(f int32) cutting {
	front := &a.Fronts[f]
	steps := front.Steps()
	if steps <= 0 {
		return cutting{width: 1}
	}
	nb := min(int32(a.NB), front.Cols)
	return cutting{width: nb, blocks: (front.Cols-1)/nb + 1, panels: (steps-1)/nb + 1}
}

// assembled is the first and the last block column of a front's contribution,
// from 1; none if last < first. The last one may be without an entry of it,
// as qr_mumps has it.
func (a *Analysis) assembled(f int32) (first, last int32) {
	front, c := &a.Fronts[f], a.cut(f)
	pivots := min(front.Pivots, front.Steps())
	if c.blocks == 0 || pivots >= front.Rows {
		return 1, 0
	}
	return pivots/c.width + 1, c.blocks
}

// cutFronts makes the table of the fronts that are cut up.
func (a *Analysis) cutFronts(small []int32) blockTable {
	t := blockTable{at: filled(len(a.Fronts), none)}
	total := int32(0)
	for f := range int32(len(a.Fronts)) {
		if n := a.cut(f).blocks; small[f] == 0 && n > 0 {
			t.at[f] = total
			total += n
		}
	}
	t.blocks = make([]block, total)
	for f := range int32(len(a.Fronts)) {
		if t.at[f] != none {
			a.cutFront(f, t.blocks[t.at[f]:])
		}
	}
	return t
}

func (a *Analysis) cutFront(f int32, blocks []block) {
	c, cols, stair := a.cut(f), a.Fronts[f].Cols, a.FrontStair(f)
	for j := range c.blocks {
		from, to := j*c.width, min((j+1)*c.width, cols)
		blocks[j].height = stair[to-1]
		if j < c.panels {
			blocks[j].panel, blocks[j].update = kernelFlops(stair, int(from), int(min(to, a.Fronts[f].Steps())), int(to), a.IB)
		}
	}
}

// kernelFlops is the operations of factorizing columns from … steps−1 of a
// front, inner block by inner block, and applying that to those up to end−1;
// and of applying it to one column more.
func kernelFlops(stair []int32, from, steps, end, ib int) (panel, update int64) {
	sum := 0.0
	for j := from; j < steps; j += ib {
		k := min(ib, steps-j)
		rows := int(stair[j+k-1]) - j
		sum += panelFlops(rows, k)
		if right := end - j - k; right > 0 {
			sum += updateFlops(rows, right, k)
		}
		update += int64(updateFlops(rows, 1, k))
	}
	return int64(sum), update
}
