package symptom

import (
	"cmp"
	"math"
	"slices"

	"dagscope/explain/bound"
	"dagscope/explain/breakdown"
	"dagscope/explain/chain"
	"dagscope/explain/comm"
	"dagscope/explain/depend"
	"dagscope/explain/kind"
	"dagscope/explain/lock"
	"dagscope/explain/memory"
	"dagscope/explain/region"
	"dagscope/explain/schedule"
	"dagscope/internal/dag"
	"dagscope/internal/parallel"
	"dagscope/internal/stat"
	"dagscope/trace"
)

// Needs names the columns that the detectors read.
var Needs = slices.Compact(slices.Sorted(slices.Values(slices.Concat(
	chain.Needs, chain.More, depend.Needs, kind.Needs, schedule.Needs, schedule.StateNeeds, memory.Needs, comm.Needs, comm.DistributionNeeds,
	bound.Needs, bound.DistributionNeeds, bound.CommNeeds,
	[]string{"resource", "task.priority", "task.footprint", "task.gflop", "task.bytes", "task.submit", "task.ready", "transfer.handle", "transfer.tag", "access.bytes", "task.file", "task.line"},
))))

// Input is a run prepared for the detectors.
type Input struct {
	Run      *trace.Run
	Makespan int64

	chain    *chain.Index
	critical *chain.Chain
	workers  []int32   // resources
	arch     []int32   // by resource: index into Resource.Arch.Dict
	speed    []float64 // by resource that is a worker: how many times as fast as the slowest architecture
	capacity float64   // sum of the speeds of all workers

	task    []int32 // counted tasks, by start
	dur     []int64 // by task: ns worked
	group   []int32 // by task: kind and layout of data, densely; trace.None for tasks that are not counted
	kindOf  []int32 // by group: index into Task.Kind.Dict
	regular []bool  // by group: its tasks take about the same time, or have the same layout of data
	means   []cell  // by group × architectures + architecture
	archs   int

	tail    []int64          // by task: the longest path after it, each task at its fastest mean; nil if the graph has a cycle
	manager []int32          // by resource: the memory manager that it works on
	names   map[int32]string // of memories, by manager

	onChain map[cause]int64         // ns of the critical chain
	idle    map[cause]float64       // ns of idle workers, weighted by their speed, over the capacity
	waiting []map[chain.Class]int64 // by place in workers: idle ns by class

	regionFacts *region.Facts
	lockFacts   *lock.Facts
	lost        *breakdown.Lost
}

// cause is what time went into.
type cause struct {
	class    chain.Class
	from, to int32  // ends of transfers and messages, trace.None for none: memories' managers, of messages nodes
	memory   string // where room was made
}

// cell sums up tasks.
type cell struct {
	n   int64
	sum int64
}

func (c cell) mean() float64 {
	if c.n == 0 {
		return math.NaN()
	}
	return float64(c.sum) / float64(c.n)
}

// Options hand in what a caller has computed already; nil fields are computed.
type Options struct {
	Chain    *chain.Index // chain.New(run, …)
	Critical *chain.Chain // its critical chain

	// Of OpenMP programs, as far as they were recorded; what is nil is not looked at.
	Regions *region.Facts
	Locks   *lock.Facts
	Lost    *breakdown.Lost
}

// Prepare makes what several detectors need.
func Prepare(run *trace.Run, o Options) *Input {
	in := &Input{Run: run, Makespan: schedule.Makespan(run), workers: kind.Workers(run), dur: kind.Durations(run), regionFacts: o.Regions, lockFacts: o.Locks, lost: o.Lost}
	if in.Makespan <= 0 {
		return in
	}
	in.archs = len(run.Resource.Arch.Dict) + 1
	in.arch = run.Resource.Arch.Index
	in.manager, in.names = memory.PlaceOf(run), map[int32]string{}
	for _, m := range memory.Places(run) {
		in.names[m] = memory.Name(run, m)
	}
	in.groupTasks()
	in.speeds()
	in.tails()
	in.chain, in.critical = o.Chain, o.Critical
	if in.chain == nil {
		in.chain = chain.New(run, chain.Options{})
	}
	if in.critical == nil {
		in.critical = in.chain.Critical()
	}
	in.sumCauses()
	return in
}

