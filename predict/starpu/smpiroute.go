package starpu

import (
	"math"

	"dagscope/predict/platform"
)

// smpiRoute is a route whose latency and bandwidth depend on the size of a
// transfer (SimGrid's network/latency-factor and network/bandwidth-factor, as
// SMPI sets them).
type smpiRoute struct {
	m         *MPI
	latency   float64 // s, of the links
	bandwidth float64 // bytes/s, of the slowest link
}

// newRoute creates a route of links there and back: its latency and bandwidth
// without factors, and the flow that crosses it.
func (m *MPI) newRoute(links []platform.Link, there, back []int32, f *flow) *smpiRoute {
	t := &smpiRoute{m: m, bandwidth: math.Inf(1)}
	f.penalty = 0
	for _, l := range there {
		t.latency += links[l].Latency
		t.bandwidth = min(t.bandwidth, links[l].Bandwidth)
		f.penalty += m.Weight / links[l].Bandwidth
	}
	f.penalty += t.latency
	if m.Back > 0 {
		for _, l := range back {
			f.cross(l, m.Back)
		}
	}
	return t
}

// set sets the latency and the bound of a flow of some bytes.
func (t *smpiRoute) set(f *flow, bytes int64) {
	latency, bandwidth := t.m.factor(bytes)
	f.latency, f.bound, f.factor = t.latency*latency, t.bandwidth, bandwidth
	if t.m.Window > 0 && f.latency > 0 {
		f.bound = min(f.bound, t.m.Window/(2*f.latency))
	}
	if math.IsInf(f.bound, 1) {
		f.bound = 0
	}
}

// setSMPIRoute makes transfers inside a node depend on their sizes.
func (e *engine) setSMPIRoute(r *transferRunner, from, to int32) {
	r.smpi = e.o.MPI.newRoute(e.m.Links, e.m.Routes[e.m.Pair(from, to)], e.m.Routes[e.m.Pair(to, from)], &r.flow)
}
