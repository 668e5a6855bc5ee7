package progress

import (
	"math"
	"math/bits"
	"slices"
	"sync"

	"dagscope/explain/kind"
	"dagscope/internal/parallel"
	"dagscope/show/panel/core"
	"dagscope/trace"
)

// Distributions of durations of a window, exact, without a list of them: the
// first pass over the tasks of the window counts durations on a fine
// logarithmic scale, which tells where the quartiles lie to half a percent; the
// second collects those there, and the third counts the columns that are drawn.

// durationSource visits the durations of the tasks that start in a window, on
// all cores, in batches. Each goroutine gets a function of its own from start.
type durationSource interface {
	visit(t0, t1 int64, start func() func(*durationBatch))
	// mapped is the source with other numbers of groups, -1 for those left out.
	mapped(to []int) durationSource
}

// durationBatch are the groups and durations of some tasks.
type durationBatch struct {
	group []int32
	ns    []int64
}

const batchTasks = 2048

func (b *durationBatch) Add(group int, ns int64) {
	b.group, b.ns = append(b.group, int32(group)), append(b.ns, ns)
}

// pass hands a batch on, and empties it, when it is full or nothing follows.
func (b *durationBatch) pass(f func(*durationBatch), last bool) {
	if last || len(b.ns) >= batchTasks {
		f(b)
		b.group, b.ns = b.group[:0], b.ns[:0]
	}
}

// listedDurations are columns of start and duration by group.
type listedDurations struct{ start, duration [][]int64 }

func (l *listedDurations) visit(t0, t1 int64, start func() func(*durationBatch)) {
	parallel.With(len(l.start), func() func(int) {
		f, b := start(), &durationBatch{}
		return func(g int) {
			for i, at := range l.start[g] {
				if at >= t0 && at < t1 {
					b.Add(g, l.duration[g][i])
					b.pass(f, false)
				}
			}
			b.pass(f, true)
		}
	})
}

func (l *listedDurations) mapped(to []int) durationSource {
	m := &listedDurations{}
	for g, i := range to {
		if i < 0 {
			continue
		}
		for len(m.start) <= i {
			m.start, m.duration = append(m.start, nil), append(m.duration, nil)
		}
		m.start[i], m.duration[i] = l.start[g], l.duration[g]
	}
	return m
}

// baseDurations are the tasks of a base, in order of start on each track.
type baseDurations struct {
	base  *core.Base
	group [][]int // by resource and first class / variants: a group, -1 for none
}

func (b *baseDurations) visit(t0, t1 int64, start func() func(*durationBatch)) {
	parallel.With(len(b.group), func() func(int) {
		f, batch := start(), &durationBatch{}
		return func(r int) {
			var group [256]int32 // by class
			for class := range group {
				if group[class] = int32(b.group[r][class/int(core.Variants)]); uint8(class)%core.Variants == core.Generating {
					group[class] = -1
				}
			}
			for _, t := range b.base.Tracks[r] {
				lo, _ := slices.BinarySearch(t.Start, t0)
				n, _ := slices.BinarySearch(t.Start[lo:], t1)
				for hi := lo + n; lo < hi; {
					to := min(lo+batchTasks, hi)
					batch.fill(&group, t.Class[lo:to], t.Start[lo:to], t.End[lo:to])
					batch.pass(f, true)
					lo = to
				}
			}
		}
	})
}

// fill adds the tasks of the classes that have a group.
func (b *durationBatch) fill(group *[256]int32, class []uint8, start, end []int64) {
	end = end[:len(start)]
	for i, c := range class[:len(start)] {
		if g := group[c]; g >= 0 {
			b.group, b.ns = append(b.group, g), append(b.ns, end[i]-start[i])
		}
	}
}

// kindsOf finds the groups of kind and architecture in a base: what
// [kind.Group] finds in the run; ok is false where the base does not tell.
func kindsOf(b *core.Base, run *trace.Run, o *core.Options) (source *baseDurations, groups []kindGroup, ok bool) {
	if b == nil || !b.WholeTasks || len(b.Kind) > core.MostKinds || slices.ContainsFunc(b.Tracks, func(t []*core.Track) bool { return t == nil }) {
		return nil, nil, false
	}
	source = &baseDurations{base: b, group: make([][]int, len(b.Tracks))}
	known := map[[2]int32]int{}
	for r, tracks := range b.Tracks {
		source.group[r] = slices.Repeat([]int{-1}, 256/int(core.Variants))
		if !o.ShowsNode(run.Resource.Node[r]) {
			continue
		}
		for _, t := range tracks {
			for _, class := range t.Classes() {
				k := slices.Index(b.Kind, class-class%core.Variants)
				if k >= len(b.Kind)-1 || class%core.Variants == core.Generating || o.Hides(run.Task.Kind.Dict[k]) {
					continue
				}
				key := [2]int32{int32(k), run.Resource.Arch.Index[r]}
				g, there := known[key]
				if !there {
					g = len(groups)
					known[key], groups = g, append(groups, kindGroup{kind: run.Task.Kind.Dict[k], arch: kind.ArchName(run, key[1])})
				}
				source.group[r][class/core.Variants] = g
			}
		}
	}
	return source, groups, true
}

