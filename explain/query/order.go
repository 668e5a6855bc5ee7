package query

import (
	"math"
	"slices"
	"sync/atomic"
)

// usualNumbers is how many numbers all queries of the program together may hold
// for median and quantile at a time, 8 bytes each, unless a run has a table of
// more rows. It bounds joins, which make more rows than a run has.
const usualNumbers = 16 << 20

// room is what is left of it.
var room = newReserve(usualNumbers)

type reserve struct{ all, left atomic.Int64 }

func newReserve(n int64) *reserve {
	r := &reserve{}
	r.atLeast(n)
	return r
}

// atLeast makes room for n in all.
func (r *reserve) atLeast(n int64) {
	for all := r.all.Load(); n > all; all = r.all.Load() {
		if r.all.CompareAndSwap(all, n) {
			r.left.Add(n - all)
			return
		}
	}
}

func (r *reserve) take(n int) bool {
	if r.left.Add(-int64(n)) < 0 {
		r.left.Add(int64(n))
		return false
	}
	return true
}

// order holds numbers that an order statistic is wanted of, in any order. They lie
// in parts, so that taking more copies none but a few, and the statistic is
// found where they lie: nothing is held twice.
type order struct {
	room  *reserve
	parts [][]float64 // all full but the last, none empty
	n     int
}

// partLength is how many numbers a part holds; the first one grows to it.
const partLength = 8192

// add takes a number; false if there is no room.
func (s *order) add(v float64) bool {
	last := len(s.parts) - 1
	if last < 0 || len(s.parts[last]) == cap(s.parts[last]) {
		if !s.grow() {
			return false
		}
		last = len(s.parts) - 1
	}
	s.parts[last] = append(s.parts[last], v)
	s.n++
	return true
}

func (s *order) grow() bool {
	switch {
	case len(s.parts) == 0:
		if !s.room.take(16) {
			return false
		}
		s.parts = append(s.parts, make([]float64, 0, 16))
	case cap(s.parts[0]) < partLength:
		old := s.parts[0]
		if !s.room.take(cap(old)) {
			return false
		}
		s.parts[0] = append(make([]float64, 0, 2*cap(old)), old...)
	default:
		if !s.room.take(partLength) {
			return false
		}
		s.parts = append(s.parts, make([]float64, 0, partLength))
	}
	return true
}

// remove drops one number that equals v, if there is one.
func (s *order) remove(v float64) {
	for i, part := range s.parts {
		at := slices.Index(part, v)
		if at < 0 {
			continue
		}
		last := len(s.parts) - 1
		end := len(s.parts[last]) - 1
		s.parts[i][at] = s.parts[last][end]
		s.parts[last] = s.parts[last][:end]
		if s.n--; end == 0 {
			s.room.take(-cap(s.parts[last]))
			s.parts = s.parts[:last]
		}
		return
	}
}

func (s *order) clear() {
	for _, part := range s.parts {
		s.room.take(-cap(part))
	}
	s.parts, s.n = nil, 0
}

// two are the order statistics i and i+1 from 0, the last one twice at the end.
func (s *order) two(i int) (low, high float64) {
	if len(s.parts) == 1 {
		part := s.parts[0]
		slices.Sort(part)
		return part[i], part[min(i+1, s.n-1)]
	}
	key, after := s.kth(i)
	if after > 0 {
		return ofKey(key), ofKey(key)
	}
	next := uint64(math.MaxUint64)
	found := false
	for _, part := range s.parts {
		for _, v := range part {
			if k := keyOf(v); k > key && k <= next {
				next, found = k, true
			}
		}
	}
	if !found {
		next = key
	}
	return ofKey(key), ofKey(next)
}

// kth is order statistic k as a key, and how many numbers equal to it come
// after it: a radix selection, 16 bits at a time from the highest.
func (s *order) kth(k int) (key uint64, after int) {
	const digit = 16
	counts := make([]int, 1<<digit)
	mask := uint64(0)
	for shift := 64 - digit; shift >= 0; shift -= digit {
		clear(counts)
		for _, part := range s.parts {
			for _, v := range part {
				if x := keyOf(v); x&mask == key {
					counts[x>>shift&(1<<digit-1)]++
				}
			}
		}
		d := 0
		for ; k >= counts[d]; d++ {
			k -= counts[d]
		}
		key |= uint64(d) << shift
		mask |= (1<<digit - 1) << shift
		after = counts[d] - k - 1
	}
	return key, after
}

// keyOf is a number's place in the order of numbers, -0 before 0.
func keyOf(v float64) uint64 {
	b := math.Float64bits(v)
	if b>>63 != 0 {
		return ^b
	}
	return b | 1<<63
}

func ofKey(k uint64) float64 {
	if k>>63 != 0 {
		return math.Float64frombits(k &^ (1 << 63))
	}
	return math.Float64frombits(^k)
}
