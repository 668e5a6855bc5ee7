package symptom

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// sketch is a small run in the making. Rows may come in any order, but tasks in
// that of their submission. Times are in µs.
type sketch struct {
	resources []string
	of        map[string]int // resource by name
	tasks     []sketchTask
	deps      [][2]int
	via       map[[2]int]int // message of a dependency
	handles   []string
	accesses  []sketchAccess
	transfers []sketchRow
	states    []sketchRow
	events    []sketchRow
	openMP    bool // states are those of OpenMP
}

type sketchTask struct {
	kind, worker  string
	start, end    int
	submit, ready int
	priority      int
	gflop         float64
	footprint     int
	parent        int // number of the task that created it and one; 0 for none
	internal      bool
}

type sketchAccess struct {
	task, handle int
	mode         string
}

type sketchRow struct {
	resource, from, to int
	text               string
}

// draw makes the machine: nodes with cores and GPUs that have a memory each.
func draw(nodes, cpus, gpus int) *sketch {
	s := &sketch{of: map[string]int{}}
	root := s.resource(-1, trace.LevelCluster, "root", "-", -1, -1)
	for n := range nodes {
		prefix := ""
		if nodes > 1 {
			prefix = fmt.Sprintf("%d_", n)
		}
		node := s.resource(root, trace.LevelNode, prefix+"program", "-", n, n)
		s.resource(node, trace.LevelUserThread, prefix+"main", "-", n, 0)
		s.resource(node, trace.LevelComm, prefix+"mpi", "-", n, 0)
		ram := s.resource(node, trace.LevelMemory, prefix+"MEMNODE0", "-", n, 0)
		s.resource(ram, trace.LevelMemoryManager, prefix+"RAM", "-", n, 0)
		for c := range cpus {
			s.resource(ram, trace.LevelWorker, fmt.Sprintf("%sCPU%d", prefix, c), "cpu", n, gpus+c)
		}
		for g := range gpus {
			memory := s.resource(node, trace.LevelMemory, fmt.Sprintf("%sMEMNODE%d", prefix, g+1), "-", n, g+1)
			s.resource(memory, trace.LevelMemoryManager, fmt.Sprintf("%sGPU%d", prefix, g), "-", n, g+1)
			s.resource(memory, trace.LevelWorker, fmt.Sprintf("%sCUDA%d_0", prefix, g), "cuda", n, g)
		}
	}
	return s
}

func (s *sketch) resource(parent int, level, name, arch string, node, index int) int {
	id := len(s.resources)
	p := fmt.Sprint(parent)
	if parent < 0 {
		p = "-"
	}
	s.resources = append(s.resources, fmt.Sprintf("%s %s %s %s %d %d", p, level, name, arch, node, index))
	s.of[name] = id
	return id
}

// task adds a task that is ready when it starts and was submitted at once.
func (s *sketch) task(kind, worker string, start, end int) int {
	s.tasks = append(s.tasks, sketchTask{kind: kind, worker: worker, start: start, end: end, ready: start, footprint: 1})
	return len(s.tasks) - 1
}

// handle adds a piece of data of a node, of 1000 bytes.
func (s *sketch) handle(node int) int {
	id := len(s.handles)
	s.handles = append(s.handles, fmt.Sprintf("%03d %d 1000 %d 0 %d %d", id, node, id, node, id))
	return id
}

func (s *sketch) access(task, handle int, mode string) {
	s.accesses = append(s.accesses, sketchAccess{task, handle, mode})
}

// transfer adds a transfer of a handle between resources.
func (s *sketch) transfer(kind, from, to string, start, end, handle int) int {
	s.transfers = append(s.transfers, sketchRow{0, start, end, fmt.Sprintf("%s %d %d %d %d 1000 %d %d", kind, s.of[from], s.of[to], 1000*start, 1000*end, handle, handle)})
	return len(s.transfers) - 1
}

// message adds a message that a task sends and another needs. Messages come in order
// of time.
func (s *sketch) message(from, to, start, end, handle int) {
	x := s.transfer(trace.TransferMPI, fmt.Sprintf("%d_mpi", s.node(from)), fmt.Sprintf("%d_mpi", s.node(to)), start, end, handle)
	s.deps = append(s.deps, [2]int{from, to})
	if s.via == nil {
		s.via = map[[2]int]int{}
	}
	s.via[[2]int{from, to}] = x
}

