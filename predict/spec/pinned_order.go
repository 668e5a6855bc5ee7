package spec

import (
	"slices"

	"dagscope/internal/heap"
	"dagscope/predict/workload"
)

// asExecuted is a recorded graph in which updates that commute come in the order in
// which they ran, and the rows of its tasks. A program that submits them so has each
// wait for the one before; the other tasks keep their order as far as that allows. The
// graph stays as it is if it has no such updates, tasks without work, or no such order.
func (from *recording) asExecuted(g *workload.Graph) (*workload.Graph, []int32) {
	if g.Sync != nil || g.Explicit || len(g.From) > 0 || !slices.ContainsFunc(g.Mode, func(m workload.Mode) bool { return m&workload.Commute != 0 }) {
		return g, from.rows
	}
	order := from.executed(g)
	if order == nil {
		return g, from.rows
	}
	out := *g
	out.Mode = nil
	out.Handle, out.AccessAt = nil, []int32{0}
	rows, at := make([]int32, len(order)), make([]int32, len(order)) // new position by task
	for k, t := range order {
		rows[k], at[t] = from.rows[t], int32(k)
		for x := g.AccessAt[t]; x < g.AccessAt[t+1]; x++ {
			out.Handle, out.Mode = append(out.Handle, g.Handle[x]), append(out.Mode, g.Mode[x]&^workload.Commute)
		}
		out.AccessAt = append(out.AccessAt, int32(len(out.Handle)))
	}
	out.Class, out.Priority, out.Iteration = permuted(g.Class, order), permuted(g.Priority, order), permuted(g.Iteration, order)
	out.X, out.Y, out.Node = permuted(g.X, order), permuted(g.Y, order), permuted(g.Node, order)
	out.Duration, out.Factor, out.Key = permuted(g.Duration, order), permuted(g.Factor, order), permuted(g.Key, order)
	out.Pause, out.Delay = permuted(g.Pause, order), permuted(g.Delay, order)
	out.StartBytes, out.EndBytes = permuted(g.StartBytes, order), permuted(g.EndBytes, order)
	out.Hints = hintsAfter(g, at)
	return &out, rows
}

// permuted takes the rows of a column in an order; nil of a missing column.
func permuted[T any](column []T, order []int32) []T {
	if column == nil {
		return nil
	}
	out := make([]T, len(order))
	for k, t := range order {
		out[k] = column[t]
	}
	return out
}

// executed is the order of tasks in which updates that commute come as they ran; nil if
// there is none.
func (from *recording) executed(g *workload.Graph) []int32 {
	next, waits := from.sequence(g)
	var ready heap.Pairs[int32, int32]
	for t, n := range waits {
		if n == 0 {
			ready.Push(int32(t), 0, struct{}{})
		}
	}
	order := make([]int32, 0, len(waits))
	for ready.Len() > 0 {
		t := ready.Pop().Key
		order = append(order, t)
		for _, later := range next[t] {
			if waits[later]--; waits[later] == 0 {
				ready.Push(later, 0, struct{}{})
			}
		}
	}
	if len(order) < len(waits) {
		return nil
	}
	return order
}

// sequence is which tasks come after each because of its data, and after how many each
// comes: sequential consistency, with updates that commute in the order in which they ran.
func (from *recording) sequence(g *workload.Graph) (next [][]int32, waits []int32) {
	type access struct {
		task int32
		mode workload.Mode
	}
	of := make([][]access, len(g.Bytes))
	for t := range int32(g.Tasks()) {
		for x := g.AccessAt[t]; x < g.AccessAt[t+1]; x++ {
			if g.Mode[x]&workload.Scratch == 0 {
				of[g.Handle[x]] = append(of[g.Handle[x]], access{t, g.Mode[x]})
			}
		}
	}
	next, waits = make([][]int32, g.Tasks()), make([]int32, g.Tasks())
	cached := g.Node == nil || g.Owner == nil || from.cached(g)
	follow := func(a, b int32) {
		if a != b {
			next[a] = append(next[a], b)
			waits[b]++
		}
	}
	start := from.run.Task.Start
	for h, all := range of {
		for i := 0; i < len(all); {
			k := i + 1
			for k < len(all) && all[i].mode&all[k].mode&workload.Commute != 0 {
				k++
			}
			slices.SortStableFunc(all[i:k], func(a, b access) int {
				return int(max(-1, min(1, start[from.rows[a.task]]-start[from.rows[b.task]])))
			})
			i = k
		}
		writer, readers := int32(-1), []int32(nil)
		received := make(map[int32]int32) // the last task of a node that read what it was sent, if each is sent it again
		for _, a := range all {
			if !cached && g.Node[a.task] != g.Owner[h] {
				if before, some := received[g.Node[a.task]]; some {
					follow(before, a.task)
				}
				received[g.Node[a.task]] = a.task
			}
			if writer >= 0 {
				follow(writer, a.task)
			}
			if a.mode&workload.Write == 0 {
				readers = append(readers, a.task)
				continue
			}
			for _, r := range readers {
				follow(r, a.task)
			}
			writer, readers = a.task, readers[:0]
		}
	}
	return next, waits
}

// hintsAfter are the hints of a graph whose tasks have new positions: each after the
// tasks with its data that it came after.
func hintsAfter(g *workload.Graph, at []int32) []workload.Hint {
	uses := make([][]int32, len(g.Bytes))
	for t := range int32(g.Tasks()) {
		for x := g.AccessAt[t]; x < g.AccessAt[t+1]; x++ {
			uses[g.Handle[x]] = append(uses[g.Handle[x]], t)
		}
	}
	hints := slices.Clone(g.Hints)
	for i := range hints {
		last := int32(0)
		for _, t := range uses[hints[i].Handle] {
			if t < g.Hints[i].After {
				last = max(last, at[t]+1)
			}
		}
		hints[i].After = last
	}
	slices.SortStableFunc(hints, func(a, b workload.Hint) int { return int(a.After - b.After) })
	return hints
}
