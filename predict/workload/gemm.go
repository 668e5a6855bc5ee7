package workload

// Gemm makes the tiled product C = A·B of square matrices: each tile of C is
// updated once for each pair of tiles. With commute, the updates of a tile may
// come in any order. All tasks have the same priority.
//
// Handles are the tiles of A, of B and of C, row by row.
func Gemm(o Tiled, commute bool) (*Graph, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	n, size := o.Tiles, float64(o.Tile)
	b, err := newBuilder("gemm", n*n*n, 3*n*n*n, false)
	if err != nil {
		return nil, err
	}
	for range 3 {
		b.grid(o.layout(), 0, n, n)
	}
	gemm := b.class("GEMM", 2*size*size*size, o.layout(), o.layout(), o.layout())
	mode := ReadWrite
	if commute {
		mode |= Commute
	}
	tile := func(matrix, i, j int) int32 { return int32((matrix*n+i)*n + j) }
	for k := range n {
		for i := range n {
			for j := range n {
				b.task(gemm, 0, k, read(tile(0, i, k)), read(tile(1, k, j)), use{tile(2, i, j), mode})
			}
		}
	}
	return &b.g, nil
}

// Stencil makes sweeps over a grid of Tiles × Tiles tiles: in each, every tile
// is computed from itself and its four neighbours of the sweep before, into the
// other of two grids. All tasks have the same priority.
//
// Handles are the tiles of the two grids, row by row.
func Stencil(o Tiled, sweeps int) (*Graph, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	n, size := o.Tiles, float64(o.Tile)
	if sweeps < 1 || sweeps > maxRows/n/n {
		return nil, errorf("found %d sweeps over %d tiles, want 1 to %d", sweeps, n*n, maxRows/n/n)
	}
	b, err := newBuilder("stencil", sweeps*n*n, sweeps*(6*n*n-4*n), false)
	if err != nil {
		return nil, err
	}
	b.grid(o.layout(), 0, n, n)
	b.grid(o.layout(), None, n, n)
	class := b.class("STENCIL", 5*size*size, o.layout(), o.layout())
	for s := range sweeps {
		b.sweep(class, n, s)
	}
	return &b.g, nil
}

// sweep computes grid (s+1) mod 2 from the other.
func (b *builder) sweep(class int32, n, s int) {
	from, to := int32(s%2*n*n), int32((s+1)%2*n*n)
	uses := make([]use, 0, 6)
	for i := range n {
		for j := range n {
			at := int32(i*n + j)
			uses = append(uses[:0], write(to+at), read(from+at))
			for _, d := range [4][2]int{{-1, 0}, {0, -1}, {0, 1}, {1, 0}} {
				if x, y := i+d[0], j+d[1]; x >= 0 && y >= 0 && x < n && y < n {
					uses = append(uses, read(from+int32(x*n+y)))
				}
			}
			b.task(class, 0, s, uses...)
		}
	}
}
