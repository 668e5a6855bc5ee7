package sparse

import (
	"fmt"
	"math"

	"dagscope/predict/workload"
)

// maxTasks bounds a program: it takes some 60 bytes of memory for each task.
const maxTasks = 1 << 28

// Program prunes the tree for a number of workers and submits the tasks, front
// by front in tree order. It is an error when there are more tasks than can be
// counted.
func (a *Analysis) Program(workers int) (*Program, error) {
	p := &Program{Analysis: a, Pruning: a.Prune(workers)}
	work := a.Work(p.Pruning)
	if work.Total() > maxTasks {
		return nil, fmt.Errorf("submit %s: found %d tasks, want at most %d: try larger blocks than %d columns", a.Name, work.Total(), maxTasks, a.NB)
	}
	p.blocks = a.cutFronts(p.Small)
	p.inside = a.contents(p.Small)
	s := newSubmitter(p, int(work.Total()), int(work.accesses(len(a.Fronts), len(p.blocks.blocks))))
	for f := range int32(len(a.Fronts)) {
		s.front(f)
	}
	s.deactivate(int32(len(a.Fronts) - 1))
	p.Graph.AccessAt = append(p.Graph.AccessAt, int32(len(p.Graph.Handle)))
	return p, nil
}

// Work is how many tasks of each kind there are, and their flops.
type Work struct{ Tasks, Flops [len(KindNames)]int64 }

// Total is the number of tasks.
func (w *Work) Total() (n int64) {
	for _, tasks := range w.Tasks {
		n += tasks
	}
	return n
}

// Work counts the tasks for a pruning without making them.
func (a *Analysis) Work(p *Pruning) *Work {
	w := &Work{}
	for f := range int32(len(a.Fronts)) {
		front, small := &a.Fronts[f], p.Small[f]
		if small >= 0 {
			w.Tasks[Deactivate]++
		}
		if small > 0 {
			w.Tasks[DoSubtree]++
			w.Flops[DoSubtree] += front.Subtree
		}
		if small == 0 {
			a.countFront(w, f)
		}
	}
	return w
}

// countFront counts the tasks of a front that is cut up.
func (a *Analysis) countFront(w *Work, f int32) {
	c := a.cut(f)
	first, last := a.assembled(f)
	panels, blocks := int64(c.panels), int64(c.blocks)
	w.Tasks[Activate]++
	w.Tasks[Panel] += panels
	w.Tasks[Update] += panels*blocks - panels*(panels+1)/2
	if a.Fronts[f].Parent != none {
		w.Tasks[Assemble] += int64(last - first + 1)
	}
	cols, stair := a.Fronts[f].Cols, a.FrontStair(f)
	for k := range c.panels {
		from, to := k*c.width, min((k+1)*c.width, cols)
		panel, update := kernelFlops(stair, int(from), int(min(to, a.Fronts[f].Steps())), int(to), a.IB)
		w.Flops[Panel] += panel
		w.Flops[Update] += update * int64(cols-to)
	}
}

// accesses is a guess, rather high, of how many there are of so many tasks.
func (w *Work) accesses(fronts, blocks int) int64 {
	t := &w.Tasks
	return t[DoSubtree] + t[Activate] + t[Deactivate] + int64(fronts) + 7*t[Assemble] + 3*t[Panel] + 2*t[Update] + int64(blocks)
}

// contents sums what is set to zero and added by the tasks of fronts: for the
// root of a subtree, over all of it; for a front that is cut up, rows of the
// matrix and the contributions of subtrees.
func (a *Analysis) contents(small []int32) []contents {
	c := make([]contents, len(a.Fronts))
	for f := range a.Fronts {
		front := &a.Fronts[f]
		c[f].fronts++
		c[f].zeros += front.Zeros
		c[f].coefficients += front.Entries
		if front.Parent == none || small[f] == 0 {
			continue
		}
		parent := &c[front.Parent]
		parent.coefficients += front.triangle(0, front.Cols)
		if small[f] < 0 {
			parent.fronts += c[f].fronts
			parent.zeros += c[f].zeros
			parent.coefficients += c[f].coefficients
		}
	}
	return c
}

