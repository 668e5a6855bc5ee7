package policy

import "dagscope/predict/starpu"

// central is StarPU's eager, one queue for all workers in the order in which
// tasks become ready, or prio, by priority.
type central struct {
	r      starpu.Runtime
	log    *starpu.DecisionLog
	shared starpu.Queue
	sorted bool
	tasks  queue
}

// LogDecisions keeps the log of decisions.
func (c *central) LogDecisions(l *starpu.DecisionLog) {
	c.log, c.shared, c.tasks.logged = l, l.SharedQueue("shared"), true
}

func (c *central) Start(r starpu.Runtime) { c.r = r }

// Priorities says that programs set priorities under prio.
func (c *central) Priorities() bool { return c.sorted }

// Push queues the task, and wakes the first worker that can run it and slept.
func (c *central) Push(task int32) {
	c.r.LockPolicy()
	c.tasks.push(task, c.priority(task))
	c.log.Push(task, c.shared, c.tasks.place)
	c.r.UnlockPolicy()
	c.r.WakeFirst(task)
}

func (c *central) priority(task int32) int32 {
	if c.sorted {
		return c.r.Priority(task)
	}
	return 0
}

// NothingToPop says that there is no task.
func (c *central) NothingToPop(int32) bool { return c.tasks.size == 0 }

// Pop takes the first task that the worker can run. Under prio, a worker that
// can run none of them wakes the others.
func (c *central) Pop(worker int32) int32 {
	if c.tasks.size == 0 {
		return none
	}
	c.r.LockPolicy()
	skipped := int32(none)
	task := c.tasks.oldest(func(t int32) bool {
		if c.r.Can(t, worker) {
			return true
		}
		skipped = t
		return false
	})
	if task != none {
		c.log.Pop(task, worker, c.shared, c.tasks.place)
	}
	if task == none && skipped != none && c.sorted {
		for w := range int32(c.r.Workers()) {
			if w != worker && c.r.Can(skipped, w) {
				c.r.Wake(w)
			}
		}
	}
	c.r.UnlockPolicy()
	return task
}
