package sparse

import (
	"math"
	"slices"
)

// Pruning says what is one task for a number of workers: the lower part of the
// tree, where there is parallelism enough between subtrees, is not cut up.
type Pruning struct {
	Workers int
	// By front, the artificial root included: 0 is a front of its own, cut into
	// block columns; f+1 of the first front f of the subtree, for the root of a
	// subtree that is one task; the same negative, for what is inside it.
	Small []int32
	Layer []int32 // fronts of the layer whose children are subtrees
	Peak  int64   // bytes, of the sequential factorization in tree order, the matrix included
	// By front: changes of memory, those of a subtree's inner fronts summed up:
	// its task begins with Allocated of its root and ends with releasing Freed
	// of its first front, unless that is the root.
	Allocated, Freed []int64
}

// Prune prunes the tree for a number of workers, at least 1.
func (a *Analysis) Prune(workers int) *Pruning {
	p := &Pruning{Workers: max(workers, 1), Small: make([]int32, len(a.Fronts))}
	cut := newPruner(a, p.Workers)
	for cut.search() {
		cut.share /= 2
	}
	for _, n := range cut.layer {
		p.Layer = append(p.Layer, n.front)
		for _, c := range cut.children.of(n.front) {
			cut.light[c] = true
		}
	}
	a.subtrees(p.Small, cut.light)
	a.peak(p)
	return p
}

// Constants of the pruning of qr_mumps.
const (
	lightShare  = 0.01 // of all work: a subtree below that is one task
	leastShare  = 1e-4 // to which it is halved while there is too little parallelism
	goodBalance = 0.9  // least loaded worker against the most loaded one
)

// pruner searches the layer of the tree below which subtrees are one task
// each: heavy nodes are replaced by their children until what is below the
// layer can be spread evenly over the workers.
type pruner struct {
	a        *Analysis
	children treeLists
	workers  int
	limit    float64 // fronts of the layer
	share    float64
	leaves   int // fronts without children

	layer []weighted
	light []bool // subtrees cut off below the layer
	stuck int    // heaviest fronts of the layer that have no heavy children
}

type weighted struct {
	front int32
	work  float64
}

func newPruner(a *Analysis, workers int) *pruner {
	log := math.Log2(float64(workers))
	p := &pruner{a: a, children: a.children(), workers: workers, share: lightShare, limit: float64(workers) * max(2, log*log)}
	for f := range a.Fronts {
		if a.Fronts[f].Children == 0 {
			p.leaves++
		}
	}
	return p
}

// search finds the layer for the present share of light subtrees. It is true
// when the share is to be halved for another try.
func (p *pruner) search() (again bool) {
	p.layer, p.light, p.stuck = p.layer[:0], make([]bool, len(p.a.Fronts)), 0
	p.place(int32(len(p.a.Fronts) - 1))
	for p.workers > 1 && float64(len(p.layer)) <= p.limit {
		sortByWork(p.layer)
		if len(p.layer) >= p.workers && balanced(p.layer, p.workers) {
			return false
		}
		found, again := p.expandable()
		if !found {
			return again
		}
		last := len(p.layer) - 1
		p.layer[p.stuck] = p.layer[last]
		p.layer = p.layer[:last]
	}
	return false
}

// expandable puts the children of the heaviest front that has heavy ones in
// the layer, and leaves it at place stuck.
func (p *pruner) expandable() (found, again bool) {
	for !found {
		if p.stuck == p.leaves {
			return false, false
		}
		if p.stuck == len(p.layer) {
			return false, float64(len(p.layer)) < p.limit && p.share/2 >= leastShare
		}
		for _, c := range p.children.of(p.layer[p.stuck].front) {
			found = p.place(c) || found
		}
		if !found {
			p.stuck++
		}
	}
	return true, false
}

// place puts a front in the layer, or cuts it off if its subtree is light.
func (p *pruner) place(f int32) (heavy bool) {
	work := float64(p.a.Fronts[f].Subtree)
	heavy = work > p.share*float64(p.a.Flops)
	if heavy {
		p.layer = append(p.layer, weighted{f, work})
	} else {
		p.light[f] = true
	}
	return heavy
}