// submitter appends tasks to a program.
type submitter struct {
	p        *Program
	g        *workload.Graph
	children treeLists
	fatherOf []int32 // scratch: block column of the parent, by column of a contribution
}

func newSubmitter(p *Program, tasks, accesses int) *submitter {
	g := &workload.Graph{
		Name:       p.Name,
		Class:      make([]int32, 0, tasks),
		Priority:   make([]int32, 0, tasks),
		AccessAt:   make([]int32, 0, tasks+1),
		StartBytes: make([]int64, tasks),
		EndBytes:   make([]int64, tasks),
		Handle:     make([]int32, 0, accesses),
		Mode:       make([]workload.Mode, 0, accesses),
	}
	for _, kind := range KindNames {
		g.Classes = append(g.Classes, workload.Class{Kind: kind})
	}
	p.Graph = g
	p.Front, p.I, p.J = make([]int32, 0, tasks), make([]int32, 0, tasks), make([]int32, 0, tasks)
	s := &submitter{p: p, g: g, children: p.children()}
	s.handles()
	return s
}

// handles makes the data: symbolic handles stand for the lists of a front.
func (s *submitter) handles() {
	fronts, blocks := len(s.p.Fronts), len(s.p.blocks.blocks)
	s.g.Bytes = make([]int64, fronts+2*blocks)
	s.g.HandleX = make([]int32, len(s.g.Bytes))
	s.g.HandleY = make([]int32, len(s.g.Bytes))
	s.g.Home = make([]int32, len(s.g.Bytes))
	for f := range int32(fronts) {
		front := &s.p.Fronts[f]
		s.g.Bytes[f] = indexBytes * int64(2*front.Cols+front.Rows+1)
		s.g.HandleY[f] = f
		for j := range s.p.blockCount(f) {
			s.blockHandles(f, j)
		}
	}
}

// blockHandles describes block column j of front f, from 0, and its reflectors.
func (s *submitter) blockHandles(f, j int32) {
	width := s.p.blockWidth(f, j+1)
	from := j * s.p.blockWidth(f, 1)
	b := blockMemory{from: int64(from), width: int64(width), height: int64(s.p.blocks.height(f, j+1)), ib: int64(s.p.IB)}
	data, copied := s.block(f, j+1), s.reflectors(f, j+1)
	s.g.Bytes[data] = realBytes * b.height * b.width
	s.g.Bytes[copied] = max(realBytes*b.allocated()-s.g.Bytes[data], 0)
	for _, h := range []int32{data, copied} {
		s.g.HandleX[h], s.g.HandleY[h] = j+1, f
	}
}

// blockCount is the number of block columns of a front that is cut up, else 0.
func (p *Program) blockCount(f int32) int32 {
	if p.blocks.at[f] == none {
		return 0
	}
	return p.cut(f).blocks
}

// block is the handle of block column j of front f, from 1.
func (s *submitter) block(f, j int32) int32 {
	return int32(len(s.p.Fronts)) + s.p.blocks.at[f] + j - 1
}

// reflectors is the handle of the copy of its reflectors.
func (s *submitter) reflectors(f, j int32) int32 {
	return s.block(f, j) + int32(len(s.p.blocks.blocks))
}

// front submits the tasks of a front, unless it is inside of a subtree's task.
func (s *submitter) front(f int32) {
	switch {
	case s.p.Small[f] < 0:
	case s.p.Small[f] > 0:
		s.subtree(f)
	default:
		s.activate(f)
		for _, c := range s.children.of(f) {
			if s.p.Small[c] == 0 {
				s.assemble(c, f)
			}
			s.deactivate(c)
		}
		s.factorize(f)
	}
}

// task begins a task; its accesses follow. Priorities 4(n−f)+… fall from the
// leaves, which come first, to the root: a front's panels before its updates
// before what is assembled into it.
func (s *submitter) task(kind, f, i, j, priority int32) {
	s.g.Class = append(s.g.Class, kind)
	s.g.Priority = append(s.g.Priority, priority)
	s.g.AccessAt = append(s.g.AccessAt, int32(len(s.g.Handle)))
	s.p.Front, s.p.I, s.p.J = append(s.p.Front, f), append(s.p.I, i), append(s.p.J, j)
}