func (b *baseDurations) mapped(to []int) durationSource {
	for _, of := range b.group {
		for c, g := range of {
			if g >= 0 {
				of[c] = to[g]
			}
		}
	}
	return b
}

// totals are number, sum, least and greatest of the durations of each group.
type totals struct {
	n         int
	sum       int64
	low, high int64
}

func totalsOf(s durationSource, groups int) []totals {
	all := make([]totals, groups)
	for g := range all {
		all[g].low = math.MaxInt64
	}
	eachDuration(s, math.MinInt64, math.MaxInt64, func() ([]totals, func(*durationBatch)) {
		own := slices.Clone(all)
		return own, func(b *durationBatch) {
			for i, ns := range b.ns {
				o := &own[b.group[i]]
				o.n, o.sum, o.low, o.high = o.n+1, o.sum+ns, min(o.low, ns), max(o.high, ns)
			}
		}
	}, func(own []totals) {
		for g, o := range own {
			a := &all[g]
			a.n, a.sum, a.low, a.high = a.n+o.n, a.sum+o.sum, min(a.low, o.low), max(a.high, o.high)
		}
	})
	return all
}

// eachDuration visits durations with scratch memory for each goroutine, which is merged
// one after the other at the end.
func eachDuration[T any](s durationSource, t0, t1 int64, start func() (T, func(*durationBatch)), merge func(T)) {
	var lock sync.Mutex
	var parts []T
	s.visit(t0, t1, func() func(*durationBatch) {
		own, f := start()
		lock.Lock()
		parts = append(parts, own)
		lock.Unlock()
		return f
	})
	for _, p := range parts {
		merge(p)
	}
}

// fineBins is the number of bins of the fine scale: 256 to a factor of two.
const (
	fineBits = 8
	fineBins = (64 - fineBits) << fineBits
)

// fineBin is the bin of a duration; bins ascend, and below 512 ns each ns has
// its own.
func fineBin(ns int64) int {
	v := uint64(max(ns, 0))
	e := max(0, bits.Len64(v)-fineBits-1)
	return e<<fineBits + int(v>>e)
}

// fineStart is the least duration of a bin.
func fineStart(bin int) int64 {
	if bin < 2<<fineBits {
		return int64(bin)
	}
	e := bin>>fineBits - 1
	return int64(bin-e<<fineBits) << e
}

// sample are the tasks of a group that start in a window.
type sample struct {
	n           int
	quartile    [3]float64
	usual, long []int // by column of the drawing: up to Q3 + 1.5 IQR, and beyond
}

// samples measures groups in a window.
type samples struct {
	durationSource
	t0, t1 int64
	fine   [][]int // by group: tasks in each fine bin
	all    []sample
}

// samplesOf measures the groups in a window; column gives the column of a
// duration, which must not descend.
func samplesOf(source durationSource, groups int, q core.Query, columns int, column func(ns int64) int) []sample {
	s := &samples{durationSource: source, t0: q.T0, t1: q.T1, fine: newCounts(groups, fineBins), all: make([]sample, groups)}
	s.countFine()
	s.findQuartiles()
	s.countColumns(columns, column)
	return s.all
}

func newCounts(groups, n int) [][]int {
	c := make([][]int, groups)
	for g := range c {
		c[g] = make([]int, n)
	}
	return c
}

func addCounts(to, from [][]int) {
	for g := range from {
		for i, n := range from[g] {
			to[g][i] += n
		}
	}
}

func (s *samples) countFine() {
	eachDuration(s, s.t0, s.t1, func() ([][]int, func(*durationBatch)) {
		own := newCounts(len(s.fine), fineBins)
		return own, func(b *durationBatch) {
			for i, ns := range b.ns {
				own[b.group[i]][fineBin(ns)]++
			}
		}
	}, func(own [][]int) { addCounts(s.fine, own) })
	for g := range s.all {
		for _, n := range s.fine[g] {
			s.all[g].n += n
		}
	}
}

