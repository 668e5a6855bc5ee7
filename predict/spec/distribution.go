package spec

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"dagscope/predict/starpu"
	"dagscope/predict/workload"
)

// Distribution is that of the data over the nodes of a cluster: by tiles
// (block-cyclic, or 1D-1D by the power of nodes), by a matrix of nodes that is
// repeated, or by a file.
type Distribution struct {
	Kind    string    `yaml:"kind"` // block-cyclic, 1d1d
	P       Number    `yaml:"p"`
	Q       Number    `yaml:"q"`
	Powers  ByNode    `yaml:"powers"` // of 1d1d; none: from durations
	Load    ByNode    `yaml:"load"`   // of 1d1d: times the share that powers give
	Pattern [][]int32 `yaml:"pattern"`
	File    string    `yaml:"file"`
	Tasks   string    `yaml:"tasks"` // file of tasks that run elsewhere than on the owner's node
}

// Kinds of distributions.
const (
	blockCyclic = "block-cyclic"
	oneDOneD    = "1d1d"
)

// distribute puts data and tasks on nodes, when durations are known.
func (s *Spec) distribute(b *Simulation) error {
	nodes, d := b.Machine.Nodes(), &s.Workload.Distribution
	if nodes == 1 {
		s.alone(b.Graph)
		return s.undistributed()
	}
	if err := d.check(); err != nil {
		return s.wrap(err, "workload", "distribution")
	}
	if s.asRecorded(b.Graph, nodes) {
		return s.localDependencies(b.Graph)
	}
	owner, err := s.owners(b, nodes)
	if err == nil {
		err = workload.Distribute(b.Graph, owner, nodes)
	}
	if err == nil && d.Tasks != "" {
		err = workload.ReadNodes(s.path(d.Tasks), b.Graph, nodes)
	}
	if err != nil {
		return s.wrap(err, "workload", "distribution")
	}
	b.Warnings = append(b.Warnings, idle(b.Graph.Node, nodes)...)
	return s.localDependencies(b.Graph)
}

// alone puts everything on the only node. With a network it is a node of a
// cluster all the same, whose program is that for several nodes.
func (s *Spec) alone(g *workload.Graph) {
	g.Owner, g.Node = nil, nil
	if s.clustered(1) && !g.Explicit {
		g.Owner, g.Node = make([]int32, len(g.Bytes)), make([]int32, g.Tasks())
	}
}

// countGeneration makes the tasks that prepare the input tasks like all others,
// if they are a phase of the program.
func (s *Spec) countGeneration(g *workload.Graph) {
	for c := range g.Classes {
		if s.Workload.Generate.Counted {
			g.Classes[c].Generation = false
		}
	}
}

