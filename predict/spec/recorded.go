package spec

import (
	"slices"

	"dagscope/internal/stat"
	"dagscope/predict/starpu"
	"dagscope/predict/workload"
	"dagscope/trace"
)

// What a trace shows of the runtime's settings and of the program is repeated where
// the spec does not say otherwise. Simulated runs keep what they had themselves.

// traced reports whether a recording is a trace, not a simulation of ours.
func (from *recording) traced() bool {
	if from == nil || timeless(from.run) {
		return false
	}
	p := from.run.Meta.Platform
	return p == nil || p.Machine == ""
}

// costs are those that a trace of StarPU under SimGrid shows not to have been
// simulated: submissions, transfers and allocations that took no time.
func (from *recording) costs(c starpu.Costs) starpu.Costs {
	if !from.traced() {
		return c
	}
	if gaps := from.gaps(); len(gaps) > 0 && stat.Quantile(gaps, 0.9) == 0 {
		c.Submit, c.Push, c.Fetch = 0, 0, 0
	}
	t := &from.run.Transfer
	took := int64(0)
	moved := 0
	for i := range t.Start {
		if t.Kind.At(i) != trace.TransferMPI && t.Bytes[i] > 0 && t.End[i] != trace.NoTime && t.Start[i] != trace.NoTime {
			took = max(took, t.End[i]-t.Start[i])
			moved++
		}
	}
	const polls = 50_000 // ns until a transfer of no length is found to have ended
	if moved > 0 && took < polls {
		c.Transfer, c.Queue = false, 0
	}
	if longest, some := from.allocations(); some && longest < int64(c.Malloc)/2 {
		c.Malloc, c.Free, c.Pin = 0, 0, 0
	}
	return c
}

// allocations is how long the longest allocation on a device took.
func (from *recording) allocations() (longest int64, some bool) {
	e := &from.run.Event
	begun := make(map[int32]int64) // by memory
	for i, at := range e.Resource {
		switch e.Kind.At(i) {
		case "Allocating Start":
			begun[at] = e.Time[i]
		case "Allocating End":
			if start, ok := begun[at]; ok && from.device(at) {
				longest, some = max(longest, e.Time[i]-start), true
			}
		}
	}
	return longest, some
}

// device reports whether a worker below the memory of a resource drives a device.
func (from *recording) device(at int32) bool {
	re := &from.run.Resource
	if at < 0 || int(at) >= len(re.Parent) {
		return false
	}
	memory := at
	if re.Level.At(int(at)) != trace.LevelMemory && re.Parent[at] != trace.None {
		memory = re.Parent[at]
	}
	return re.Index[memory] > 0
}

// gaps are the times between submissions that follow each other on the same node.
func (from *recording) gaps() (gaps []int64) {
	for _, g := range from.submissions() {
		gaps = append(gaps, g.ns)
	}
	return gaps
}

// gap is the time between two submissions on a node.
type gap struct {
	task      int // of the graph: the later
	from, end int64
	ns        int64
}

func (from *recording) submissions() (all []gap) {
	t := &from.run.Task
	last := make(map[int32]int64)
	for i, row := range from.rows {
		at := t.Submit[row]
		if at == trace.NoTime {
			continue
		}
		node := int32(0)
		if w := t.Worker[row]; w != trace.None {
			node = max(from.run.Resource.Node[w], 0)
		}
		if before, known := last[node]; known && at >= before {
			all = append(all, gap{i, before, at, at - before})
		}
		last[node] = at
	}
	return all
}

// pauses are what the program took before each submission beyond what the simulator
// has it take: of gaps between submissions in which it did not wait for tasks. Under
// SimGrid, where all of the runtime's own is simulated, only long ones count.
func (from *recording) pauses(g *workload.Graph, c starpu.Costs) []int64 {
	if !from.traced() || c.Submit == 0 {
		return nil
	}
	gaps := from.submissions()
	round := 0
	for _, x := range gaps {
		if x.ns%1000 == 0 {
			round++
		}
	}
	least := int64(0)
	if round > len(gaps)/2 { // SimGrid's clock
		least = 100_000
	}
	waits := from.waits()
	pause := make([]int64, g.Tasks())
	some := false
	for _, x := range gaps {
		ns := x.ns - int64(c.Submit+c.Push)
		if ns <= least || waits.meet(x.from, x.end) {
			continue
		}
		pause[x.task], some = ns, true
	}
	if !some {
		return nil
	}
	return pause
}

