package assemble

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"dagscope/trace"
)

// levels maps StarPU's container types to resource levels.
var levels = map[string]string{
	"MPI Program": trace.LevelCluster, "Program": trace.LevelNode, "Memory Node": trace.LevelMemory,
	"Memory Manager": trace.LevelMemoryManager, "Thread": trace.LevelThread, "User Thread": trace.LevelUserThread,
	"Worker": trace.LevelWorker, "MPI Communication Thread": trace.LevelComm, "Scheduler State": trace.LevelScheduler,
}

// levelOrder is the order of siblings: what is global before what works.
var levelOrder = map[string]int{
	trace.LevelNode: 0, trace.LevelScheduler: 1, trace.LevelComm: 2, trace.LevelUserThread: 3, trace.LevelMemory: 4,
	trace.LevelMemoryManager: 5, trace.LevelThread: 6, trace.LevelWorker: 7,
}

// rankIndex finds the resources that stand for a whole node.
type rankIndex struct {
	node   map[int32]int32           // program container
	comm   map[int32]int32           // communication thread
	worker map[int32]map[int32]int32 // by rank and worker id
}

// addResources turns containers into the resource tree, depth first, siblings
// in natural order of their names: the same tree whatever order the trace
// created them in.
func (a *assembler) addResources() {
	c := &a.in.Container
	n := len(c.Parent)
	level := make([]string, n)
	for i := range level {
		level[i] = cmp.Or(levels[c.Type.At(i)], trace.LevelOther)
	}
	a.demoteGhosts(level)
	children := make([][]int32, n+1) // by parent + 1
	for i, parent := range c.Parent {
		if parent >= int32(i) {
			parent = trace.None
		}
		children[parent+1] = append(children[parent+1], int32(i))
	}
	for _, siblings := range children {
		slices.SortStableFunc(siblings, func(x, y int32) int {
			return cmp.Or(cmp.Compare(levelOrder[level[x]], levelOrder[level[y]]), naturalCompare(c.Name.At(int(x)), c.Name.At(int(y))))
		})
	}
	a.resource = make([]int32, n)
	a.rank = rankIndex{map[int32]int32{}, map[int32]int32{}, map[int32]map[int32]int32{}}
	top := trace.None
	if len(children[0]) > 1 { // generic traces may have several roots
		top = a.build.AddResource(trace.None, trace.LevelCluster, "root", "", trace.None, trace.None)
		a.out.Resource.Alias.AppendIndex(trace.None)
		a.out.Resource.Type.AppendIndex(trace.None)
	}
	a.addTree(children, level, top)
	a.in.Container = Containers{}
}

// demoteGhosts takes workers that have no state at all for what they are: not
// of this run. (StarPU writes states of every worker from its start on; the
// entities.csv of a directory may be that of another machine.)
func (a *assembler) demoteGhosts(level []string) {
	if len(a.in.State.Container) == 0 {
		return
	}
	alive := make([]bool, len(level))
	for _, c := range a.in.State.Container {
		alive[c] = true
	}
	recorded := sync.OnceValue(a.recordedWorkers)
	ghosts := 0
	for i, l := range level {
		if l == trace.LevelWorker && !alive[i] && !recorded()[a.workerNamed(i)] {
			level[i] = trace.LevelOther
			ghosts++
		}
	}
	a.log(trace.Warning, "worker-without-states", "a worker has no state in the whole trace: not counted as a worker", ghosts)
}

// rankedWorker is a worker as records name it.
type rankedWorker struct{ rank, id int32 }

// recordedWorkers are the workers that ran tasks by the records: the trace may
// be cut off before their first state.
func (a *assembler) recordedWorkers() map[rankedWorker]bool {
	t := &a.in.Task
	ran := map[rankedWorker]bool{}
	for i, worker := range t.Worker {
		if worker >= 0 && t.End[i] != trace.NoTime {
			ran[rankedWorker{max(t.Rank[i], 0), worker}] = true
		}
	}
	return ran
}

// workerNamed is what records call the worker of a container ("3_w5" is 5 of 3).
func (a *assembler) workerNamed(container int) rankedWorker {
	alias := a.in.Container.Alias.At(container)
	rank, _, _ := splitRank(alias)
	return rankedWorker{rank, trailingNumber(alias)}
}

// addTree appends the containers below top depth first. (A stack instead of
// recursion: the nesting is the file's to choose.)
func (a *assembler) addTree(children [][]int32, level []string, top int32) {
	type visit struct{ row, parent, node int32 }
	var stack []visit
	push := func(rows []int32, parent, node int32) {
		for _, row := range slices.Backward(rows) {
			stack = append(stack, visit{row, parent, node})
		}
	}
	push(children[0], top, trace.None)
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		node := a.addResource(v.row, v.parent, v.node, level[v.row])
		push(children[v.row+1], a.resource[v.row], node)
	}
}

