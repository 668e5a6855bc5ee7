package report

import (
	"cmp"
	"fmt"
	"slices"

	"dagscope/explain/memory"
	"dagscope/internal/interval"
	"dagscope/internal/words"
)

// Memory says what moved between memories, what their managers did and how well
// room was used (docs/design/methods.md, Memory). Counts are of the whole
// recording, times of the makespan.
type Memory struct {
	Places []MemoryPlace `json:"places"`
	Flows  []MemoryFlow  `json:"flows,omitempty"`
	// Blocks are the pieces of data that moved most, at most 100; dagscope data
	// RUN presence has all.
	Blocks []MemoryBlock `json:"blocks,omitempty"`
	// Coherence says whether the trace has where copies were; residency and what
	// follows from it are absent without.
	Coherence bool `json:"coherence"`
}

// MemoryCounts are what happened to copies.
type MemoryCounts struct {
	Allocations int64 `json:"allocations"`
	Failed      int64 `json:"failed"`
	Repeated    int64 `json:"repeated"` // attempts that followed another though nothing had come in between
	Evictions   int64 `json:"evictions"`
	Refetches   int64 `json:"refetches"` // times that a copy was fetched again after an eviction
	In          int64 `json:"in"`        // transfers
	InBytes     int64 `json:"in_bytes"`
	Out         int64 `json:"out"`
	OutBytes    int64 `json:"out_bytes"`
}

// MemoryTimes are how long copies were there, summed over them; absent where the
// trace does not say.
type MemoryTimes struct {
	Present int64 `json:"present_ns"`
	Owned   int64 `json:"owned_ns"`
	After   int64 `json:"after_last_use_ns"` // after the last use in that memory
	Dead    int64 `json:"dead_ns"`           // after the last use anywhere
}

// MemoryPlace is one memory.
type MemoryPlace struct {
	Place string `json:"place"` // manager as traced
	Name  string `json:"name"`  // RAM, CUDA0, disk …; with its node where there are several
	Node  int32  `json:"node"`
	MemoryCounts
	// Unknown are the attempts to allocate whose blocks the trace does not name:
	// what failed and was repeated is not known of them.
	Unknown    int64 `json:"allocations_of_unknown_blocks,omitempty"`
	Allocating int64 `json:"allocating_ns"`  // time in which its manager was allocating
	Making     int64 `json:"making_room_ns"` // time in which it was making room
	*MemoryTimes
}

// MemoryFlow is what moved from one memory to another for one reason.
type MemoryFlow struct {
	From   string `json:"from"` // managers as traced
	To     string `json:"to"`
	Source string `json:"from_name"` // their names
	Target string `json:"to_name"`
	Node   int32  `json:"node"`
	Reason string `json:"reason"` // fetch, task-prefetch, prefetch, idle-fetch
	Number int64  `json:"transfers"`
	Bytes  int64  `json:"bytes"`
	Time   int64  `json:"time_ns"` // sum of the transfers' times
}

// MemoryBlock is one piece of data, over all memories of its node.
type MemoryBlock struct {
	Block string `json:"block"` // coordinates, else name, else # and row
	Node  int32  `json:"node"`
	Bytes int64  `json:"bytes"`
	MemoryCounts
	*MemoryTimes
}

const mostBlocks = 100

// memories computes the section for runs with several memories.
func (c *computation) memories() {
	places := memory.Places(c.run)
	if len(places) < 2 {
		return
	}
	stays, actions, uses := memory.Stays(c.run, memory.Exact), memory.FindActions(c.run), memory.FindUses(c.run)
	counts := memory.Count(c.run, stays, actions, uses, memory.Always, memory.Forever)
	times := memory.Count(c.run, stays, actions, uses, 0, max(c.r.Makespan, 1))
	m := &Memory{Coherence: stays.Len() > 0}
	c.flows(m)
	if counts.Len() == 0 && len(m.Flows) == 0 {
		return
	}
	c.places(m, places, counts.ByPlace(), times.ByPlace(), actions)
	c.blocks(m, counts, times)
	c.r.Memory = m
}

// memoryName names a memory as figures do.
func (c *computation) memoryName(p int32) string {
	name := memory.Name(c.run, p)
	if slices.ContainsFunc(c.run.Resource.Node, func(n int32) bool { return n > 0 }) {
		return fmt.Sprintf("%d %s", c.run.Resource.Node[p], name)
	}
	return name
}

func (c *computation) flows(m *Memory) {
	f, re := memory.SumFlows(c.run), &c.run.Resource
	for i := range f.From {
		m.Flows = append(m.Flows, MemoryFlow{From: re.Name.At(int(f.From[i])), To: re.Name.At(int(f.To[i])),
			Source: c.memoryName(f.From[i]), Target: c.memoryName(f.To[i]), Node: re.Node[f.From[i]],
			Reason: f.Kind.At(i), Number: f.Number[i], Bytes: f.Bytes[i], Time: f.Time[i]})
	}
}

func (c *computation) places(m *Memory, places []int32, counts, times *memory.Counts, a *memory.Actions) {
	allocating := busy(a, places, 0, c.r.Makespan, memory.Allocating)
	making := busy(a, places, 0, c.r.Makespan, memory.WritingBack, memory.Reclaiming)
	unknown := blockless(a, places)
	for k, p := range places {
		one := MemoryPlace{Place: c.run.Resource.Name.At(int(p)), Name: c.memoryName(p), Node: c.run.Resource.Node[p], Allocating: allocating[k], Making: making[k]}
		if m.Coherence {
			one.MemoryTimes = &MemoryTimes{}
		}
		if i, ok := slices.BinarySearch(counts.Place, p); ok {
			one.count(counts, i)
		}
		one.Unknown, one.Allocations = unknown[k], one.Allocations+unknown[k]
		if i, ok := slices.BinarySearch(times.Place, p); ok && m.Coherence {
			one.add(times, i)
		}
		m.Places = append(m.Places, one)
	}
}

