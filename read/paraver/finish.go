package paraver

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dagscope/read/format"
	"dagscope/read/pieces"
	"dagscope/trace"
)

// finish makes the run of what was read.
func (t *paraver) finish(o format.Options) (*trace.Run, error) {
	t.silent()
	t.end()
	r := &t.b.Run
	named := t.kinds()
	own := make([]bool, len(t.tasks))
	kind := make([]string, len(t.tasks))
	var hidden []string
	for i := range t.tasks {
		if t.dialect.ovni {
			kind[i], _, _, _ = named.name(&t.tasks[i])
			if own[i] = pieces.OfRuntime(kind[i]); own[i] && !slices.Contains(hidden, kind[i]) {
				hidden = append(hidden, kind[i])
			}
		}
	}
	resource, node, err := t.resources(own)
	if err != nil {
		return nil, err
	}
	t.addTasks(named, own, resource, node)
	for _, column := range [][]int32{r.State.Resource, r.Sample.Resource, r.Event.Resource} {
		for i, number := range column {
			column[i] = resource[number]
		}
	}
	t.transfers(resource)
	t.say(hidden)
	for _, d := range sortedDestinations(t.count) {
		r.Account.Add(t.file, d.record, d.table, t.count[d])
	}
	r.Meta.Environment = map[string]string{"paraver dialect": t.dialect.name}
	return t.b.Finish(o.Generation)
}

func sortedDestinations(count map[destination]int64) (all []destination) {
	for d := range count {
		all = append(all, d)
	}
	slices.SortFunc(all, func(a, b destination) int {
		return cmp.Or(cmp.Compare(a.record, b.record), cmp.Compare(a.table, b.table))
	})
	return all
}

// silent adds rows that the files name and no record is of: idle CPUs.
func (t *paraver) silent() {
	for _, p := range t.header.processes {
		for thread := int64(1); thread <= int64(p.threads) && int64(p.before)+thread <= int64(len(t.names.threads)); thread++ {
			t.rowAt(int64(p.appl), int64(p.task), thread)
		}
	}
}

// nodeName is the node of a row and what it is called: of ovni's CPUs the loom,
// of other rows the process.
func (t *paraver) nodeName(r *row) (at [2]int32, name string) {
	word := strings.Fields(r.name)
	if t.dialect.ovni && len(word) == 2 && (word[0] == "CPU" || word[0] == "vCPU") {
		loom, _, _ := strings.Cut(word[1], ".")
		if n, err := strconv.ParseInt(loom, 10, 31); err == nil && n >= 0 {
			return [2]int32{0, int32(n)}, "loom " + loom
		}
	}
	return [2]int32{r.appl, r.task}, fmt.Sprintf("process %d.%d", r.appl, r.task)
}

// resources adds the machine. It returns the resource of each row and the nodes
// of processes. Where tasks ran, all threads of Extrae and all CPUs of ovni are
// workers; other rows of ovni are if a task ran there that is not the runtime's.
func (t *paraver) resources(own []bool) (resource []int32, nodeOf map[int64]int32, err error) {
	works := make([]bool, len(t.order))
	for _, p := range t.pieces {
		works[p.Worker] = works[p.Worker] || !own[p.Task]
	}
	any := slices.Contains(works, true)
	rows := slices.Clone(t.order)
	key := make([][2]int32, len(t.order))
	for _, r := range rows {
		key[r.number], _ = t.nodeName(r)
	}
	slices.SortFunc(rows, func(a, b *row) int {
		ka, kb := key[a.number], key[b.number]
		return cmp.Or(cmp.Compare(ka[0], kb[0]), cmp.Compare(ka[1], kb[1]), cmp.Compare(a.appl, b.appl), cmp.Compare(a.task, b.task), cmp.Compare(a.thread, b.thread))
	})
	root := t.b.AddResource(trace.None, trace.LevelCluster, "root", "", trace.None, trace.None)
	resource, nodeOf = make([]int32, len(rows)), map[int64]int32{}
	node, parent, index := int32(-1), int32(0), int32(0)
	for i, r := range rows {
		if i == 0 || key[r.number] != key[rows[i-1].number] {
			if node++; node > trace.MaxRank {
				return nil, nil, fmt.Errorf("read %s: found more than %d processes, wanted fewer", t.path, trace.MaxRank)
			}
			_, name := t.nodeName(r)
			parent, index = t.b.AddResource(root, trace.LevelNode, name, "", node, trace.None), 0
		}
		nodeOf[processOf(r.place)] = node
		level, arch := trace.LevelOther, ""
		if any {
			level = trace.LevelThread
			if works[r.number] || !t.dialect.ovni || strings.HasPrefix(strings.TrimSpace(r.name), "CPU ") {
				level, arch = trace.LevelWorker, "cpu"
			}
		}
		resource[r.number] = t.b.AddResource(parent, level, strings.TrimSpace(r.name), arch, node, index)
		index++
	}
	return resource, nodeOf, nil
}

