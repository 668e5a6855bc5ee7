package trace

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
)

// tableChecks are the promises about rows that go beyond one column's values,
// with the tables that each of them reads.
var tableChecks = []struct {
	needs []string
	run   func(*validator)
}{
	{[]string{"resource"}, (*validator).resources},
	{[]string{"handle"}, (*validator).handles},
	{[]string{"treenode"}, (*validator).treeNodes},
	{[]string{"task", "resource"}, (*validator).taskSpans},
	{[]string{"task"}, (*validator).taskKeys},
	{[]string{"task", "resource"}, (*validator).taskOrder},
	{[]string{"task"}, (*validator).zeroTime},
	{[]string{"task"}, (*validator).parents},
	{[]string{"segment", "task", "resource"}, (*validator).segments},
	{[]string{"phase", "task"}, (*validator).phases},
	{[]string{"decision", "task", "resource"}, (*validator).decisions},
	{[]string{"estimate", "decision", "resource"}, (*validator).estimates},
	{[]string{"transfer"}, (*validator).transfers},
	{[]string{"dep"}, (*validator).deps},
	{[]string{"state"}, (*validator).states},
	{[]string{"sample"}, (*validator).samples},
	{[]string{"event"}, (*validator).events},
	{[]string{"access"}, func(v *validator) { v.ascending("access", "task", v.run.Access.Task) }},
	{[]string{"construct"}, (*validator).constructs},
	{[]string{"share"}, (*validator).shares},
	{[]string{"chunk"}, (*validator).chunks},
	{[]string{"mutex"}, (*validator).mutexes},
	{[]string{"importlog"}, (*validator).log},
	{[]string{"account"}, (*validator).account},
}

// resources: one tree, parents first, known levels, nodes as their parents say.
func (v *validator) resources() {
	t := &v.run.Resource
	v.oneOf("resource", "level", &t.Level, LevelCluster, LevelNode, LevelMemory, LevelMemoryManager, LevelThread,
		LevelUserThread, LevelWorker, LevelComm, LevelScheduler, LevelOther)
	for i, parent := range t.Parent {
		level := t.Level.text(i)
		switch {
		case parent == None && i > 0:
			v.add("resource", "parent", i, "one root, in row 0", parent)
		case parent >= int32(i):
			v.add("resource", "parent", i, "parents before their children", parent)
		case parent >= 0 && t.Node[parent] != None && t.Node[parent] != t.Node[i]:
			v.add("resource", "node", i, "the node of its parent", t.Node[i], "under", t.Node[parent])
		}
		switch node := t.Node[i]; {
		case node < None || node > MaxRank:
			v.add("resource", "node", i, fmt.Sprintf("a rank up to %d or none", MaxRank), node)
		case level == LevelCluster && node != None:
			v.add("resource", "node", i, "none above nodes", node)
		case level != LevelCluster && level != LevelOther && node == None:
			v.add("resource", "node", i, "a rank", node, "for a", level)
		}
		if s, e := t.Start[i], t.End[i]; s != NoTime && e != NoTime && s > e {
			v.add("resource", "end", i, "no end before the start", e, "after start", s)
		}
	}
}

// handles: of a node. (Their keys may repeat: a runtime uses an address again
// once the handle is gone.)
func (v *validator) handles() {
	for i, node := range v.run.Handle.Node {
		if node < 0 || node > MaxRank {
			v.add("handle", "node", i, fmt.Sprintf("a rank up to %d", MaxRank), node)
		}
	}
}

// treeNodes: a forest, parents first, no number twice.
func (v *validator) treeNodes() {
	t := &v.run.TreeNode
	seen := make(map[int64]bool, len(t.Key))
	for i, parent := range t.Parent {
		if parent >= int32(i) {
			v.add("treenode", "parent", i, "parents before their children", parent)
		}
		if seen[t.Key[i]] {
			v.add("treenode", "key", i, "each number once", fmt.Sprint(t.Key[i]))
		}
		seen[t.Key[i]] = true
	}
}

// taskSpans: a task has a start, an end and a worker, or none of them.
func (v *validator) taskSpans() {
	t := &v.run.Task
	worker := v.workers()
	for i, start := range t.Start {
		end, w := t.End[i], t.Worker[i]
		if start == NoTime {
			if end != NoTime {
				v.add("task", "end", i, "no end without a start", end)
			}
			if w != None {
				v.add("task", "worker", i, "no worker for a task that did not run", w)
			}
			continue
		}
		if end < start {
			v.add("task", "end", i, "an end that is not before the start", end, "after start", start)
		}
		if w == None {
			v.add("task", "worker", i, "a worker for a task that ran", w)
		} else if within(w, len(worker)) && !worker[w] {
			v.add("task", "worker", i, "a resource of level worker", w, "of level", v.run.Resource.Level.text(int(w)))
		}
		if end > v.run.Meta.Horizon {
			v.add("task", "end", i, "nothing after the horizon", end, "after", v.run.Meta.Horizon)
		}
	}
}

