package spec

import (
	"fmt"
	"reflect"
	"slices"

	"dagscope/predict/platform"
	"dagscope/predict/workload"
)

// place is the graph that is simulated: the program's, with how long its tasks
// take, their priorities, and the nodes of data and tasks. It also says which
// nodes are idle.
func (s *Spec) place(e engine, m *platform.Machine, p program, t *timing) (*workload.Graph, []string, error) {
	g := *p.graph
	g.Duration, g.Factor = t.each, t.factor
	if rule := s.Workload.Priorities.Rule; rule == bottomLevel || rule == depth {
		var err error
		durations := t.byClass
		if rule == depth {
			durations = nil
		}
		if g.Priority, err = bottomLevels(&g, durations); err != nil {
			return nil, nil, s.wrap(err, "workload", "priorities")
		}
	}
	if e.plain || p.factorization != nil { // on one node
		return &g, nil, nil
	}
	if p.recorded != nil && len(p.recorded.rows) == g.Tasks() {
		g.Pause = p.recorded.pauses(&g, s.Costs.of())
		if !s.Options.Pinned && !s.Costs.Zero && p.recorded.traced() { // pinned schedules delay tasks themselves
			var err error
			if g.Delay, err = s.delays(p.recorded, m, &g); err != nil {
				return nil, nil, err
			}
		}
	}
	if s.Workload.Generate.Counted {
		countGeneration(&g)
	}
	warnings, err := s.distribute(&g, m, p, t)
	return &g, warnings, err
}

// countGeneration makes the tasks that prepare the input tasks like all others:
// they are a phase of the program.
func countGeneration(g *workload.Graph) {
	g.Classes = slices.Clone(g.Classes)
	for c := range g.Classes {
		g.Classes[c].Generation = false
	}
}

// distribute puts data and tasks on nodes, and says which are idle.
func (s *Spec) distribute(g *workload.Graph, m *platform.Machine, p program, t *timing) (warnings []string, err error) {
	nodes, d := m.Nodes(), &s.Workload.Distribution
	if nodes == 1 {
		alone(g, p.distributed)
		return nil, s.undistributed()
	}
	if err := d.check(); err != nil {
		return nil, s.wrap(err, "workload", "distribution")
	}
	if s.asRecorded(g, nodes) {
		return nil, s.localDependencies(g)
	}
	owner, err := s.owners(g, m, t)
	if err == nil {
		err = workload.Distribute(g, owner, nodes)
	}
	if err == nil && d.Tasks != "" {
		err = workload.ReadNodes(s.path(d.Tasks), g, nodes)
	}
	if err != nil {
		return nil, s.wrap(err, "workload", "distribution")
	}
	return idle(g.Node, nodes), s.localDependencies(g)
}

// alone puts everything on the only node. A distributed program has owners there,
// too.
func alone(g *workload.Graph, distributed bool) {
	g.Owner, g.Node = nil, nil
	if distributed && !g.Explicit {
		g.Owner, g.Node = make([]int32, len(g.Bytes)), make([]int32, g.Tasks())
	}
}

// asRecorded reports whether data stays on the nodes on which it was in the run:
// there are as many, and no other distribution.
func (s *Spec) asRecorded(g *workload.Graph, nodes int) bool {
	return s.Workload.recorded() != "" && g.Owner != nil && g.Node != nil && reflect.ValueOf(s.Workload.Distribution).IsZero() &&
		int(max(slices.Max(g.Owner), slices.Max(g.Node))) == nodes-1
}

// undistributed reports distributions that need several nodes.
func (s *Spec) undistributed() error {
	d := &s.Workload.Distribution
	if d.P > 1 || d.Q > 1 {
		return s.errorf(at("workload", "distribution"), "found tiles over %d × %d nodes, want platform.nodes: there is one node", max(d.P, 1), max(d.Q, 1))
	}
	return nil
}

