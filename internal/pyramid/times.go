package pyramid

import (
	"slices"
	"sort"
)

// times are sorted instants with the sum of those before each block. Instants
// are kept by their distance from the first of their block, in as few bytes as
// the widest block needs.
type times struct {
	base, sum []int64  // of each block: its first instant; the sum before it, of all behind the last
	low       []uint32 // lower half of the distance
	mid       []uint8  // what lies above; nil where it is 0 everywhere
	high      []uint32 // and above that, for distances of more than 18 minutes
}

// Bits of the parts of a distance.
const (
	lowBits = 32
	midBits = 8
)

// newTimes sorts the column that it is given and makes times of it.
func newTimes(at []int64) times {
	slices.Sort(at)
	n := (len(at) + block - 1) / block
	t := times{base: make([]int64, n), sum: make([]int64, n+1), low: make([]uint32, len(at))}
	all, widest := int64(0), uint64(0)
	for k := range n {
		t.base[k], t.sum[k] = at[k*block], all
		end := min(len(at), (k+1)*block)
		for i := k * block; i < end; i++ {
			t.low[i] = uint32(at[i] - t.base[k])
			all += at[i]
		}
		widest = max(widest, uint64(at[end-1]-t.base[k]))
	}
	t.sum[n] = all
	t.widen(at, widest)
	return t
}

// widen keeps what of the distances is beyond the lowest bits.
func (t *times) widen(at []int64, widest uint64) {
	if widest>>lowBits > 0 {
		t.mid = make([]uint8, len(at))
	}
	if widest>>(lowBits+midBits) > 0 {
		t.high = make([]uint32, len(at))
	}
	for i := range t.mid {
		t.mid[i] = uint8(uint64(at[i]-t.base[i/block]) >> lowBits)
	}
	for i := range t.high {
		t.high[i] = uint32(uint64(at[i]-t.base[i/block]) >> (lowBits + midBits))
	}
}

func (t *times) len() int { return len(t.low) }

// at is the i-th instant.
func (t *times) at(i int) int64 { return t.base[i/block] + int64(t.distance(i)) }

func (t *times) distance(i int) uint64 {
	d := uint64(t.low[i])
	if t.mid != nil {
		d |= uint64(t.mid[i]) << lowBits
	}
	if t.high != nil {
		d |= uint64(t.high[i]) << (lowBits + midBits)
	}
	return d
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
	base := c.of.base[k]
	if base >= t {
		return false
	}
	until, sum, n := uint64(t-base), uint64(0), 0
	switch rest := c.of.low[c.passed:end]; {
	case c.of.mid == nil:
		for n < len(rest) && uint64(rest[n]) < until {
			sum += uint64(rest[n])
			n++
		}
	case c.of.high == nil:
		mid := c.of.mid[c.passed:end]
		for n < len(rest) && uint64(rest[n])|uint64(mid[n])<<lowBits < until {
			sum += uint64(rest[n]) | uint64(mid[n])<<lowBits
			n++
		}
	default:
		for n < len(rest) && c.of.distance(c.passed+n) < until {
			sum += c.of.distance(c.passed + n)
			n++
		}
	}
	c.passed += n
	c.sum += base*int64(n) + int64(sum)
	return c.passed == end
}