func (s *sketch) state(resource, kind string, start, end int) {
	s.states = append(s.states, sketchRow{s.of[resource], start, end, fmt.Sprintf(`%d "%s" "%s" %d %d 0`, s.of[resource], word(s.openMP, "OpenMP", "State"), kind, 1000*start, 1000*end)})
}

func (s *sketch) event(resource, kind string, time, handle int) {
	s.events = append(s.events, sketchRow{s.of[resource], time, 0, fmt.Sprintf(`"%s" %d %d %d 0`, kind, s.of[resource], 1000*time, handle)})
}

// node is that of a task's worker.
func (s *sketch) node(task int) int {
	var node int
	if _, err := fmt.Sscanf(s.tasks[task].worker, "%d_", &node); err != nil {
		return 0
	}
	return node
}

// run makes the run.
func (s *sketch) run(t *testing.T) *trace.Run {
	t.Helper()
	var b strings.Builder
	table := func(head string, rows []string) {
		if len(rows) > 0 {
			fmt.Fprintf(&b, "\ntable %s\n%s\n", head, strings.Join(rows, "\n"))
		}
	}
	sorted := func(rows []sketchRow, by func(a, b sketchRow) int) (text []string) {
		slices.SortStableFunc(rows, by)
		for i, r := range rows {
			text = append(text, strings.ReplaceAll(r.text, "#", fmt.Sprint(i)))
		}
		return text
	}
	table("resource\nparent level name arch node index", s.resources)
	table("handle\nkey node bytes x y owner tag", s.handles)
	order, place := make([]int, len(s.tasks)), make([]int, len(s.tasks)) // node by node
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.node(a), s.node(b)) })
	var rows []string
	for i, row := range order {
		v := s.tasks[row]
		place[row] = i
		parent := "-"
		if v.parent > 0 {
			parent = fmt.Sprint(place[v.parent-1])
		}
		internal := 0
		if v.internal {
			internal = 1
		}
		rows = append(rows, fmt.Sprintf("%d %q %d %d %d %d %d %d %d %g %d %s %d", i, v.kind, s.of[v.worker], 1000*v.start, 1000*v.end, 1000*v.submit, 1000*v.ready, i, v.priority, v.gflop, v.footprint, parent, internal))
	}
	table("task\nkey kind worker start end submit ready order priority gflop footprint parent internal", rows)
	x := sorted(s.transfers, func(a, b sketchRow) int { return cmp.Compare(a.from, b.from) })
	for i := range x {
		x[i] = fmt.Sprintf("x_%06d %s", i, x[i])
	}
	table("transfer\nkey kind from to start end bytes handle tag", x)
	via := map[[2]int]int{}
	for i, d := range s.deps {
		s.deps[i] = [2]int{place[d[0]], place[d[1]]}
		if x, known := s.via[d]; known {
			via[s.deps[i]] = x
		}
	}
	slices.SortFunc(s.deps, func(a, b [2]int) int { return cmp.Or(cmp.Compare(a[1], b[1]), cmp.Compare(a[0], b[0])) })
	rows = nil
	for _, d := range s.deps {
		if x, known := via[d]; known {
			rows = append(rows, fmt.Sprintf("%d %d communication %d", d[0], d[1], x))
		} else {
			rows = append(rows, fmt.Sprintf("%d %d task -", d[0], d[1]))
		}
	}
	table("dep\nfrom to kind via", rows)
	table("state\nresource type kind start end depth", sorted(s.states, func(a, b sketchRow) int {
		return cmp.Or(cmp.Compare(a.resource, b.resource), cmp.Compare(a.from, b.from))
	}))
	table("event\nkind resource time handle bytes", sorted(s.events, func(a, b sketchRow) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.resource, b.resource))
	}))
	rows = nil
	slices.SortStableFunc(s.accesses, func(a, b sketchAccess) int { return cmp.Compare(place[a.task], place[b.task]) })
	for _, a := range s.accesses {
		rows = append(rows, fmt.Sprintf("%d %d %s 1000", place[a.task], a.handle, a.mode))
	}
	table("access\ntask handle mode bytes", rows)
	run, err := tracetest.Parse([]byte(b.String()))
	if err != nil {
		t.Fatalf("%v in\n%s", err, b.String())
	}
	for _, v := range s.tasks {
		run.Meta.Horizon = max(run.Meta.Horizon, int64(1000*v.end))
	}
	for _, x := range slices.Concat(s.transfers, s.states, s.events) {
		run.Meta.Horizon = max(run.Meta.Horizon, int64(1000*max(x.from, x.to)))
	}
	if err := run.Validate(); err != nil {
		t.Fatal(err)
	}
	return run
}