// owners are the nodes of each data handle.
func (s *Spec) owners(g *workload.Graph, m *platform.Machine, t *timing) ([]int32, error) {
	d := &s.Workload.Distribution
	switch {
	case d.File != "":
		return workload.ReadOwners(s.path(d.File), g)
	case d.Pattern != nil:
		return workload.Pattern(g, d.Pattern)
	case d.Kind == oneDOneD:
		return s.ownersByPower(g, m, t)
	}
	p, q, err := d.grid(m.Nodes())
	if err != nil {
		return nil, err
	}
	return workload.BlockCyclic(g, p, q)
}

// ownersByPower gives tiles to nodes by their power.
func (s *Spec) ownersByPower(g *workload.Graph, m *platform.Machine, t *timing) ([]int32, error) {
	nodes := m.Nodes()
	d := &s.Workload.Distribution
	power, err := s.powers(g, m, t)
	if err != nil {
		return nil, err
	}
	load, err := d.Load.of(nodes, 1)
	if err != nil {
		return nil, fmt.Errorf("find load: %w", err)
	}
	for k := range power {
		power[k] *= load[k]
	}
	columns, err := workload.Columns(power)
	if d.P > 0 || d.Q > 0 {
		var p, q int
		p, q, err = d.grid(nodes)
		columns = workload.GridColumns(p, q)
		if err == nil && p*q != nodes {
			err = fmt.Errorf("found a grid of %d × %d nodes, want %d nodes", p, q, nodes)
		}
	}
	if err != nil {
		return nil, err
	}
	return workload.OneDOneD(g, columns, power)
}

// powers are how fast nodes are, as given or else by durations.
func (s *Spec) powers(g *workload.Graph, m *platform.Machine, t *timing) ([]float64, error) {
	if s.Workload.Distribution.Powers == nil {
		return powers(g, m, t)
	}
	power, err := s.Workload.Distribution.Powers.each(m.Nodes())
	if err != nil {
		return nil, fmt.Errorf("find powers: %w", err)
	}
	return power, nil
}

// powers are how fast nodes are: the inverse of the time that each would take
// for the whole program if its workers shared every task as they are fast (Nesi
// 2023, equation 2). A node that cannot run some kind has none.
func powers(g *workload.Graph, m *platform.Machine, t *timing) ([]float64, error) {
	count := make([]float64, len(g.Classes))
	for _, c := range g.Class {
		count[c]++
	}
	workers := m.Workers
	out := make([]float64, m.Nodes())
	for k := range out {
		total := 0.0
		for c, n := range count {
			rate := 0.0
			for i := range workers {
				if w := &workers[i]; int(w.Node) == k && t.runs(c, w.Type, w.Arch) {
					rate += 1 / t.byClass[c][w.Type]
				}
			}
			if n == 0 {
				continue
			}
			if rate == 0 {
				return nil, fmt.Errorf("found no worker of node %d that can run %s, want powers that say how fast it is", k, g.Classes[c].Kind)
			}
			total += n / rate
		}
		out[k] = 1 / total
	}
	return out, nil
}

// idle says which nodes have no tasks.
func idle(node []int32, nodes int) []string {
	busy := make([]bool, nodes)
	for _, n := range node {
		busy[n] = true
	}
	first := slices.Index(busy, false)
	if first < 0 {
		return nil
	}
	count := 0
	for _, b := range busy {
		if !b {
			count++
		}
	}
	return []string{fmt.Sprintf("%d of %d nodes have no tasks, node %d for one", count, nodes, first)}
}

// localDependencies reports explicit dependencies between nodes: they have no
// data that one could send to the other.
func (s *Spec) localDependencies(g *workload.Graph) error {
	for i, to := range g.To {
		if from := g.From[i]; g.Node[from] != g.Node[to] {
			return s.errorf(at("workload"), "found %s on node %d that follows %s on node %d without data, want tasks of several nodes to exchange data%s",
				g.Classes[g.Class[to]].Kind, g.Node[to], g.Classes[g.Class[from]].Kind, g.Node[from], s.pivoting())
		}
	}
	return nil
}

func (s *Spec) pivoting() string {
	if s.Workload.Pivot {
		return " (pivot: false)"
	}
	return ""
}
