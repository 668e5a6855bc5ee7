// Package depend answers what a task waited for (docs/design/methods.md,
// Dependencies; Garcia Pinto 2018, section 5.1.5): its last dependency, the
// chain of last dependencies behind it, and where such chains meet.
//
// The problem is that the graph a runtime writes is not the graph that ran.
// Between two tasks that ran there may be the runtime's own tasks and tasks
// that never ran; a message between nodes is a node of the graph with times of
// its own. Linking the predecessors of every such task to its successors, as
// one would draw it, can square the number of edges. But whoever asks for the
// last dependency needs of each only one thing: the latest of what lies behind
// it. So each task that did not run is replaced by its own last dependency,
// found once, and the work stays linear in the edges.
//
// It does not look for dependencies that the graph does not have, nor divide the
// time before a task: what else a task waited for package chain says.
package depend

import (
	"sort"

	"dagscope/trace"
)

// Needs names the columns that [Find] reads.
var Needs = []string{
	"task.start", "task.end", "task.generation", "task.internal",
	"dep.from", "dep.to", "dep.via", "transfer.start", "transfer.end", "transfer.send_task",
}

// Last are the last dependencies in a run. Nodes are tasks and transfers in
// one numbering: task rows as they are, then transfer rows from Tasks on.
type Last struct {
	Tasks int     // number of task rows
	Of    []int32 // by node: its last dependency, a node, or trace.None

	run *trace.Run
	at  []int32 // by task, one more: its edges are rows [at[v], at[v+1])
}

// Find determines the last dependency of every task and transfer: of what it
// depends on, the one that ended last; on a tie a task before a transfer, then
// the earlier row. What a transfer depends on is the tasks that send through
// it. The runtime's own tasks, tasks that did not run and transfers of unknown
// end are walked through. Tasks that did not run and depend on each other in a
// circle have none.
func Find(run *trace.Run) *Last {
	l := &Last{Tasks: len(run.Task.Start), run: run}
	l.Of = make([]int32, l.Tasks+len(run.Transfer.Start))
	for i := range l.Of {
		l.Of[i] = trace.None
	}
	l.indexEdges()
	f := finder{Last: l, state: make([]visit, l.Tasks), ran: make([]bool, l.Tasks)}
	for v := range f.ran {
		f.ran[v] = l.hasRun(int32(v))
	}
	for v := range int32(l.Tasks) {
		f.settle(v)
	}
	f.senders()
	return l
}

// End is when a node ended; trace.NoTime if unknown.
func (l *Last) End(node int32) int64 {
	if x, ok := l.Transfer(node); ok {
		return l.run.Transfer.End[x]
	}
	return l.run.Task.End[node]
}

// Start is when a node started; trace.NoTime if unknown.
func (l *Last) Start(node int32) int64 {
	if x, ok := l.Transfer(node); ok {
		return l.run.Transfer.Start[x]
	}
	return l.run.Task.Start[node]
}

// Transfer returns the transfer row of a node; ok is false for a task.
func (l *Last) Transfer(node int32) (row int32, ok bool) {
	return node - int32(l.Tasks), int(node) >= l.Tasks
}

// Key is the name of a node as the runtime printed it.
func (l *Last) Key(node int32) string {
	if x, ok := l.Transfer(node); ok {
		return l.run.Transfer.Key.At(int(x))
	}
	return l.run.Task.Key.At(int(node))
}

// Release is the release delay of a node, from the end of its last dependency
// to its start (ns). It is negative where clocks disagree, and trace.NoTime
// for a node that depends on nothing or has no times.
func (l *Last) Release(node int32) int64 {
	last, start := l.Of[node], l.Start(node)
	if last == trace.None || start == trace.NoTime || l.End(last) == trace.NoTime {
		return trace.NoTime
	}
	return start - l.End(last)
}

// hasRun tells whether a task ran and is not the runtime's own.
func (l *Last) hasRun(task int32) bool {
	t := &l.run.Task
	return !t.Internal[task] && t.Start[task] != trace.NoTime && t.End[task] != trace.NoTime
}

// Edges are the rows of the edges that lead to a task.
func (l *Last) Edges(task int32) (first, end int32) { return l.at[task], l.at[task+1] }