// sortByWork sorts stably, heaviest first. All but a few are in order.
func sortByWork(layer []weighted) {
	for k := 1; k < len(layer); k++ {
		moved := layer[k]
		if layer[k-1].work >= moved.work {
			continue
		}
		to, _ := slices.BinarySearchFunc(layer[:k], moved.work, func(n weighted, work float64) int {
			if n.work >= work {
				return -1
			}
			return 1
		})
		copy(layer[to+1:k+1], layer[to:k])
		layer[to] = moved
	}
}

// balanced is whether the layer, heaviest first, spreads evenly over workers
// when each front goes to the least loaded one.
func balanced(layer []weighted, workers int) bool {
	total := 0.0
	for _, n := range layer {
		total += n.work
	}
	// The most loaded worker has at least the first front, the least loaded
	// one at most the mean: most calls end here.
	if total/float64(workers) < (goodBalance-1e-6)*layer[0].work {
		return false
	}
	load := make(leastFirst, workers)
	for _, n := range layer {
		load[0] += n.work
		load.sink()
	}
	most := slices.Max(load)
	return most > 0 && load[0]/most > goodBalance
}

// leastFirst is a heap of loads.
type leastFirst []float64

// sink restores the heap after its first element grew.
func (h leastFirst) sink() {
	for k := 0; ; {
		least := 2*k + 1
		if least >= len(h) {
			return
		}
		if least+1 < len(h) && h[least+1] < h[least] {
			least++
		}
		if h[k] <= h[least] {
			return
		}
		h[k], h[least] = h[least], h[k]
		k = least
	}
}

// subtrees numbers what is below light fronts, see Pruning.Small. Fronts of a
// subtree are consecutive, its root last.
func (a *Analysis) subtrees(small []int32, light []bool) {
	size := make([]int32, len(a.Fronts))
	for f := range a.Fronts {
		size[f]++
		if p := a.Fronts[f].Parent; p != none {
			size[p] += size[f]
		}
	}
	for f := len(a.Fronts) - 1; f >= 0; f-- {
		if p := a.Fronts[f].Parent; p != none && small[p] != 0 {
			small[f] = -abs(small[p])
		} else if light[f] {
			small[f] = int32(f) - size[f] + 2
		}
	}
}

func abs(v int32) int32 { return max(v, -v) }

// peak is the most memory that the factorization takes one front after
// another, and the changes of memory of tasks.
func (a *Analysis) peak(p *Pruning) {
	p.Allocated, p.Freed = make([]int64, len(a.Fronts)), make([]int64, len(a.Fronts))
	released := make([]int64, len(a.Fronts)) // of children
	now := a.matrixBytes()
	p.Peak = now
	var inside subtreeMemory
	for f := range a.Fronts {
		front := &a.Fronts[f]
		p.Allocated[f], p.Freed[f] = front.Allocated, front.Freed
		now += front.Allocated
		p.Peak = max(p.Peak, now)
		now -= released[f]
		if front.Parent != none {
			released[front.Parent] += front.Freed
		}
		if p.Small[f] != 0 {
			inside.add(front, released[f])
		}
		if p.Small[f] > 0 {
			p.subtreeTask(int32(f), &inside)
		}
	}
}

// subtreeMemory is that of a subtree factorized by one task.
type subtreeMemory struct{ now, peak, factors int64 }

func (s *subtreeMemory) add(f *Front, released int64) {
	s.now += f.Allocated
	s.peak = max(s.peak, s.now)
	s.now -= released
	s.factors += f.Allocated - f.Freed
}

// subtreeTask sums a subtree up at its root and its first front: the task
// allocates the peak, and in the end keeps factors and its root's contribution.
func (p *Pruning) subtreeTask(root int32, s *subtreeMemory) {
	if first := p.Small[root] - 1; first != root {
		p.Allocated[root] = s.peak
		p.Freed[first] = s.peak - s.factors - p.Freed[root]
	}
	*s = subtreeMemory{}
}

// matrixBytes is the memory of the matrix itself: values and index lists.
func (a *Analysis) matrixBytes() int64 {
	return indexBytes*(2*int64(a.Rows)+int64(len(a.Fronts))+a.Entries) + realBytes*a.Entries
}
