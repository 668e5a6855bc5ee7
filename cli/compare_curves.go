package cli

import (
	"fmt"

	"dagscope/explain/compare"
	"dagscope/explain/numbers"
	"dagscope/explain/tree"
	"dagscope/trace"
)

// table is the one table that is asked for: matched tasks, or what two runs
// differ by over time.
func (f *compareFlags) table(a, b *trace.Run) (*numbers.Table, error) {
	switch {
	case f.tasks:
		return compare.MatchedTasks(a, b, f.options()).Table(), nil
	case f.gflops:
		return f.workTable(a, b)
	}
	return f.treeTable(a, b)
}

// slices cut the longer of two runs.
func (f *compareFlags) slices(a, b *trace.Run) (compare.Slices, error) {
	if !(f.step >= 1e-6 && f.step <= maxMS) {
		return compare.Slices{}, usagef("found --step %v, want milliseconds above 0", f.step)
	}
	cut := compare.Cut(a, b, nanoseconds(f.step))
	if maxSlices := 1 << 22; cut.Len() > maxSlices {
		return cut, usagef("found --step %v, want at most %d slices of the longer run", f.step, maxSlices)
	}
	return cut, nil
}

// workTable has a row at the end of each slice.
func (f *compareFlags) workTable(a, b *trace.Run) (*numbers.Table, error) {
	c, ok := compare.Work(a, b, f.counted)
	if !ok {
		return nil, fmt.Errorf("compare work: found a run whose tasks declare no work, want GFlop in both (task.gflop)")
	}
	cut, err := f.slices(a, b)
	if err != nil {
		return nil, err
	}
	return c.Table(cut), nil
}

// treeTable has a row for each tree node and slice.
func (f *compareFlags) treeTable(a, b *trace.Run) (*numbers.Table, error) {
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
	return tree.Compare(trees[0], trees[1], cut).Table(cut), nil
}
