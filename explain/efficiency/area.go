package efficiency

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"dagscope/explain/bound"
)

// Kind is what the tasks of a kind on an architecture of all nodes did.
type Kind struct {
	Kind, Arch string
	Tasks      float64 // a task that ran on several architectures counts in parts
	Useful     int64   // ns
	Work       float64 // GFlop, NaN where it is not known of each task
}

// basis is what area programs are made of, without the run: kinds and
// architectures by their index plus one, 0 for tasks without a kind and workers of
// unknown architecture.
type basis struct {
	kindName, archName []string
	cells              []cell      // [architecture][kind]
	tasks              [][]float64 // [type][kind]
	borrowed           map[[2]string]pace
}

// cell is what tasks of a kind did on an architecture of all nodes.
type cell struct {
	count  float64 // of tasks; a task that ran on several architectures counts in parts
	useful int64   // ns
	work   float64 // GFlop, NaN where it is not known of each task
}

// pace is how long a task of a kind takes on an architecture, ns, and how much work
// it is, GFlop, NaN where that is not known.
type pace struct{ time, work float64 }

// on is the time of a task of other work at this pace: in proportion where both
// are known.
func (p pace) on(work float64) float64 {
	if x := p.time / p.work * work; !math.IsNaN(x) {
		return x
	}
	return p.time
}

func (b *basis) cell(arch, k int) *cell { return &b.cells[arch*len(b.kindName)+k] }

// work is that of a task of a kind on an architecture; where none ran, on any.
func (b *basis) work(arch, k int) float64 {
	if c := b.cell(arch, k); c.count > 0 {
		return c.work / c.count
	}
	work, count := 0.0, 0.0
	for a := range b.archName {
		c := b.cell(a, k)
		work, count = work+c.work, count+c.count
	}
	return work / count
}

// pace is that of a kind on an architecture, of its own tasks or of those of
// another run ([Result.Borrow]).
func (b *basis) pace(arch, k int) (p pace, ok bool) {
	if c := b.cell(arch, k); c.count > 0 {
		return pace{float64(c.useful) / c.count, c.work / c.count}, true
	}
	p, ok = b.borrowed[[2]string{b.kindName[k], b.archName[arch]}]
	return p, ok
}

// mean is the useful time of a task of a kind on an architecture, ns; +Inf where
// it is not known.
func (b *basis) mean(arch, k int) float64 {
	if p, ok := b.pace(arch, k); ok {
		return p.time
	}
	return math.Inf(1)
}

// kinds lists what ran.
func (r *Result) kinds() {
	for a, arch := range r.archName {
		for k, name := range r.kindName {
			if c := r.cell(a, k); c.count > 0 {
				r.Kinds = append(r.Kinds, Kind{Kind: name, Arch: arch, Tasks: c.count, Useful: c.useful, Work: c.work})
			}
		}
	}
	slices.SortFunc(r.Kinds, func(a, b Kind) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Arch, b.Arch)) })
}

// bounds computes the loads of types and the area bounds of nodes and run.
func (r *Result) bounds() error {
	for i := range r.Types {
		p := &r.Types[i]
		load := 0.0
		for k, n := range r.tasks[i] {
			if n > 0 {
				load += n * r.mean(int(p.Arch)+1, k)
			}
		}
		p.Load = load / float64(p.Count)
		p.ABE, p.Largest = p.Load, p.Load
	}
	all := &r.Run
	for i := range r.Nodes {
		n := &r.Nodes[i]
		if err := r.node(n); err != nil {
			return err
		}
		if i == 0 || n.ABE > all.Largest {
			all.Largest, all.HardNode = n.ABE, n.Node
		}
		if i == 0 || n.Load > all.Load {
			all.Load, all.HardType = n.Load, n.HardType
		}
	}
	all.ABE = r.Nodes[0].ABE
	r.costs, r.count = r.program(r.Types)
	if len(r.Nodes) > 1 {
		a, err := r.costs.Area(r.count)
		if err != nil {
			return fmt.Errorf("efficiencies: %w", err)
		}
		all.ABE = a.Time
	}
	return nil
}

// node computes the area bound of a node's own tasks on its own workers, with the
// mean durations of the run, and its largest load.
func (r *Result) node(p *Part) error {
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
		costs, count := r.program(own)
		a, err := costs.Area(count)
		if err != nil {
			return fmt.Errorf("efficiencies of node %d: %w", p.Node, err)
		}
		p.ABE = a.Time
	}
	p.Largest = p.ABE
	return nil
}

// program is what the area bound of some types is made of: their workers, their
// tasks, and the mean durations of the run. Kinds that take no time on one of the
// architectures cost nothing and are left out.
func (r *Result) program(types []Part) (*bound.Costs, []float64) {
	c, total := new(bound.Costs), make([]float64, len(r.kindName))
	for i := range types {
		p := &types[i]
		at := slices.Index(c.Arch, p.Arch)
		if at < 0 {
			at = len(c.Arch)
			c.Arch, c.Workers = append(c.Arch, p.Arch), append(c.Workers, 0)
		}
		c.Workers[at] += p.Count
		for k, n := range r.tasks[p.HardType] {
			total[k] += n
		}
	}
	var count []float64
	for k, n := range total {
		row, cheapest := make([]float64, len(c.Arch)), math.Inf(1)
		for i, arch := range c.Arch {
			row[i] = r.mean(int(arch)+1, k)
			cheapest = min(cheapest, row[i])
		}
		if n > 0 && cheapest > 0 {
			c.Kind, c.Duration, count = append(c.Kind, int32(k-1)), append(c.Duration, row), append(count, n)
		}
	}
	return c, count
}

// unknown calls visit for each kind that ran and each architecture of which it is
// not known how long it takes there.
func (r *Result) unknown(visit func(arch, k int)) {
	if r.costs == nil {
		return
	}
	for i, k := range r.costs.Kind {
		for j, a := range r.costs.Arch {
			if math.IsInf(r.costs.Duration[i][j], 1) {
				visit(int(a)+1, int(k)+1)
			}
		}
	}
}

// neverRan names the kinds and architectures of which no duration is known: the
// bounds put no task there, though some could perhaps run.
func (r *Result) neverRan() (names []string) {
	r.unknown(func(arch, k int) { names = append(names, onArch(r.kindName[k], r.archName[arch])) })
	slices.Sort(names)
	return names
}