// Target is the task that an edge leads to, found in a few dozen steps: with it
// and [Last.Edges] nobody needs the column dep.to any more.
func (l *Last) Target(edge int32) int32 {
	return int32(sort.Search(l.Tasks, func(v int) bool { return l.at[v+1] > edge }))
}

// indexEdges finds the rows of each task among the edges, which are sorted by
// destination.
func (l *Last) indexEdges() {
	l.at = make([]int32, l.Tasks+1)
	row := 0
	for v := range l.Tasks {
		l.at[v] = int32(row)
		for row < len(l.run.Dep.To) && int(l.run.Dep.To[row]) == v {
			row++
		}
	}
	l.at[l.Tasks] = int32(row)
	own := *l.run
	own.Dep.To = nil // it is kept no longer than who handed it in keeps it
	l.run = &own
}

type visit uint8

const (
	unseen visit = iota
	open
	settled
)

// finder settles tasks: it determines Of for a task after Of for those of its
// predecessors that are walked through.
type finder struct {
	*Last
	ran   []bool // by task: hasRun
	state []visit
	stack []int32
}

// settle determines the last dependency of v.
func (f *finder) settle(v int32) {
	for f.stack = append(f.stack[:0], v); len(f.stack) > 0; {
		u := f.stack[len(f.stack)-1]
		if f.state[u] == unseen {
			f.state[u] = open
			if before := len(f.stack); f.pushThrough(u) > before {
				continue
			}
		}
		if f.state[u] == open {
			f.state[u] = settled
			f.Of[u] = f.latestBefore(u)
		}
		f.stack = f.stack[:len(f.stack)-1]
	}
}

// pushThrough pushes the predecessors of u that must be settled first and
// returns the height of the stack.
func (f *finder) pushThrough(u int32) int {
	for e := f.at[u]; e < f.at[u+1]; e++ {
		for _, p := range f.sendersOf(e) {
			if p >= 0 && !f.ran[p] && f.state[p] == unseen {
				f.stack = append(f.stack, p)
			}
		}
	}
	return len(f.stack)
}

// latestBefore is the latest of what task u depends on.
func (f *finder) latestBefore(u int32) int32 {
	best := trace.None
	for e := f.at[u]; e < f.at[u+1]; e++ {
		if x := f.via(e); x >= 0 && f.known(x) {
			best = f.later(best, int32(f.Tasks)+x)
			continue
		}
		for _, p := range f.sendersOf(e) {
			best = f.later(best, f.through(p))
		}
	}
	return best
}

// sendersOf returns the task that edge e comes from and, for a communication,
// the task that posted the send; trace.None for unknown ones.
func (l *Last) sendersOf(e int32) [2]int32 {
	send := trace.None
	if x := l.via(e); x >= 0 && l.run.Transfer.SendTask != nil {
		send = l.run.Transfer.SendTask[x]
	}
	return [2]int32{l.run.Dep.From[e], send}
}

// known reports whether the end of a transfer is.
func (l *Last) known(transfer int32) bool { return l.run.Transfer.End[transfer] != trace.NoTime }

func (l *Last) via(e int32) int32 {
	if l.run.Dep.Via == nil {
		return trace.None
	}
	return l.run.Dep.Via[e]
}

// through is the node that stands for task p: itself if it ran, else its last
// dependency.
func (f *finder) through(p int32) int32 {
	if p < 0 || f.ran[p] {
		return p
	}
	return f.Of[p]
}

// later is the one of two nodes that ended later, on a tie the smaller.
func (l *Last) later(a, b int32) int32 {
	if a == trace.None || b == trace.None {
		return max(a, b)
	}
	ea, eb := l.End(a), l.End(b)
	if eb > ea || eb == ea && b < a {
		return b
	}
	return a
}

// senders determines the last dependency of every transfer: the latest of the
// tasks that send through it.
func (f *finder) senders() {
	for e := range f.run.Dep.Via {
		if x := f.run.Dep.Via[e]; x >= 0 {
			f.sentBy(x, f.run.Dep.From[e])
		}
	}
	for x, p := range f.run.Transfer.SendTask {
		f.sentBy(int32(x), p)
	}
}

func (f *finder) sentBy(x, task int32) {
	node := int32(f.Tasks) + x
	f.Of[node] = f.later(f.Of[node], f.through(task))
}
