package workload

// LU makes the tiled LU factorization, right-looking, as StarPU's lu_implicit
// submits it. With pivot, rows are exchanged within the row of tiles of each
// diagonal tile: a task for every other tile of that row follows the
// factorization of the diagonal tile. (Which rows to exchange is no data of the
// runtime there, so that this is an explicit dependency.)
//
// Distributed it is as StarPU's plu_implicit submits it: first to the right of
// the diagonal tile, then below it, products row by row, and tiles are handles
// column by column. Else tiles are handles row by row. Operation counts are
// those of Blackford 1992, LAPACK's working note 41.
func LU(o Tiled, pivot bool) (*Graph, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	n := o.Tiles
	pairs, gemms, exchanges := n*(n-1)/2, (n-1)*n*(2*n-1)/6, 0
	if pivot {
		exchanges = n * (n - 1)
	}
	b, err := newBuilder("lu", n+2*pairs+gemms+exchanges, n+4*pairs+3*gemms+exchanges, !o.NoPriorities)
	if err != nil {
		return nil, err
	}
	l := lu{builder: b, n: n, apart: o.Distributed}
	l.grid(o.layout(), 0, n, n)
	if l.apart {
		l.g.HandleX, l.g.HandleY = l.g.HandleY, l.g.HandleX
	}
	l.classes(o, pivot)
	for k := range n {
		l.panel(k, pivot)
		l.update(k)
	}
	return &b.g, nil
}

// lu is a factorization that is being made.
type lu struct {
	*builder
	n                                    int
	apart                                bool // for several nodes
	getrf, exchange, lower, upper, gemms int32
}

func (l *lu) classes(o Tiled, pivot bool) {
	t, n := o.layout(), float64(o.Tile)
	getrf := "GETRF"
	if pivot {
		getrf = "GETRF_PIVOT"
		l.exchange = l.class("PIVOT", 0, t)
	}
	l.getrf = l.class(getrf, 2*n*n*n/3-n*n/2-n/6, t)
	l.g.Classes[l.getrf].Blocking = true // as that of Cholesky, without a solver library for devices
	l.lower = l.class("TRSM_LL", n*n*n, t, t)
	l.upper = l.class("TRSM_RU", n*n*n, t, t)
	l.gemms = l.class("GEMM", 2*n*n*n, t, t, t)
}

func (l *lu) tile(m, n int) int32 {
	if l.apart {
		m, n = n, m
	}
	return int32(m*l.n + n)
}

// panel factorizes tile (k, k) and solves with it below and beside it.
func (l *lu) panel(k int, pivot bool) {
	getrf := l.task(l.getrf, 3*l.n-3*k, k, update(l.tile(k, k)))
	for i := 0; pivot && i < l.n; i++ {
		if i != k {
			l.follow(getrf, l.task(l.exchange, 3*l.n-2*k-i, k, update(l.tile(k, i))))
		}
	}
	for i := k + 1; i < l.n; i++ {
		if l.apart {
			l.task(l.upper, 3*l.n-2*k-i, k, read(l.tile(k, k)), update(l.tile(k, i)))
		}
		l.task(l.lower, 3*l.n-2*k-i, k, read(l.tile(k, k)), update(l.tile(i, k)))
		if !l.apart {
			l.task(l.upper, 3*l.n-2*k-i, k, read(l.tile(k, k)), update(l.tile(k, i)))
		}
	}
	l.wontUse(l.tile(k, k))
}

// update multiplies row k with column k.
func (l *lu) update(k int) {
	for i := k + 1; i < l.n; i++ {
		for j := k + 1; j < l.n; j++ {
			row, column := j, i
			if l.apart {
				row, column = i, j
			}
			l.task(l.gemms, 3*l.n-k-i-j, k, read(l.tile(k, column)), read(l.tile(row, k)), update(l.tile(row, column)))
		}
	}
	for i := k + 1; i < l.n; i++ {
		l.wontUse(l.tile(k, i))
		l.wontUse(l.tile(i, k))
	}
}
