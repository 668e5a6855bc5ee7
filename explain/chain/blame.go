package chain

import (
	"cmp"
	"slices"
	"strconv"

	"dagscope/explain/kind"
	"dagscope/explain/memory"
	"dagscope/internal/parallel"
	"dagscope/trace"
)

// Dimensions by which chains and idle time are summed up. The rows of each add
// up to the whole; what a dimension says nothing of is in its row without name.
const (
	ByClass  = "class"  // of what executes, its three amounts
	ByMark   = "mark"   // of what kept a busy worker from a ready task
	ByKind   = "kind"   // of the task that executes or waits
	ByArch   = "arch"   // of the worker
	ByNode   = "node"   // rank
	ByWorker = "worker" // that executes or waits
	ByLink   = "link"   // that a transfer or message takes: from, arrow, to
	ByMemory = "memory" // where room was made
)

// Dimensions lists them in the order in which they are printed.
func Dimensions() []string {
	return []string{ByClass, ByMark, ByKind, ByArch, ByNode, ByWorker, ByLink, ByMemory}
}

// Names of the amounts of [Execute] among classes.
const (
	Compute            = "compute"
	SlowerArchitecture = "slower-architecture"
	SlowerExecution    = "slower-execution"
)

// Row is a sum over parts of a chain or of idle time.
type Row struct {
	By, Name string
	Class    string // of the parts, of what executes on a chain the amount
	NS       int64
}

// Table sums up parts as they come.
type Table struct {
	x   *Index
	sum map[Row]int64 // NS is 0
	// Amounts says whether what executes is divided into its amounts, as it is on
	// a chain.
	amounts bool
}

// Blame sums up the critical chain, divided as [Chain] is: it says where the
// makespan went. It does not say what can be saved. [from, to) is the window.
func (x *Index) Blame(c *Chain, from, to int64) []Row {
	t := Table{x, map[Row]int64{}, true}
	for _, p := range c.Parts {
		p.From, p.To = max(p.From, from), min(p.To, to)
		t.add(p)
	}
	return t.rows()
}

// IdleRows sums up the idle time of all workers inside [from, to): what it went
// into, by class and place. Its sum is the workers' time without work.
func (x *Index) IdleRows(from, to int64) []Row {
	workers := kind.Workers(x.run)
	tables := make([]Table, len(workers))
	parallel.For(len(workers), func(i int) {
		tables[i] = Table{x, map[Row]int64{}, false}
		x.Idle(workers[i], func(p Part) {
			p.From, p.To = max(p.From, from), min(p.To, to)
			if p.Class == Execute || p.Class == NoReadyTask {
				p.Piece = trace.None // of another worker
			}
			p.Resource = workers[i]
			tables[i].add(p)
		})
	})
	all := Table{x, map[Row]int64{}, false}
	for _, t := range tables {
		for row, ns := range t.sum {
			all.sum[row] += ns
		}
	}
	return all.rows()
}

func (t *Table) add(p Part) {
	ns := p.To - p.From
	if ns <= 0 {
		return
	}
	re := &t.x.run.Resource
	arch, node, worker := "", "", ""
	if r := p.Resource; r >= 0 {
		arch = re.Arch.At(int(r))
		if re.Node[r] >= 0 {
			node = strconv.Itoa(int(re.Node[r]))
		}
		if re.Level.At(int(r)) == trace.LevelWorker || arch != "" {
			worker = re.Name.At(int(r))
		}
	}
	put := func(class string, ns int64) {
		if ns == 0 {
			return
		}
		for _, at := range [...][2]string{{ByClass, class}, {ByMark, p.Mark.String()}, {ByKind, t.x.KindOf(p)}, {ByArch, arch}, {ByNode, node},
			{ByWorker, worker}, {ByLink, t.x.Link(p.Transfer)}, {ByMemory, t.x.Room(p)}} {
			if at[0] != ByMark || t.amounts {
				t.sum[Row{By: at[0], Name: at[1], Class: class}] += ns
			}
		}
	}
	if t.amounts && p.Class == Execute {
		a := t.x.Amounts(p)
		put(Compute, a.Compute)
		put(SlowerArchitecture, a.SlowerArchitecture)
		put(SlowerExecution, a.SlowerExecution)
		return
	}
	put(p.Class.String(), ns)
}

// rows are the sums by dimension, the largest first.
func (t *Table) rows() []Row {
	order := Dimensions()
	list := make([]Row, 0, len(t.sum))
	for row, ns := range t.sum {
		if row.NS = ns; ns != 0 {
			list = append(list, row)
		}
	}
	slices.SortFunc(list, func(a, b Row) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.By), slices.Index(order, b.By)), cmp.Compare(b.NS, a.NS),
			cmp.Compare(a.Name, b.Name), cmp.Compare(a.Class, b.Class))
	})
	return list
}

// TaskOf is the task that a part executes or that waits, [trace.None] if none
// does.
func (x *Index) TaskOf(p Part) int32 {
	if p.Piece < 0 {
		return trace.None
	}
	return x.lanes.Task[p.Piece]
}

// KindOf is the kind of that task.
func (x *Index) KindOf(p Part) string {
	if v := x.TaskOf(p); v >= 0 {
		return x.run.Task.Kind.At(int(v))
	}
	return ""
}

// Link names where a transfer or message comes from and goes to: memories, of
// messages nodes; "" for none.
func (x *Index) Link(transfer int32) string {
	if transfer < 0 {
		return ""
	}
	t := &x.run.Transfer
	if t.Kind.At(int(transfer)) == trace.TransferMPI {
		return x.nodeName(t.From[transfer]) + " → " + x.nodeName(t.To[transfer])
	}
	return x.memoryName(t.From[transfer]) + " → " + x.memoryName(t.To[transfer])
}

// Room names the memory where room was made, "" for parts of other classes.
func (x *Index) Room(p Part) string {
	if p.Class != MemoryWait {
		return ""
	}
	return x.memoryName(p.Memory)
}

func (x *Index) nodeName(r int32) string {
	if r < 0 || x.nodeOf(r) < 0 {
		return "?"
	}
	return "node " + strconv.Itoa(int(x.nodeOf(r)))
}

// memoryName is the name of the memory of a resource, with its node where there
// are several.
func (x *Index) memoryName(r int32) string {
	if r < 0 || x.memory[r] < 0 || x.managers[x.memory[r]] == trace.None {
		return "?"
	}
	name := memory.Name(x.run, x.managers[x.memory[r]])
	if len(x.rams) > 2 && x.nodeOf(r) >= 0 {
		return strconv.Itoa(int(x.nodeOf(r))) + ":" + name
	}
	return name
}
