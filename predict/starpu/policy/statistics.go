package policy

import (
	"cmp"
	"math"
	"slices"
)

// statistics are what heteroprio has measured of groups of tasks. Times are in µs;
// averages are moving: the last 256 samples weigh most.
type statistics struct {
	groups []group
	sorted [][]int32 // by architecture: groups by falling score
	need   []float64 // by architecture: share of its time that it was free in earlier runs; nil: there were none
}

// group is the tasks of one kernel. Slices are by architecture.
type group struct {
	kind     string
	able     []bool
	count    int       // submitted
	share    float64   // of all submitted
	time     []average // of executions
	ran      int
	where    []float64 // share of executions
	released []average // normalized time of the tasks that the end of a task releases
	fastest  int
	slower   []float32 // factor over the fastest
}

// successor is a task that waits for a number of others.
type successor struct {
	group int32
	waits int
}

const (
	memory    = 256 // samples that count
	relevant  = 16  // samples from which times are used
	fair      = 1e3 // µs: time that is not known yet
	long      = 1e8 // µs: time on an architecture that cannot run it
	forever   = 999999999999999.0
	preferred = 99999999.0 // score of what has to be measured
)

// average of up to memory samples.
type average struct {
	count int
	mean  float64
}

func (a *average) add(x float64) {
	a.count = min(a.count+1, memory)
	n := float64(a.count)
	a.mean = a.mean*(n-1)/n + x/n
}

// or is the average, or a default before there is one.
func (a *average) or(unknown float64) float64 {
	if a.count == 0 {
		return unknown
	}
	return a.mean
}

// group finds the group of a kernel, or adds it.
func (e *statistics) group(kind string, able []bool) int32 {
	for i := range e.groups {
		if g := &e.groups[i]; g.kind == kind && slices.Equal(g.able, able) {
			return int32(i)
		}
	}
	n := len(able)
	e.groups = append(e.groups, group{kind: kind, able: able, time: make([]average, n), where: make([]float64, n), released: make([]average, n), slower: make([]float32, n)})
	if e.sorted == nil {
		e.sorted = make([][]int32, n)
	}
	last := int32(len(e.groups)) - 1
	for a, can := range able {
		if can {
			e.sorted[a] = append(e.sorted[a], last)
		}
	}
	return last
}

// orders is the order of groups on an architecture.
func (e *statistics) orders(arch int) []int32 {
	if e.sorted == nil {
		return nil
	}
	return e.sorted[arch]
}

// submitted counts a task.
func (e *statistics) submitted(g int32) {
	e.groups[g].count = min(e.groups[g].count+1, memory)
	total, sum := 0, 0.0
	for i := range e.groups {
		total += e.groups[i].count
	}
	e.groups[g].share += 1 / float64(total)
	for i := range e.groups {
		sum += e.groups[i].share
	}
	for i := range e.groups {
		e.groups[i].share /= sum
	}
}

// releases records what the end of a task releases, on each architecture.
func (e *statistics) releases(g int32, successors []successor) {
	unit := e.unit()
	for a := range e.groups[g].released {
		sum := 0.0
		for _, s := range successors {
			x := &e.groups[s.group]
			sum += x.where[a] * x.expected(a) / unit / float64(s.waits)
		}
		e.groups[g].released[a].add(sum)
	}
}

// executed records where a task has run, and for how long.
func (e *statistics) executed(g int32, arch int, time float64) {
	x, sum := &e.groups[g], 0.0
	x.ran = min(x.ran+1, memory)
	x.where[arch] += 1 / float64(max(x.ran-1, 1))
	for _, s := range x.where {
		sum += s
	}
	for a := range x.where {
		x.where[a] /= sum
	}
	x.time[arch].add(time)
}

// expected is what a task takes on an architecture.
func (g *group) expected(arch int) float64 {
	if g.time[arch].count == 0 && !g.able[arch] {
		return long
	}
	return g.time[arch].or(fair)
}

// best is the time on the fastest.
func (g *group) best() float64 {
	minTime := forever
	for a, can := range g.able {
		if can {
			minTime = min(minTime, g.expected(a))
		}
	}
	return minTime
}

// unit of normalized times: the mean of the recorded tasks, each on its fastest
// architecture.
func (e *statistics) unit() float64 {
	sum := 0.0
	for i := range e.groups {
		sum += e.groups[i].share * e.groups[i].best()
	}
	return sum
}

// normalized is the time of a group on an architecture, 1 for all while nothing
// has been recorded.
func (g *group) normalized(arch int, unit float64) float64 {
	if unit <= 0 {
		return 1
	}
	return g.expected(arch) / unit
}

// order sorts the groups of each architecture: first those that it runs faster
// than the others, and that release much.
func (e *statistics) order() {
	unit := e.unit()
	scores := make([]float64, len(e.groups))
	for a, sorted := range e.sorted {
		for _, g := range sorted {
			scores[g] = e.score(&e.groups[g], a, unit)
		}
		slices.Sort(sorted)
		slices.SortStableFunc(sorted, func(x, y int32) int { return cmp.Compare(scores[y], scores[x]) })
	}
	e.compare()
}

// score of a group on an architecture. It is compared with the slowest, which
// is itself compared with the next slowest.
func (e *statistics) score(g *group, arch int, unit float64) float64 {
	other := g.slowest(unit, none)
	if other == arch {
		other = g.slowest(unit, arch)
	}
	needOwn, needOther := e.needOf(arch), 1.0
	own, time, released := g.normalized(arch, unit), forever, g.released[arch].or(fair)*needOwn
	if other != none {
		time, needOther = g.normalized(other, unit), 1-g.where[other]
		released += g.released[other].or(fair) * needOther
	}
	score := (1+released)*(time-own) - own*max(0, needOther-needOwn)
	if g.time[arch].count < relevant {
		score += preferred
	}
	return score
}

// needOf is how much an architecture needs tasks: the share of its time that it was
// free in earlier runs.
func (e *statistics) needOf(arch int) float64 {
	if e.need == nil {
		return 1
	}
	return e.need[arch]
}

// slowest is the architecture on which tasks take longest, apart from one; none
// if there is no other.
func (g *group) slowest(unit float64, but int) int {
	worst, time := none, math.Inf(-1)
	for a, can := range g.able {
		if x := g.normalized(a, unit); can && a != but && x > time {
			worst, time = a, x
		}
	}
	return worst
}

// compare finds the fastest architecture of each group, and the factors of the
// others.
func (e *statistics) compare() {
	for i := range e.groups {
		g := &e.groups[i]
		best := g.best()
		g.fastest = slices.IndexFunc(g.able, func(can bool) bool { return can })
		for a, can := range g.able {
			if can && g.expected(a) < g.expected(g.fastest) {
				g.fastest = a
			}
		}
		for a := range g.slower {
			g.slower[a] = float32(g.expected(a) / best)
		}
		g.slower[g.fastest] = 0
	}
}
