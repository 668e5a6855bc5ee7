package workload

import "dagscope/trace"

// memory takes over by how much tasks change the memory allocated, where the
// run has it.
func (r *recorded) memory() {
	c, g := &r.run.Counter, r.g
	for i, row := range c.Task {
		t, event := r.task[row], c.Event.At(i)
		if t == None || event != trace.CounterStartBytes && event != trace.CounterEndBytes {
			continue
		}
		if g.StartBytes == nil {
			g.StartBytes, g.EndBytes = make([]int64, len(r.rows)), make([]int64, len(r.rows))
		}
		if event == trace.CounterStartBytes {
			g.StartBytes[t] += c.Value[i]
		} else {
			g.EndBytes[t] += c.Value[i]
		}
	}
}