// groupTasks sorts tasks by kind and layout of data. Where layouts do not repeat
// (a kind with more than one layout for ten tasks), or are not known, the kind is
// the group, and its tasks may differ in work.
func (in *Input) groupTasks() {
	t := &in.Run.Task
	counts := kind.Options{}.Counts
	type key struct {
		kind      int32
		footprint uint32
	}
	layouts := map[key]bool{}
	tasks := map[int32]int{}
	for v := range t.Start {
		if counts(t, v) {
			in.task = append(in.task, int32(v))
			tasks[t.Kind.Index[v]]++
			if len(t.Footprint) > 0 {
				layouts[key{t.Kind.Index[v], t.Footprint[v]}] = true
			}
		}
	}
	perKind := map[int32]int{}
	for k := range layouts {
		perKind[k.kind]++
	}
	slices.SortStableFunc(in.task, func(a, b int32) int { return int(sign(t.Start[a] - t.Start[b])) })
	number := map[key]int32{}
	in.group = make([]int32, len(t.Start))
	for v := range in.group {
		in.group[v] = trace.None
	}
	for _, v := range in.task {
		k := key{kind: t.Kind.Index[v]}
		repeat := perKind[k.kind] > 0 && (perKind[k.kind] == 1 || 10*perKind[k.kind] <= tasks[k.kind])
		if repeat {
			k.footprint = t.Footprint[v]
		}
		g, known := number[k]
		if !known {
			g = int32(len(number))
			number[k] = g
			in.kindOf, in.regular = append(in.kindOf, k.kind), append(in.regular, repeat)
		}
		in.group[v] = g
	}
	in.means = make([]cell, len(number)*in.archs)
	for _, v := range in.task {
		in.cell(in.group[v], in.arch[t.Worker[v]]).add(in.dur[v])
	}
	in.findRegular()
}

// findRegular takes back that groups are regular whose declared work differs. Of
// groups whose layouts say nothing it looks at the durations: where the middle half
// of them lies within a fifth, their work hardly differs.
func (in *Input) findRegular() {
	if work := in.Run.Task.GFlop; len(work) > 0 {
		first := make([]float64, len(in.regular))
		for _, v := range in.task {
			switch g := in.group[v]; {
			case first[g] == 0:
				first[g] = work[v]
			case math.Abs(work[v]-first[g]) > 0.05*first[g]:
				in.regular[g] = false
			}
		}
	}
	type key struct{ group, arch int32 }
	durations := map[key][]int64{}
	for _, v := range in.task {
		if g := in.group[v]; !in.regular[g] {
			k := key{g, in.arch[in.Run.Task.Worker[v]]}
			durations[k] = append(durations[k], in.dur[v])
		}
	}
	narrow := map[int32]bool{}
	for k, d := range durations {
		q := make([]float64, 2)
		stat.Quantiles(d, []float64{0.25, 0.75}, q)
		is := len(d) >= 4 && q[1] <= 1.2*q[0]
		if before, known := narrow[k.group]; known {
			is = is && before
		}
		narrow[k.group] = is
	}
	for g, is := range narrow {
		in.regular[g] = is
	}
}

func sign(d int64) int64 {
	switch {
	case d < 0:
		return -1
	case d > 0:
		return 1
	}
	return 0
}

func (c *cell) add(ns int64) { c.n++; c.sum += ns }

// cell is that of a group on an architecture.
func (in *Input) cell(group, arch int32) *cell { return &in.means[int(group)*in.archs+int(arch)+1] }

// fastest is the smallest mean of a group, and where.
func (in *Input) fastest(group int32) (arch int32, ns float64) {
	arch, ns = trace.None, math.Inf(1)
	for a := range in.archs {
		if c := in.means[int(group)*in.archs+a]; c.n > 0 && c.mean() < ns {
			arch, ns = int32(a-1), c.mean()
		}
	}
	return arch, ns
}

// otherKinds compares the speed of two architectures that have no group in common:
// by the work done in a time where all tasks declare it, else by the lengths of the
// tasks. 1 where one of them ran nothing.
func (in *Input) otherKinds(a, reference int32) float64 {
	t := &in.Run.Task
	var n, ns, work [2]float64
	declared := len(t.GFlop) > 0
	for _, v := range in.task {
		i := slices.Index([]int32{a, reference}, in.arch[t.Worker[v]])
		if i < 0 {
			continue
		}
		n[i], ns[i] = n[i]+1, ns[i]+float64(in.dur[v])
		if declared = declared && t.GFlop[v] > 0; declared {
			work[i] += t.GFlop[v]
		}
	}
	switch {
	case ns[0] == 0 || ns[1] == 0:
		return 1
	case declared:
		return work[0] / ns[0] / (work[1] / ns[1])
	}
	return ns[1] / n[1] / (ns[0] / n[0])
}

// speeds compares architectures by the groups that ran on both. The architecture
// with the most workers has 1.
func (in *Input) speeds() {
	count := map[int32]int{}
	for _, w := range in.workers {
		count[in.arch[w]]++
	}
	reference := trace.None
	for a, n := range count {
		if r, known := count[reference]; !known || n > r || n == r && a < reference {
			reference = a
		}
	}
	ratio := map[int32]float64{reference: 1}
	for a := range count {
		if a == reference {
			continue
		}
		here, there := 0.0, 0.0
		for g := range in.kindOf {
			x, y := in.cell(int32(g), a), in.cell(int32(g), reference)
			if n := float64(x.n + y.n); x.n > 0 && y.n > 0 {
				here, there = here+n*x.mean(), there+n*y.mean()
			}
		}
		switch {
		case here > 0 && there > 0:
			ratio[a] = there / here
		default:
			ratio[a] = in.otherKinds(a, reference)
		}
	}
	in.speed = make([]float64, len(in.arch))
	for _, w := range in.workers {
		in.speed[w] = ratio[in.arch[w]]
		in.capacity += in.speed[w]
	}
}

