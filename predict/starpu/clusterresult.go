package starpu

import (
	"cmp"
	"math"
	"slices"

	"dagscope/predict/platform"
)

// Message is what a node sent to another. Dates are ns since the first
// submission.
type Message struct {
	From, To   int32 // nodes
	Handle     int32
	Bytes      int64
	Priority   int32
	Begin, End int64 // submitted by the sender, and seen by the receiver
	Early      bool  // it arrived before the receiver posted its request
}

// result combines the results of the nodes.
func (c *cluster) result() *Result {
	tasks, memories := len(c.g.Class), len(c.m.Memories)
	r := &Result{
		Worker: slices.Repeat([]int32{none}, tasks), Begin: make([]int64, tasks), End: make([]int64, tasks),
		Pairs: make([]Pair, memories*memories), Peak: make([]int64, memories), Events: c.events, c: c,
	}
	for _, n := range c.nodes {
		n.result(r)
	}
	c.messages(r)
	return r
}

func (n *node) result(r *Result) {
	e := n.e
	r.Events += e.events
	r.Makespan = max(r.Makespan, e.nanoseconds(e.log.end))
	for mine, t := range n.tasks {
		r.Begin[t], r.End[t] = e.log.begin[mine], e.log.over[mine]
		if w := e.log.worker[mine]; w != none {
			r.Worker[t] = n.workers[w]
		}
	}
	for a, from := range n.memory {
		r.Peak[from] = e.log.peak[a]
		for b, to := range n.memory {
			r.Pairs[n.c.m.Pair(from, to)] = e.log.pairs[e.m.Pair(int32(a), int32(b))]
		}
	}
}

// messages adds those that arrived, in the order in which they were submitted.
func (c *cluster) messages(r *Result) {
	homes := make([]int32, len(c.nodes))
	for i := len(c.m.Memories) - 1; i >= 0; i-- {
		if mem := &c.m.Memories[i]; mem.Kind == platform.RAM {
			homes[mem.Node] = int32(i)
		}
	}
	for _, msg := range c.allMessages {
		m := Message{From: msg.from, To: msg.to, Handle: msg.handle, Bytes: msg.bytes, Priority: msg.priority, Early: msg.early}
		m.Begin, m.End = nanosecondsOf(msg.sent-c.nodes[msg.from].e.zero), nanosecondsOf(msg.received-c.nodes[msg.to].e.zero)
		r.Messages = append(r.Messages, m)
		p := &r.Pairs[c.m.Pair(homes[msg.from], homes[msg.to])]
		p.Count++
		p.Bytes += msg.bytes
	}
	slices.SortStableFunc(r.Messages, func(a, b Message) int { return cmp.Compare(a.Begin, b.Begin) })
}

func nanosecondsOf(seconds float64) int64 { return int64(math.Round(seconds * 1e9)) }
