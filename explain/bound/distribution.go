package bound

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"dagscope/explain/comm"
	"dagscope/explain/kind"
	"dagscope/trace"
)

// DistributionNeeds names the columns read besides Needs for
// Result.Distribution.
var DistributionNeeds = append([]string{
	"access.task", "access.handle", "access.mode", "handle.owner", "dep.via",
	"transfer.kind", "transfer.from", "transfer.to", "transfer.start", "transfer.end", "transfer.bytes",
}, comm.Needs...)

// OwnerComputes is the share of the counted tasks that must have run where data
// that they write has its owner for the owner to decide where tasks run.
const OwnerComputes = 0.99

// Distribution bounds the schedules that leave each task on the node on which it
// ran: where the owner of data decides that, those of this distribution of data.
// Other than over all nodes, a node that has more work than others shows, and
// what crosses nodes takes the time of a message.
type Distribution struct {
	Owned float64 // share of the counted tasks that ran where data that they write has its owner

	Area     Area     // of the node with the greatest area bound
	CPE      Path     // longest path; each task at the fastest mean of its node, each message as Network has it
	HeadTail HeadTail // of the node with the greatest one, between levels of the whole graph
	Node     int32    // the node of HeadTail
	Best     Best     // "abe", "cpe" or "head_tail"
	Network  Network
}

// Cost is how much longer the bound is than the one with any distribution, ns; 0
// where that is greater: it may hold more paths.
func (d *Distribution) Cost(r *Result) float64 { return max(0, d.Best.Time-r.Lower().Time) }

// distribute bounds the distribution of a run; nil where data does not decide
// which node runs a task.
func distribute(run *trace.Run, o Options, s *sweeps) (*Distribution, error) {
	if len(s.res.PerNode) < 2 {
		return nil, nil
	}
	d := &Distribution{Owned: owned(run, o)}
	if d.Owned < OwnerComputes {
		return nil, nil
	}
	p, err := newParted(run, o, s)
	if err != nil {
		return nil, err
	}
	d.Network = p.network
	d.Area = p.area[p.order[0]]
	d.CPE = p.longest(run)
	d.Best = greatest(d.Area.Time, d.CPE.Time, 0, 0)
	if d.HeadTail, d.Node, err = p.headTail(o.Levels, d.Best.Time); err != nil {
		return nil, err
	}
	d.Best = greatest(d.Area.Time, d.CPE.Time, d.HeadTail.Time, 0)
	return d, nil
}

// OwnersDecide reports whether the owner of data decides which node runs a task
// (see [OwnerComputes]).
func OwnersDecide(run *trace.Run, o Options) bool { return owned(run, o) >= OwnerComputes }

// owned is the share of the counted tasks that ran on the node that owns a
// handle which they write; 0 where accesses or owners are not known.
func owned(run *trace.Run, o Options) float64 {
	a, h, t := &run.Access, &run.Handle, &run.Task
	if len(a.Task) == 0 || len(h.Owner) == 0 {
		return 0
	}
	writes := make([]bool, len(a.Mode.Dict))
	for m, mode := range a.Mode.Dict {
		writes[m] = strings.ContainsAny(mode, "WX")
	}
	at := make([]bool, len(t.Start))
	for i, task := range a.Task {
		if m := a.Mode.Index[i]; m < 0 || !writes[m] || t.Worker[task] < 0 {
			continue
		}
		if owner := h.Owner[a.Handle[i]]; owner >= 0 && owner == run.Resource.Node[t.Worker[task]] {
			at[task] = true
		}
	}
	all, there := 0, 0
	for i := range t.Start {
		if o.counts(t, i) {
			all++
			if at[i] {
				there++
			}
		}
	}
	if all == 0 {
		return 0
	}
	return float64(there) / float64(all)
}

// parted is the graph of a run whose tasks stay on their nodes.
type parted struct {
	g       *graph
	costs   []*Costs // of each node
	area    []Area   // the same
	rank    []int32  // of each node
	order   []int    // of nodes, those with most work first
	node    []int32  // of each counted task: index of its node, trace.None for others
	weight  []int64
	edge    []int64 // of each edge row
	fixed   fixed
	network Network
}

