package ovni

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"dagscope/internal/words"
	"dagscope/read/format"
	"dagscope/read/pieces"
	"dagscope/trace"
)

// machine numbers the places in which threads run: the CPUs of each loom by index,
// and one for threads that have none.
func (t *ovni) machine() {
	slices.SortFunc(t.looms, func(a, b *loom) int { return cmp.Compare(a.name, b.name) })
	for i, l := range t.looms {
		slices.SortFunc(l.cpus, func(a, b cpu) int { return cmp.Compare(a.Index, b.Index) })
		for _, c := range l.cpus {
			l.place[c.Index] = int32(len(t.places))
			t.places = append(t.places, place{l, fmt.Sprintf("CPU %d.%d", i, c.Phyid), false})
		}
		l.virtual = int32(len(t.places))
		t.places = append(t.places, place{l, fmt.Sprintf("vCPU %d.*", i), true})
		if l.offset != 0 {
			t.log(trace.Info, "clock-offsets.txt", 0, "clock-moved", "clock of loom %s moved by %d ns", l.name, l.offset)
		}
	}
	if len(t.looms) > 1 && len(t.offsets) == 0 {
		hosts := map[string]bool{}
		for _, l := range t.looms {
			hosts[l.host] = true
		}
		if len(hosts) > 1 {
			t.log(trace.Warning, "", 0, "no-clock-offsets", "found %d nodes and no clock-offsets.txt, wanted it (ovnisync writes it): times of different nodes cannot be compared", len(hosts))
		}
	}
}

// kind is the label of a task's type.
func (t *ovni) kind(one *task) string {
	k := &one.of.all[one.known]
	if k.at == trace.NoTime {
		t.log(trace.Warning, "", 0, "task-not-created", "found task %d, which no stream creates, wanted its creation: its kind is \"unknown\"", k.id)
		return "unknown"
	}
	if label := one.of.types[k.kind]; label != "" {
		return label
	}
	t.log(trace.Warning, "", 0, "type-without-label", "found task %d of type %d, which no stream names, wanted its label: its kind is the number", k.id, k.kind)
	return "type " + strconv.FormatUint(uint64(k.kind), 10)
}

// finish makes the run of what was read.
func (t *ovni) finish(o format.Options) (*trace.Run, error) {
	r := &t.b.Run
	kinds, own := make([]string, len(t.tasks)), make([]bool, len(t.tasks))
	hidden := map[string]bool{}
	for i := range t.tasks {
		kinds[i] = t.kind(&t.tasks[i])
		if own[i] = pieces.OfRuntime(kinds[i]); own[i] {
			hidden[kinds[i]] = true
		}
	}
	resource, err := t.resources(own)
	if err != nil {
		return nil, err
	}
	t.addTasks(kinds, own, resource)
	for i, p := range r.State.Resource {
		r.State.Resource[i] = resource[p]
	}
	t.leftOut()
	if len(hidden) > 0 {
		r.Log.Add(trace.Info, "", 0, "runtime-tasks", "found the runtime's own tasks, which are not counted: "+words.List(slices.Sorted(maps.Keys(hidden)), 10))
	}
	r.Log.Add(trace.Info, "", 0, "no-dependencies", "streams of ovni have no dependencies between tasks: none are drawn or concluded")
	for _, th := range t.threads {
		for table, n := range th.counts {
			r.Account.Add(th.name, "event", tableNames[table], n)
		}
	}
	return t.b.Finish(o.Generation)
}

// resources adds a node for each loom. CPUs are workers; what has no CPU is one if a
// task ran there that is not the runtime's.
func (t *ovni) resources(own []bool) (resource []int32, err error) {
	works := make([]bool, len(t.places))
	for _, p := range t.pieces {
		works[p.Worker] = works[p.Worker] || !own[p.Task]
	}
	root := t.b.AddResource(trace.None, trace.LevelCluster, "root", "", trace.None, trace.None)
	resource = make([]int32, len(t.places))
	node, parent, index := int32(-1), int32(0), int32(0)
	for i, p := range t.places {
		if i == 0 || p.loom != t.places[i-1].loom {
			if node++; node > trace.MaxRank {
				return nil, fmt.Errorf("read %s: found more than %d looms, wanted fewer", t.root, trace.MaxRank)
			}
			parent, index = t.b.AddResource(root, trace.LevelNode, p.loom.name, "", node, trace.None), 0
		}
		level, arch := trace.LevelWorker, "cpu"
		if p.virtual && !works[i] {
			level, arch = trace.LevelThread, ""
		}
		resource[i] = t.b.AddResource(parent, level, p.name, arch, node, index)
		index++
	}
	return resource, nil
}