// blockless counts the attempts to allocate in each place whose blocks are not
// known: states of managers do not name them.
func blockless(a *memory.Actions, places []int32) []int64 {
	n := make([]int64, len(places))
	for i, p := range a.Place {
		if k, ok := slices.BinarySearch(places, p); ok && a.Handle[i] < 0 && a.Kind.At(i) == memory.Allocating {
			n[k]++
		}
	}
	return n
}

func (m *MemoryCounts) count(c *memory.Counts, i int) {
	m.Allocations, m.Failed, m.Repeated = m.Allocations+c.Allocations[i], m.Failed+c.Failed[i], m.Repeated+c.Repeated[i]
	m.Evictions, m.Refetches = m.Evictions+c.Evictions[i], m.Refetches+c.Refetches[i]
	m.In, m.InBytes = m.In+c.In[i], m.InBytes+c.InBytes[i]
	m.Out, m.OutBytes = m.Out+c.Out[i], m.OutBytes+c.OutBytes[i]
}

func (m *MemoryTimes) add(c *memory.Counts, i int) {
	m.Present, m.Owned = m.Present+c.Present[i], m.Owned+c.Owned[i]
	m.After, m.Dead = m.After+c.After[i], m.Dead+c.Dead[i]
}

// busy is for each place the time of a window in which its manager was in any
// of some states.
func busy(a *memory.Actions, places []int32, from, to int64, kinds ...string) []int64 {
	spans := make([]interval.Spans, len(places))
	for i, p := range a.Place {
		if k, ok := slices.BinarySearch(places, p); ok && slices.Contains(kinds, a.Kind.At(i)) {
			spans[k].Add(a.Start[i], a.End[i])
		}
	}
	out := make([]int64, len(places))
	for k := range spans {
		clipped := interval.Clip(interval.Union(spans[k]), from, to)
		out[k] = clipped.Length()
	}
	return out
}

// blocks sums over the memories of each piece of data.
func (c *computation) blocks(m *Memory, counts, times *memory.Counts) {
	labels := memory.NewLabels(c.run)
	at := map[int32]int{}
	var all []MemoryBlock
	row := func(h int32) *MemoryBlock {
		i, ok := at[h]
		if !ok {
			i = len(all)
			at[h] = i
			all = append(all, MemoryBlock{Block: labels.Of(h), Node: c.run.Handle.Node[h], Bytes: max(c.run.Handle.Bytes[h], 0)})
			if m.Coherence {
				all[i].MemoryTimes = &MemoryTimes{}
			}
		}
		return &all[i]
	}
	for i, h := range counts.Handle {
		row(h).count(counts, i)
	}
	for i, h := range times.Handle {
		if one := row(h); m.Coherence {
			one.add(times, i)
		}
	}
	slices.SortStableFunc(all, func(a, b MemoryBlock) int {
		return cmp.Or(cmp.Compare(b.In, a.In), cmp.Compare(b.Allocations, a.Allocations))
	})
	m.Blocks = all[:min(len(all), mostBlocks)]
}

// memorySection is the table of memories.
func (r *Report) memorySection() (section, bool) {
	m := r.Memory
	if m == nil {
		return section{}, false
	}
	s := section{
		title: "Memories", head: []string{"memory", "blocks", "in", "in MB", "out MB", "allocations", "failed", "repeated", "evicted", "refetched", "unused"},
		right: []bool{false, true, true, true, true, true, true, true, true, true, true},
	}
	for _, p := range m.Places {
		blocks, unused := "–", "–"
		if p.MemoryTimes != nil {
			blocks = fmt.Sprintf("%.1f", float64(p.Present)/float64(max(r.Makespan, 1)))
			unused = words.Percent(float64(p.After) / float64(max(p.Present, 1)))
		}
		failed, repeated := words.Count(p.Failed), words.Count(p.Repeated)
		if p.Unknown > 0 {
			failed, repeated = "–", "–"
		}
		s.rows = append(s.rows, []string{p.Name, blocks, words.Count(p.In), words.MB(p.InBytes), words.MB(p.OutBytes), words.Count(p.Allocations), failed,
			repeated, words.Count(p.Evictions), words.Count(p.Refetches), unused})
	}
	s = s.cut("memories")
	s.after = append(s.after, "transfers, allocations and evictions are of the whole recording")
	if m.Coherence {
		s.after = append(s.after, "blocks: mean number of valid copies during the makespan; unused: part of their time after the last use there")
	} else {
		s.after = append(s.after, "the trace does not say where copies are: import StarPU's raw traces (prof_file_*), or convert them with starpu_fxt_tool -memory-states, unless that was done")
	}
	return s, true
}

// flowSection is the table of what moved between memories.
func (r *Report) flowSection() (section, bool) {
	if r.Memory == nil || len(r.Memory.Flows) == 0 {
		return section{}, false
	}
	s := section{title: "Transfers between memories", head: []string{"from", "to", "reason", "transfers", "MB", "mean ms"},
		right: []bool{false, false, false, true, true, true}}
	flows := slices.Clone(r.Memory.Flows)
	slices.SortStableFunc(flows, func(a, b MemoryFlow) int { return cmp.Compare(b.Bytes, a.Bytes) })
	for _, f := range flows {
		s.rows = append(s.rows, []string{f.Source, f.Target, f.Reason, words.Count(f.Number), words.MB(f.Bytes), words.MS(f.Time / max(f.Number, 1))})
	}
	return s.cut("flows"), true
}
