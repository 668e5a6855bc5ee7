package workload

// Cholesky makes the tiled Cholesky factorization of a symmetric matrix, lower
// triangle, right-looking, as StarPU's cholesky_implicit submits it: after its
// column k is done, each tile of it is said not to be used any more. With
// Distributed it is as StarPU's mpi_cholesky submits it: updates of a tile
// commute, and the diagonal tile is said not to be used any more, on its owner
// or elsewhere, after each solution with it, as then caches of received copies
// are flushed.
// Priorities are those of Chameleon: how far a task is from the end.
//
// Tiles are handles row by row, so that their numbers order them as StarPU
// orders the data of a task. Operation counts are those of Blackford 1992,
// LAPACK's working note 41.
func Cholesky(o Tiled) (*Graph, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	n := o.Tiles
	pairs := n * (n - 1) / 2
	gemms := pairs * (n - 2) / 3
	b, err := newBuilder("cholesky", n+2*pairs+gemms, n+4*pairs+3*gemms, !o.NoPriorities)
	if err != nil {
		return nil, err
	}
	b.lowerTriangle(o)
	b.g.Hints = make([]Hint, 0, n+2*pairs)
	classes := b.choleskyClasses(o)
	for k := range n {
		b.choleskyStep(k, o, classes)
	}
	return &b.g, nil
}

type choleskyClasses struct{ potrf, trsm, syrk, gemm int32 }

func (b *builder) choleskyClasses(o Tiled) choleskyClasses {
	t, n := o.layout(), float64(o.Tile)
	c := choleskyClasses{
		potrf: b.class("POTRF", n*(n*n/3+n/2+1./6), t),
		trsm:  b.class("TRSM", n*n*(n+1), t, t),
		syrk:  b.class("SYRK", n*n*(n+1), t, t),
		gemm:  b.class("GEMM", 2*n*n*n, t, t, t),
	}
	b.g.Classes[c.potrf].Blocking = true
	return c
}

func (b *builder) choleskyStep(k int, o Tiled, c choleskyClasses) {
	tiles := o.Tiles
	b.task(c.potrf, 2*tiles-2*k, k, update(lower(k, k)))
	for m := k + 1; m < tiles; m++ {
		b.task(c.trsm, 2*tiles-2*k-m, k, read(lower(k, k)), update(lower(m, k)))
		if o.Distributed && !o.NoDiagonalHints {
			b.wontUse(lower(k, k))
		}
	}
	if !o.Distributed && !o.NoDiagonalHints {
		b.wontUse(lower(k, k))
	}
	for n := k + 1; n < tiles; n++ {
		b.task(c.syrk, 2*tiles-2*k-n, k, read(lower(n, k)), o.updated(lower(n, n)))
		for m := n + 1; m < tiles; m++ {
			first, second := o.inOrder(lower(m, k), lower(n, k))
			b.task(c.gemm, 2*tiles-2*k-n-m, k, read(first), read(second), o.updated(lower(m, n)))
		}
		b.wontUse(lower(n, k))
	}
}

// updated is an update of a tile, which on several nodes may come in any order.
func (o Tiled) updated(h int32) use {
	if o.Distributed {
		return use{h, ReadWrite | Commute}
	}
	return update(h)
}

// inOrder are the tiles that a product reads, as the program names them.
func (o Tiled) inOrder(below, beside int32) (first, second int32) {
	if o.Distributed {
		return beside, below
	}
	return below, beside
}
