package efficiency

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"dagscope/explain/bound"
)

// bounds computes the loads of types and the area bounds of nodes and run, and
// lists the kinds.
func (m *measure) bounds(r *Result) error {
	for k := range r.Types {
		p := &r.Types[k]
		arch := int(p.Arch) + 1
		load := 0.0
		for i, n := range m.count[k] {
			if n > 0 {
				load += n * m.mean(arch, i)
			}
		}
		p.Load = load / float64(p.Count)
		p.ABE, p.Largest = p.Load, p.Load
	}
	for n := range r.Nodes {
		if err := m.node(r, &r.Nodes[n]); err != nil {
			return err
		}
	}
	all := &r.Run
	r.costs, r.count = m.costs(r.Types)
	r.kindName, r.archName = append([]string{""}, m.run.Task.Kind.Dict...), append([]string{""}, m.run.Resource.Arch.Dict...)
	all.ABE, all.Largest, all.Load, all.HardNode, all.HardType = r.Nodes[0].ABE, r.Nodes[0].Largest, r.Nodes[0].Load, r.Nodes[0].HardNode, r.Nodes[0].HardType
	for _, n := range r.Nodes[1:] {
		if n.ABE > all.Largest {
			all.Largest, all.HardNode = n.ABE, n.Node
		}
		if n.Load > all.Load {
			all.Load, all.HardType = n.Load, n.HardType
		}
	}
	if len(r.Nodes) > 1 {
		a, err := r.costs.Area(r.count)
		if err != nil {
			return fmt.Errorf("efficiencies: %w", err)
		}
		all.ABE = a.Time
	}
	m.kinds(r)
	return nil
}

// node computes the area bound of a node's own tasks on its own workers, with the
// mean durations of the run, and its largest load.
func (m *measure) node(r *Result, p *Part) error {
	var own []Part
	for k := range r.Types {
		if t := &r.Types[k]; t.Node == p.Node {
			own = append(own, *t)
			if len(own) == 1 || t.Load > p.Load {
				p.Load, p.HardType = t.Load, k
			}
		}
	}
	p.ABE = p.Load
	if len(own) > 1 {
		costs, count := m.costs(own)
		a, err := costs.Area(count)
		if err != nil {
			return fmt.Errorf("efficiencies of node %d: %w", p.Node, err)
		}
		p.ABE = a.Time
	}
	p.Largest = p.ABE
	return nil
}

// costs are what the area bound of some types is made of: their workers, their
// tasks, and the mean durations of the run. Kinds that take no time on one of the
// architectures cost nothing and are left out.
func (m *measure) costs(types []Part) (*bound.Costs, []float64) {
	c, total := new(bound.Costs), make([]float64, len(m.run.Task.Kind.Dict)+1)
	for i := range types {
		p := &types[i]
		at := slices.Index(c.Arch, p.Arch)
		if at < 0 {
			at = len(c.Arch)
			c.Arch, c.Workers = append(c.Arch, p.Arch), append(c.Workers, 0)
		}
		c.Workers[at] += p.Count
		for k, n := range m.count[p.HardType] {
			total[k] += n
		}
	}
	var count []float64
	for k, n := range total {
		row, cheapest := make([]float64, len(c.Arch)), math.Inf(1)
		for i, arch := range c.Arch {
			row[i] = m.mean(int(arch)+1, k)
			cheapest = min(cheapest, row[i])
		}
		if n > 0 && cheapest > 0 {
			c.Kind, c.Duration, count = append(c.Kind, int32(k-1)), append(c.Duration, row), append(count, n)
		}
	}
	return c, count
}

// kinds lists what ran.
func (m *measure) kinds(r *Result) {
	n := len(m.run.Task.Kind.Dict) + 1
	for i, c := range m.cells {
		if c.count > 0 {
			r.Kinds = append(r.Kinds, Kind{Kind: r.kindName[i%n], Arch: r.archName[i/n], Tasks: c.count, Useful: c.useful, Work: c.work})
		}
	}
	slices.SortFunc(r.Kinds, func(a, b Kind) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Arch, b.Arch)) })
}
