package symptom

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"dagscope/explain/chain"
	"dagscope/explain/kind"
	"dagscope/explain/memory"
	"dagscope/internal/interval"
	"dagscope/internal/parallel"
	"dagscope/trace"
)

// Limits of judgements on where tasks ran.
const (
	faster     = 2.0  // times as fast as from which an architecture is the better one for a kind
	load       = 0.25 // share of the makespan that a kind must fill on the architecture that it is kept on
	unused     = 0.3  // share of the makespan that the other architecture is idle then
	suspicious = 0.2  // the same, weakly
	misplacing = 0.35 // share of the makespan that misplaced tasks must fill of the slow workers, or of the chain
	noPanel    = 0.05 // share of the work from which a kind is no panel
	clearly    = 0.35 // of its duration that such a kind would take elsewhere; more, to 0.7, is weak evidence
	onPath     = 0.1  // share of the chain that a kind must take that is slow where it is
	oneKind    = 0.8  // share of that from which a single kind is the matter, not the scheduler,
	foremost   = 5.0  // if its tasks are misplaced so many times as often as others
)

// pair is a kind on an architecture, over all nodes.
type pair struct {
	cell
	gflop float64 // of all its tasks, 0 where not declared
}

func (p pair) rate() float64 { return p.gflop / float64(p.sum) }

// pairs sums up kinds by architecture.
func (in *Input) pairs() (pairs map[[2]int32]pair, kinds, archs []int32) {
	pairs = map[[2]int32]pair{}
	t := &in.Run.Task
	for _, v := range in.task {
		k := [2]int32{t.Kind.Index[v], in.arch[t.Worker[v]]}
		p := pairs[k]
		p.add(in.dur[v])
		if len(t.GFlop) > 0 && t.GFlop[v] > 0 {
			p.gflop += t.GFlop[v]
		}
		pairs[k] = p
		kinds, archs = append(kinds, k[0]), append(archs, k[1])
	}
	for _, w := range in.workers {
		archs = append(archs, in.arch[w])
	}
	slices.Sort(kinds)
	slices.Sort(archs)
	return pairs, slices.Compact(kinds), slices.Compact(archs)
}

// archSpeed and archSize are the speed of workers of an architecture, and their
// number.
func (in *Input) archSpeed(arch int32) float64 {
	for _, w := range in.workers {
		if in.arch[w] == arch {
			return in.speed[w]
		}
	}
	return 1
}

func (in *Input) archSize(arch int32) (n int) {
	for _, w := range in.workers {
		if in.arch[w] == arch {
			n++
		}
	}
	return n
}

// idleShare is the part of the makespan that the workers of an architecture do
// nothing.
func (in *Input) idleShare(arch int32) float64 {
	var idle int64
	for i, w := range in.workers {
		if in.arch[w] == arch {
			for _, ns := range in.waiting[i] {
				idle += ns
			}
		}
	}
	return float64(idle) / float64(in.Makespan) / float64(max(1, in.archSize(arch)))
}

// executing is how long a kind executes on the critical chain.
func (in *Input) executing(k int32) (ns int64) {
	for _, p := range in.critical.Parts {
		if p.Class == chain.Execute {
			if v := in.chain.TaskOf(p); v != trace.None && in.Run.Task.Kind.Index[v] == k {
				ns += p.To - p.From
			}
		}
	}
	return ns
}

// queued is how long the tasks of a kind were ready and not running, all together.
func (in *Input) queued(k int32) (ns int64) {
	t := &in.Run.Task
	for _, v := range in.task {
		if t.Kind.Index[v] == k && t.Ready[v] != trace.NoTime {
			ns += max(0, t.Start[v]-max(0, t.Ready[v]))
		}
	}
	return ns
}

// workShare is what part of the work a kind does: of what tasks declare, else of
// their number.
func (in *Input) workShare(k int32) float64 {
	t := &in.Run.Task
	var own, all, declared, total float64
	for _, v := range in.task {
		work := 0.0
		if len(t.GFlop) > 0 {
			work = max(0, t.GFlop[v])
		}
		if total, all = total+work, all+1; t.Kind.Index[v] == k {
			declared, own = declared+work, own+1
		}
	}
	if total > 0 {
		return declared / total
	}
	return own / max(all, 1)
}

