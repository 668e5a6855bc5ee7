package pyramid

import (
	"math"
	"slices"
	"sort"
)

// times are sorted instants with the sum of those before each block. Instants
// are kept by their distance from the first of their block, which mostly takes
// half the room.
type times struct {
	base, sum []int64  // of each block: its first instant; the sum before it, of all behind the last
	low, high []uint32 // halves of the distance; high is nil where it is 0 everywhere
}

// newTimes sorts the column that it is given and makes times of it.
func newTimes(at []int64) times {
	slices.Sort(at)
	n := (len(at) + block - 1) / block
	t := times{base: make([]int64, n), sum: make([]int64, n+1), low: make([]uint32, len(at))}
	all := int64(0)
	for k := range n {
		t.base[k], t.sum[k] = at[k*block], all
		end := min(len(at), (k+1)*block)
		for i := k * block; i < end; i++ {
			t.low[i] = uint32(at[i] - t.base[k])
			all += at[i]
		}
		if uint64(at[end-1]-t.base[k]) > math.MaxUint32 && t.high == nil {
			t.high = make([]uint32, len(at))
		}
	}
	t.sum[n] = all
	for i := range t.high {
		t.high[i] = uint32(uint64(at[i]-t.base[i/block]) >> 32)
	}
	return t
}

func (t *times) len() int { return len(t.low) }

// at is the i-th instant.
func (t *times) at(i int) int64 {
	at := t.base[i/block] + int64(t.low[i])
	if t.high != nil {
		at += int64(t.high[i]) << 32
	}
	return at
}

type timesCursor struct {
	of     *times
	passed int
	sum    int64 // of the instants passed
}

// since sums the time that has gone by at t since every instant before it.
func (c *timesCursor) since(t int64) int64 {
	if next := c.passed/block + 1; next < len(c.of.base) && c.of.base[next] < t {
		rest := c.of.base[next:]
		k := next + sort.Search(len(rest), func(i int) bool { return rest[i] >= t }) - 1
		c.passed, c.sum = k*block, c.of.sum[k]
	}
	for c.passed < c.of.len() && c.step(t) {
	}
	return t*int64(c.passed) - c.sum
}

// step passes the instants before t of a block; false if there are others.
func (c *timesCursor) step(t int64) bool {
	k := c.passed / block
	end := min(c.of.len(), (k+1)*block)
	if c.of.high != nil {
		for ; c.passed < end && c.of.at(c.passed) < t; c.passed++ {
			c.sum += c.of.at(c.passed)
		}
		return c.passed == end
	}
	base := c.of.base[k]
	if base >= t {
		return false
	}
	rest, until, sum, n := c.of.low[c.passed:end], uint64(t-base), uint64(0), 0
	for n < len(rest) && uint64(rest[n]) < until {
		sum += uint64(rest[n])
		n++
	}
	c.passed += n
	c.sum += base*int64(n) + int64(sum)
	return c.passed == end
}
