package starpu

import (
	"cmp"
	"math"
	"slices"

	"dagscope/internal/heap"
	"dagscope/predict/platform"
)

// fabric is the network between nodes. Like the network inside a node it shares
// links max-min fairly, each message having its own bound. It is made for many
// messages that share one backbone: links that cannot be full, whatever rates
// their messages have, do not tie messages together.
type fabric struct {
	mpi         *MPI
	links       []fabricLink
	m           *platform.Machine
	homes       []int32      // RAM of each node
	routes      []*nodeRoute // by source and destination node, those asked for so far
	nodes       int
	waiting     heap.Heap[float64, uint64, *messageFlow] // whose latency is not paid yet, by date
	active      []*messageFlow
	now         float64 // s
	nextArrival float64 // date of the next arrival
	count       uint64
	changed     []*messageFlow // that became active or arrived
	touched     []int32
	group       []*messageFlow
}

// minShare is the least share of its slowest link that a message gets despite
// rounding: far less than any fair share.
const minShare = 1e-10

// fabricLink is a link of the network.
type fabricLink struct {
	bandwidth float64 // bytes/s
	fat       bool
	maxRate   float64 // bytes/s: sum of the bounds of its messages
	carried   []*messageFlow
	full      bool // was full when rates were last set
	marked    bool
	left      float64 // while sharing
	demand    float64 // likewise
}

// nodeRoute is the route from a node to another.
type nodeRoute struct {
	flow flow // of a message, without what depends on its size
	smpi *smpiRoute
}

// messageFlow is a message on its way.
type messageFlow struct {
	flow
	message  *message
	envelope bool
	at       []int32 // its positions in carried of its links
	index    int     // among the active
	entered  uint64
	seen     bool
}

func newFabric(m *platform.Machine, mpi *MPI) *fabric {
	f := &fabric{mpi: mpi, nodes: m.Nodes(), nextArrival: math.Inf(1)}
	for _, l := range m.Links {
		f.links = append(f.links, fabricLink{bandwidth: l.Bandwidth, fat: l.Fat})
	}
	f.m, f.homes = m, make([]int32, f.nodes)
	for i := len(m.Memories) - 1; i >= 0; i-- {
		if mem := &m.Memories[i]; mem.Kind == platform.RAM {
			f.homes[mem.Node] = int32(i)
		}
	}
	f.routes = make([]*nodeRoute, f.nodes*f.nodes)
	return f
}

// path has the links of the route from a node to another, nil without one.
func (f *fabric) path(from, to int32) []int32 {
	if from == to {
		return nil
	}
	return f.m.Routes[f.m.Pair(f.homes[from], f.homes[to])]
}

// route is the route from a node to another, nil without one. It is made when a
// message first needs it: of a thousand nodes, few pairs exchange any.
func (f *fabric) route(from, to int32) *nodeRoute {
	at := &f.routes[int(from)*f.nodes+int(to)]
	if there := f.path(from, to); *at == nil && len(there) > 0 {
		*at = f.mpi.nodeRoute(f.m.Links, there, f.path(to, from))
	}
	return *at
}

func (m *MPI) nodeRoute(links []platform.Link, there, back []int32) *nodeRoute {
	p := &nodeRoute{}
	for _, l := range there {
		p.flow.cross(l, 1)
	}
	p.smpi = m.newRoute(links, there, back, &p.flow)
	return p
}

// lookahead is the least time, in s, until a node notices what another does.
func (f *fabric) lookahead() float64 {
	minLatency, factor := math.Inf(1), math.Inf(1)
	for _, x := range f.mpi.Factors {
		factor = min(factor, x.Latency)
	}
	if len(f.mpi.Factors) == 0 || f.mpi.Factors[0].Bytes > 0 {
		factor = min(factor, 1)
	}
	for from := range int32(f.nodes) {
		for to := range int32(f.nodes) {
			if there := f.path(from, to); len(there) > 0 {
				latency := 0.0
				for _, l := range there {
					latency += f.m.Links[l].Latency
				}
				minLatency = min(minLatency, latency)
			}
		}
	}
	return max(minLatency*factor-2*resolution, resolution)
}

// connected says that there is a route from a node to another.
func (f *fabric) connected(from, to int32) bool { return len(f.path(from, to)) > 0 }

// delay is the latency of a message of some bytes, in s; 0 where there is no
// route.
func (f *fabric) delay(from, to int32, bytes int64) float64 {
	p := f.route(from, to)
	if p == nil {
		return 0
	}
	factor, _ := f.mpi.factor(bytes)
	return p.smpi.latency * factor
}

// send begins to send a message at a date, which is not before the present.
func (f *fabric) send(msg *message, envelope bool, bytes int64, date float64) {
	p := f.route(msg.from, msg.to)
	s := &messageFlow{flow: p.flow, message: msg, envelope: envelope}
	p.smpi.set(&s.flow, bytes)
	if s.bound == 0 {
		s.bound = math.Inf(1)
	}
	s.remains = float64(bytes)
	f.count++
	s.entered = f.count
	s.date = date + s.latency
	f.waiting.Push(s.date, s.entered, s)
}

// next is the date of the next event.
func (f *fabric) next() float64 {
	if f.waiting.Len() > 0 {
		return min(f.nextArrival, f.waiting.First().Key)
	}
	return f.nextArrival
}

// proceed goes to the date of the next events, and calls arrived with the
// messages that have arrived, in the order of their dates.
func (f *fabric) proceed(arrived func(*messageFlow)) {
	f.now = f.next()
	for f.waiting.Len() > 0 && f.is(f.waiting.First().Key) {
		f.enter(f.waiting.Pop().Value)
	}
	if f.is(f.nextArrival) {
		var due []*messageFlow
		for _, s := range f.active {
			if f.is(s.date) {
				due = append(due, s)
			}
		}
		slices.SortFunc(due, func(a, b *messageFlow) int {
			return cmp.Or(cmp.Compare(a.date, b.date), cmp.Compare(a.entered, b.entered))
		})
		for _, s := range due {
			f.leave(s)
			arrived(s)
		}
	}
	f.share()
}

