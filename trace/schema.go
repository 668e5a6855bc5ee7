package trace

import "fmt"

// Table describes one table of a Run for code that treats all tables alike:
// the store, SQL, the text form, the docs.
type Table struct {
	Name    string
	Doc     string
	Columns []Column
}

// Column describes one column. Data points into the Run:
// *[]int32, *[]int64, *[]uint32, *[]uint64, *[]float64, *[]bool, *Strings or
// *Keys.
type Column struct {
	Name     string
	Data     any
	Unit     string // "ns", "bytes", "" for numbers and texts
	Ref      string // table whose rows an int32 column names
	Optional bool   // may be absent (nil) in a table that has rows
	Doc      string
}

// Tables describes every table of r, in the order in which they can be read so
// that references only point backwards (except a column that names rows of its own table).
func (r *Run) Tables() []Table {
	re, ta, se, de, st := &r.Resource, &r.Task, &r.Segment, &r.Dep, &r.State
	tr, sa, ev, ha, ac := &r.Transfer, &r.Sample, &r.Event, &r.Handle, &r.Access
	co, mo, lo, an := &r.Counter, &r.Model, &r.Log, &r.Account
	tn, ph, ds, es := &r.TreeNode, &r.Phase, &r.Decision, &r.Estimate
	return []Table{
		{"resource", "places where things happen, a tree, parents first", []Column{
			{Name: "parent", Data: &re.Parent, Ref: "resource", Doc: "enclosing resource"},
			{Name: "level", Data: &re.Level, Doc: "cluster, node, memory-node, memory-manager, thread, user-thread, worker, comm, scheduler or other"},
			{Name: "name", Data: &re.Name, Doc: "name as traced"},
			{Name: "alias", Data: &re.Alias, Optional: true, Doc: "short identifier in the trace"},
			{Name: "type", Data: &re.Type, Optional: true, Doc: "container type as traced"},
			{Name: "arch", Data: &re.Arch, Doc: "architecture of a worker: cpu, cuda, hip, opencl, …"},
			{Name: "node", Data: &re.Node, Doc: "rank of its node"},
			{Name: "index", Data: &re.Index, Doc: "the runtime's number within the node (worker id, memory node)"},
			{Name: "start", Data: &re.Start, Unit: "ns", Doc: "creation"},
			{Name: "end", Data: &re.End, Unit: "ns", Doc: "destruction, null if it lasted to the end"},
		}},
		{"handle", "pieces of data that tasks access", []Column{
			{Name: "key", Data: &ha.Key, Doc: "address as printed; may come again on its node once the handle is gone"},
			{Name: "node", Data: &ha.Node, Doc: "rank"},
			{Name: "name", Data: &ha.Name, Doc: "name given by the application"},
			{Name: "bytes", Data: &ha.Bytes, Unit: "bytes", Doc: "size"},
			{Name: "x", Data: &ha.X, Doc: "first block coordinate"},
			{Name: "y", Data: &ha.Y, Doc: "second block coordinate"},
			{Name: "coordinates", Data: &ha.Coordinates, Doc: "all coordinates as printed"},
			{Name: "home", Data: &ha.Home, Doc: "memory-node number, -1 if the runtime allocated it"},
			{Name: "description", Data: &ha.Description, Doc: "layout"},
			{Name: "owner", Data: &ha.Owner, Doc: "owning rank"},
			{Name: "tag", Data: &ha.Tag, Doc: "MPI tag, -1 if none"},
		}},
		{"treenode", "elimination tree of a sparse factorization, parents first", []Column{
			{Name: "key", Data: &tn.Key, Doc: "number of the tree node as the application prints it"},
			{Name: "parent", Data: &tn.Parent, Ref: "treenode", Doc: "tree node that it contributes to, none for a root"},
		}},
		{"task", "tasks in submission order, node by node", []Column{
			{Name: "key", Data: &ta.Key, Doc: "job id as the runtime printed it"},
			{Name: "kind", Data: &ta.Kind, Doc: "codelet or function"},
			{Name: "worker", Data: &ta.Worker, Ref: "resource", Doc: "worker it ran on"},
			{Name: "start", Data: &ta.Start, Unit: "ns", Doc: "start of execution"},
			{Name: "end", Data: &ta.End, Unit: "ns", Doc: "end of execution"},
			{Name: "submit", Data: &ta.Submit, Unit: "ns", Doc: "submission"},
			{Name: "ready", Data: &ta.Ready, Unit: "ns", Doc: "when nothing but a worker was missing"},
			{Name: "order", Data: &ta.Order, Doc: "submission order on its node as the runtime counts it"},
			{Name: "priority", Data: &ta.Priority, Doc: "priority given by the application, larger is more urgent"},
			{Name: "iteration", Data: &ta.Iteration, Doc: "outer iteration, -1 if none"},
			{Name: "generation", Data: &ta.Generation, Doc: "prepares the input: not counted"},
			{Name: "internal", Data: &ta.Internal, Doc: "the runtime's own task: not counted"},
			{Name: "subiteration", Data: &ta.Subiteration, Optional: true, Doc: "inner iteration, -1 if none"},
			{Name: "node", Data: &ta.Node, Optional: true, Doc: "rank that submitted it"},
			{Name: "tag", Data: &ta.Tag, Optional: true, Doc: "tag given by the application"},
			{Name: "footprint", Data: &ta.Footprint, Optional: true, Doc: "hash of the data layout"},
			{Name: "gflop", Data: &ta.GFlop, Unit: "GFlop", Optional: true, Doc: "work as declared by the application"},
			{Name: "x", Data: &ta.X, Optional: true, Doc: "first coordinate of the first written handle"},
			{Name: "y", Data: &ta.Y, Optional: true, Doc: "second coordinate of the first written handle"},
			{Name: "bytes", Data: &ta.Bytes, Unit: "bytes", Optional: true, Doc: "sum of its handles' sizes"},
			{Name: "parameters", Data: &ta.Parameters, Optional: true, Doc: "data layout of its handles"},
			{Name: "model", Data: &ta.Model, Optional: true, Doc: "performance-model symbol"},
			{Name: "file", Data: &ta.File, Optional: true, Doc: "source file of the submission"},
			{Name: "line", Data: &ta.Line, Optional: true, Doc: "source line of the submission"},
			{Name: "numa", Data: &ta.Numa, Optional: true, Doc: "NUMA nodes of its handles"},
			{Name: "memory_node", Data: &ta.MemoryNode, Optional: true, Doc: "the runtime's memory-node number"},
			{Name: "tree_node", Data: &ta.TreeNode, Ref: "treenode", Optional: true, Doc: "node of the elimination tree that it works on"},
			{Name: "parent", Data: &ta.Parent, Ref: "task", Optional: true, Doc: "task that created it"},
		}},
		{"segment", "pieces of tasks that were suspended or ran on several workers at once", []Column{
			{Name: "task", Data: &se.Task, Ref: "task", Doc: "task"},
			{Name: "worker", Data: &se.Worker, Ref: "resource", Doc: "worker"},
			{Name: "start", Data: &se.Start, Unit: "ns", Doc: "start of the piece"},
			{Name: "end", Data: &se.End, Unit: "ns", Doc: "end of the piece"},
		}},
		{"phase", "what tasks that the runtime suspends did besides running", []Column{
			{Name: "task", Data: &ph.Task, Ref: "task", Doc: "task"},
			{Name: "kind", Data: &ph.Kind, Doc: "ready, resumable, suspended, detached or helper"},
			{Name: "start", Data: &ph.Start, Unit: "ns", Doc: "start"},
			{Name: "end", Data: &ph.End, Unit: "ns", Doc: "end"},
		}},
		{"decision", "what the scheduler did with tasks, as it happened", []Column{
			{Name: "task", Data: &ds.Task, Ref: "task", Doc: "task"},
			{Name: "kind", Data: &ds.Kind, Doc: "push, take, pop, steal or plan"},
			{Name: "time", Data: &ds.Time, Unit: "ns", Doc: "when"},
			{Name: "worker", Data: &ds.Worker, Ref: "resource", Doc: "chosen to run it, none where it goes into a shared queue"},
			{Name: "by", Data: &ds.By, Ref: "resource", Doc: "worker whose thread decided, none for the program's"},
			{Name: "queue", Data: &ds.Queue, Doc: "queue that the task is put into or taken from"},
			{Name: "owner", Data: &ds.Owner, Ref: "resource", Doc: "worker whose queue it is, none for a shared one"},
			{Name: "place", Data: &ds.Place, Doc: "position in the queue, 0 first, none of a plan"},
			{Name: "clock", Data: &ds.Clock, Unit: "µs", Doc: "the scheduler's clock when it estimated, 0 if it did not"},
			{Name: "best", Data: &ds.Best, Unit: "µs", Doc: "on that clock, the earliest end that it predicted"},
			{Name: "alpha", Data: &ds.Alpha, Doc: "weight of ending later than that"},
			{Name: "beta", Data: &ds.Beta, Doc: "weight of transfers"},
		}},
		{"estimate", "what the scheduler expected of the workers that it could choose", []Column{
			{Name: "decision", Data: &es.Decision, Ref: "decision", Doc: "decision"},
			{Name: "worker", Data: &es.Worker, Ref: "resource", Doc: "worker"},
			{Name: "implementation", Data: &es.Implementation, Doc: "implementation of the kernel, 0 first"},
			{Name: "available", Data: &es.Available, Unit: "µs", Doc: "on the scheduler's clock: done with what it has taken"},
			{Name: "queued", Data: &es.Queued, Unit: "µs", Doc: "length of what waits in its queue"},
			{Name: "transfer", Data: &es.Transfer, Unit: "µs", Doc: "for data that is not there and not asked for"},
			{Name: "duration", Data: &es.Duration, Unit: "µs", Doc: "of the task there"},
			{Name: "end", Data: &es.End, Unit: "µs", Doc: "on the scheduler's clock: max(available + queued, clock + transfer) + duration"},
			{Name: "fitness", Data: &es.Fitness, Unit: "µs", Doc: "alpha (end - best) + beta transfer; the smallest wins, of equal ones the worker of the lowest index"},
		}},
		{"transfer", "movements between memory nodes, nodes or workers", []Column{
			{Name: "key", Data: &tr.Key, Doc: "name in the trace"},
			{Name: "kind", Data: &tr.Kind, Doc: "fetch, task-prefetch, prefetch, idle-fetch, mpi, steal or link"},
			{Name: "from", Data: &tr.From, Ref: "resource", Doc: "source"},
			{Name: "to", Data: &tr.To, Ref: "resource", Doc: "destination"},
			{Name: "start", Data: &tr.Start, Unit: "ns", Doc: "start"},
			{Name: "end", Data: &tr.End, Unit: "ns", Doc: "end"},
			{Name: "bytes", Data: &tr.Bytes, Unit: "bytes", Doc: "amount moved"},
			{Name: "handle", Data: &tr.Handle, Ref: "handle", Doc: "piece of data moved"},
			{Name: "priority", Data: &tr.Priority, Doc: "priority of the request"},
			{Name: "tag", Data: &tr.Tag, Doc: "MPI tag"},
			{Name: "mode", Data: &tr.Mode, Optional: true, Doc: "PointToPoint or Collective; of kind link the link type as traced"},
			{Name: "send_task", Data: &tr.SendTask, Ref: "task", Optional: true, Doc: "task that posted the send"},
			{Name: "recv_task", Data: &tr.RecvTask, Ref: "task", Optional: true, Doc: "task that posted the receive"},
		}},
		{"dep", "edges of the task graph", []Column{
			{Name: "from", Data: &de.From, Ref: "task", Doc: "predecessor"},
			{Name: "to", Data: &de.To, Ref: "task", Doc: "successor"},
			{Name: "kind", Data: &de.Kind, Doc: "task or communication"},
			{Name: "via", Data: &de.Via, Ref: "transfer", Optional: true, Doc: "transfer that a communication edge goes through"},
		}},
		{"state", "what resources did besides running tasks", []Column{
			{Name: "resource", Data: &st.Resource, Ref: "resource", Doc: "where"},
			{Name: "type", Data: &st.Type, Doc: "state type as traced"},
			{Name: "kind", Data: &st.Kind, Doc: "state"},
			{Name: "start", Data: &st.Start, Unit: "ns", Doc: "start"},
			{Name: "end", Data: &st.End, Unit: "ns", Doc: "end"},
			{Name: "depth", Data: &st.Depth, Doc: "nesting, 0 outermost"},
			{Name: "task", Data: &st.Task, Ref: "task", Optional: true, Doc: "task it belongs to"},
		}},
		{"sample", "counters as step functions", []Column{
			{Name: "metric", Data: &sa.Metric, Doc: "counter as traced"},
			{Name: "resource", Data: &sa.Resource, Ref: "resource", Doc: "where"},
			{Name: "time", Data: &sa.Time, Unit: "ns", Doc: "from when on"},
			{Name: "value", Data: &sa.Value, Doc: "value until the next sample"},
		}},
		{"event", "instants", []Column{
			{Name: "kind", Data: &ev.Kind, Doc: "event type as traced"},
			{Name: "resource", Data: &ev.Resource, Ref: "resource", Doc: "where"},
			{Name: "time", Data: &ev.Time, Unit: "ns", Doc: "when"},
			{Name: "value", Data: &ev.Value, Doc: "what it carried, as traced"},
			{Name: "task", Data: &ev.Task, Ref: "task", Optional: true, Doc: "task it names"},
			{Name: "handle", Data: &ev.Handle, Ref: "handle", Optional: true, Doc: "handle it names"},
			{Name: "info", Data: &ev.Info, Optional: true, Doc: "prefetch level, result or communication of memory events"},
			{Name: "bytes", Data: &ev.Bytes, Unit: "bytes", Optional: true, Doc: "size (priority for Request Created)"},
			{Name: "peer", Data: &ev.Peer, Ref: "resource", Optional: true, Doc: "the other memory manager"},
		}},
		{"access", "which handles a task uses", []Column{
			{Name: "task", Data: &ac.Task, Ref: "task", Doc: "task"},
			{Name: "handle", Data: &ac.Handle, Ref: "handle", Doc: "handle"},
			{Name: "mode", Data: &ac.Mode, Doc: "R, W, RW, S (scratch), X (reduction), C (commute) and combinations"},
			{Name: "bytes", Data: &ac.Bytes, Unit: "bytes", Doc: "size"},
		}},
		{"counter", "hardware counters per task", []Column{
			{Name: "task", Data: &co.Task, Ref: "task", Doc: "task"},
			{Name: "event", Data: &co.Event, Doc: "counter"},
			{Name: "value", Data: &co.Value, Doc: "count"},
		}},
		{"model", "the runtime's kernel performance models", []Column{
			{Name: "symbol", Data: &mo.Symbol, Doc: "model"},
			{Name: "arch", Data: &mo.Arch, Doc: "architecture"},
			{Name: "device", Data: &mo.Device, Doc: "device number"},
			{Name: "cores", Data: &mo.Cores, Doc: "cores"},
			{Name: "impl", Data: &mo.Impl, Doc: "implementation"},
			{Name: "footprint", Data: &mo.Footprint, Doc: "hash of the data layout"},
			{Name: "bytes", Data: &mo.Bytes, Unit: "bytes", Doc: "size of the data"},
			{Name: "gflop", Data: &mo.GFlop, Unit: "GFlop", Doc: "work"},
			{Name: "mean", Data: &mo.Mean, Unit: "ns", Doc: "mean duration"},
			{Name: "deviation", Data: &mo.Deviation, Unit: "ns", Doc: "standard deviation"},
			{Name: "count", Data: &mo.Count, Doc: "number of measurements"},
		}},
		{"importlog", "what the reader repaired or could not use", []Column{
			{Name: "severity", Data: &lo.Severity, Doc: "info, warning or error"},
			{Name: "source", Data: &lo.Source, Doc: "file"},
			{Name: "code", Data: &lo.Code, Doc: "what happened"},
			{Name: "position", Data: &lo.Position, Doc: "line (byte offset in binary files) of the first, 0 if none"},
			{Name: "message", Data: &lo.Message, Doc: "the first in words"},
			{Name: "count", Data: &lo.Count, Doc: "how often"},
		}},
		{"account", "where every line of the source went", []Column{
			{Name: "source", Data: &an.Source, Doc: "file"},
			{Name: "record", Data: &an.Record, Doc: "kind of line"},
			{Name: "table", Data: &an.Table, Doc: "table, definition or log"},
			{Name: "lines", Data: &an.Lines, Doc: "number of lines"},
		}},
	}
}

// Len is the number of rows of the column; 0 for an absent one.
func (c Column) Len() int {
	switch d := c.Data.(type) {
	case *[]int32:
		return len(*d)
	case *[]int64:
		return len(*d)
	case *[]uint32:
		return len(*d)
	case *[]uint64:
		return len(*d)
	case *[]float64:
		return len(*d)
	case *[]bool:
		return len(*d)
	case *Strings:
		return len(d.Index)
	case *Keys:
		return len(d.Code)
	}
	panic(fmt.Sprintf("trace: column %s has type %T", c.Name, c.Data))
}

// Rows is the number of rows of the table, that of its longest column.
func (t Table) Rows() int {
	n := 0
	for _, c := range t.Columns {
		n = max(n, c.Len())
	}
	return n
}

// Table returns the description of a table by name.
func (r *Run) Table(name string) (Table, bool) {
	for _, t := range r.Tables() {
		if t.Name == name {
			return t, true
		}
	}
	return Table{}, false
}

// Column returns a column by name.
func (t Table) Column(name string) (Column, bool) {
	for _, c := range t.Columns {
		if c.Name == name {
			return c, true
		}
	}
	return Column{}, false
}