// addTasks adds the tasks that ran on workers. What the runtime's own tasks did
// elsewhere becomes states.
func (t *ovni) addTasks(kinds []string, own []bool, resource []int32) {
	r := &t.b.Run
	rowOf := slices.Repeat([]int32{trace.None}, len(t.tasks))
	kept := t.pieces[:0]
	for _, p := range t.pieces {
		if r.Resource.Level.At(int(resource[p.Worker])) != trace.LevelWorker {
			t.addState(p.Worker, r.State.Type.Intern("Task of the runtime"), r.State.Kind.Intern(kinds[p.Task]), p.Start, p.End)
			continue
		}
		rowOf[p.Task] = 0
		kept = append(kept, p)
	}
	mixed := t.mixed()
	for i := range t.tasks {
		if rowOf[i] == trace.None {
			continue
		}
		one := &t.tasks[i]
		rowOf[i] = t.b.AddTask(trace.TaskRow{
			Key: t.key(one, mixed), Kind: kinds[i], Worker: trace.None, Start: trace.NoTime, End: trace.NoTime,
			Submit: trace.NoTime, Ready: trace.NoTime, Order: trace.None, Iteration: -1, Internal: own[i],
		})
		if k := &one.of.all[one.known]; k.where != trace.None && one.body == 0 && one.again == 0 {
			t.creationEvent(rowOf[i], resource[k.where], k.at)
		}
	}
	for i := range kept {
		kept[i].Task, kept[i].Worker = rowOf[kept[i].Task], resource[kept[i].Worker]
	}
	if n := pieces.Fill(&t.b, kept); n > 0 {
		r.Log.AddN(trace.Warning, "", 0, "overlapping-pieces", "found a task that runs twice on a CPU at once, wanted one piece after the other: shortened", n)
	}
}

// creationEvent keeps when and where a task was created as an event, not as its
// submission: without dependencies nobody knows how long after that it could not
// begin, and all of it would pass for waiting.
func (t *ovni) creationEvent(task, resource int32, at int64) {
	v := &t.b.Run.Event
	v.Kind.Append("Task created")
	v.Resource, v.Time, v.Task = append(v.Resource, resource), append(v.Time, at), append(v.Task, task)
	v.Value.AppendIndex(trace.None)
}

// key is what a task is called: its number, with several processes after that of
// the process; then the number of its body from the second on, as ovniemu counts
// them, and how often it ran.
func (t *ovni) key(one *task, mixed bool) string {
	var key strings.Builder
	if t.several() {
		fmt.Fprintf(&key, "%d_", t.procs[one.of.process])
	}
	key.WriteString(strconv.FormatUint(uint64(one.of.all[one.known].id), 10))
	if one.body > 0 {
		fmt.Fprintf(&key, ".%d", uint64(one.body)+1)
	}
	if one.again > 0 {
		fmt.Fprintf(&key, "#%d", one.again+1)
	}
	if one.of.model == nanos6 && mixed {
		key.WriteString("n6")
	}
	return key.String()
}

// several reports whether tasks are of several processes, and numbers those.
func (t *ovni) several() bool {
	if len(t.procs) == 0 {
		for _, th := range t.threads {
			if _, known := t.procs[th.process()]; !known {
				t.procs[th.process()] = int32(len(t.procs))
			}
		}
	}
	return len(t.procs) > 1
}

// mixed reports whether tasks of two runtimes are in the trace.
func (t *ovni) mixed() bool {
	return slices.ContainsFunc(t.tasks, func(one task) bool { return one.of.model != t.tasks[0].of.model })
}
