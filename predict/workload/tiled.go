package workload

// Tiled says which tiled algorithm to make.
type Tiled struct {
	Tiles        int  // the matrix has Tiles × Tiles tiles
	Tile         int  // rows of a tile; 0: 960
	Element      int  // bytes of an element; 0: 4, single precision
	NoPriorities bool // all tasks have priority 0
	// NoDiagonalHints leaves out that diagonal tiles are not used any more
	// (Cholesky), as StarPU programs do that make their matrix in tasks.
	NoDiagonalHints bool
	Distributed     bool // the program is that for several nodes (Cholesky)
}

// Limits of sizes: more rows of tasks than an int32 holds, or tiles whose size
// is not one.
const (
	maxTiles = 1000
	maxTile  = 1 << 20
)

// Check reports sizes that no tiled algorithm can have.
func (o Tiled) Check() error {
	_, err := o.withDefaults()
	return err
}

func (o Tiled) withDefaults() (Tiled, error) {
	if o.Tile == 0 {
		o.Tile = 960
	}
	if o.Element == 0 {
		o.Element = 4
	}
	switch {
	case o.Tiles < 1 || o.Tiles > maxTiles:
		return o, errorf("found %d tiles, want 1 to %d", o.Tiles, maxTiles)
	case o.Tile < 1 || o.Tile > maxTile:
		return o, errorf("found tiles of %d rows, want 1 to %d", o.Tile, maxTile)
	case o.Element < 1 || o.Element > 64:
		return o, errorf("found elements of %d bytes, want 1 to 64", o.Element)
	}
	return o, nil
}

func (o Tiled) layout() Matrix { return Matrix{o.Tile, o.Tile, o.Element} }

// lowerTriangle adds the tiles (m, n), m ≥ n, row by row: tile (m, n) is handle
// lower(m, n).
func (b *builder) lowerTriangle(o Tiled) {
	for m := range o.Tiles {
		for n := range m + 1 {
			b.handle(o.layout(), 0, m, n)
		}
	}
}

func lower(m, n int) int32 { return int32(m*(m+1)/2 + n) }
