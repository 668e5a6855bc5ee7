package bound

import (
	"fmt"

	"dagscope/internal/lp"
)

// Mixed is the bound of the area program with paths: every chosen path must
// fit into T with the durations that the program gives its tasks.
type Mixed struct {
	Time      float64 // ns, proved by the dual solution
	Paths     int     // chosen paths
	Converged bool    // no path of the graph exceeds Time any more
}

const (
	mixedEffort  = 60_000_000 // nodes and edges walked, altogether
	mixedClasses = 300        // rows of the program
	mixedStall   = 12         // paths without gain before giving up
)

// mixed adds the longest path under the current durations until none exceeds
// T. Every program on the way is a valid bound, so that it may stop early. It
// starts from the path given.
func (g *graph) mixed(c *Costs, start []int32, limit int) (Mixed, error) {
	if limit <= 0 {
		limit = max(2, min(200, mixedEffort/(g.Len()+g.Edges()+1)))
	}
	m := newMixer(g, c)
	if len(start) > 0 {
		m.choose(start)
	}
	best, gained := Mixed{}, 0
	for {
		s, err := m.solve()
		if err != nil {
			return best, fmt.Errorf("compute mixed bound with %d paths: %w", m.paths, err)
		}
		if s.dual > best.Time*(1+1e-7) {
			gained = m.paths
		}
		best.Time, best.Paths = max(best.Time, s.dual), m.paths
		path := m.longestPath(s)
		best.Converged = path.Time <= s.time*(1+lp.Tolerance)
		if best.Converged || m.paths >= limit || len(m.classes) > mixedClasses || m.paths-gained >= mixedStall {
			return best, nil
		}
		m.choose(path.Tasks)
	}
}

// mixer keeps the classes of tasks as paths are chosen.
type mixer struct {
	program
	g  *graph
	of []int32 // class of each task, trace.None for tasks that weigh nothing
}

func newMixer(g *graph, c *Costs) *mixer {
	m := &mixer{program: program{costs: c}, g: g, of: append([]int32(nil), g.kind...)}
	for k, n := range c.Total() {
		m.classes = append(m.classes, class{kind: int32(k), count: n})
	}
	return m
}

// choose adds a path. A class that lies on it in part is split.
func (m *mixer) choose(tasks []int32) {
	on := make(map[int32]int, len(m.classes))
	for _, v := range tasks {
		on[m.of[v]]++
	}
	path := int32(m.paths)
	m.paths++
	split := map[int32]int32{} // class to its part on the path
	for _, v := range tasks {
		c := m.of[v]
		if _, done := split[c]; !done {
			split[c] = m.part(c, on[c], path)
		}
		m.of[v] = split[c]
	}
}

// part makes the class of the n tasks of c that lie on a path; it is c itself
// when all do.
func (m *mixer) part(c int32, n int, path int32) int32 {
	old := &m.classes[c]
	if float64(n) == old.count {
		old.paths = append(old.paths, path)
		return c
	}
	old.count -= float64(n)
	paths := append(append([]int32(nil), old.paths...), path)
	m.classes = append(m.classes, class{kind: old.kind, count: float64(n), paths: paths})
	return int32(len(m.classes) - 1)
}

// longestPath weighs each task with the mean duration that the solution gives
// its class.
func (m *mixer) longestPath(s *solution) Path {
	mean := make([]float64, len(m.classes))
	for i, c := range m.classes {
		for r, n := range s.tasks[i] {
			if n > 0 {
				mean[i] += n * m.costs.Duration[c.kind][r]
			}
		}
		if c.count > 0 {
			mean[i] /= c.count
		}
	}
	w, _ := weights(m.of, mean)
	return Path{Tasks: m.g.counted(m.g.LongestPath(m.g.order, w).Nodes)}.add(m.of, mean)
}
