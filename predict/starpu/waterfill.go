package starpu

import "math"

// waterFill gives every flow its rate: the link with the smallest fair share
// fixes the rates of its flows, then that with the smallest among the others,
// and so on.
func (n *network) waterFill(links []int32, flows []*flow) {
	for _, f := range flows {
		f.fixed, f.rate = false, 0
	}
	for _, l := range links {
		n.links[l].left = n.links[l].bandwidth
	}
	for open := len(flows); open > 0; {
		level := n.lowest(links)
		if math.IsInf(level, 1) {
			return
		}
		if bound := n.minBound(links, level); bound < level {
			open -= n.fixBound(links, bound)
		} else {
			open -= n.fix(links, level)
		}
	}
}

// minBound is the lowest level at which a flow of a full link reaches its own
// bound, +Inf without bounds.
func (n *network) minBound(links []int32, level float64) float64 {
	bound := math.Inf(1)
	for _, l := range links {
		if !n.links[l].full {
			continue
		}
		for _, f := range n.links[l].flows {
			if !f.fixed && f.bound > 0 {
				bound = min(bound, f.bound/f.weight())
			}
		}
	}
	return bound
}

// fixBound fixes the rates of those flows of full links whose bounds allow no
// more, and returns their number.
func (n *network) fixBound(links []int32, bound float64) int {
	fixed := 0
	for _, l := range links {
		if !n.links[l].full {
			continue
		}
		for _, f := range n.links[l].flows {
			if !f.fixed && f.bound > 0 && f.bound/f.weight() <= bound*(1+1e-12) {
				f.fixed, f.rate = true, f.bound
				fixed++
				n.charge(f)
			}
		}
	}
	return fixed
}

// lowest is the smallest fair share that a link offers a flow of weight 1.
func (n *network) lowest(links []int32) float64 {
	level := math.Inf(1)
	for _, l := range links {
		k := &n.links[l]
		k.demand = n.demandOf(l)
		if k.demand > 0 {
			level = min(level, k.left/k.demand)
		}
	}
	for _, l := range links {
		k := &n.links[l]
		k.full = k.demand > 0 && k.left/k.demand <= level*(1+1e-12)
	}
	return level
}

// demandOf is the weight of the flows of a link whose rate is not fixed yet.
func (n *network) demandOf(l int32) float64 {
	k, demand := &n.links[l], 0.0
	for _, f := range k.flows {
		if f.fixed {
			continue
		}
		if w := f.crossings(l) * f.weight(); k.fat {
			demand = max(demand, w)
		} else {
			demand += w
		}
	}
	return demand
}

// weight is what the share of a flow is proportional to.
func (f *flow) weight() float64 {
	if f.penalty > 0 {
		return 1 / f.penalty
	}
	return 1
}

// crossings is how often a flow crosses a link.
func (f *flow) crossings(l int32) float64 {
	for i, m := range f.links {
		if m == l {
			return f.times[i]
		}
	}
	return 0
}

// fix sets the rates of the flows of full links, and returns their number.
func (n *network) fix(links []int32, level float64) int {
	fixed := 0
	for _, l := range links {
		if !n.links[l].full {
			continue
		}
		for _, f := range n.links[l].flows {
			if !f.fixed {
				f.fixed, f.rate = true, level*f.weight()
				fixed++
				n.charge(f)
			}
		}
	}
	return fixed
}

// charge subtracts the rate of a flow from its links.
func (n *network) charge(f *flow) {
	for i, l := range f.links {
		if k := &n.links[l]; !k.fat {
			k.left = max(0, k.left-f.rate*f.times[i])
		}
	}
}