func newParted(run *trace.Run, o Options, s *sweeps) (*parted, error) {
	p := &parted{g: s.graph, network: FindNetwork(run)}
	all := s.costs
	if s.known != nil {
		all = s.known
	}
	workers := kind.Workers(run)
	observed := observe(run, o, s.duration, true)
	at := map[int32]int32{}
	var fastest []float64 // [node][kind]
	kinds := len(s.costs.Kind)
	for i, a := range s.res.PerNode {
		at[a.Node] = int32(i)
		c, err := nodeCosts(run, o, observed, a.Node, workers, all)
		if err == nil && s.known != nil {
			a, err = c.area(a.Node)
		}
		if err != nil {
			return nil, err
		}
		p.costs, p.area, p.rank, p.order = append(p.costs, c), append(p.area, a), append(p.rank, a.Node), append(p.order, i)
		row := slices.Repeat([]float64{math.Inf(1)}, kinds)
		for k, f := range c.Fastest() {
			row[s.costs.kindAt[c.Kind[k]]] = f
		}
		fastest = append(fastest, row...)
	}
	slices.SortStableFunc(p.order, func(a, b int) int { return cmp.Compare(p.area[b].Time, p.area[a].Time) })
	class := make([]int32, len(s.graph.kind))
	p.node = make([]int32, len(class))
	for i, k := range s.graph.kind {
		class[i], p.node[i] = trace.None, trace.None
		if k >= 0 {
			p.node[i] = at[run.Resource.Node[run.Task.Worker[i]]]
			class[i] = p.node[i]*int32(kinds) + k
		}
	}
	took, total := p.messages(run)
	p.weight, p.fixed = weightsBeside(class, fastest, total)
	p.edge = make([]int64, len(took))
	for e, ns := range took {
		p.edge[e] = p.fixed.floor(ns)
	}
	return p, nil
}

// messages is how long each edge takes at least: that of a message between
// nodes, 0 within one; and all together.
func (p *parted) messages(run *trace.Run) (took []float64, total float64) {
	took = make([]float64, len(run.Dep.From))
	t := &run.Transfer
	between := make([]bool, len(t.Kind.Dict))
	for k, name := range t.Kind.Dict {
		between[k] = name == trace.TransferMPI
	}
	for e, via := range run.Dep.Via {
		if via < 0 || run.Dep.From[e] < 0 || t.Kind.Index[via] < 0 || !between[t.Kind.Index[via]] || t.From[via] < 0 || t.To[via] < 0 {
			continue
		}
		from, to := run.Resource.Node[t.From[via]], run.Resource.Node[t.To[via]]
		if from != to {
			took[e] = p.network.Time(from, to, max(0, t.Bytes[via]))
			total += took[e]
		}
	}
	return took, total
}

// longest is the longest path over all nodes with its messages.
func (p *parted) longest(run *trace.Run) Path {
	longest := p.g.LongestPathEdges(p.g.order, p.weight, p.edge)
	path := Path{Time: p.fixed.ns(longest.Length), Tasks: p.g.counted(longest.Nodes)}
	for _, e := range longest.Edges {
		if p.edge[e] > 0 {
			path.Transfers = append(path.Transfers, run.Dep.Via[e])
		}
	}
	return path
}

// headTail is the greatest head–tail bound of a node above a floor: area bounds
// of its own tasks on its own workers, between levels of the whole graph. It
// goes through the nodes with most work first, so that little is left to search
// of the others.
func (p *parted) headTail(levels int, floor float64) (best HeadTail, node int32, err error) {
	head := p.g.TopLevelsEdges(p.g.order, p.weight, p.edge)
	tail := p.g.TailsEdges(p.g.order, p.weight, p.edge)
	own := make([][]int32, len(p.costs))
	for i, n := range p.node {
		if n >= 0 {
			own[n] = append(own[n], int32(i))
		}
	}
	best.Exact = true
	node = trace.None
	exact := true
	for _, n := range p.order {
		s := &search{costs: p.costs[n], fixed: p.fixed, floor: max(floor, best.Time), programs: max(50, maxPrograms/len(p.order))}
		for _, i := range own[n] {
			s.kind = append(s.kind, p.costs[n].kindAt[p.kindOf(i)])
			s.head, s.tail = append(s.head, head[i]), append(s.tail, tail[i])
		}
		found, err := s.best(levels)
		if err != nil {
			return best, node, err
		}
		exact = exact && found.Exact
		if found.Time > best.Time {
			best, node = found, p.rank[n]
		}
	}
	best.Exact = exact
	return best, node, nil
}

// kindOf is the dictionary index of a task's kind.
func (p *parted) kindOf(task int32) int32 { return p.g.kinds[p.g.kind[task]] }
