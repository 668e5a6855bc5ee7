package trace

import (
	"cmp"
	"math/bits"
	"slices"
)

// Tables are sorted by a few columns of integers. Rather than by comparing rows
// column by column, they are sorted by the columns' values packed side by side
// into words, digit by digit (an LSD radix sort): several times faster, and in
// order already where most tables are.

// sortColumn is one of the columns that rows are sorted by.
type sortColumn interface {
	rows() int
	// span is the smallest value and the number of bits that hold the distance
	// of any other from it.
	span() (low int64, width int)
	// pack shifts each word and adds the distance of its row, from … on, from low.
	pack(words []uint64, from int, low int64, width int)
	// ascends tells whether the rows are sorted by this column alone.
	ascends() bool
}

type integers[T int32 | int64] []T

func by[T int32 | int64](column []T) sortColumn { return integers[T](column) }

func (c integers[T]) rows() int { return len(c) }

func (c integers[T]) span() (int64, int) {
	low, high := c[0], c[0]
	for _, v := range c {
		low, high = min(low, v), max(high, v)
	}
	return int64(low), bits.Len64(uint64(high) - uint64(low))
}

func (c integers[T]) pack(words []uint64, from int, low int64, width int) {
	for i, v := range c[from : from+len(words)] {
		words[i] = words[i]<<width | (uint64(v) - uint64(low))
	}
}

func (c integers[T]) ascends() bool {
	for i := 1; i < len(c); i++ {
		if c[i] < c[i-1] {
			return false
		}
	}
	return true
}

// rowSorter sorts tables one after the other, in the same memory.
type rowSorter struct {
	keys       []uint64 // by row
	perm, next []int32
}

// sort returns the stable permutation that sorts n rows by the columns, the
// first one first, or nil when they are sorted already (the usual case: readers
// append in time order). It is valid until the next sort.
func (s *rowSorter) sort(n int, columns ...sortColumn) []int32 {
	if n < 2 {
		return nil
	}
	words := wordsOf(columns)
	if ascend(n, words) {
		return nil
	}
	s.perm, s.next = sized(s.perm, n), sized(s.next, n)
	if len(words) == 1 {
		s.pack(n, words[0])
		if s.insertLate() {
			return s.perm
		}
	}
	// Rows that ascend by the last column stay in that order.
	for len(columns) > 1 && columns[len(columns)-1].ascends() {
		columns = columns[:len(columns)-1]
		words = wordsOf(columns)
	}
	for i := range s.perm {
		s.perm[i] = int32(i)
	}
	for _, w := range slices.Backward(words) {
		s.pack(n, w)
		for shift := 0; shift < w.width; shift += digitBits {
			s.byDigit(shift)
		}
	}
	return s.perm
}

// sized is a slice of n elements, the same one if it is large enough.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

func (s *rowSorter) pack(n int, w sortWord) {
	s.keys = sized(s.keys, n)
	clear(s.keys)
	w.fill(s.keys, 0)
}

// insertLate sorts rows of which few come after a greater one (of spans that
// were written when they ended, those around others): these are sorted, and
// merged with the rest. It declines where they are many.
func (s *rowSorter) insertLate() bool {
	late, greatest := s.next[:0], uint64(0)
	for row, key := range s.keys {
		switch {
		case key >= greatest:
			greatest = key
		case len(late) < len(s.keys)/8:
			late = append(late, int32(row))
		default:
			return false
		}
	}
	before := func(x, y int32) int { return cmp.Or(cmp.Compare(s.keys[x], s.keys[y]), cmp.Compare(x, y)) }
	slices.SortFunc(late, before)
	perm := s.perm[:0]
	greatest = 0
	for i, key := range s.keys {
		if key < greatest {
			continue // late
		}
		greatest = key
		for len(late) > 0 && before(late[0], int32(i)) < 0 {
			perm, late = append(perm, late[0]), late[1:]
		}
		perm = append(perm, int32(i))
	}
	s.perm = append(perm, late...)
	return true
}

// digitBits is the size of the digits of the radix sort.
const digitBits = 11

// byDigit sorts by one digit of the keys; rows in which it is equal stay as
// they are.
func (s *rowSorter) byDigit(shift int) {
	const mask = 1<<digitBits - 1
	var first [mask + 1]int32
	for _, key := range s.keys {
		first[key>>shift&mask]++
	}
	sum := int32(0)
	for digit, count := range first {
		first[digit] = sum
		sum += count
	}
	for _, row := range s.perm {
		digit := s.keys[row] >> shift & mask
		s.next[first[digit]] = row
		first[digit]++
	}
	s.perm, s.next = s.next, s.perm
}

// sortWord is columns whose values fit into 64 bits side by side.
type sortWord struct {
	columns []packed
	width   int // bits in all
}

type packed struct {
	sortColumn
	low   int64
	width int
}

// wordsOf distributes columns over as few words as come one after the other.
// Those whose values are all equal are left out.
func wordsOf(columns []sortColumn) (words []sortWord) {
	for _, c := range columns {
		low, width := c.span()
		if width == 0 {
			continue
		}
		if len(words) == 0 || words[len(words)-1].width+width > 64 {
			words = append(words, sortWord{})
		}
		w := &words[len(words)-1]
		w.columns = append(w.columns, packed{c, low, width})
		w.width += width
	}
	return words
}

// fill packs the rows from … on.
func (w *sortWord) fill(words []uint64, from int) {
	for _, c := range w.columns {
		c.pack(words, from, c.low, c.width)
	}
}

// sortBlock is how many rows are packed at a time to see whether they ascend.
const sortBlock = 1 << 10

// ascend tells whether n rows are sorted by the words, the first one first.
func ascend(n int, words []sortWord) bool {
	above := make([]bool, sortBlock) // the row comes after the one before by an earlier word
	block := make([]uint64, sortBlock)
	// Blocks share a row, so that each row but the first is compared.
	for from := 0; from < n-1; from += sortBlock - 1 {
		rows := block[:min(sortBlock, n-from)]
		clear(above)
		for i := range words {
			clear(rows)
			words[i].fill(rows, from)
			for k := 1; k < len(rows); k++ {
				if rows[k] < rows[k-1] && !above[k] {
					return false
				}
				above[k] = above[k] || rows[k] > rows[k-1]
			}
		}
	}
	return true
}