// forbiddenPlacement: a kind ran on one architecture only, although another would
// do it better. Null hypothesis: a kind stays away from an architecture because it
// is slow there. Against it speaks, of a kind kept on the slower architecture, that
// it fills a quarter of the makespan there while the faster one, which runs other
// kinds, or none though it is an accelerator, is idle for three tenths, and
// that its tasks wait for at least half as long as they take or are no small part of
// the work (those that are, panels, are often as quick on cores); of a kind kept on the faster architecture, that
// it does its work there more slowly than the slower one does other kinds, while
// the critical chain runs through it. That an accelerator runs nothing
// at all is weak evidence: the program may have no kernels for it. The run has no
// duration of the kind elsewhere: the gain is what the idle workers could take over at most, or the
// chain's time less what the rates of other kinds let expect.
func forbiddenPlacement(in *Input) (found []Symptom) {
	pairs, kinds, archs := in.pairs()
	for _, k := range kinds {
		var on []int32
		for _, a := range archs {
			if pairs[[2]int32{k, a}].n > 0 {
				on = append(on, a)
			}
		}
		if len(on) != 1 || len(archs) < 2 {
			continue
		}
		own := pairs[[2]int32{k, on[0]}]
		for _, a := range archs {
			if a == on[0] {
				continue
			}
			s := Symptom{
				ID: "forbidden-placement", Basis: Unpriced, Where: Where{Kinds: []string{in.Run.Task.Kind.Dict[k]}, Archs: []string{kind.ArchName(in.Run, a)}},
				Evidence: map[string]any{"tasks": own.n, "mean_ns": int64(own.mean()), "only_on": kind.ArchName(in.Run, on[0])},
			}
			idle := in.idleShare(a)
			none := !in.used(pairs, kinds, a)
			if none && in.withoutKernels(pairs, kinds, archs, a) {
				continue
			}
			switch here, there := in.archSpeed(on[0]), in.archSpeed(a); {
			case there >= faster*here || in.betterAtSome(pairs, kinds, on[0], a) || none && kind.ArchName(in.Run, a) != "cpu":
				filled := float64(own.sum) / float64(in.archSize(on[0])) / float64(in.Makespan)
				if filled < load || idle < unused || 2*in.queued(k) < own.sum && in.workShare(k) < noPanel {
					continue
				}
				s.Gain = int64(min(filled, idle) * float64(in.Makespan))
				s.Evidence["filled_share"], s.Evidence["idle_share"] = filled, idle
			case here >= faster*there && !none:
				onChain := in.executing(k)
				expected, sure := in.expected(pairs, kinds, k, on[0], a)
				s.Weak = !sure || expected >= clearly*own.mean()
				if expected >= 0.7*own.mean() || in.share(onChain) < onPath {
					continue
				}
				s.Gain = int64(float64(onChain) * (1 - expected/own.mean()))
				s.Evidence["on_chain_ns"], s.Evidence["expected_ns"] = onChain, int64(expected)
			default:
				continue
			}
			s.Weak = s.Weak || none
			found = append(found, s)
		}
	}
	return found
}

// used reports whether any kind ran on an architecture.
func (in *Input) used(pairs map[[2]int32]pair, kinds []int32, a int32) bool {
	return slices.ContainsFunc(kinds, func(k int32) bool { return pairs[[2]int32{k, a}].n > 0 })
}

// withoutKernels reports whether a program hardly has kernels for an architecture that
// ran nothing: another accelerator ran some, or it is OpenCL, whose workers StarPU
// starts on any device that CUDA leaves.
func (in *Input) withoutKernels(pairs map[[2]int32]pair, kinds, archs []int32, a int32) bool {
	if name := kind.ArchName(in.Run, a); name == "opencl" || name == "cpu" {
		return name == "opencl"
	}
	return slices.ContainsFunc(archs, func(other int32) bool {
		return other != a && kind.ArchName(in.Run, other) != "cpu" && in.used(pairs, kinds, other)
	})
}

// betterAtSome reports whether an architecture is the faster one for some kind, by
// durations where the kind ran on both, else by the work done in a time: where the kind
// that matters most is kept away from it, the mean over the others says little of its speed.
func (in *Input) betterAtSome(pairs map[[2]int32]pair, kinds []int32, here, there int32) bool {
	slowest := math.Inf(1)
	for _, k := range kinds {
		if p := pairs[[2]int32{k, here}]; p.gflop > 0 {
			slowest = min(slowest, p.rate())
		}
	}
	for _, k := range kinds {
		h, t := pairs[[2]int32{k, here}], pairs[[2]int32{k, there}]
		switch {
		case t.n == 0:
		case h.n > 0:
			if h.mean() >= faster*t.mean() {
				return true
			}
		case t.gflop > 0 && !math.IsInf(slowest, 1) && t.rate() >= faster*slowest*foremost:
			return true
		}
	}
	return false
}