func (in *Input) tails() {
	t, d := &in.Run.Task, &in.Run.Dep
	g := dag.Build(len(t.Start), d.From, d.To)
	order, err := g.Topological()
	if err != nil {
		return
	}
	weight := make([]int64, len(t.Start))
	for _, v := range in.task {
		_, ns := in.fastest(in.group[v])
		weight[v] = int64(ns)
	}
	in.tail = g.Tails(order, weight)
}

// sumCauses sums up the critical chain and the workers' idle time by cause.
func (in *Input) sumCauses() {
	in.onChain, in.idle = map[cause]int64{}, map[cause]float64{}
	for _, p := range in.critical.Parts {
		in.onChain[in.cause(p)] += p.To - p.From
	}
	in.waiting = make([]map[chain.Class]int64, len(in.workers))
	causes := make([]map[cause]float64, len(in.workers))
	parallel.For(len(in.workers), func(i int) {
		w := in.workers[i]
		in.waiting[i], causes[i] = map[chain.Class]int64{}, map[cause]float64{}
		in.chain.Idle(w, func(p chain.Part) {
			in.waiting[i][p.Class] += p.To - p.From
			causes[i][in.cause(p)] += float64(p.To-p.From) * in.speed[w] / in.capacity
		})
	})
	for _, c := range causes {
		for _, k := range sortedCauses(c) {
			in.idle[k] += c[k]
		}
	}
}

func sortedCauses(m map[cause]float64) []cause {
	keys := make([]cause, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b cause) int {
		return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to), cmp.Compare(a.memory, b.memory))
	})
	return keys
}

func (in *Input) cause(p chain.Part) cause {
	c := cause{class: p.Class, from: trace.None, to: trace.None}
	if p.Transfer != trace.None && p.Class != chain.Execute {
		c.from, c.to = in.ends(p.Transfer)
	}
	if p.Class == chain.MemoryWait {
		c.memory = in.chain.Room(p)
	}
	return c
}

// ends are those of a transfer: of messages nodes, else managers of memories.
func (in *Input) ends(transfer int32) (from, to int32) {
	x, re := &in.Run.Transfer, &in.Run.Resource
	from, to = x.From[transfer], x.To[transfer]
	if x.Kind.At(int(transfer)) != trace.TransferMPI {
		return from, to
	}
	if from != trace.None {
		from = re.Node[from]
	}
	if to != trace.None {
		to = re.Node[to]
	}
	return from, to
}

// messages reports whether a cause is one of messages.
func (c cause) messages() bool {
	return c.class >= chain.MessagePost && c.class <= chain.MessageReceive
}

// transfers reports whether a cause is one of transfers between memories.
func (c cause) transfers() bool {
	return c.class == chain.Transfer || c.class == chain.TransferContention
}

// cost is what causes took of the critical chain, or of the capacity, whichever
// is more.
func (in *Input) cost(is func(cause) bool) int64 {
	var onChain, idle float64
	for k, ns := range in.onChain {
		if is(k) {
			onChain += float64(ns)
		}
	}
	for _, k := range sortedCauses(in.idle) {
		if is(k) {
			idle += in.idle[k]
		}
	}
	return int64(max(onChain, idle))
}

// classes is the cost of some classes.
func (in *Input) classes(list ...chain.Class) int64 {
	return in.cost(func(c cause) bool { return slices.Contains(list, c.class) })
}

// share is a part of the makespan.
func (in *Input) share(ns int64) float64 { return float64(ns) / float64(in.Makespan) }

// nodes are the ranks that have workers, ascending.
func (in *Input) nodes() []int32 {
	var list []int32
	for _, w := range in.workers {
		list = append(list, in.Run.Resource.Node[w])
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// at names the nodes of workers where there are several nodes.
func (in *Input) at(workers ...int32) (list []int32) {
	if len(in.nodes()) < 2 {
		return nil
	}
	for _, w := range workers {
		list = append(list, in.Run.Resource.Node[w])
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// memory names a manager's memory.
func (in *Input) memory(manager int32) string { return in.names[manager] }

// name is the device of a worker.
func (in *Input) name(worker int32) string { return memory.DeviceOf(&in.Run.Resource, worker) }

func median(values []float64) float64 { return stat.Quantile(slices.Clone(values), 0.5) }

func quantile(values []float64, p float64) float64 { return stat.Quantile(slices.Clone(values), p) }
