package replay

// blockRows is a power of two: a column grows by blocks, which are not moved.
const (
	blockBits = 16
	blockRows = 1 << blockBits
	blockMask = blockRows - 1
)

// column is a growing column of numbers. Unlike an appended slice it never
// holds twice what is in it.
type column[T any] struct {
	blocks [][]T
	last   []T
}

func (c *column[T]) add(v T) {
	n := len(c.last)
	if n == cap(c.last) {
		c.grow()
		n = len(c.last)
	}
	c.last = c.last[:n+1]
	c.last[n] = v
}

// grow begins a block; the first one starts small, for short runs and many threads.
func (c *column[T]) grow() {
	switch n := cap(c.last); {
	case n < blockRows && len(c.blocks) <= 1:
		grown := make([]T, len(c.last), min(blockRows, max(64, 4*n)))
		copy(grown, c.last)
		c.blocks, c.last = [][]T{grown[:cap(grown)]}, grown
	default:
		c.last = make([]T, 0, blockRows)
		c.blocks = append(c.blocks, c.last[:blockRows])
	}
}

func (c *column[T]) at(i int32) *T { return &c.blocks[i>>blockBits][i&blockMask] }

func (c *column[T]) len() int {
	if len(c.blocks) == 0 {
		return 0
	}
	return (len(c.blocks)-1)<<blockBits + len(c.last)
}

// drop removes the last row.
func (c *column[T]) drop() { c.last = c.last[:len(c.last)-1] }

// take appends the rows to a slice of the right size and lets go of them.
func (c *column[T]) take(into []T) []T {
	for i, b := range c.blocks {
		if i == len(c.blocks)-1 {
			b = c.last
		}
		into = append(into, b...)
		c.blocks[i] = nil
	}
	*c = column[T]{}
	return into
}

// slice is the whole column as one slice.
func (c *column[T]) slice() []T { return c.take(make([]T, 0, c.len())) }
