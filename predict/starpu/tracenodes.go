package starpu

import (
	"fmt"
	"slices"
	"strconv"

	"dagscope/predict/workload"
	"dagscope/trace"
)

// trace is the run of several nodes as an import of StarPU-MPI's trace of it
// would give it: names are prefixed with the number of the node, its thread for
// messages is a resource, and a message is a transfer between such threads and an
// edge from the send to the receive.
func (c *cluster) trace(r *Result) (*trace.Run, error) {
	all, err := c.tracers()
	if err != nil {
		return nil, err
	}
	root := all[0].root()
	for _, t := range all {
		t.resources(root)
		t.handles()
		t.tasks()
	}
	all[0].columns()
	c.mail(all)
	var streams []stream
	copies := 0
	for _, t := range all {
		t.taskNodes()
		streams = append(streams, t.events()...)
		if t.e.log.detail != nil {
			t.firstCopy = copies
			copies += len(t.e.log.detail.copies)
		}
		t.relations()
		t.details()
		t.of.threadStates(t)
	}
	all[0].merge(streams)
	return all[0].finish(r.Makespan)
}

// nodeTracer is what a tracer knows of a node among several.
type nodeTracer struct {
	t       *tracer
	n       *node
	steps   []int32 // of the program: tasks, none for messages
	actions []int32 // of the program, by step
	hints   []int32 // actions of the program, by hint
	mine    []int32 // rows of the node's tasks
	thread  int32   // resource
}

func (c *cluster) tracers() ([]*tracer, error) {
	b := &trace.Builder{}
	var all []*tracer
	for _, n := range c.nodes {
		n.setNames(c.g, n.rank)
		t := &tracer{r: n.e.result(), e: n.e, g: n.e.g, b: b, rank: n.rank}
		t.of = &nodeTracer{t: t, n: n}
		g := t.of.program()
		t.said = g.Hints
		deps, err := workload.Infer(g)
		if err != nil {
			return nil, fmt.Errorf("node %d: %w", n.rank, err)
		}
		t.deps = deps
		all = append(all, t)
	}
	return all, nil
}

// program is the graph of a node's actions: a message that it sends reads the
// data, one that it receives writes it.
func (o *nodeTracer) program() *workload.Graph {
	g := o.n.e.g
	p := &workload.Graph{AccessAt: []int32{0}, Bytes: g.Bytes, Home: g.Home, Classes: g.Classes}
	at := make([]int32, len(g.Class)) // steps, by task
	for i, d := range o.n.actions {
		task := int32(none)
		switch d.what {
		case actionTask:
			task = d.index
			at[task] = int32(len(o.steps))
			from, to := g.AccessAt[task], g.AccessAt[task+1]
			p.Handle, p.Mode = append(p.Handle, g.Handle[from:to]...), append(p.Mode, g.Mode[from:to]...)
		case actionSend:
			p.Handle, p.Mode = append(p.Handle, d.index), append(p.Mode, workload.Read)
		case actionReceive:
			p.Handle, p.Mode = append(p.Handle, d.index), append(p.Mode, workload.Write)
		case actionWontUse:
			p.Hints = append(p.Hints, workload.Hint{After: int32(len(o.steps)), Handle: d.index, Kind: workload.WontUse})
			o.hints = append(o.hints, int32(i))
			continue
		default:
			continue
		}
		o.steps, o.actions = append(o.steps, task), append(o.actions, int32(i))
		p.Class = append(p.Class, 0)
		p.AccessAt = append(p.AccessAt, int32(len(p.Handle)))
	}
	for i := range g.To {
		p.From, p.To = append(p.From, at[g.From[i]]), append(p.To, at[g.To[i]])
	}
	return p
}

func (o *nodeTracer) owner(handle int) int32 { return o.n.c.g.Owner[o.n.handles[handle]] }

// order is the number of a submission in the whole program, so that those of
// all nodes can be merged.
func (o *nodeTracer) order(action int32) int32 { return o.n.actions[action].position }

// message adds the runtime's task that acquires the data of a message.
func (o *nodeTracer) message(step int32) int32 {
	t := o.t
	kind := "_starpu_data_acquire_cb_pre"
	if o.n.actions[o.actions[step]].what == actionReceive {
		kind = "_starpu_data_acquire_cb_release"
	}
	return t.b.AddTask(trace.TaskRow{
		Kind: kind, Worker: trace.None, Start: trace.NoTime, End: trace.NoTime, Submit: trace.NoTime, Ready: trace.NoTime,
		Order: t.order, Priority: o.n.actions[o.actions[step]].priority, Iteration: -1, Internal: true,
	})
}