// order is the place of an order statistic of a group: its bin, and how many
// are below that.
func (s *samples) order(g, rank int) (bin, below int) {
	for bin, n := range s.fine[g] {
		if below+n > rank {
			return bin, below
		}
		below += n
	}
	return fineBins - 1, below
}

// findQuartiles collects the durations in the bins that hold the order
// statistics of the quartiles, and reads these from them.
func (s *samples) findQuartiles() {
	wanted := make([][fineBins]bool, len(s.all))
	for g := range s.all {
		for _, p := range quartiles {
			for _, rank := range ranksOf(s.all[g].n, p) {
				bin, _ := s.order(g, rank)
				wanted[g][bin] = true
			}
		}
	}
	found := make([][]int64, len(s.all))
	eachDuration(s, s.t0, s.t1, func() ([][]int64, func(*durationBatch)) {
		own := make([][]int64, len(s.all))
		return own, func(b *durationBatch) {
			for i, ns := range b.ns {
				if g := b.group[i]; wanted[g][fineBin(ns)] {
					own[g] = append(own[g], ns)
				}
			}
		}
	}, func(own [][]int64) {
		for g := range own {
			found[g] = append(found[g], own[g]...)
		}
	})
	parallel.For(len(found), func(g int) {
		slices.Sort(found[g])
		s.read(g, found[g], &wanted[g])
	})
}

// quartiles are the shares of a sample below its quartiles.
var quartiles = [3]float64{0.25, 0.5, 0.75}

// ranksOf are the order statistics between which a quantile of n values lies
// (see [stat.Quantile]).
func ranksOf(n int, p float64) [2]int {
	lo := int(float64(max(n-1, 0)) * p)
	return [2]int{lo, min(lo+1, max(n-1, 0))}
}

// read computes the quartiles of a group from its sorted durations in the
// wanted bins.
func (s *samples) read(g int, found []int64, wanted *[fineBins]bool) {
	one := &s.all[g]
	if one.n == 0 {
		return
	}
	value := func(rank int) float64 {
		bin, below := s.order(g, rank)
		first := 0 // of the bin among those found
		for b := range bin {
			if wanted[b] {
				first += s.fine[g][b]
			}
		}
		return float64(found[first+rank-below])
	}
	for i, p := range quartiles {
		ranks := ranksOf(one.n, p)
		low, high := value(ranks[0]), value(ranks[1])
		share := float64(one.n-1)*p - float64(ranks[0])
		if one.quartile[i] = low; share != 0 && low != high {
			one.quartile[i] = low + share*(high-low)
		}
	}
}

// countColumns counts the tasks in each column, those beyond the usual apart.
func (s *samples) countColumns(columns int, column func(int64) int) {
	edges := columnEdges(columns, column)
	first := make([]int, fineBins) // column of the first duration of each bin
	for b := range first {
		n, _ := slices.BinarySearch(edges, fineStart(b)+1)
		first[b] = n - 1
	}
	usual, long := newCounts(len(s.all), columns), newCounts(len(s.all), columns)
	limit := make([]int64, len(s.all))
	for g := range s.all {
		q := s.all[g].quartile
		limit[g] = int64(math.Floor(q[2] + 1.5*(q[2]-q[0])))
		s.all[g].usual, s.all[g].long = usual[g], long[g]
	}
	eachDuration(s, s.t0, s.t1, func() ([2][][]int, func(*durationBatch)) {
		own := [2][][]int{newCounts(len(s.all), columns), newCounts(len(s.all), columns)}
		return own, func(b *durationBatch) {
			for i, ns := range b.ns {
				at := first[fineBin(ns)]
				for at+1 < columns && edges[at+1] <= ns {
					at++
				}
				g, which := b.group[i], 0
				if ns > limit[g] {
					which = 1
				}
				own[which][g][at]++
			}
		}
	}, func(own [2][][]int) {
		addCounts(usual, own[0])
		addCounts(long, own[1])
	})
}

// columnEdges are the least durations of columns, ascending.
func columnEdges(columns int, column func(int64) int) []int64 {
	edges := make([]int64, columns)
	for c := 1; c < columns; c++ {
		low, high := edges[c-1], int64(math.MaxInt64)
		for low < high {
			if middle := low + (high-low)/2; column(middle) >= c {
				high = middle
			} else {
				low = middle + 1
			}
		}
		edges[c] = low
	}
	return edges
}