// asRecorded tells whether data stays on the nodes on which it was in the run:
// there are as many, and no other distribution.
func (s *Spec) asRecorded(g *workload.Graph, nodes int) bool {
	return s.Workload.Graph != "" && g.Owner != nil && g.Node != nil && reflect.ValueOf(s.Workload.Distribution).IsZero() &&
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

// check reports keys that exclude each other.
func (d *Distribution) check() error {
	ways := 0
	for _, given := range []bool{d.Kind != "" || d.P > 0 || d.Q > 0 || d.Powers != nil || d.Load != nil, d.Pattern != nil, d.File != ""} {
		if given {
			ways++
		}
	}
	switch {
	case ways > 1:
		return errors.New("found several of kind (with p, q, powers, load), pattern and file, want one")
	case d.Kind != "" && d.Kind != blockCyclic && d.Kind != oneDOneD:
		return fmt.Errorf("found distribution %q, want %s or %s, or pattern or file", d.Kind, blockCyclic, oneDOneD)
	case d.Kind != oneDOneD && (d.Powers != nil || d.Load != nil):
		return fmt.Errorf("found powers or load of a %s distribution, want kind: %s", blockCyclic, oneDOneD)
	}
	return nil
}

// owners are the nodes of each piece of data.
func (s *Spec) owners(b *Simulation, nodes int) ([]int32, error) {
	d := &s.Workload.Distribution
	switch {
	case d.File != "":
		return workload.ReadOwners(s.path(d.File), b.Graph)
	case d.Pattern != nil:
		return workload.Pattern(b.Graph, d.Pattern)
	case d.Kind == oneDOneD:
		return s.unequal(b, nodes)
	}
	p, q, err := d.grid(nodes)
	if err != nil {
		return nil, err
	}
	return workload.BlockCyclic(b.Graph, p, q)
}

// grid is the shape of the grid of nodes: as given, and if one number is, the
// other follows; the most square one otherwise.
func (d *Distribution) grid(nodes int) (p, q int, err error) {
	p, q = int(d.P), int(d.Q)
	switch {
	case p == 0 && q == 0:
		p, q = workload.Grid(nodes)
	case q == 0:
		q = nodes / p
	case p == 0:
		p = nodes / q
	}
	if p < 1 || q < 1 || p > nodes || q > nodes/p {
		return 0, 0, fmt.Errorf("found a grid of %d × %d nodes, want %d nodes at most", max(int(d.P), p), max(int(d.Q), q), nodes)
	}
	if (d.P == 0 || d.Q == 0) && p*q != nodes {
		return 0, 0, fmt.Errorf("found %s of nodes in the grid, want a divisor of %d nodes, or both p and q", d.sides(), nodes)
	}
	return p, q, nil
}

// sides says which side of the grid is given.
func (d *Distribution) sides() string {
	if d.P > 0 {
		return fmt.Sprintf("%d rows", d.P)
	}
	return fmt.Sprintf("%d columns", d.Q)
}

// unequal deals tiles by the power of nodes.
func (s *Spec) unequal(b *Simulation, nodes int) ([]int32, error) {
	d := &s.Workload.Distribution
	power, err := s.powers(b, nodes)
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
	return workload.OneDOneD(b.Graph, columns, power)
}

// powers are how fast nodes are, as given or else by durations.
func (s *Spec) powers(b *Simulation, nodes int) ([]float64, error) {
	if s.Workload.Distribution.Powers == nil {
		return powers(b, nodes)
	}
	power, err := s.Workload.Distribution.Powers.each(nodes)
	if err != nil {
		return nil, fmt.Errorf("find powers: %w", err)
	}
	return power, nil
}

// powers are how fast nodes are: the inverse of the time that each would take
// for the whole program if its workers shared every task as they are fast (Nesi
// 2023, equation 2). A node that cannot run some kind has none.
func powers(b *Simulation, nodes int) ([]float64, error) {
	count := make([]float64, len(b.Graph.Classes))
	for _, c := range b.Graph.Class {
		count[c]++
	}
	workers := b.Machine.Workers
	out := make([]float64, nodes)
	for k := range out {
		total := 0.0
		for c, n := range count {
			rate := 0.0
			for i := range workers {
				if w := &workers[i]; int(w.Node) == k && b.runs(c, w.Type, w.Arch) {
					rate += 1 / b.Durations[c][w.Type]
				}
			}
			if n == 0 {
				continue
			}
			if rate == 0 {
				return nil, fmt.Errorf("found no worker of node %d that can run %s, want powers that say how fast it is", k, b.Graph.Classes[c].Kind)
			}
			total += n / rate
		}
		out[k] = 1 / total
	}
	return out, nil
}

// runs tells whether a class can run on a type of worker.
func (b *Simulation) runs(class int, on int32, arch string) bool {
	return b.Durations[class][on] > 0 && !(arch == "cpu" && b.Options.OnlyDevices != nil && b.Options.OnlyDevices[class])
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

// MPI says how nodes exchange messages; what is not given is as StarPU-MPI has
// it.
type MPI struct {
	EagerLimit  *Bytes `yaml:"eager_limit"`
	MaxRequests *int   `yaml:"max_requests"`
	MaxReady    Number `yaml:"max_ready"`
	Priorities  *bool  `yaml:"priorities"`
	Cooperative *bool  `yaml:"cooperative"`
	Cache       *bool  `yaml:"cache"`
	Factors     *bool  `yaml:"factors"` // false: what links say is what messages get
}

// of changes the simulator's options.
func (m *MPI) of(o *starpu.MPI) error {
	if m.EagerLimit != nil {
		o.EagerLimit = int64(*m.EagerLimit)
	}
	if m.MaxRequests != nil {
		if o.MaxRequests = *m.MaxRequests; o.MaxRequests < 0 {
			return fmt.Errorf("found %d requests at a time, want 0 (no limit) or more", o.MaxRequests)
		}
	}
	if m.MaxReady > 0 {
		o.MaxReady = int(m.MaxReady)
	}
	for _, one := range []struct {
		from *bool
		to   *bool
	}{{m.Priorities, &o.Priorities}, {m.Cooperative, &o.Cooperative}, {m.Cache, &o.Cache}} {
		if one.from != nil {
			*one.to = *one.from
		}
	}
	if m.Factors != nil && !*m.Factors {
		o.Factors, o.Window, o.Weight, o.Back, o.Inside = nil, 0, 0, 0, false
	}
	return nil
}
