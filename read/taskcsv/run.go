package taskcsv

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"dagscope/trace"
)

const mostWorkers = 1 << 16

// run makes the run of what was read.
func (t *table) run(o Options) (*trace.Run, error) {
	if len(t.workers.Dict) > mostWorkers {
		return nil, fmt.Errorf("found %d workers, wanted %d at most", len(t.workers.Dict), mostWorkers)
	}
	c, n := &t.b.Run.Task, t.rows()
	c.Worker = make([]int32, n)
	managers, worker := t.resources()
	c.Node = t.node
	for i, w := range t.workers.Index {
		c.Worker[i] = worker[w]
	}
	c.Order = make([]int32, n)
	for i := range c.Order {
		c.Order[i] = int32(i)
	}
	c.Generation, c.Internal = make([]bool, n), make([]bool, n)
	for i, p := range c.Parameters.Index {
		if p < 0 {
			c.Parameters.Index[i] = c.Parameters.Intern("")
		}
	}
	rows, err := t.index()
	if err != nil {
		return nil, err
	}
	t.edges(rows)
	t.ready()
	t.handles()
	t.tree()
	t.memory(managers)
	t.counters()
	t.account()
	return t.b.Finish(o.Generation)
}

// worker is one as the file names it.
type worker struct {
	text   int32 // in table.workers
	node   int32
	name   string
	number int // math.MaxInt32 where the name is none
}

// machine lists the workers by node, by number, then by name.
func (t *table) machine() []worker {
	all := make([]worker, len(t.workers.Dict))
	for i, text := range t.workers.Dict {
		w := worker{text: int32(i), name: text, number: math.MaxInt32}
		if t.node != nil {
			node, name, _ := strings.Cut(text, "/")
			n, _ := strconv.Atoi(node)
			w.node, w.name = int32(n), name
		}
		if n, err := strconv.Atoi(w.name); err == nil && n >= 0 && n < math.MaxInt32 {
			w.number = n
		}
		all[i] = w
	}
	slices.SortFunc(all, func(a, b worker) int {
		return cmp.Or(cmp.Compare(a.node, b.node), cmp.Compare(a.number, b.number), cmp.Compare(a.name, b.name))
	})
	return all
}

// resources adds the machine: a memory for each node, and its workers. It
// returns the rows of the memories' managers by node, and those of the workers.
func (t *table) resources() (managers map[int32]int32, rows []int32) {
	root := t.b.AddResource(trace.None, trace.LevelCluster, "root", "", trace.None, trace.None)
	managers, rows = make(map[int32]int32), make([]int32, len(t.workers.Dict))
	prefix, memory, index := "", trace.None, int32(0)
	for _, w := range t.machine() {
		add := func(parent int32, level, name, arch string, index int32) int32 {
			return t.b.AddResource(parent, level, prefix+name, arch, w.node, index)
		}
		if _, known := managers[w.node]; !known {
			if t.node != nil {
				prefix = strconv.Itoa(int(w.node)) + "_"
			}
			program := add(root, trace.LevelNode, "program", "", trace.None)
			memory, index = add(program, trace.LevelMemory, "MEMNODE0", "", 0), 0
			managers[w.node] = add(memory, trace.LevelMemoryManager, "MEMMANAGER0", "", 0)
		}
		name, number := w.name, index
		if w.number < math.MaxInt32 {
			name, number = "CPU"+name, int32(w.number)
		}
		rows[w.text] = add(memory, trace.LevelWorker, name, cmp.Or(t.arch.At(int(w.text)), "cpu"), number)
		index++
	}
	return managers, rows
}

// index finds tasks by their keys.
func (t *table) index() (row func(code int64) int32, err error) {
	codes := t.b.Run.Task.Key.Code
	low, high := slices.Min(codes), slices.Max(codes)
	twice := func(a, b int32) error {
		return fmt.Errorf("line %d: column id: found %q again, which line %d has, wanted each once", t.lines[b], t.b.Run.Task.Key.At(int(b)), t.lines[a])
	}
	if high-low < 8*int64(len(codes))+1024 {
		rows := make([]int32, high-low+1) // one more than the row
		for i, code := range codes {
			if rows[code-low] > 0 {
				return nil, twice(rows[code-low]-1, int32(i))
			}
			rows[code-low] = int32(i) + 1
		}
		return func(code int64) int32 {
			if code < low || code > high {
				return trace.None
			}
			return rows[code-low] - 1
		}, nil
	}
	rows := make(map[int64]int32, len(codes))
	for i, code := range codes {
		if before, known := rows[code]; known {
			return nil, twice(before, int32(i))
		}
		rows[code] = int32(i)
	}
	return func(code int64) int32 {
		if i, known := rows[code]; known {
			return i
		}
		return trace.None
	}, nil
}

// edges adds the dependencies, those of a task in ascending order.
func (t *table) edges(row func(int64) int32) {
	d := &t.b.Run.Dep
	d.From, d.To = make([]int32, 0, len(t.depends)), make([]int32, 0, len(t.depends))
	first := 0
	for i, e := range t.depends {
		switch from := row(e.on); from {
		case trace.None:
			t.log(trace.Warning, t.lines[e.task], "unknown-dependency", "column deps: found task %.80q, wanted the id of a line: left out", t.b.Run.Task.Key.AppendTo(nil, e.on))
		case e.task:
			t.log(trace.Warning, t.lines[e.task], "own-dependency", "column deps: found the task itself, wanted others: left out")
		default:
			d.From, d.To = append(d.From, from), append(d.To, e.task)
		}
		if i+1 == len(t.depends) || t.depends[i+1].task != e.task {
			slices.Sort(d.From[first:])
			first = len(d.From)
		}
	}
	t.depends = nil
	d.Kind.Index = make([]int32, len(d.To))
	if len(d.To) > 0 {
		d.Kind.Intern(trace.DepTask)
	}
	d.Via = slices.Repeat([]int32{trace.None}, len(d.To))
}

// account writes where the lines went.
func (t *table) account() {
	for _, d := range []destination{{"header", "definition"}, {"comment", "definition"}, {"task", "task"}, {"damaged line", "log"}} {
		if n := t.count[d]; n > 0 {
			t.b.Run.Account.Add(t.file, d.record, d.table, n)
		}
	}
}

// counters keeps what tasks have of their own beside the columns of a run.
func (t *table) counters() {
	c := &t.b.Run.Counter
	add := func(i int, event string, value int64) {
		c.Task, c.Value = append(c.Task, int32(i)), append(c.Value, value)
		c.Event.Append(event)
	}
	for i := range t.rows() {
		if t.startBytes != nil && t.startBytes[i] != 0 {
			add(i, trace.CounterStartBytes, t.startBytes[i])
		}
		if t.endBytes != nil && t.endBytes[i] != 0 {
			add(i, trace.CounterEndBytes, t.endBytes[i])
		}
		if t.cpu != nil && t.cpu[i] != trace.NoTime {
			add(i, "cpu_ns", t.cpu[i])
		}
	}
}