// taskNodes sets the node of the rows of what the node submitted.
func (t *tracer) taskNodes() {
	o := t.of
	o.mine = make([]int32, len(t.g.Class))
	node := t.b.Run.Task.Node
	for step, task := range o.steps {
		if task != none {
			o.mine[task] = t.rows[step]
		}
	}
	for _, row := range t.rows {
		if row != none {
			node[row] = t.rank
		}
	}
}

// rowOf is the row of a task.
func (t *tracer) rowOf(task int32) int32 {
	if t.of == nil {
		return t.rows[task]
	}
	return t.of.mine[task]
}

// mail adds the messages and the edges between their ends, in the order in
// which they were sent.
func (c *cluster) mail(all []*tracer) {
	b := all[0].b
	b.Run.Task.Node = make([]int32, len(b.Run.Task.Start))
	rows := make([][]int32, len(all)) // of tasks, by action
	local := make([]map[int32]int32, len(all))
	for k, t := range all {
		rows[k] = slices.Repeat([]int32{trace.None}, len(t.of.n.actions))
		for step, d := range t.of.actions {
			rows[k][d] = t.rows[step]
		}
		local[k] = make(map[int32]int32)
		for i, h := range t.of.n.handles {
			if _, known := local[k][h]; !known { // else it is for an early message
				local[k][h] = t.firstHandle + int32(i)
			}
		}
	}
	r := &b.Run.Transfer
	messages := slices.Clone(c.allMessages)
	slices.SortStableFunc(messages, func(x, y *message) int {
		if x.sent < y.sent {
			return -1
		}
		if x.sent > y.sent {
			return 1
		}
		return 0
	})
	n := len(messages)
	trace.Reserve(n, &r.From, &r.To, &r.Handle, &r.Priority, &r.Kind.Index, &r.SendTask, &r.RecvTask)
	trace.Reserve(n, &r.Start, &r.End, &r.Bytes, &r.Tag, &r.Key.Code)
	for i, l := range messages {
		from, to := all[l.from], all[l.to]
		send, receive := rows[l.from][l.action], rows[l.to][l.receive.action]
		r.Key.AppendString("mpicom_" + strconv.Itoa(i))
		r.Kind.Append(trace.TransferMPI)
		r.Mode.Append("PointToPoint")
		r.From, r.To = append(r.From, from.of.thread), append(r.To, to.of.thread)
		r.Start, r.End = append(r.Start, from.e.nanoseconds(l.sent)), append(r.End, to.e.nanoseconds(l.received))
		r.Bytes, r.Handle = append(r.Bytes, l.bytes), append(r.Handle, local[l.from][l.handle])
		r.Priority, r.Tag = append(r.Priority, l.priority), append(r.Tag, int64(l.handle))
		r.SendTask, r.RecvTask = append(r.SendTask, send), append(r.RecvTask, receive)
		b.AddDep(send, receive, int32(len(r.Start)-1))
	}
}

// Names of StarPU-MPI's states of its thread.
var threadNames = [...]string{
	threadAwake: "Polling", threadAsleep: "Sleeping", threadSending: "SendSubmitted", threadReceiving: "ReceiveSubmitted",
	threadSent: "SendCompleted", threadReceived: "ReceiveCompleted", threadBusy: "Processing",
}

// threadStates adds the states of the thread for messages.
func (o *nodeTracer) threadStates(t *tracer) {
	s := &t.b.Run.State
	for i, m := range o.n.threadStates {
		end := t.e.log.end
		if i+1 < len(o.n.threadStates) {
			end = o.n.threadStates[i+1].at
		}
		from, to := t.e.nanoseconds(m.at), t.e.nanoseconds(end)
		if to <= from {
			continue
		}
		s.Resource, s.Depth = append(s.Resource, o.thread), append(s.Depth, 0)
		s.Type.Append("Communication Thread State")
		s.Kind.Append(threadNames[m.what])
		s.Start, s.End = append(s.Start, from), append(s.End, to)
	}
}
