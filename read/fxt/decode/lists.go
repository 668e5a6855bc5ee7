package decode

import (
	"dagscope/read/assemble"
)

// ordered is what a stable counting sort by row gives: the entries of row i are
// entry[first[i]:first[i+1]].
type ordered struct {
	first []int64
	entry []int32
}

// of are the entries of a row.
func (o ordered) of(row int) []int32 { return o.entry[o.first[row]:o.first[row+1]] }

// order32 sorts entries by their row, of which there are n.
func order32(row []int32, n int) ordered {
	o := ordered{make([]int64, n+1), make([]int32, len(row))}
	for _, v := range row {
		o.first[v+1]++
	}
	for i := range n {
		o.first[i+1] += o.first[i]
	}
	next := append([]int64(nil), o.first...)
	for i, v := range row {
		o.entry[next[v]] = int32(i)
		next[v]++
	}
	return o
}

// gather makes lists of what the entries hold.
func gather(o ordered, value func(entry int32) int64) assemble.Lists {
	l := assemble.Lists{First: o.first, Values: make([]int64, len(o.entry))}
	for i, entry := range o.entry {
		l.Values[i] = value(entry)
	}
	return l
}

// gatherSome is gather for lists that some entries are not in.
func gatherSome(o ordered, value func(entry int32) (int64, bool)) assemble.Lists {
	l := assemble.Lists{First: make([]int64, len(o.first)), Values: make([]int64, 0, len(o.entry))}
	for row := range len(o.first) - 1 {
		for _, entry := range o.of(row) {
			if v, ok := value(entry); ok {
				l.Values = append(l.Values, v)
			}
		}
		l.First[row+1] = int64(len(l.Values))
	}
	return l
}

// keptLists are the lists of the rows that are kept.
func keptLists(l assemble.Lists, keep []bool) assemble.Lists {
	out := assemble.Lists{}
	for row, k := range keep {
		if k {
			out.Append(l.At(row)...)
		}
	}
	return out
}

// kept are the values of the rows that are kept, in the same memory.
func kept[T any](values []T, keep []bool) []T {
	out := values[:0]
	for i, v := range values {
		if keep[i] {
			out = append(out, v)
		}
	}
	return out
}

// kept marks which rows of Task are not excluded, nil if none is.
func (t *tasks) kept() []bool {
	some := false
	keep := make([]bool, len(t.more))
	for i := range t.more {
		keep[i] = !t.more[i].excluded
		some = some || !keep[i]
	}
	if !some {
		return nil
	}
	return keep
}

// keepTasks takes rows out of all columns of Task.
func (r *rank) keepTasks(keep []bool) {
	c := &r.out.Task
	c.Control.Index, c.Job.Code = kept(c.Control.Index, keep), kept(c.Job.Code, keep)
	c.Name.Index, c.Model.Index = kept(c.Name.Index, keep), kept(c.Model.Index, keep)
	c.File.Index, c.Line = kept(c.File.Index, keep), kept(c.Line, keep)
	c.Parameters.Index, c.Numa.Index = kept(c.Parameters.Index, keep), kept(c.Numa.Index, keep)
	c.Order, c.Priority, c.Tag = kept(c.Order, keep), kept(c.Priority, keep), kept(c.Tag, keep)
	c.Worker, c.MemoryNode, c.Rank = kept(c.Worker, keep), kept(c.MemoryNode, keep), kept(c.Rank, keep)
	c.Submit, c.Ready = kept(c.Submit, keep), kept(c.Ready, keep)
	c.Start, c.End = kept(c.Start, keep), kept(c.End, keep)
	c.Footprint, c.GFlop = kept(c.Footprint, keep), kept(c.GFlop, keep)
	c.Iteration, c.Subiteration = kept(c.Iteration, keep), kept(c.Subiteration, keep)
	for _, l := range []*assemble.Lists{&c.DependsOn, &c.EndDependsOn, &c.Handles, &c.Modes, &c.Sizes} {
		*l = keptLists(*l, keep)
	}
}
