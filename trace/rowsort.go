package trace

import (
	"cmp"
	"math/bits"
	"slices"
)

// Tables are sorted by a few columns of integers. Rather than by comparing rows
// column by column, they are sorted by the columns' values packed side by side
// into words: several times faster, above all where rows are in order but for
// a few, as those of traces mostly are.

// sortColumn is one of the columns that rows are sorted by.
type sortColumn interface {
	rows() int
	// span is the smallest value and the number of bits that hold the distance
	// of any other from it.
	span() (low int64, width int)
	// pack shifts each word and adds the distance of its row, from … on, from low.
	pack(words []uint64, from int, low int64, width int)
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

// rowSorter sorts tables one after the other, in the same memory.
type rowSorter struct {
	keys       []uint64 // by row
	perm, next []int32
}

// sort returns the stable permutation that sorts n rows by the columns, the
// first one first, or nil when they are sorted already. It is valid until the
// next sort.
func (s *rowSorter) sort(n int, columns ...sortColumn) []int32 {
	if n < 2 {
		return nil
	}
	words := wordsOf(columns)
	if ascend(n, words) {
		return nil
	}
	s.keys, s.perm, s.next = sized(s.keys, n), sized(s.perm, n), sized(s.next, n)
	for i := range s.perm {
		s.perm[i] = int32(i)
	}
	if len(words) == 1 && s.mostlyInTime(words[0]) {
		return s.perm
	}
	for _, w := range slices.Backward(words) {
		s.pack(w)
		s.byBits(0, w.width)
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

// pack makes the word of each row its key.
func (s *rowSorter) pack(w sortWord) {
	clear(s.keys)
	w.fill(s.keys, 0)
}

// mostlyInTime sorts rows that come in the order of their widest column, time,
// but for a few: first by the columns before it, then by moving those few.
func (s *rowSorter) mostlyInTime(w sortWord) bool {
	s.pack(w)
	s.byBits(w.width-w.lead(), w.width)
	return s.insertLate()
}

// insertLate sorts rows of which few come after a greater one (spans are mostly
// written when they end, those around others late): these few are sorted, and
// merged with the rest. It declines where they are many.
func (s *rowSorter) insertLate() bool {
	late, maxKey := s.next[:0], uint64(0)
	for _, row := range s.perm {
		switch key := s.keys[row]; {
		case key >= maxKey:
			maxKey = key
		case len(late) < len(s.perm)/8:
			late = append(late, row)
		default:
			return false
		}
	}
	s.merge(s.inTime(), late)
	return true
}

// inTime brings the rows that come after no greater one to the front.
func (s *rowSorter) inTime() []int32 {
	rows, maxKey := s.perm[:0], uint64(0)
	for _, row := range s.perm {
		if key := s.keys[row]; key >= maxKey {
			maxKey = key
			rows = append(rows, row)
		}
	}
	return rows
}

// merge puts the late rows among those in time, which stand before the room for
// them, from the last on.
func (s *rowSorter) merge(inTime, late []int32) {
	compare := func(x, y int32) int { return cmp.Or(cmp.Compare(s.keys[x], s.keys[y]), cmp.Compare(x, y)) }
	slices.SortFunc(late, compare)
	for to := len(s.perm) - 1; len(late) > 0; to-- {
		from := &late
		if len(inTime) > 0 && compare(late[len(late)-1], inTime[len(inTime)-1]) < 0 {
			from = &inTime
		}
		last := len(*from) - 1
		s.perm[to], *from = (*from)[last], (*from)[:last]
	}
}

// byBits sorts by bits from … to-1 of the keys, digit by digit (an LSD radix
// sort); rows in which they are equal stay as they are.
func (s *rowSorter) byBits(from, to int) {
	const digit = 11
	for ; from < to; from += digit {
		s.byDigit(from, min(digit, to-from))
	}
}

func (s *rowSorter) byDigit(shift, width int) {
	mask := uint64(1)<<width - 1
	first := make([]int32, mask+1)
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
	columns []packedColumn
	width   int // bits in all
}

type packedColumn struct {
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
		w.columns = append(w.columns, packedColumn{c, low, width})
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

// lead is the number of bits of the columns before the widest one.
func (w *sortWord) lead() int {
	bits, widest, lead := 0, 0, 0
	for _, c := range w.columns {
		if c.width > widest {
			widest, lead = c.width, bits
		}
		bits += c.width
	}
	return lead
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