// addTasks adds the tasks that ran on workers. What the runtime's own tasks did
// elsewhere becomes states.
func (t *paraver) addTasks(named *kinds, own []bool, resource []int32, nodeOf map[int64]int32) {
	r := &t.b.Run
	rowOf := slices.Repeat([]int32{trace.None}, len(t.tasks))
	kept := t.pieces[:0]
	for _, p := range t.pieces {
		if to := resource[p.Worker]; r.Resource.Level.At(int(to)) != trace.LevelWorker {
			kind, _, _, _ := named.name(&t.tasks[p.Task])
			t.addState(t.order[p.Worker], r.State.Type.Intern("Task of the runtime"), r.State.Kind.Intern(kind), p.Start, p.End)
			continue
		}
		rowOf[p.Task] = 0
		kept = append(kept, p)
	}
	t.uncreated()
	several := t.severalProcesses()
	keys, extrae := map[string]int{}, named.function != nil
	for i := range t.tasks {
		if rowOf[i] == trace.None {
			continue
		}
		one := &t.tasks[i]
		kind, function, file, line := named.name(one)
		rowOf[i] = t.b.AddTask(trace.TaskRow{
			Key: t.key(one, several, nodeOf, keys, i), Kind: kind, Worker: trace.None, Start: trace.NoTime, End: trace.NoTime,
			Submit: trace.NoTime, Ready: trace.NoTime, Order: trace.None, Iteration: -1, Internal: own[i],
		})
		if c, known := t.creation[one.creationID()]; known && one.numbered {
			t.creationEvent(rowOf[i], c)
		}
		if extrae {
			r.Task.Model.Append(function)
			r.Task.File.Append(file)
			r.Task.Line = append(r.Task.Line, line)
		}
	}
	for i := range kept {
		kept[i].Task, kept[i].Worker = rowOf[kept[i].Task], resource[kept[i].Worker]
	}
	if n := pieces.Fill(&t.b, kept); n > 0 {
		r.Log.AddN(trace.Warning, t.file, 0, "overlapping-pieces", "found a task that runs twice on a thread at once, wanted one piece after the other: shortened", n)
	}
}

// creationEvent keeps when and where a task was created as an event, not as its
// submission: without dependencies nobody knows how long after that it could not
// begin, and all of it would pass for waiting.
func (t *paraver) creationEvent(task int32, c create) {
	v := &t.b.Run.Event
	for len(v.Task) < len(v.Time) {
		v.Task = append(v.Task, trace.None)
	}
	v.Kind.Append("Task created")
	v.Resource, v.Time, v.Task = append(v.Resource, c.row), append(v.Time, c.at), append(v.Task, task)
	v.Value.AppendIndex(trace.None)
}

// uncreated logs tasks that were created and never began.
func (t *paraver) uncreated() {
	ran := make(map[identity]bool, len(t.tasks))
	for i := range t.tasks {
		ran[t.tasks[i].creationID()] = t.tasks[i].numbered
	}
	line, n := int64(0), int64(0)
	for id, c := range t.creation {
		if !ran[id] {
			if n++; line == 0 || c.line < line {
				line = c.line
			}
		}
	}
	t.b.Run.Log.AddN(trace.Warning, t.file, line, "task-not-run", "found the creation of a task and no execution, wanted both: it is no task of the run", n)
}

func (one *task) creationID() identity { return identity{process: one.process, id: one.id} }

// severalProcesses reports whether tasks are of more than one process, whose
// numbers are their own.
func (t *paraver) severalProcesses() bool {
	return slices.ContainsFunc(t.tasks, func(one task) bool { return one.process != t.tasks[0].process })
}

// key is what a task is called: its number, with several processes after that of
// the process (of ovni), or of its node.
func (t *paraver) key(one *task, several bool, nodeOf map[int64]int32, taken map[string]int, i int) string {
	key := "unnumbered" + strconv.Itoa(i)
	if one.numbered {
		key = strconv.FormatInt(one.id, 10)
	}
	if one.body > 1 {
		key += "." + strconv.FormatInt(one.body, 10)
	}
	if several && t.dialect.ovni {
		key = strconv.FormatInt(one.process, 10) + "_" + key
	} else if several {
		key = strconv.Itoa(int(nodeOf[one.process])) + "_" + key
	}
	taken[key]++
	for n := taken[key]; n > 1; n++ {
		again := key + "#" + strconv.Itoa(n)
		if taken[again] == 0 {
			t.log(trace.Warning, t.file, 0, "task-again", "found task %s again, wanted each number once: called %s", key, again)
			taken[again]++
			return again
		}
	}
	return key
}

// transfers adds the messages.
func (t *paraver) transfers(resource []int32) {
	x, re := &t.b.Run.Transfer, &t.b.Run.Resource
	for i, m := range t.messages {
		from, to := resource[m.from.number], resource[m.to.number]
		kind := trace.TransferMPI
		if re.Node[from] == re.Node[to] {
			kind = trace.TransferLink
		}
		x.Key.AppendString("message" + strconv.Itoa(i))
		x.Kind.Append(kind)
		x.From, x.To = append(x.From, from), append(x.To, to)
		x.Start, x.End = append(x.Start, m.sent), append(x.End, m.received)
		x.Bytes, x.Tag = append(x.Bytes, m.bytes), append(x.Tag, m.tag)
		x.Handle, x.Priority = append(x.Handle, trace.None), append(x.Priority, 0)
	}
}

// say logs what was recognised, and what no Paraver trace holds.
func (t *paraver) say(hidden []string) {
	l := &t.b.Run.Log
	switch {
	case t.dialect == &generic:
		l.Add(trace.Info, t.file, 0, "dialect", "found no type of events that means tasks to dagscope: states, events and messages are kept, tasks there are none")
	default:
		l.Add(trace.Info, t.file, 0, "dialect", "found events of "+t.dialect.name+": tasks are "+t.dialect.says)
	}
	if len(hidden) > 0 {
		slices.Sort(hidden)
		l.Add(trace.Info, t.file, 0, "runtime-tasks", "found the runtime's own tasks, which are not counted: "+strings.Join(hidden, ", "))
	}
	if len(t.tasks) > 0 {
		l.Add(trace.Info, t.file, 0, "no-dependencies", "Paraver traces have no dependencies between tasks: none are drawn or concluded")
	}
	if t.dialect.ovni && strings.HasPrefix(t.file, "thread.prv") {
		l.Add(trace.Info, t.file, 0, "threads", "rows are threads: cpu.prv next to it has the CPUs, of which idle time is true")
	}
}