// expected is how long a task of a kind would take on an architecture at the lowest
// rate of the other kinds there (GFlop/s, where all declare their work), else as
// long as the longest of the others. If that is too long to say anything, as long as
// the shortest of those that ran on both, which is a guess.
func (in *Input) expected(pairs map[[2]int32]pair, kinds []int32, k, on, a int32) (ns float64, sure bool) {
	own := pairs[[2]int32{k, on}]
	rate, longest, shortest := math.Inf(1), 0.0, math.Inf(1)
	for _, other := range kinds {
		if p := pairs[[2]int32{other, a}]; other != k && p.n > 0 {
			rate, longest = min(rate, p.rate()), max(longest, p.mean())
			if pairs[[2]int32{other, on}].n > 0 { // a kernel like this one
				shortest = min(shortest, p.mean())
			}
		}
	}
	switch {
	case own.gflop > 0 && rate > 0 && !math.IsInf(rate, 1):
		return own.gflop / float64(own.n) / rate, true
	case longest > 0 && longest < 0.7*own.mean():
		return longest, true
	}
	return shortest, false
}

// misplaced: tasks ran on an architecture that is slow for them while a faster
// worker of their node was idle for most of that time, long enough to have done
// them twice. Null hypothesis:
// a scheduler that knows how long kernels take leaves none (beyond the end of the
// run). Where a single kind makes up most of what this costs, and its tasks are
// misplaced much more often than others, what is believed of that kind is wrong (wrong-models); else the scheduler does not know speeds
// (scheduler). Gain: what these tasks took longer on the critical chain, or what
// the busiest architecture has too much of them.
func misplaced(in *Input) []Symptom {
	t, re := &in.Run.Task, &in.Run.Resource
	busy := make([]interval.Cover, len(re.Level.Index))
	spans := make([]interval.Spans, len(re.Level.Index))
	for _, v := range in.task {
		spans[t.Worker[v]].Add(t.Start[v], t.End[v])
	}
	byNode := map[int32][]int32{}
	for _, w := range in.workers {
		busy[w] = interval.NewCover(interval.Union(spans[w]))
		byNode[re.Node[w]] = append(byNode[re.Node[w]], w)
	}
	lost := make([]int64, len(in.task)) // what a task took longer
	const block = 4096
	parallel.For((len(in.task)+block-1)/block, func(b int) {
		for i := b * block; i < min(len(in.task), (b+1)*block); i++ {
			v := in.task[i]
			w := t.Worker[v]
			arch, fastest := in.fastest(in.group[v])
			slow := in.cell(in.group[v], in.arch[w]).mean()
			if arch == in.arch[w] || slow < faster*fastest {
				continue
			}
			for _, o := range byNode[re.Node[w]] {
				if idle := float64(t.End[v] - t.Start[v] - busy[o].Within(t.Start[v], t.End[v])); in.arch[o] == arch && idle >= 2*fastest && 2*idle >= float64(t.End[v]-t.Start[v]) {
					lost[i] = int64(slow - fastest)
					break
				}
			}
		}
	})
	type sum struct {
		ns    int64
		tasks int
		of    int // tasks of the kind
	}
	kinds := map[int32]*sum{}
	archs := map[[2]int32]int64{}
	wrong := map[int32]bool{}
	var total int64
	tasks := 0
	for i, v := range in.task {
		k := t.Kind.Index[v]
		if kinds[k] == nil {
			kinds[k] = &sum{}
		}
		kinds[k].of++
		if lost[i] == 0 {
			continue
		}
		wrong[v] = true
		kinds[k].ns += lost[i]
		kinds[k].tasks++
		archs[[2]int32{re.Node[t.Worker[v]], in.arch[t.Worker[v]]}] += lost[i]
		total += lost[i]
		tasks++
	}
	if total == 0 {
		return nil
	}
	var onChain int64
	for _, p := range in.critical.Parts {
		if v := in.chain.TaskOf(p); p.Class == chain.Execute && v != trace.None && wrong[v] {
			onChain += in.chain.Amounts(p).SlowerArchitecture
		}
	}
	gain := onChain
	for k, ns := range archs {
		n := 0
		for _, w := range byNode[k[0]] {
			if in.arch[w] == k[1] {
				n++
			}
		}
		gain = max(gain, ns/int64(n))
	}
	if in.share(gain) < suspicious {
		return nil
	}
	weak := in.share(gain) < misplacing || in.knowsSpeeds()
	order := sortedKeys(kinds)
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(kinds[b].ns, kinds[a].ns) })
	first := kinds[order[0]]
	evidence := map[string]any{"misplaced": tasks, "lost_ns": total, "on_chain_ns": onChain, "of_one_kind": float64(first.ns) / float64(total)}
	rate := func(s *sum) float64 { return float64(s.tasks) / float64(s.of) }
	others := &sum{tasks: tasks - first.tasks, of: len(in.task) - first.of}
	alone := others.tasks == 0 || rate(first) >= foremost*rate(others)
	if alone && float64(first.ns) >= oneKind*float64(total) {
		return []Symptom{{ID: "wrong-models", Basis: Bound, Weak: weak, Gain: gain, Where: Where{Kinds: []string{t.Kind.Dict[order[0]]}}, Evidence: evidence}}
	}
	return []Symptom{{ID: "scheduler", Basis: Bound, Weak: weak, Gain: gain, Evidence: evidence}}
}

