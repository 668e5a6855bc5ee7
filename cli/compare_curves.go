package cli

import (
	"fmt"
	"io"
	"math"

	"dagscope/explain/compare"
	"dagscope/explain/query"
	"dagscope/explain/tree"
	"dagscope/show/panel"
	"dagscope/trace"
)

// curve prints what two runs differ by over time; asked is false where neither
// curve is wanted.
func (f *compareFlags) curve(w io.Writer, a, b *trace.Run) (asked bool, err error) {
	var t *panel.Table
	switch {
	case f.gflops:
		t, err = f.workTable(a, b)
	case f.tree:
		t, err = f.treeTable(a, b)
	default:
		return false, nil
	}
	if err != nil {
		return true, err
	}
	return true, f.writeTable(w, t)
}

func (f *compareFlags) writeTable(w io.Writer, t *panel.Table) error {
	switch {
	case f.csv:
		return query.WriteCSV(w, newTableRows(t, false))
	case f.json:
		return query.WriteJSON(w, newTableRows(t, false))
	}
	return query.WriteTable(w, newTableRows(t, true))
}

// slices cut the longer of two runs.
func (f *compareFlags) slices(a, b *trace.Run) (compare.Slices, error) {
	if !(f.step >= 1e-6 && f.step <= maxMS) {
		return compare.Slices{}, usagef("found --step %v, want milliseconds above 0", f.step)
	}
	cut := compare.Cut(a, b, nanoseconds(f.step))
	if most := 1 << 22; cut.Len() > most {
		return cut, usagef("found --step %v, want at most %d slices of the longer run", f.step, most)
	}
	return cut, nil
}

// workTable has a row at the end of each slice.
func (f *compareFlags) workTable(a, b *trace.Run) (*panel.Table, error) {
	c, ok := compare.Work(a, b, f.counted)
	if !ok {
		return nil, fmt.Errorf("compare work: found a run whose tasks declare no work, want GFlop in both (task.gflop)")
	}
	cut, err := f.slices(a, b)
	if err != nil {
		return nil, err
	}
	n := cut.Len()
	at := make([]int64, n)
	var columns [3][]float64
	for i := range n {
		_, at[i] = cut.Bounds(i)
		row := c.At(at[i])
		for k, from := range [][]float64{c.A, c.B, c.Difference} {
			v := 0.0
			if row >= 0 {
				v = from[row]
			}
			columns[k] = append(columns[k], v)
		}
	}
	return &panel.Table{Columns: []panel.Column{{Name: "time", Unit: "ns"}, {Name: "a_done", Unit: "GFlop"}, {Name: "b_done", Unit: "GFlop"},
		{Name: "faster_minus_slower", Unit: "GFlop"}}, Data: []any{at, columns[0], columns[1], columns[2]}}, nil
}

// treeTable has a row for each tree node and slice, and what was computed more
// on all nodes up to then.
func (f *compareFlags) treeTable(a, b *trace.Run) (*panel.Table, error) {
	var trees [2]*tree.Tree
	for i, run := range []*trace.Run{a, b} {
		t, err := tree.New(run)
		if err != nil {
			return nil, fmt.Errorf("compare trees: run %s: %w", []string{"A", "B"}[i], err)
		}
		trees[i] = t
	}
	cut, err := f.slices(a, b)
	if err != nil {
		return nil, err
	}
	d := tree.Compare(trees[0], trees[1], cut)
	start, sum := make([]int64, len(d.Key)), make([]int64, len(d.Key))
	ns := func(values []float64) []int64 {
		out := make([]int64, len(values))
		for i, v := range values {
			out[i] = int64(math.Round(v))
		}
		return out
	}
	x, y, all := ns(d.A), ns(d.B), ns(d.Sum)
	difference := make([]int64, len(x))
	for i, s := range d.Slice {
		start[i], _ = cut.Bounds(int(s))
		difference[i], sum[i] = y[i]-x[i], all[s]
	}
	return &panel.Table{Columns: []panel.Column{{Name: "tree_node"}, {Name: "start", Unit: "ns"}, {Name: "a_busy", Unit: "ns"}, {Name: "b_busy", Unit: "ns"},
		{Name: "difference", Unit: "ns"}, {Name: "all_nodes_so_far", Unit: "ns"}}, Data: []any{d.Key, start, x, y, difference, sum}}, nil
}