func (s *submitter) access(handle int32, mode workload.Mode) {
	s.g.Handle, s.g.Mode = append(s.g.Handle, handle), append(s.g.Mode, mode)
}

// urgent is the priority of tasks on whole fronts.
const urgent = math.MaxInt32

func (s *submitter) subtree(f int32) {
	last := len(s.g.Class)
	s.task(DoSubtree, f, 0, 0, urgent)
	s.access(f, workload.ReadWrite)
	s.g.StartBytes[last] = s.p.Allocated[f]
	if first := s.p.Small[f] - 1; first != f {
		s.g.EndBytes[last] = -s.p.Freed[first]
	}
}

func (s *submitter) activate(f int32) {
	s.g.StartBytes[len(s.g.Class)] = s.p.Allocated[f]
	s.task(Activate, f, 0, 0, urgent)
	s.access(f, workload.ReadWrite)
	for _, c := range s.children.of(f) {
		s.access(c, workload.Read)
	}
}

func (s *submitter) deactivate(f int32) {
	s.g.EndBytes[len(s.g.Class)] = -s.p.Freed[f]
	s.task(Deactivate, f, 0, 0, urgent)
	s.access(f, workload.ReadWrite)
}

// assemble adds the contribution of a child that is cut up, block column by
// block column, to those of its parent that have its columns.
func (s *submitter) assemble(child, f int32) {
	first, last := s.p.assembled(child)
	if last < first {
		return
	}
	s.mapBlocks(child, f)
	priority, width := s.priority(f), s.p.cut(child).width
	pivots := s.p.Fronts[child].Pivots
	for j := first; j <= last; j++ {
		s.task(Assemble, child, 1, j, priority)
		s.access(child, workload.Read)
		s.access(f, workload.Read)
		s.access(s.block(child, j), workload.Read)
		from, to := max((j-1)*width, pivots), min(j*width, s.p.Fronts[child].Cols)
		s.assembleInto(f, from-pivots, max(to, from)-pivots)
	}
}

// assembleInto accesses the parent's blocks of columns from … to−1 of the
// contribution, last first as qr_mumps lists them.
func (s *submitter) assembleInto(f, from, to int32) {
	for k := to - 1; k >= from; k-- {
		if j := s.fatherOf[k]; k == to-1 || j != s.fatherOf[k+1] {
			s.access(s.block(f, j), workload.ReadWrite|workload.Commute)
		}
	}
}

// mapBlocks finds the parent's block column, from 1, of each column of a
// contribution. Both lists of columns ascend.
func (s *submitter) mapBlocks(child, f int32) {
	s.fatherOf = s.fatherOf[:0]
	columns, width, k := s.p.FrontColumns(f), s.p.cut(f).width, int32(0)
	for _, column := range s.p.contribution(child) {
		for columns[k] != column {
			k++
		}
		s.fatherOf = append(s.fatherOf, k/width+1)
	}
}

func (s *submitter) priority(f int32) int32 {
	return int32(min(4*int64(len(s.p.Fronts)-int(f)), urgent-4))
}

// factorize submits panels and updates. Reading the front's symbolic handle at
// the first panel orders them after activation; at the end of a front without
// contribution it orders deactivation after them.
func (s *submitter) factorize(f int32) {
	front, c := &s.p.Fronts[f], s.p.cut(f)
	closed := front.Steps() <= front.Pivots
	for k := int32(1); k <= c.panels; k++ {
		lastPanel := closed && k == c.panels
		s.panel(f, k, k == 1 || lastPanel && k == c.blocks)
		for j := k + 1; j <= c.blocks; j++ {
			s.update(f, k, j, lastPanel)
		}
	}
}

func (s *submitter) panel(f, k int32, symbolic bool) {
	s.task(Panel, f, k, 1, s.priority(f)+3)
	s.access(s.block(f, k), workload.ReadWrite)
	s.access(s.reflectors(f, k), workload.ReadWrite)
	if symbolic {
		s.access(f, workload.Read)
	}
}

func (s *submitter) update(f, k, j int32, symbolic bool) {
	s.task(Update, f, k, j, s.priority(f)+2)
	s.access(s.reflectors(f, k), workload.Read)
	s.access(s.block(f, j), workload.ReadWrite)
	if symbolic {
		s.access(f, workload.Read)
	}
}
