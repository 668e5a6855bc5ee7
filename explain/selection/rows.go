package selection

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"

	"dagscope/internal/interval"
	"dagscope/internal/parallel"
	"dagscope/trace"
)

// rows lists the tasks that touch an area in the order of submission. Workers
// mark their tasks side by side in a bit each; a task of several pieces is
// marked once.
func (x *Index) rows(c *chosen) []int32 {
	var all [][]uint64
	var mutex sync.Mutex
	parallel.With(len(c.workers), func() func(int) {
		mine := make([]uint64, (len(x.run.Task.Start)+63)/64)
		mutex.Lock()
		defer mutex.Unlock()
		all = append(all, mine)
		return func(i int) {
			x.touching(c, c.workers[i], func(p int) {
				v := x.lanes.Task[p]
				mine[v/64] |= 1 << (v % 64)
			})
		}
	})
	return marked(all)
}

// marked lists the bits that are set in any of some sets, in order.
func marked(sets [][]uint64) []int32 {
	if len(sets) == 0 {
		return nil
	}
	n, union := 0, sets[0]
	for i := range union {
		for _, s := range sets[1:] {
			union[i] |= s[i]
		}
		n += bits.OnesCount64(union[i])
	}
	rows := make([]int32, 0, n)
	for i, word := range union {
		for ; word != 0; word &= word - 1 {
			rows = append(rows, int32(i*64+bits.TrailingZeros64(word)))
		}
	}
	return rows
}

// sorted puts rows into the order that a page asks for, as far as the first
// want of them go; the others may be in any order.
func (x *Index) sorted(rows []int32, p Page, want int) []int32 {
	key := x.sortKey(p.Sort)
	keys := make([]int64, len(rows))
	chunk(len(rows), func(from, to int) {
		for i := from; i < to; i++ {
			if keys[i] = key(rows[i]); p.Desc && keys[i] != last {
				keys[i] = ^keys[i]
			}
		}
	})
	if want < len(rows) {
		rows, keys = least(rows, keys, want)
	}
	out := make([]int32, len(rows))
	for i, k := range interval.Order(keys) {
		out[i] = rows[k]
	}
	return out
}

// last is the key of what comes last in either direction.
const last = math.MaxInt64

// chunk calls f for ranges that make up [0, n), side by side.
func chunk(n int, f func(from, to int)) {
	const size = 1 << 16
	parallel.For((n+size-1)/size, func(i int) { f(i*size, min(n, (i+1)*size)) })
}

// sampled is how many keys tell how the others are spread.
const sampled = 1 << 10

// least keeps the rows with the want smallest keys, and some more, in the order
// in which they came: no more than are below a key that a sample shows to be
// above enough of them. All are kept where the sample cannot tell.
func least(rows []int32, keys []int64, want int) ([]int32, []int64) {
	limit, ok := limitOf(keys, want)
	if !ok {
		return rows, keys
	}
	var keptRows []int32
	var keptKeys []int64
	for i, k := range keys {
		if k <= limit {
			keptRows, keptKeys = append(keptRows, rows[i]), append(keptKeys, k)
		}
	}
	if len(keptRows) < want {
		return rows, keys
	}
	return keptRows, keptKeys
}

// limitOf guesses a key that is not less than the want smallest, from evenly
// spaced ones: want's share of the sample and three standard deviations more.
func limitOf(keys []int64, want int) (limit int64, ok bool) {
	if len(keys) < 16*sampled {
		return 0, false
	}
	sample := make([]int64, sampled)
	for i := range sample {
		sample[i] = keys[i*len(keys)/sampled]
	}
	slices.Sort(sample)
	rank := float64(want) / float64(len(keys)) * sampled
	if i := int(rank + 3*math.Sqrt(rank+1)); i < sampled/2 {
		return sample[i], true
	}
	return 0, false
}

// sortKey is the number that rows are sorted by.
func (x *Index) sortKey(sort string) func(row int32) int64 {
	t := &x.run.Task
	switch sort {
	case "end":
		return func(row int32) int64 { return t.End[row] }
	case "duration":
		return x.durationOf
	case "kind":
		rank := x.kindRank()
		return func(row int32) int64 { return rank[t.Kind.Index[row]+1] }
	case "worker":
		return func(row int32) int64 { return int64(t.Worker[row]) }
	case "key":
		return x.keyOrder()
	case "ready_delay":
		return x.readyDelay
	}
	return func(row int32) int64 { return t.Start[row] }
}

// kindRank is the place of each kind plus one in the order of their names.
func (x *Index) kindRank() []int64 {
	rank := make([]int64, 1+len(x.run.Task.Kind.Dict))
	for place, k := range x.kindOrder() {
		rank[k+1] = int64(place)
	}
	return rank
}

// keyOrder orders names as trace.Keys.Compare does: "a9" before "a10".
func (x *Index) keyOrder() func(row int32) int64 {
	keys := &x.run.Task.Key
	order := make([]int32, len(keys.Prefix))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(keys.Prefix[a], keys.Prefix[b]) })
	rank := make([]int64, len(order))
	for place, i := range order {
		rank[i] = int64(place)
	}
	return func(row int32) int64 {
		if keys.Code[row] < 0 {
			return trace.NoKey
		}
		prefix, number := keys.Split(keys.Code[row])
		return rank[prefix]<<40 | number
	}
}

// readyDelay is the time from ready to start, last if it is not known.
func (x *Index) readyDelay(row int32) int64 {
	if ready := x.run.Task.Ready[row]; ready != trace.NoTime {
		return x.run.Task.Start[row] - ready
	}
	return last
}

// checkSort says what is wrong with an order.
func checkSort(sort string) error {
	if sort != "" && !slices.Contains(Sorts, sort) {
		return fmt.Errorf("sort tasks by %q: want one of %q", sort, Sorts)
	}
	return nil
}