// addResource appends one container and returns the node it belongs to.
func (a *assembler) addResource(row, parent, node int32, level string) int32 {
	c := &a.in.Container
	name, alias := c.Name.At(int(row)), c.Alias.At(int(row))
	if level == trace.LevelCluster && node != trace.None {
		a.log(trace.Warning, "cluster-in-node", "a container of the whole run lies in that of a node: level other", 1)
		level = trace.LevelOther
	}
	if level != trace.LevelCluster && level != trace.LevelOther {
		node = a.nodeByName(name, node)
	}
	arch := ""
	if level == trace.LevelWorker {
		arch = archOf(name)
	}
	index := trailingNumber(cmp.Or(alias, memoryName(level, name)))
	if level != trace.LevelWorker && level != trace.LevelMemory && level != trace.LevelMemoryManager {
		index = trace.None
	}
	if level == trace.LevelOther {
		node = max(node, 0)
	}
	r := a.build.AddResource(parent, level, name, arch, node, index)
	re := &a.out.Resource
	re.Alias.AppendIndex(trace.None)
	if alias != "" {
		re.Alias.Index[r] = re.Alias.Intern(alias)
	}
	re.Type.Append(c.Type.At(int(row)))
	re.Start[r], re.End[r] = c.Start[row], c.End[row]
	a.resource[row] = r
	a.rank.add(level, node, index, r)
	return node
}

// nodeByName is the rank that a container's name tells, in a container of node
// outer (None above nodes), which wins should they disagree.
func (a *assembler) nodeByName(name string, outer int32) int32 {
	rank, _, ok := splitRank(name)
	switch {
	case !ok:
		return max(outer, 0)
	case outer != trace.None && outer != rank:
		a.log(trace.Warning, "rank-of-other-node", "a container lies in that of another rank than its name tells: of the rank that it lies in", 1)
		return outer
	}
	return rank
}

func (x *rankIndex) add(level string, node, index, row int32) {
	switch level {
	case trace.LevelNode:
		x.node[node] = row
	case trace.LevelComm:
		x.comm[node] = row
	case trace.LevelWorker:
		if x.worker[node] == nil {
			x.worker[node] = map[int32]int32{}
		}
		if index != trace.None {
			x.worker[node][index] = row
		}
	}
}

// memoryName is a name whose trailing number is the memory node's; names of
// workers ("CUDA0_0") do not say the worker id.
func memoryName(level, name string) string {
	if level == trace.LevelWorker {
		return ""
	}
	return name
}

// splitRank takes "3_CPU0" apart: rank 3, "CPU0".
func splitRank(name string) (rank int32, rest string, ok bool) {
	head, rest, found := strings.Cut(name, "_")
	if !found || head == "" || len(head) > 8 {
		return 0, name, false
	}
	for _, c := range []byte(head) {
		if c < '0' || c > '9' {
			return 0, name, false
		}
		rank = rank*10 + int32(c-'0')
	}
	if rank > trace.MaxRank {
		return 0, name, false
	}
	return rank, rest, true
}

// archOf reads the architecture off a worker's name: "0_CUDA1_0" is cuda.
func archOf(name string) string {
	_, name, _ = splitRank(name)
	end := strings.IndexFunc(name, func(c rune) bool { return c >= '0' && c <= '9' || c == '_' || c == ' ' })
	if end >= 0 {
		name = name[:end]
	}
	return strings.ToLower(name)
}

func trailingNumber(name string) int32 {
	digits := len(name)
	for digits > 0 && name[digits-1] >= '0' && name[digits-1] <= '9' {
		digits--
	}
	if n := len(name) - digits; n == 0 || n > 8 {
		return trace.None
	}
	v := int32(0)
	for _, c := range []byte(name[digits:]) {
		v = v*10 + int32(c-'0')
	}
	return v
}

// naturalCompare orders "CPU2" before "CPU10".
func naturalCompare(x, y string) int {
	for x != "" && y != "" {
		if nx, ny := numberPrefix(x), numberPrefix(y); nx > 0 && ny > 0 {
			vx, vy := strings.TrimLeft(x[:nx], "0"), strings.TrimLeft(y[:ny], "0")
			if c := cmp.Or(cmp.Compare(len(vx), len(vy)), cmp.Compare(vx, vy)); c != 0 {
				return c
			}
			x, y = x[nx:], y[ny:]
			continue
		}
		if x[0] != y[0] {
			return cmp.Compare(x[0], y[0])
		}
		x, y = x[1:], y[1:]
	}
	return cmp.Compare(len(x), len(y))
}

func numberPrefix(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}
