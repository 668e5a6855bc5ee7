package compare

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
// first, are as in docs/design/methods.md, Dependencies.
const (
	causeDependency  = "waiting for dependencies"
	causeTransfer    = "waiting for data"
	causeRuntime     = "in the runtime"
	causeUnexplained = "unexplained"
	causeBetween     = "between tasks" // where there is no task graph to tell
	causeOther       = "other waiting" // between tasks, of large runs
	causeTail        = "after the last task"
	causeUnused      = "workers without tasks"
	causeElse        = "else"
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
	g := m.gaps
	switch {
	case !c.a.known || !c.b.known:
		return append([]cause{{causeBetween, idle, 0}}, rest...)
	case c.quick:
		return append([]cause{{causeDependency, g.Dependency, 0}, {causeOther, idle - g.Dependency, 0}}, rest...)
	}
	return append([]cause{
		{causeDependency, g.Dependency, 0}, {causeTransfer, g.Transfer, 0}, {causeRuntime, g.Runtime, 0},
		{causeUnexplained, g.Unexplained, 0}, {causeElse, idle - g.Sum(), 0},
	}, rest...)
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