// workers tells which resources tasks may run on.
func (v *validator) workers() []bool {
	level := &v.run.Resource.Level
	is := make([]bool, len(level.Index))
	for i := range is {
		x := level.Index[i]
		is[i] = within(x, len(level.Dict)) && level.Dict[x] == LevelWorker
	}
	return is
}

// taskKeys: no name twice. Names usually ascend or are numbered densely.
func (v *validator) taskKeys() {
	k := &v.run.Task.Key
	previous, sorted := NoKey, true
	for _, code := range k.Code {
		if code <= previous {
			sorted = false
			break
		}
		previous = code
	}
	if sorted {
		return
	}
	repeat := func(row int, code int64) {
		name := "?"
		if code>>keyNumberBits < int64(len(k.Prefix)) {
			name = string(k.AppendTo(nil, code))
		}
		v.add("task", "key", row, "each key once", fmt.Sprintf("%q again", name))
	}
	if !denseRepeats(k, repeat) {
		codes := slices.Clone(k.Code)
		slices.Sort(codes)
		for i := 1; i < len(codes); i++ {
			if codes[i] == codes[i-1] && codes[i] >= 0 {
				repeat(-1, codes[i])
			}
		}
	}
}

// denseRepeats calls repeat for each code seen before, with a bit per possible
// number of each prefix; it declines when those are many more than the rows.
func denseRepeats(k *Keys, repeat func(row int, code int64)) bool {
	const none = math.MaxInt64
	low, high := make([]int64, len(k.Prefix)), make([]int64, len(k.Prefix))
	for i := range low {
		low[i], high[i] = none, -1
	}
	for _, code := range k.Code {
		p, n := code>>keyNumberBits, code&noNumber
		if code < 0 {
			continue
		}
		if p >= int64(len(low)) || n == noNumber {
			return false
		}
		low[p], high[p] = min(low[p], n), max(high[p], n)
	}
	base := make([]int64, len(low)) // of a prefix: add a number to get its bit
	var bits int64
	for p := range low {
		if low[p] != none {
			base[p] = bits - low[p]
			bits += high[p] - low[p] + 1
		}
		if bits > 64*int64(len(k.Code)) {
			return false
		}
	}
	seen := make([]uint64, bits/64+1)
	for i, code := range k.Code {
		if code < 0 {
			continue
		}
		bit := base[code>>keyNumberBits] + code&noNumber
		if seen[bit/64]&(1<<(bit%64)) != 0 {
			repeat(i, code)
		}
		seen[bit/64] |= 1 << (bit % 64)
	}
	return true
}

// taskOrder: the tasks of a node are together, in the order of their submission.
// A task that names neither its node nor a worker can stand anywhere.
func (v *validator) taskOrder() {
	t, nodes := &v.run.Task, v.run.Resource.Node
	done := map[int32]bool{}
	current, order := None, None
	for i, w := range t.Worker {
		node := None
		if t.Node != nil {
			node = t.Node[i]
		} else if within(w, len(nodes)) {
			node = nodes[w]
		}
		if node != None && node != current {
			if done[node] {
				v.add("task", "node", i, "the tasks of a node together", node, "after tasks of", current)
			}
			done[current], current, order = true, node, None
		}
		o := t.Order[i]
		if o < order && o != None {
			v.add("task", "order", i, "tasks in the order of their submission", o, "after", order)
		}
		order = max(order, o)
	}
}

// zeroTime: time counts from the earliest start of a counted task
// (docs/design/methods.md, Time).
func (v *validator) zeroTime() {
	t := &v.run.Task
	first, row := int64(math.MaxInt64), -1
	for i, s := range t.Start {
		if s < first && s != NoTime && !t.Generation[i] && !t.Internal[i] {
			first, row = s, i
		}
	}
	if row >= 0 && first != 0 {
		v.add("task", "start", row, "0 as the earliest start of a counted task", first)
	}
}