// spans of time, in order.
type spans []struct{ start, end int64 }

// meet reports whether one of the spans overlaps another.
func (s spans) meet(start, end int64) bool {
	i, _ := slices.BinarySearchFunc(s, start, func(x struct{ start, end int64 }, at int64) int {
		if x.end <= at {
			return -1
		}
		return 1
	})
	return i < len(s) && s[i].start < end
}

// waits are when programs waited for tasks, for their window, or for data.
func (from *recording) waits() (all spans) {
	s := &from.run.State
	for i := range s.Start {
		switch s.Kind.At(i) {
		case "Throttling task submission", "Waiting all tasks", "Waiting task":
			all = append(all, struct{ start, end int64 }{s.Start[i], s.End[i]})
		}
	}
	slices.SortFunc(all, func(a, b struct{ start, end int64 }) int { return int(min(1, max(-1, a.start-b.start))) })
	return all
}

// pipeline is how many tasks devices had: none beyond the one that ran if no device
// took a task while it ran another; usual where nothing shows.
func (from *recording) pipeline(usual int) int {
	if !from.traced() {
		return usual
	}
	e, t := &from.run.Event, &from.run.Task
	popped := make(map[int32]int64) // by task
	for i := range e.Time {
		if e.Kind.At(i) == "Task Pop" && e.Task[i] != trace.None {
			popped[e.Task[i]] = e.Time[i]
		}
	}
	if len(popped) == 0 {
		return usual
	}
	byStart := slices.Clone(from.rows)
	slices.SortStableFunc(byStart, func(a, b int32) int { return int(min(1, max(-1, t.Start[a]-t.Start[b]))) })
	before := make(map[int32]int32) // last task by worker
	pairs, ahead := 0, 0
	for _, row := range byStart {
		w := t.Worker[row]
		if w == trace.None || from.run.Resource.Arch.At(int(w)) == "cpu" {
			continue
		}
		if last, ran := before[w]; ran {
			if at, known := popped[row]; known {
				pairs++
				if at < t.End[last] {
					ahead++
				}
			}
		}
		before[w] = row
	}
	const enough = 20
	if pairs >= enough && ahead == 0 {
		return 0
	}
	return usual
}

// cached reports whether nodes kept what they had received, as far as the number of
// messages shows: without, each task has what it reads sent.
func (from *recording) cached(g *workload.Graph) bool {
	if !from.traced() || g.Owner == nil || g.Node == nil {
		return true
	}
	sent := 0
	t := &from.run.Transfer
	for i := range t.Start {
		if t.Kind.At(i) == trace.TransferMPI {
			sent++
		}
	}
	with, without := messages(g)
	return sent == 0 || sent-with <= without-sent
}

// messages is how many a distributed program sends if nodes keep what they received
// until it is written or flushed, and if they do not.
func messages(g *workload.Graph) (with, without int) {
	kept := make([]map[int32]bool, len(g.Bytes))
	hints := g.Hints
	for t := range g.Class {
		for ; len(hints) > 0 && int(hints[0].After) <= t; hints = hints[1:] {
			kept[hints[0].Handle] = nil
		}
		node := g.Node[t]
		for x := g.AccessAt[t]; x < g.AccessAt[t+1]; x++ {
			h, m := g.Handle[x], g.Mode[x]
			if m&workload.Scratch != 0 {
				continue
			}
			if m&workload.Read != 0 && g.Owner[h] != node {
				without++
				if !kept[h][node] {
					with++
					if kept[h] == nil {
						kept[h] = make(map[int32]bool)
					}
					kept[h][node] = true
				}
			}
			if m&workload.Write != 0 {
				if g.Owner[h] != node {
					with, without = with+1, without+1
				}
				kept[h] = nil
			}
		}
	}
	return with, without
}
