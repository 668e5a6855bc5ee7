package bound

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"dagscope/explain/comm"
	"dagscope/trace"
)

// NetworkSource says where the times of messages come from.
type NetworkSource string

// Sources of the times of messages.
const (
	NetworkUnknown  NetworkSource = ""         // nowhere: messages take no time
	NetworkPlatform NetworkSource = "platform" // the description of the machine
	NetworkFitted   NetworkSource = "messages" // those of the run that had both ends to themselves
)

// Network is how long a message takes at least: a latency, and its bytes over a
// bandwidth.
type Network struct {
	Source    NetworkSource
	Bandwidth float64 // bytes per second; of a fit, +Inf where time does not grow with bytes
	Latency   float64 // ns
	Messages  int     // that a fit is made of
	Bytes     int64   // of most of these

	of *trace.Network // per link, of a platform
}

// Time is how long a message between two nodes takes at least, ns; 0 where
// nothing is known.
func (n *Network) Time(from, to int32, bytes int64) float64 {
	switch n.Source {
	case NetworkPlatform:
		l, ok := n.of.Alone(from, to)
		if !ok {
			return 0
		}
		return l.Latency*1e3 + float64(bytes)/l.Bandwidth*1e3 // bytes over MB/s are µs
	case NetworkFitted:
		return n.Latency + float64(bytes)/n.Bandwidth*1e9
	}
	return 0
}

// FindNetwork is the network of a run of several nodes: that of its platform,
// else a fit to the messages that had it to themselves.
func FindNetwork(run *trace.Run) Network {
	if p := run.Meta.Platform; p != nil && p.Network != nil {
		n := Network{Source: NetworkPlatform, of: p.Network}
		if l, ok := p.Network.Alone(0, 1); ok { // of the first two nodes: the others' may differ
			n.Bandwidth, n.Latency = l.Bandwidth*1e6, l.Latency*1e3
		}
		return n
	}
	return fitNetwork(run)
}

// fitNetwork fits the line latency + bytes/bandwidth, neither negative, that is
// as high as possible at the messages which had the link out of their sender and
// the link into their receiver to themselves, and above no message of the run: it
// is to be a lower bound. Messages that seem to take no time, or to end before they
// start, say nothing.
func fitNetwork(run *trace.Run) Network {
	l := comm.Find(run, comm.Nodes)
	alone := l.Alone()
	least := map[int64]float64{} // of all messages, by bytes
	weight := map[int64]float64{}
	n := 0
	for i, row := range l.Row {
		start, end := run.Transfer.Start[row], run.Transfer.End[row]
		if end == trace.NoTime || start == trace.NoTime || end <= start {
			continue
		}
		bytes, took := run.Transfer.Bytes[row], float64(end-start)
		if old, ok := least[bytes]; !ok || took < old {
			least[bytes] = took
		}
		if alone[i] {
			weight[bytes]++
			n++
		}
	}
	if n == 0 {
		return Network{}
	}
	latency, slope := highestLine(least, weight)
	usual := slices.MaxFunc(slices.Sorted(maps.Keys(weight)), func(a, b int64) int { return cmp.Compare(weight[a], weight[b]) })
	return Network{Source: NetworkFitted, Messages: n, Bytes: usual, Latency: latency, Bandwidth: 1e9 / slope}
}

// highestLine is the line a + b·x, neither negative, that is nowhere above the
// points and has the greatest sum at their x by weight. It is one of those
// through two corners of the points' lower convex hull, or through one of them
// and level, or the origin.
func highestLine(points, weight map[int64]float64) (a, b float64) {
	type point struct{ x, y float64 }
	var all []point
	for x, y := range points {
		all = append(all, point{float64(x), y})
	}
	slices.SortFunc(all, func(p, q point) int { return cmp.Compare(p.x, q.x) })
	var hull []point
	for _, p := range all {
		for len(hull) > 1 {
			u, v := hull[len(hull)-2], hull[len(hull)-1]
			if (v.y-u.y)*(p.x-u.x) < (p.y-u.y)*(v.x-u.x) {
				break
			}
			hull = hull[:len(hull)-1]
		}
		hull = append(hull, p)
	}
	total, moment := 0.0, 0.0 // Σ weight, Σ weight·x
	for x, w := range weight {
		total, moment = total+w, moment+w*float64(x)
	}
	best := math.Inf(-1)
	try := func(latency, slope float64) {
		if latency < 0 || slope < 0 || math.IsInf(slope, 0) {
			return
		}
		if sum := latency*total + slope*moment; sum > best*(1+1e-12) { // what only rounding makes greater is not
			best, a, b = sum, latency, slope
		}
	}
	lowest, steepest := math.Inf(1), math.Inf(1)
	for i, p := range hull {
		lowest = min(lowest, p.y)
		if p.x > 0 {
			steepest = min(steepest, p.y/p.x)
		}
		if i > 0 {
			slope := (p.y - hull[i-1].y) / (p.x - hull[i-1].x)
			try(p.y-slope*p.x, slope)
		}
	}
	try(0, steepest) // a single size says nothing of the latency
	try(lowest, 0)
	return a, b
}
