package taskcsv

// ready derives when tasks could have started, where the file does not say it:
// when they were submitted and those that they wait for had ended.
func (t *table) ready() {
	c, d := &t.b.Run.Task, &t.b.Run.Dep
	if t.header.has(readyField) || len(d.To) == 0 && !t.header.has(submitField) {
		return
	}
	copy(c.Ready, c.Submit)
	for i, to := range d.To {
		c.Ready[to] = max(c.Ready[to], c.End[d.From[i]])
	}
	for i, at := range c.Ready {
		if at > c.Start[i] { // a clock that another thread read
			c.Ready[i] = c.Start[i]
		}
	}
	t.derived("task.ready", "the latest of submission and ends of the tasks that it waits for")
}

// derived notes where a column comes from.
func (t *table) derived(column, origin string) {
	m := &t.b.Run.Meta
	if m.Derived == nil {
		m.Derived = make(map[string]string)
	}
	m.Derived[column] = origin
}
