package tree

import (
	"cmp"
	"math"
	"slices"

	"dagscope/explain/numbers"
	"dagscope/internal/interval"
)

// Difference is what two runs of one tree computed on each node, slice by
// slice: rows by node and slice, for those where either did anything. Nodes are
// the same that have the same number.
type Difference struct {
	Key   []int64
	Slice []int32
	A, B  []float64 // ns of workers
	// Sum is, by slice, what b has computed more than a up to its end, on all
	// nodes together, ns.
	Sum []float64
}

// Compare subtracts the loads of two runs, b − a, slice by slice.
func Compare(a, b *Tree, cut interval.Slices) *Difference {
	type place struct {
		key   int64
		slice int32
	}
	loads := map[place][2]float64{}
	for side, t := range []*Tree{a, b} {
		u := t.ByNode(cut, interval.ExistingPart)
		for i, node := range u.Of {
			at := place{t.Key(node), u.Slice[i]}
			load := loads[at]
			load[side] = u.Busy[i]
			loads[at] = load
		}
	}
	places := make([]place, 0, len(loads))
	for p := range loads {
		places = append(places, p)
	}
	slices.SortFunc(places, func(x, y place) int { return cmp.Or(cmp.Compare(x.key, y.key), cmp.Compare(x.slice, y.slice)) })
	d := &Difference{Sum: make([]float64, cut.Len())}
	for _, p := range places {
		load := loads[p]
		d.Key, d.Slice = append(d.Key, p.key), append(d.Slice, p.slice)
		d.A, d.B = append(d.A, load[0]), append(d.B, load[1])
		d.Sum[p.slice] += load[1] - load[0]
	}
	for s := 1; s < len(d.Sum); s++ {
		d.Sum[s] += d.Sum[s-1]
	}
	return d
}

// Table has a row for each node and slice, in whole ns, with what b has computed
// more on all nodes up to the slice's end.
func (d *Difference) Table(cut interval.Slices) *numbers.Table {
	n := len(d.Key)
	start, a, b, difference, sum := make([]int64, n), make([]int64, n), make([]int64, n), make([]int64, n), make([]int64, n)
	for i, s := range d.Slice {
		start[i], _ = cut.Bounds(int(s))
		a[i], b[i], sum[i] = int64(math.Round(d.A[i])), int64(math.Round(d.B[i])), int64(math.Round(d.Sum[s]))
		difference[i] = b[i] - a[i]
	}
	t := new(numbers.Table)
	t.Add("tree_node", "", d.Key)
	t.Add("start", "ns", start)
	t.Add("a_busy", "ns", a)
	t.Add("b_busy", "ns", b)
	t.Add("difference", "ns", difference)
	t.Add("all_nodes_so_far", "ns", sum)
	return t
}