// segments: pieces of a task that ran, in order, inside it, on workers; on one
// worker one after the other.
func (v *validator) segments() {
	s, t := &v.run.Segment, &v.run.Task
	worker := v.workers()
	until := map[int32]int64{} // of this task by worker: when its last piece ended
	for i, task := range s.Task {
		start, end := s.Start[i], s.End[i]
		if start == NoTime || end < start {
			v.add("segment", "end", i, "a start and an end that is not before it", end, "after start", start)
		}
		if w := s.Worker[i]; within(w, len(worker)) && !worker[w] {
			v.add("segment", "worker", i, "a resource of level worker", w, "of level", v.run.Resource.Level.text(int(w)))
		}
		if within(task, len(t.Start)) && (t.Start[task] == NoTime || start < t.Start[task] || end > t.End[task]) {
			v.add("segment", "start", i, "a piece inside its task",
				start, "to", end, "in task", task, "from", t.Start[task], "to", t.End[task])
		}
		if i > 0 && task != s.Task[i-1] {
			clear(until)
		}
		if i > 0 && (s.Task[i-1] > task || s.Task[i-1] == task && s.Start[i-1] > start) {
			v.add("segment", "task", i, "rows sorted by task and start", task, start, "after", s.Task[i-1], s.Start[i-1])
		} else if busy, ok := until[s.Worker[i]]; ok && busy > start {
			v.add("segment", "start", i, "pieces of a task that do not overlap on one worker", start, "before", busy)
		}
		until[s.Worker[i]] = end
	}
}

// parents: tasks come after those that created them.
func (v *validator) parents() {
	for i, parent := range v.run.Task.Parent {
		if parent >= int32(i) {
			v.add("task", "parent", i, "tasks after those that created them", parent)
		}
	}
}

// phases: known kinds, in order, those of a task one after the other; none
// that counts as ready before the task is.
func (v *validator) phases() {
	p, t := &v.run.Phase, &v.run.Task
	v.oneOf("phase", "kind", &p.Kind, PhaseReady, PhaseResumable, PhaseSuspended, PhaseDetached, PhaseHelper)
	for i, task := range p.Task {
		start, end := p.Start[i], p.End[i]
		if start == NoTime || end < start {
			v.add("phase", "end", i, "a start and an end that is not before it", end, "after start", start)
		}
		if within(task, len(t.Start)) && t.Start[task] != NoTime && start < t.Start[task] && end > t.Ready[task] {
			v.add("phase", "start", i, "no phase of a task between its ready time and its start",
				start, "in task", task, "ready", t.Ready[task], "started", t.Start[task])
		}
		if i == 0 {
			continue
		}
		if before := p.Task[i-1]; before > task || before == task && p.Start[i-1] > start {
			v.add("phase", "task", i, "rows sorted by task and start", task, start, "after", before, p.Start[i-1])
		} else if before == task && p.End[i-1] > start {
			v.add("phase", "start", i, "phases of a task that do not overlap", start, "before", p.End[i-1])
		}
	}
	v.horizon("phase", "end", p.End)
}

// transfers: known kinds, sorted by start, those without one first. An end
// before the start is no violation: clocks of nodes differ.
func (v *validator) transfers() {
	t := &v.run.Transfer
	v.oneOf("transfer", "kind", &t.Kind, TransferFetch, TransferTaskPrefetch, TransferPrefetch,
		TransferIdleFetch, TransferMPI, TransferSteal, TransferLink)
	for i, start := range t.Start {
		if i > 0 && start < t.Start[i-1] {
			v.add("transfer", "start", i, "rows sorted by start, unknown ones first", start, "after", t.Start[i-1])
		}
		if t.From[i] == None && start != NoTime {
			v.add("transfer", "from", i, "a source for a transfer with a start", t.From[i])
		}
		if t.To[i] == None && t.End[i] != NoTime {
			v.add("transfer", "to", i, "a destination for a transfer with an end", t.To[i])
		}
		if t.Bytes[i] < 0 && t.Bytes[i] != NoSize {
			v.add("transfer", "bytes", i, "no negative size", t.Bytes[i])
		}
	}
	v.horizon("transfer", "end", t.End)
}

// deps: sorted, no edge twice, none to itself, transfers where there is
// communication and only there.
func (v *validator) deps() {
	d := &v.run.Dep
	v.oneOf("dep", "kind", &d.Kind, DepTask, DepComm)
	comm := d.Kind.Find(DepComm)
	for i, to := range d.To {
		from, via := d.From[i], d.via(i)
		if from == to && from != None {
			v.add("dep", "from", i, "no edge from a task to itself", from)
		}
		if from == None && via == None {
			v.add("dep", "from", i, "a predecessor, or a transfer in via", from)
		}
		if isComm := comm != None && d.Kind.Index[i] == comm; isComm != (via != None) {
			v.add("dep", "via", i, "a transfer for communication edges only", via, "for kind", d.Kind.text(i))
		}
		if i > 0 && !d.less(i-1, i) {
			v.add("dep", "to", i, "rows sorted by to, from and via, none twice", to, from, via, "after", d.To[i-1], d.From[i-1], d.via(i-1))
		}
	}
}

func (d *Deps) via(i int) int32 {
	if d.Via == nil {
		return None
	}
	return d.Via[i]
}

