package starpu

import (
	"math"
	"slices"
)

// link carries flows, which share its bandwidth.
type link struct {
	bandwidth float64 // bytes/s
	fat       bool    // every flow has its full bandwidth (FATPIPE)
	flows     []*flow // under way, latency paid
	left      float64 // while sharing: bandwidth not given yet
	demand    float64 // while sharing: weighted crossings of flows without a rate
	full      bool    // while sharing: limits its flows
	marked    bool
}

// flow is a transfer under way.
type flow struct {
	actor   *actor
	links   []int32   // crossed
	times   []float64 // how often each is crossed
	latency float64   // s
	penalty float64   // what its share is inverse to, 0: no latency
	bound   float64   // bytes/s at most, 0: as its links allow
	factor  float64   // part of its rate at which it advances
	remains float64   // bytes
	rate    float64   // bytes/s that it takes of its links
	last    float64   // bytes/s, advance since the date of remains
	since   float64   // date of remains
	date    float64   // when the latency is paid or the data has arrived
	order   uint64
	paid    bool // latency
	visit   int
	marked  bool
	fixed   bool // while sharing: has its rate
}

// cross adds crossings of a link to a flow.
func (f *flow) cross(l int32, times float64) {
	if i := slices.Index(f.links, l); i >= 0 {
		f.times[i] += times
		return
	}
	f.links, f.times = append(f.links, l), append(f.times, times)
}

// network shares the bandwidth of links among flows: max-min fairly, in inverse
// proportion to the latencies of their routes, as in SimGrid's CM02 model, but no
// more than the bound of each flow. Rates are set again only for flows that a
// beginning or ending flow shares a link with, directly or through others.
type network struct {
	links    []link
	flows    []*flow
	touched  []int32 // links whose flows have changed, in the order of discovery
	buffer   []*flow
	overdue  []*flow // likewise
	changed  bool
	order    uint64
	visits   int
	earliest float64 // date of the next event, valid unless changed
}

// next is the date of the next event.
func (n *network) next() float64 {
	if len(n.flows) == 0 {
		return math.Inf(1)
	}
	return n.earliest
}

// start sends bytes for an actor, which is woken when they have arrived.
func (n *network) start(f *flow, now float64) {
	f.paid, f.rate, f.since = false, 0, now
	f.date = now + f.latency
	n.enter(f)
	n.flows = append(n.flows, f)
	n.changed = true
}

func (n *network) enter(f *flow) {
	n.order++
	f.order = n.order
}

// proceed handles the events of this instant: paid latencies and arrivals.
func (n *network) proceed(k *kernel) {
	if len(n.flows) == 0 || math.Abs(n.earliest-k.now) >= resolution {
		return
	}
	due := n.due(k.now)
	for _, f := range due {
		if !f.paid {
			n.pay(f, k.now)
			continue
		}
		n.leave(f)
		k.makeReady(f.actor)
	}
	n.changed = true
}

// due are the flows with an event now, in the order of their dates.
func (n *network) due(now float64) []*flow {
	due := n.overdue[:0]
	for _, f := range n.flows {
		if math.Abs(f.date-now) < resolution {
			due = append(due, f)
		}
	}
	n.overdue = due
	slices.SortFunc(due, func(a, b *flow) int {
		if a.date < b.date || a.date == b.date && a.order < b.order {
			return -1
		}
		return 1
	})
	return due
}

// pay lets the flow use its links: the newest comes first on each.
func (n *network) pay(f *flow, now float64) {
	f.paid, f.since, f.last, f.date = true, now, 0, math.Inf(1)
	for _, l := range f.links {
		n.links[l].flows = slices.Insert(n.links[l].flows, 0, f)
	}
	n.touch(f)
}

func (n *network) leave(f *flow) {
	n.touch(f)
	i := slices.Index(n.flows, f)
	n.flows = slices.Delete(n.flows, i, i+1)
	for _, l := range f.links {
		flows := n.links[l].flows
		i := slices.Index(flows, f)
		n.links[l].flows = slices.Delete(flows, i, i+1)
	}
}

// touch marks the links that a flow shares, directly or through others. The
// order of discovery decides which of equally long transfers ends first.
func (n *network) touch(f *flow) {
	n.changed = true
	if len(f.links) > 0 {
		n.mark(f.links[0])
	}
}

func (n *network) mark(l int32) {
	k := &n.links[l]
	if k.marked {
		return
	}
	k.marked = true
	n.touched = append(n.touched, l)
	for _, f := range k.flows {
		if f.marked {
			continue
		}
		for _, other := range f.links {
			if f.marked {
				break
			}
			n.mark(other)
		}
		f.marked = true
	}
}

// share sets the rates of the flows that changes concern.
func (n *network) share(now float64) {
	if !n.changed {
		return
	}
	flows := n.concerned()
	n.waterFill(n.touched, flows)
	for _, f := range flows {
		n.reschedule(f, now)
	}
	for _, l := range n.touched {
		n.links[l].marked = false
	}
	n.touched, n.changed = n.touched[:0], false
	n.earliest = math.Inf(1)
	for _, f := range n.flows {
		f.marked = false
		n.earliest = min(n.earliest, f.date)
	}
}

// concerned are the flows of the touched links.
func (n *network) concerned() []*flow {
	flows := n.buffer[:0]
	n.visits++
	for _, l := range n.touched {
		for _, f := range n.links[l].flows {
			if f.visit != n.visits {
				f.visit = n.visits
				flows = append(flows, f)
			}
		}
	}
	n.buffer = flows
	return flows
}

// reschedule updates what remains of a flow, and its arrival for its new rate.
func (n *network) reschedule(f *flow, now float64) {
	f.remains = max(0, f.remains-f.last*(now-f.since))
	f.since, f.last = now, f.rate*f.factor
	f.date = now + f.remains/f.last
	n.enter(f)
}