// is says whether a date is now. After months, the dates of one second are
// further apart than the resolution.
func (f *fabric) is(date float64) bool { return date <= f.now || date < f.now+resolution }

// enter lets a message use its links.
func (f *fabric) enter(s *messageFlow) {
	s.since, s.rate, s.date = f.now, 0, math.Inf(1)
	s.index = len(f.active)
	f.active = append(f.active, s)
	s.at = make([]int32, len(s.links))
	for i, l := range s.links {
		k := &f.links[l]
		s.at[i] = int32(len(k.carried))
		k.carried = append(k.carried, s)
		k.maxRate += s.bound * s.times[i]
	}
	f.changed = append(f.changed, s)
}

// leave takes a message off its links.
func (f *fabric) leave(s *messageFlow) {
	last := f.active[len(f.active)-1]
	f.active[s.index], last.index = last, s.index
	f.active = f.active[:len(f.active)-1]
	for i, l := range s.links {
		k := &f.links[l]
		moved := k.carried[len(k.carried)-1]
		k.carried[s.at[i]] = moved
		moved.at[slices.Index(moved.links, l)] = s.at[i]
		k.carried = k.carried[:len(k.carried)-1]
		if k.maxRate -= s.bound * s.times[i]; len(k.carried) == 0 {
			k.maxRate = 0
		}
	}
	f.changed = append(f.changed, s)
}

// tight says that a link may be full.
func (k *fabricLink) tight() bool { return !k.fat && k.maxRate > k.bandwidth*(1+1e-9) }

// share sets the rates of the messages that changes concern, and the date of
// the next arrival.
func (f *fabric) share() {
	f.group, f.touched = f.group[:0], f.touched[:0]
	for _, s := range f.changed {
		if s.index < len(f.active) && f.active[s.index] == s {
			f.add(s)
		}
		for _, l := range s.links {
			if k := &f.links[l]; k.full || k.tight() {
				f.reach(l)
			}
		}
	}
	f.changed = f.changed[:0]
	for i := 0; i < len(f.group); i++ {
		for _, l := range f.group[i].links {
			if f.links[l].tight() {
				f.reach(l)
			}
		}
	}
	f.fill()
	for _, s := range f.group {
		s.seen = false
		s.remains = max(0, s.remains-s.last*(f.now-s.since))
		s.since, s.last = f.now, s.rate*s.factor
		s.date = f.now + s.remains/s.last
	}
	for _, l := range f.touched {
		f.links[l].marked = false
	}
	f.nextArrival = math.Inf(1)
	for _, s := range f.active {
		f.nextArrival = min(f.nextArrival, s.date)
	}
}

func (f *fabric) add(s *messageFlow) {
	if !s.seen {
		s.seen, s.fixed = true, false
		f.group = append(f.group, s)
	}
}

// reach adds the messages of a link.
func (f *fabric) reach(l int32) {
	k := &f.links[l]
	if k.marked {
		return
	}
	k.marked = true
	f.touched = append(f.touched, l)
	for _, s := range k.carried {
		f.add(s)
	}
}

// fill gives every message of the group its rate: the links with the smallest
// fair share fix the rates of theirs, unless bounds do.
func (f *fabric) fill() {
	for _, l := range f.touched {
		k := &f.links[l]
		k.full = k.tight()
		k.left, k.demand = k.bandwidth, 0
	}
	for _, s := range f.group {
		w := s.weight()
		for i, l := range s.links {
			f.links[l].demand += w * s.times[i]
		}
	}
	slices.SortFunc(f.group, func(a, b *messageFlow) int {
		return cmp.Or(cmp.Compare(a.bound*a.penaltyOrOne(), b.bound*b.penaltyOrOne()), cmp.Compare(a.entered, b.entered))
	})
	next := 0
	for {
		for next < len(f.group) && f.group[next].fixed {
			next++
		}
		if next == len(f.group) {
			return
		}
		level, which := f.lowest()
		if s := f.group[next]; s.bound*s.penaltyOrOne() <= level {
			f.fix(s, s.bound)
			continue
		}
		for _, s := range f.links[which].carried {
			if !s.fixed {
				f.fix(s, level*s.weight())
			}
		}
		f.links[which].demand = 0
	}
}

// lowest is the smallest fair share that a link offers a message of weight 1.
func (f *fabric) lowest() (level float64, which int32) {
	level, which = math.Inf(1), none
	for _, l := range f.touched {
		if k := &f.links[l]; k.full && k.demand > 0 && k.left/k.demand < level {
			level, which = k.left/k.demand, l
		}
	}
	return level, which
}

func (f *fabric) fix(s *messageFlow, rate float64) {
	s.fixed, s.rate = true, max(rate, f.minBandwidth(s)*minShare)
	w := s.weight()
	for i, l := range s.links {
		k := &f.links[l]
		k.left = max(0, k.left-rate*s.times[i])
		k.demand = max(0, k.demand-w*s.times[i])
	}
}

// minBandwidth is the bandwidth of the slowest link of a message.
func (f *fabric) minBandwidth(s *messageFlow) float64 {
	if len(s.links) == 0 {
		return 0
	}
	bandwidth := math.Inf(1)
	for _, l := range s.links {
		bandwidth = min(bandwidth, f.links[l].bandwidth)
	}
	return bandwidth
}

func (f *flow) penaltyOrOne() float64 {
	if f.penalty > 0 {
		return f.penalty
	}
	return 1
}
