package workload

// QR makes the tiled QR factorization with a flat tree, as PLASMA and Chameleon
// have it: the diagonal tile is factorized (GEQRT) and annihilates the tiles
// below it one after another (TSQRT); UNMQR and TSMQR apply the transformations
// to the tiles on the right. Inner is the inner block size: the transformations
// of a tile are kept in Inner × tile elements. Priorities count the steps to
// the end as those of LU do.
//
// Handles are the tiles row by row, then the transformations row by row.
func QR(o Tiled, inner int) (*Graph, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	if inner == 0 {
		inner = min(o.Tile, 32)
	}
	if inner < 1 || inner > o.Tile {
		return nil, errorf("found an inner block size of %d, want 1 to %d", inner, o.Tile)
	}
	n := o.Tiles
	pairs, updates := n*(n-1)/2, (n-1)*n*(2*n-1)/6
	b, err := newBuilder("qr", n+2*pairs+updates, 2*n+6*pairs+4*updates, !o.NoPriorities)
	if err != nil {
		return nil, err
	}
	q := qr{builder: b, n: n}
	q.grid(o.layout(), 0, n, n)
	q.grid(Matrix{inner, o.Tile, o.Element}, None, n, n)
	q.classes(o, inner)
	for k := range n {
		q.step(k)
	}
	return &b.g, nil
}

// qr is a factorization that is being made.
type qr struct {
	*builder
	n                          int
	geqrt, unmqr, tsqrt, tsmqr int32
}

func (q *qr) classes(o Tiled, inner int) {
	a, t, n := o.layout(), Matrix{inner, o.Tile, o.Element}, float64(o.Tile)
	q.geqrt = q.class("GEQRT", 4*n*n*n/3, a, t)
	q.unmqr = q.class("UNMQR", 2*n*n*n, a, t, a)
	q.tsqrt = q.class("TSQRT", 2*n*n*n, a, a, t)
	q.tsmqr = q.class("TSMQR", 4*n*n*n, a, a, a, t)
	q.g.Classes[q.geqrt].Blocking = true
	q.g.Classes[q.tsqrt].Blocking = true
}

func (q *qr) tile(m, n int) int32      { return int32(m*q.n + n) }
func (q *qr) transform(m, n int) int32 { return int32(q.n*q.n + m*q.n + n) }

func (q *qr) step(k int) {
	q.task(q.geqrt, 4*q.n-4*k, k, update(q.tile(k, k)), write(q.transform(k, k)))
	for n := k + 1; n < q.n; n++ {
		q.task(q.unmqr, 4*q.n-3*k-n, k, read(q.tile(k, k)), read(q.transform(k, k)), update(q.tile(k, n)))
	}
	for m := k + 1; m < q.n; m++ {
		q.task(q.tsqrt, 4*q.n-3*k-m, k, update(q.tile(k, k)), update(q.tile(m, k)), write(q.transform(m, k)))
		for n := k + 1; n < q.n; n++ {
			q.task(q.tsmqr, 4*q.n-2*k-m-n, k, update(q.tile(k, n)), update(q.tile(m, n)), read(q.tile(m, k)), read(q.transform(m, k)))
		}
		q.wontUse(q.tile(m, k))
	}
	for n := k; n < q.n; n++ {
		q.wontUse(q.tile(k, n))
	}
}
