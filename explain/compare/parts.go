package compare

import (
	"slices"

	"dagscope/explain/chain"
)

// Part is one of the parts that a makespan divides into: each worker's time is
// either work or idle time, so the mean over workers of work by kind and of
// idle time by cause add up to the makespan (to the rounding of each to 1 ns).
type Part struct {
	Of   string `json:"of"`   // "work" or "idle"
	Name string `json:"name"` // kind and architecture, or cause
	A    int64  `json:"a_ns"` // mean over the workers
	B    int64  `json:"b_ns"`
}

// Causes of idle time. Those between two tasks of a worker, or before its
// first, are classes of the critical chain (docs/design/methods.md).
const (
	causeBetween = "between tasks" // of large runs, and where there is no task graph
	causeTail    = "after the last task"
	causeUnused  = "workers without tasks"
	causeElse    = "else"
)

// cause is idle time summed over the workers of each run.
type cause struct {
	name string
	a, b int64
}

// causes divides the idle time of both runs alike.
func (c *comparison) causes() []cause {
	a, b := c.a.causes(c), c.b.causes(c)
	all := make([]cause, 0, len(a))
	for i := range a {
		if a[i].a != 0 || b[i].a != 0 {
			all = append(all, cause{a[i].name, a[i].a, b[i].a})
		}
	}
	return all
}

func (m *measured) causes(c *comparison) []cause {
	idle := m.makespan*m.workers() - m.busy() - m.tail - m.unusedTime
	rest := []cause{{causeTail, m.tail, 0}, {causeUnused, m.unusedTime, 0}}
	if !c.a.known || !c.b.known || c.quick {
		return append([]cause{{causeBetween, idle, 0}}, rest...)
	}
	var all []cause
	for _, x := range chain.Causes() {
		all = append(all, cause{x.String(), m.gaps[x], 0})
	}
	return slices.Concat(all, []cause{{causeElse, idle - m.gaps.Sum(), 0}}, rest)
}

// parts divides the makespans.
func (c *comparison) parts() {
	a, b := c.a.busy(), c.b.busy()
	for _, k := range c.r.Kinds {
		c.part("work", onArch(k.Kind, k.Arch), k.ATotal, k.BTotal)
		a, b = a-k.ATotal, b-k.BTotal
	}
	if a != 0 || b != 0 {
		c.part("work", "tasks on several workers, or at once on one", a, b)
	}
	for _, x := range c.causes() {
		c.part("idle", x.name, x.a, x.b)
	}
}

func (c *comparison) part(of, name string, a, b int64) {
	c.r.Parts = append(c.r.Parts, Part{of, name, c.a.perWorker(a), c.b.perWorker(b)})
}

func onArch(kind, arch string) string {
	if arch == "" {
		return kind
	}
	return kind + " on " + arch
}
