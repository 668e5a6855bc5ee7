package assemble

import (
	"strings"

	"dagscope/trace"
)

// maxCommEdges bounds the edges made of one communication node (predecessors
// times successors): a hostile graph must not blow up.
const maxCommEdges = 1 << 16

// addGraph adds the edges of dag.dot, and those of the task records that are
// not among them. Nodes that stand for communications become edges through a
// transfer; nodes that nobody else knows become internal tasks, so that paths
// through them stay.
func (a *assembler) addGraph() {
	from, to := a.graphNodes(&a.in.Edge.From), a.graphNodes(&a.in.Edge.To)
	comms := map[int32]*commNode{}
	d := &a.out.Dep
	trace.Reserve(len(from), &d.From, &d.To, &d.Via, &d.Kind.Index)
	for i := range from {
		f, t := from[i], to[i]
		switch {
		case f.comm && t.comm:
			a.log(trace.Warning, "message-to-message", "an edge of the graph joins two communications: left out", 1)
		case f.comm:
			c := needComm(comms, f.row)
			c.succs = append(c.succs, t.row)
		case t.comm:
			c := needComm(comms, t.row)
			c.preds = append(c.preds, f.row)
		case f.row == t.row:
			a.log(trace.Warning, "self-dependency", "a task of the graph waits for itself: edge left out", 1)
		default:
			a.build.AddDep(f.row, t.row, trace.None)
		}
	}
	a.in.Edge = Edges{}
	a.addCommEdges(comms)
	a.addRecordedEdges()
}

// graphNode is a node of the graph: a task row, or a transfer row.
type graphNode struct {
	row  int32
	comm bool
}

// graphNodes resolves the names of one side of the edges.
func (a *assembler) graphNodes(names *trace.Keys) []graphNode {
	recode := a.jobCodes(names)
	comm := make([]bool, len(names.Prefix))
	for i, prefix := range names.Prefix {
		comm[i] = strings.HasPrefix(prefix, "mpi_") || strings.HasPrefix(prefix, "mpicom_")
	}
	nodes := make([]graphNode, len(names.Code))
	for i, code := range names.Code {
		prefix, _ := names.Split(code)
		if code >= 0 && comm[prefix] {
			nodes[i] = graphNode{a.needTransfer(string(names.AppendTo(nil, code))), true}
			continue
		}
		nodes[i] = graphNode{a.needTask(recode(code)), false}
	}
	return nodes
}

// needTask returns the row of a job, adding an internal task when only the
// graph knows it.
func (a *assembler) needTask(code int64) int32 {
	if row := a.task.get(code); row != trace.None {
		return row
	}
	name := string(a.jobs.AppendTo(nil, code))
	kind, message := unknownKind, "a task of the graph is in no other file: kept as internal"
	if strings.HasPrefix(name, "tag_") {
		kind, message = "tag", "a tag of the graph: kept as internal task"
	}
	a.log(trace.Info, "graph-only-"+strings.Trim(kind, "()"), message, 1)
	row := a.appendTask(code, a.out.Task.Kind.Intern(kind))
	a.out.Task.Internal[row] = true
	if rank, _, ok := splitRank(name); ok {
		a.out.Task.Node[row] = rank
	}
	return row
}

// needTransfer returns the row of a communication node, adding one without
// times when the trace does not have it.
func (a *assembler) needTransfer(name string) int32 {
	key, _ := commKey(name)
	keys := &a.out.Transfer.Key
	code := keys.Encode([]byte(key))
	if row := a.transfer.get(code); row != trace.None {
		return row
	}
	a.log(trace.Warning, "message-only-in-graph", "a communication of the graph is not in the trace: its times are unknown", 1)
	row := a.appendTransfer(code, trace.TransferMPI, trace.None, trace.None, trace.NoTime, trace.NoTime)
	return row
}

// commNode gathers the edges of one communication.
type commNode struct {
	preds, succs []int32
}

func needComm(comms map[int32]*commNode, row int32) *commNode {
	c := comms[row]
	if c == nil {
		c = &commNode{}
		comms[row] = c
	}
	return c
}

// addCommEdges joins each predecessor of a communication to each successor.
func (a *assembler) addCommEdges(comms map[int32]*commNode) {
	lonely := 0
	for row := range int32(len(a.out.Transfer.Start)) {
		c := comms[row]
		if c == nil {
			continue
		}
		if len(c.succs) == 0 {
			lonely++
			continue
		}
		if len(c.preds) == 0 {
			c.preds = []int32{trace.None}
		}
		if len(c.preds)*len(c.succs) > maxCommEdges {
			a.log(trace.Error, "communication-fan", "a communication joins more than 65536 pairs of tasks: left out", 1)
			continue
		}
		for _, p := range c.preds {
			for _, s := range c.succs {
				if p != s {
					a.build.AddDep(p, s, row)
				}
			}
		}
	}
	a.log(trace.Info, "message-without-successor", "a communication of the graph is waited for by no task", lonely)
}

// addRecordedEdges adds dependencies that tasks.rec has and dag.dot lacks.
func (a *assembler) addRecordedEdges() {
	t := &a.in.Task
	if len(t.DependsOn.First) == 0 {
		return
	}
	d := &a.out.Dep
	haveDot := len(d.To) > 0
	have := newEdgeSet(d.From, d.To, len(a.out.Task.Start))
	recode := a.jobCodes(&t.Job)
	added := 0
	for rec, job := range t.Job.Code {
		if t.Control.At(rec) != "" {
			continue
		}
		list := t.DependsOn.At(rec)
		if len(list) == 0 {
			continue
		}
		to := a.task.get(recode(job))
		for _, code := range list {
			from := a.needTask(recode(code))
			if from != to && !have.has(from, to) {
				a.build.AddDep(from, to, trace.None)
				added++
			}
		}
	}
	if haveDot {
		a.log(trace.Info, "dependency-only-in-records", "a dependency of a task's record is no edge of the graph: added", added)
	}
	a.log(trace.Info, "end-dependencies", "a record says what its end waits for: not part of the graph, which says what starts wait for", len(t.EndDependsOn.Values))
}

// edgeSet answers whether an edge exists: edges bucketed by their target.
type edgeSet struct {
	first []int32
	from  []int32
}

func newEdgeSet(from, to []int32, tasks int) *edgeSet {
	s := &edgeSet{first: make([]int32, tasks+1), from: make([]int32, len(from))}
	for _, v := range to {
		s.first[v+1]++
	}
	for i := range tasks {
		s.first[i+1] += s.first[i]
	}
	next := append([]int32(nil), s.first...)
	for i, v := range to {
		s.from[next[v]] = from[i]
		next[v]++
	}
	return s
}

func (s *edgeSet) has(from, to int32) bool {
	if int(to)+1 >= len(s.first) {
		return false
	}
	for _, f := range s.from[s.first[to]:s.first[to+1]] {
		if f == from {
			return true
		}
	}
	return false
}
