package query

import (
	"cmp"
	"slices"

	"dagscope/trace"
)

// index finds the rows that hold a value, so that a join needs no full scan
// per row (SQLite builds automatic indexes for its own tables, not for virtual
// ones). The equivalent simple lookup is a scan for equal values.
type index struct {
	rows []int32 // all rows, by value, then by row

	// Dense values (references): rows of value v are rows[first[v-low]:first[v-low+1]].
	low   int64
	first []int32
	// Others: values[i] is the value of rows[i], ascending.
	values []int64
}

// newIndex indexes a column of integers, or keys by their codes; nil if the
// column holds neither.
func newIndex(data any) *index {
	switch d := data.(type) {
	case []int32:
		return indexOf(d)
	case []int64:
		return indexOf(d)
	case []uint32:
		return indexOf(d)
	case *trace.Keys:
		return indexOf(d.Code)
	}
	return nil
}

func indexOf[T int32 | int64 | uint32](column []T) *index {
	if len(column) == 0 {
		return &index{first: []int32{0}}
	}
	low, high := int64(slices.Min(column)), int64(slices.Max(column))
	// The difference of extremes may overflow int64, not uint64.
	if uint64(high)-uint64(low) < uint64(4*len(column)+1000) {
		return denseIndex(column, low, high)
	}
	return sortedIndex(column)
}

// denseIndex is a counting sort.
func denseIndex[T int32 | int64 | uint32](column []T, low, high int64) *index {
	x := &index{rows: make([]int32, len(column)), low: low, first: make([]int32, high-low+2)}
	for _, v := range column {
		x.first[int64(v)-low+1]++
	}
	for i := 1; i < len(x.first); i++ {
		x.first[i] += x.first[i-1]
	}
	next := slices.Clone(x.first)
	for row, v := range column {
		x.rows[next[int64(v)-low]] = int32(row)
		next[int64(v)-low]++
	}
	return x
}

func sortedIndex[T int32 | int64 | uint32](column []T) *index {
	x := &index{rows: make([]int32, len(column)), values: make([]int64, len(column))}
	for i := range x.rows {
		x.rows[i] = int32(i)
	}
	slices.SortFunc(x.rows, func(a, b int32) int {
		return cmp.Or(cmp.Compare(column[a], column[b]), cmp.Compare(a, b))
	})
	for i, row := range x.rows {
		x.values[i] = int64(column[row])
	}
	return x
}

// find returns the rows that hold v, ascending.
func (x *index) find(v int64) []int32 {
	if x.values == nil {
		i := v - x.low
		if v < x.low || i < 0 || i >= int64(len(x.first)-1) {
			return nil
		}
		return x.rows[x.first[i]:x.first[i+1]]
	}
	from, _ := slices.BinarySearch(x.values, v)
	to := from
	for to < len(x.values) && x.values[to] == v {
		to++
	}
	return x.rows[from:to]
}
