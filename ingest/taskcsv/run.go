package taskcsv

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

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
	manager, worker := t.resources()
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
	t.memory(manager)
	t.counters()
	t.account()
	return t.b.Finish(o.Generation)
}

// resources adds the machine: one memory, and the workers by number, then by
// name. It returns the row of the memory's manager, and those of the workers.
func (t *table) resources() (manager int32, rows []int32) {
	add := t.b.AddResource
	root := add(trace.None, trace.LevelCluster, "root", "", trace.None, trace.None)
	program := add(root, trace.LevelNode, "program", "", 0, trace.None)
	memory := add(program, trace.LevelMemory, "MEMNODE0", "", 0, 0)
	manager = add(memory, trace.LevelMemoryManager, "MEMMANAGER0", "", 0, 0)
	order := make([]int32, len(t.workers.Dict))
	number := make([]int, len(order))
	for i, name := range t.workers.Dict {
		order[i], number[i] = int32(i), math.MaxInt32
		if n, err := strconv.Atoi(name); err == nil && n >= 0 && n < math.MaxInt32 {
			number[i] = n
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(number[a], number[b]), cmp.Compare(t.workers.Dict[a], t.workers.Dict[b]))
	})
	rows = make([]int32, len(order))
	for k, i := range order {
		name, index := t.workers.Dict[i], int32(k)
		if number[i] < math.MaxInt32 {
			name, index = "CPU"+name, int32(number[i])
		}
		rows[i] = add(memory, trace.LevelWorker, name, cmp.Or(t.arch.At(int(i)), "cpu"), 0, index)
	}
	return manager, rows
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
