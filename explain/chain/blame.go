package chain

import (
	"cmp"
	"slices"
	"strconv"
	"sync"

	"dagscope/explain/kind"
	"dagscope/explain/memory"
	"dagscope/internal/interval"
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
	ByTime   = "time"   // start of the slice of time, ms; only where slices are asked for
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

// Blame sums up the parts of a chain inside [from, to): it says where the
// makespan went, not what can be saved. Of what executes the amounts are summed.
func (x *Index) Blame(c *Chain, from, to int64) []Row {
	return x.blame(c, from, to, interval.Slices{})
}

// BlameOver is that of the window of some slices, with rows by time: for each
// slice, in order of time, what of the chain is inside.
func (x *Index) BlameOver(c *Chain, cut interval.Slices) []Row {
	return x.blame(c, cut.From, cut.To, cut)
}

func (x *Index) blame(c *Chain, from, to int64, cut interval.Slices) []Row {
	s := x.newSums(cut)
	for _, p := range c.Parts {
		p.From, p.To = max(p.From, from), min(p.To, to)
		if p.From >= p.To {
			continue
		}
		if p.Class != Execute {
			s.add(p, int(p.Class), p.To-p.From)
			s.over(p, func(from, to int64, slice int) { s.time[slice*columns+int(p.Class)] += to - from })
			continue
		}
		for i, ns := range x.Amounts(p).list() {
			s.add(p, int(classes)+i, ns)
		}
		before := [len(amountNames)]int64{} // so that slices add up to the amounts of the whole part
		s.over(p, func(_, to int64, slice int) {
			p.To = to
			for i, ns := range x.Amounts(p).list() {
				s.time[slice*columns+int(classes)+i] += ns - before[i]
				before[i] = ns
			}
		})
	}
	return s.rows(s.dimensions())
}

// IdleRows sums up the idle time of all workers inside [from, to): what it went
// into, by class and place. Its sum is the workers' time without work. There is
// no row by mark.
func (x *Index) IdleRows(from, to int64) []Row { return x.idle(from, to, interval.Slices{}) }

// IdleOver is that of the window of some slices, with rows by time.
func (x *Index) IdleOver(cut interval.Slices) []Row { return x.idle(cut.From, cut.To, cut) }

func (x *Index) idle(from, to int64, cut interval.Slices) []Row {
	workers := kind.Workers(x.run)
	var mutex sync.Mutex
	var free []*sums // as many as there are at work at a time
	take := func() *sums {
		mutex.Lock()
		defer mutex.Unlock()
		if n := len(free); n > 0 {
			s := free[n-1]
			free = free[:n-1]
			return s
		}
		return x.newSums(cut)
	}
	parallel.For(len(workers), func(i int) {
		s := take()
		x.Idle(workers[i], func(p Part) {
			p.From, p.To = max(p.From, from), min(p.To, to)
			if p.From >= p.To {
				return
			}
			if p.Class == Execute || p.Class == NoReadyTask {
				p.Piece = trace.None // of another worker
			}
			p.Resource = workers[i]
			s.add(p, int(p.Class), p.To-p.From)
			s.over(p, func(from, to int64, slice int) { s.time[slice*columns+int(p.Class)] += to - from })
		})
		mutex.Lock()
		defer mutex.Unlock()
		free = append(free, s)
	})
	all := x.newSums(cut)
	for _, s := range free {
		all.plus(s)
	}
	return all.rows(slices.DeleteFunc(all.dimensions(), func(by string) bool { return by == ByMark }))
}

// list has the amounts in the order of amountNames.
func (a Amounts) list() [len(amountNames)]int64 {
	return [...]int64{a.Compute, a.SlowerArchitecture, a.SlowerExecution}
}

// amountNames follow the classes in sums.
var amountNames = [...]string{Compute, SlowerArchitecture, SlowerExecution}

const columns = int(classes) + len(amountNames)

// sums are the time of parts by class or amount and, in one table each, by what
// names them all: mark, kind, resource, link and resource of a memory. Numbers
// are one more than rows, 0 for none.
type sums struct {
	x                                  *Index
	mark, kind, resource, link, memory []int64 // [number*columns + class]
	cut                                interval.Slices
	time                               []int64 // [slice*columns + class]
}

func (x *Index) newSums(cut interval.Slices) *sums {
	table := func(n int) []int64 { return make([]int64, (n+1)*columns) }
	resources := len(x.run.Resource.Parent)
	return &sums{x, table(int(marks)), table(len(x.run.Task.Kind.Dict)), table(resources), table(len(x.linkNames)), table(resources),
		cut, make([]int64, cut.Len()*columns)}
}

// dimensions are those that are summed up.
func (s *sums) dimensions() []string {
	if len(s.time) > 0 {
		return append(Dimensions(), ByTime)
	}
	return Dimensions()
}

// over calls f with what of a part is in each slice, in order.
func (s *sums) over(p Part, f func(from, to int64, slice int)) {
	if len(s.time) == 0 {
		return
	}
	for from := p.From; from < p.To; {
		slice := s.cut.At(from)
		_, end := s.cut.Bounds(slice)
		f(from, min(end, p.To), slice)
		from = end
	}
}

func (s *sums) add(p Part, class int, ns int64) {
	kind, link := int32(-1), int32(-1)
	if v := s.x.TaskOf(p); v >= 0 {
		kind = s.x.run.Task.Kind.Index[v]
	}
	if p.Transfer >= 0 {
		link = s.x.linkOf[p.Transfer]
	}
	s.mark[int(p.Mark)*columns+class] += ns
	s.kind[int(kind+1)*columns+class] += ns
	s.resource[int(p.Resource+1)*columns+class] += ns
	s.link[int(link+1)*columns+class] += ns
	s.memory[int(p.Memory+1)*columns+class] += ns
}

func (s *sums) plus(o *sums) {
	for i, table := range [][]int64{s.mark, s.kind, s.resource, s.link, s.memory, s.time} {
		for k, ns := range [][]int64{o.mark, o.kind, o.resource, o.link, o.memory, o.time}[i] {
			table[k] += ns
		}
	}
}

// rows names the sums, the largest of each dimension first, of slices of time the first.
func (s *sums) rows(dimensions []string) (list []Row) {
	re := &s.x.run.Resource
	resource := func(name func(r int) string) func(int) string {
		return func(i int) string {
			if i == 0 {
				return ""
			}
			return name(i - 1)
		}
	}
	for _, by := range dimensions {
		table, name := s.resource, func(int) string { return "" }
		switch by {
		case ByMark:
			table, name = s.mark, func(i int) string { return Mark(i).String() }
		case ByKind:
			table, name = s.kind, resource(func(i int) string { return s.x.run.Task.Kind.Dict[i] })
		case ByLink:
			table, name = s.link, resource(func(i int) string { return s.x.linkNames[i] })
		case ByMemory:
			table, name = s.memory, resource(func(i int) string { return s.x.memoryName(int32(i)) })
		case ByTime:
			table, name = s.time, func(i int) string {
				from, _ := s.cut.Bounds(i)
				return strconv.FormatFloat(float64(from)/1e6, 'f', -1, 64)
			}
		case ByArch:
			name = resource(re.Arch.At)
		case ByNode:
			name = resource(func(r int) string {
				if re.Node[r] < 0 {
					return ""
				}
				return strconv.Itoa(int(re.Node[r]))
			})
		case ByWorker:
			name = resource(func(r int) string {
				if re.Level.At(r) != trace.LevelWorker && re.Arch.At(r) == "" {
					return ""
				}
				return re.Name.At(r)
			})
		}
		list = append(list, s.dimension(by, table, name)...)
	}
	return list
}

// dimension adds up what has one name.
func (s *sums) dimension(by string, table []int64, name func(i int) string) (list []Row) {
	at := map[Row]int{}
	for i := range len(table) / columns {
		for class, ns := range table[i*columns : (i+1)*columns] {
			if ns == 0 {
				continue
			}
			r := Row{By: by, Class: className(class)}
			if r.Name = r.Class; by != ByClass {
				r.Name = name(i)
			}
			k, ok := at[r]
			if !ok {
				k = len(list)
				at[r] = k
				list = append(list, r)
			}
			list[k].NS += ns
		}
	}
	list = slices.DeleteFunc(list, func(r Row) bool { return r.NS == 0 })
	if by == ByTime {
		return list // in order of time
	}
	slices.SortFunc(list, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.NS, a.NS), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Class, b.Class))
	})
	return list
}

func className(class int) string {
	if class < int(classes) {
		return Class(class).String()
	}
	return amountNames[class-int(classes)]
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
	if transfer < 0 || x.linkOf[transfer] < 0 {
		return ""
	}
	return x.linkNames[x.linkOf[transfer]]
}

// linkName names the link of a transfer.
func (x *Index) linkName(transfer int) string {
	t := &x.run.Transfer
	if t.Kind.At(transfer) == trace.TransferMPI {
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