// dataUnaware: tasks are placed without regard to where their data is. Null
// hypothesis: the chosen memory holds more of a task's data, when the task becomes
// ready, than the mean of the memories of the same sort. The lift is the share of
// what is not there by chance that the choice makes good: near 0 for a scheduler
// that ignores data. Gain: the part of what transfers cost that a lift of one half
// would save.
func dataUnaware(in *Input) []Symptom {
	t, re, a := &in.Run.Task, &in.Run.Resource, &in.Run.Access
	devices := map[int32][]int32{} // by manager: those of its sort on its node
	type sort struct {
		node int32
		arch int32
	}
	sorts := map[sort][]int32{}
	for _, w := range in.workers {
		if m := in.manager[w]; m != trace.None && in.memory(m) != "RAM" {
			k := sort{re.Node[w], in.arch[w]}
			if !slices.Contains(sorts[k], m) {
				sorts[k] = append(sorts[k], m)
			}
		}
	}
	for _, list := range sorts {
		for _, m := range list {
			devices[m] = list
		}
	}
	if in.knowsData() {
		return nil
	}
	residency := memory.Stays(in.Run, memory.Exact)
	if residency.Len() == 0 || len(a.Bytes) == 0 {
		return nil
	}
	var chosen, chance, all float64
	tasks := 0
	last := trace.None
	for i, v := range a.Task {
		w := t.Worker[v]
		if w == trace.None || in.group[v] == trace.None || t.Ready[v] == trace.NoTime || in.manager[w] == trace.None {
			continue
		}
		peers := devices[in.manager[w]]
		if len(peers) < 2 {
			continue
		}
		if v != last {
			tasks++
			last = v
		}
		size := float64(a.Bytes[i])
		all += size
		for _, m := range peers {
			if residency.StateAt(a.Handle[i], m, t.Ready[v]) != memory.Invalid {
				chance += size / float64(len(peers))
				if m == in.manager[w] {
					chosen += size
				}
			}
		}
	}
	if tasks < 50 || all == chance {
		return nil
	}
	lift := (chosen - chance) / (all - chance)
	if lift >= unaware {
		return nil
	}
	cost := in.classes(chain.Transfer, chain.TransferContention)
	return []Symptom{{
		ID: "scheduler", Basis: Bound, Gain: int64(float64(cost) * min(1, (usualLift-lift)/usualLift)),
		Evidence: map[string]any{"data_there_share": chosen / all, "data_there_by_chance_share": chance / all, "lift": lift, "tasks": tasks, "transfer_waits_ns": cost},
	}}
}

// scheduler is that of the run, empty where it is not known.
func (in *Input) scheduler() string {
	return cmp.Or(in.Run.Meta.Environment["scheduler"], in.Run.Meta.Environment["STARPU_SCHED"])
}

// knowsSpeeds and knowsData report whether the run is known to have a scheduler that
// places tasks by their expected duration, or by that and where their data is: advice
// to take one would be of no use.
func (in *Input) knowsSpeeds() bool { return in.knowsData() || in.scheduler() == "dm" }

func (in *Input) knowsData() bool {
	s := in.scheduler()
	return strings.HasPrefix(s, "dmda") || s == "heft" || s == "modular-heft"
}

// Lifts of schedulers.
const (
	unaware   = 0.1
	usualLift = 0.5
)
