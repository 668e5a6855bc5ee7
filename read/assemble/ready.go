package assemble

import (
	"fmt"

	"dagscope/internal/dag"
	"dagscope/trace"
)

// setReady sets the ready time of every task that ran: when the runtime pushed
// it to its scheduler, as recorded; else when it was submitted and its last
// predecessor had ended (docs/design/methods.md, Time). Meta.Derived says how
// many of each.
func (a *assembler) setReady() {
	t := &a.out.Task
	recorded := 0
	for _, r := range t.Ready {
		if r != trace.NoTime {
			recorded++
		}
	}
	pushed := a.readyFromPush()
	derived := a.readyFromGraph()
	a.out.Meta.Derived["task.ready"] = fmt.Sprintf("%d recorded, %d from push events, %d derived as max(submit, end of the last predecessor)", recorded, pushed, derived)
}

// readyFromPush takes the first push of each task.
func (a *assembler) readyFromPush() (n int) {
	ev, t := &a.out.Event, &a.out.Task
	push := ev.Kind.Find(taskPush)
	if push == trace.None || ev.Task == nil {
		return 0
	}
	for i, kind := range ev.Kind.Index {
		if task := ev.Task[i]; kind == push && task != trace.None {
			if t.Ready[task] == trace.NoTime {
				n++
				t.Ready[task] = ev.Time[i]
			} else {
				t.Ready[task] = min(t.Ready[task], ev.Time[i])
			}
		}
	}
	return n
}

// readyFromGraph derives the ready times that are missing. Tasks that did not
// run (the runtime's internal ones) pass on what they waited for.
func (a *assembler) readyFromGraph() (n int) {
	d, t := &a.out.Dep, &a.out.Task
	missing := false
	for i, r := range t.Ready {
		missing = missing || r == trace.NoTime && t.Start[i] != trace.NoTime
	}
	if !missing {
		return 0
	}
	g := dag.Build(len(t.Start), d.From, d.To)
	order, err := g.Topological()
	if err != nil {
		a.log(trace.Error, "cyclic-graph", "ready times cannot be derived: "+err.Error(), 1)
		return 0
	}
	released := make([]int64, len(t.Start)) // end of the last predecessor
	for i := range released {
		released[i] = trace.NoTime
	}
	for e, from := range d.From { // messages of unknown senders are no edges of the graph
		if from == trace.None {
			released[d.To[e]] = max(released[d.To[e]], a.out.Transfer.End[d.Via[e]])
		}
	}
	for _, v := range order {
		for _, e := range g.PredEdges(v) {
			released[v] = max(released[v], a.edgeEnd(e, released))
		}
		if t.Ready[v] == trace.NoTime && t.Start[v] != trace.NoTime {
			if r := max(t.Submit[v], released[v]); r != trace.NoTime {
				t.Ready[v] = r
				n++
			}
		}
	}
	return n
}

// edgeEnd is when an edge lets its successor go.
func (a *assembler) edgeEnd(edge int32, released []int64) int64 {
	d := &a.out.Dep
	if via := d.Via[edge]; via != trace.None {
		return a.out.Transfer.End[via]
	}
	from := d.From[edge]
	if end := a.out.Task.End[from]; end != trace.NoTime {
		return end
	}
	return released[from]
}