func (d *Deps) less(i, j int) bool {
	if d.To[i] != d.To[j] {
		return d.To[i] < d.To[j]
	}
	if d.From[i] != d.From[j] {
		return d.From[i] < d.From[j]
	}
	return d.via(i) < d.via(j)
}

// text is At for columns whose indices may be wrong.
func (c *Strings) text(row int) string {
	if x := c.Index[row]; within(x, len(c.Dict)) {
		return c.Dict[x]
	}
	return "?"
}

// states: spans, those of a resource together, in it those of a type, in it by
// start and depth.
func (v *validator) states() {
	s := &v.run.State
	done := map[int32]bool{} // types of this resource that have been left
	for i, start := range s.Start {
		if start == NoTime || s.End[i] < start {
			v.add("state", "end", i, "a start and an end that is not before it", s.End[i], "after start", start)
		}
		if s.Depth[i] < 0 {
			v.add("state", "depth", i, "no negative depth", s.Depth[i])
		}
		if i == 0 {
			continue
		}
		resource, before := s.Resource[i], s.Resource[i-1]
		switch x := s.Type.Index[i]; {
		case resource != before:
			clear(done)
			if resource < before {
				v.add("state", "resource", i, "rows sorted by resource", resource, "after", before)
			}
		case x != s.Type.Index[i-1]:
			done[s.Type.Index[i-1]] = true
			if done[x] {
				v.add("state", "type", i, "the states of one type of a resource together", s.Type.text(i), "after", s.Type.text(i-1))
			}
		case start < s.Start[i-1]:
			v.add("state", "start", i, "rows sorted by start", start, "after", s.Start[i-1])
		case start == s.Start[i-1] && s.Depth[i] < s.Depth[i-1]:
			v.add("state", "depth", i, "states that start together sorted by depth", s.Depth[i], "after", s.Depth[i-1])
		}
	}
	v.horizon("state", "end", s.End)
}

// samples: those of a metric together, in it by resource and time.
func (v *validator) samples() {
	s := &v.run.Sample
	left := map[int32]bool{}
	for i, t := range s.Time {
		if t == NoTime {
			v.add("sample", "time", i, "a time", t)
		}
		if i == 0 {
			continue
		}
		switch x := s.Metric.Index[i]; {
		case x != s.Metric.Index[i-1]:
			left[s.Metric.Index[i-1]] = true
			if left[x] {
				v.add("sample", "metric", i, "the samples of a metric together", s.Metric.text(i), "after", s.Metric.text(i-1))
			}
		case s.Resource[i] < s.Resource[i-1]:
			v.add("sample", "resource", i, "the samples of a metric sorted by resource", s.Resource[i], "after", s.Resource[i-1])
		case s.Resource[i] == s.Resource[i-1] && t < s.Time[i-1]:
			v.add("sample", "time", i, "the samples of a metric and resource sorted by time", t, "after", s.Time[i-1])
		}
	}
	v.horizon("sample", "time", s.Time)
}

// events: sorted by time and resource.
func (v *validator) events() {
	e := &v.run.Event
	for i, t := range e.Time {
		if t == NoTime {
			v.add("event", "time", i, "a time", t)
		}
		if i == 0 {
			continue
		}
		if before := e.Time[i-1]; t < before || t == before && e.Resource[i] < e.Resource[i-1] {
			v.add("event", "time", i, "rows sorted by time and resource", t, "on", e.Resource[i], "after", before, "on", e.Resource[i-1])
		}
	}
	v.horizon("event", "time", e.Time)
}

func (v *validator) horizon(table, column string, times []int64) {
	h := v.run.Meta.Horizon
	for i, t := range times {
		if t > h {
			v.add(table, column, i, "nothing after the horizon", t, "after", h)
		}
	}
}

func (v *validator) log() {
	l := &v.run.Log
	v.oneOf("importlog", "severity", &l.Severity, string(Info), string(Warning), string(Error))
	for i, n := range l.Count {
		if n <= 0 {
			v.add("importlog", "count", i, "a positive count", n)
		}
	}
}

func (v *validator) account() {
	for i, n := range v.run.Account.Lines {
		if n <= 0 {
			v.add("account", "lines", i, "a positive number of lines", n)
		}
	}
}

// meta: the generation pattern can be read, the origins name columns.
func (v *validator) meta() {
	m := &v.run.Meta
	if _, err := regexp.Compile(m.Generation); err != nil {
		v.add("meta", "generation", -1, "a regular expression", fmt.Sprintf("%q", m.Generation))
	}
	for name := range m.Derived {
		table, column, _ := strings.Cut(name, ".")
		t, known := find(table)
		if known && column != "" {
			_, known = t.Column(column)
		}
		if !known {
			v.add("meta", "derived", -1, "the name of a table or of one of its columns", fmt.Sprintf("%q", name))
		}
	}
}
