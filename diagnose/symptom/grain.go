package symptom

import (
	"slices"

	"dagscope/explain/chain"
	"dagscope/explain/kind"
	"dagscope/trace"
)

// Limits of judgements on the size of tasks.
const (
	fineRuntime = 0.1   // share of the makespan that the runtime's own work must cost
	fineTask    = 200e3 // ns, median duration of tasks that are too small
	narrow      = 0.3   // share of the capacity that is idle without ready tasks
	narrowChain = 0.6   // share of the makespan that is the longest path, each task where it is fastest
	narrower    = 0.75  // of both, from where on that is weak evidence
	dispersed   = 3.0   // ratio of the 90 % and 10 % quantiles of durations of a kind
	dispersedIn = 0.05  // share of the chain that such a kind must take
)

// tooFine: the runtime's work between tasks is no small part of the run, and tasks
// take less than a fifth of a millisecond. Null hypothesis: creating, scheduling and
// starting tasks costs little compared with executing them. Gain: the runtime's
// work on the chain, or between the tasks of all workers. Of OpenMP, what creating a
// task takes is measured first (fineCreation).
func tooFine(in *Input) []Symptom {
	if in.openMP() {
		if found, ok := fineCreation(in); len(found) > 0 || !ok {
			return found
		}
	}
	gain := in.classes(chain.Runtime, chain.Creation)
	if in.share(gain) < fineRuntime || len(in.task) == 0 {
		return nil
	}
	byKind := map[int32][]float64{}
	var all []float64
	for _, v := range in.task {
		k := in.Run.Task.Kind.Index[v]
		byKind[k] = append(byKind[k], float64(in.dur[v]))
		all = append(all, float64(in.dur[v]))
	}
	if in.medianTask() > fineTask {
		return nil
	}
	s := Symptom{ID: "too-fine", Basis: Bound, Gain: gain, Evidence: map[string]any{"runtime_ns": gain, "median_ns": int64(median(all)), "tasks": len(all)}}
	if in.openMP() && in.lacking() {
		s.Weak, s.Also = true, "oversubscription"
	}
	for _, k := range sortedKeys(byKind) {
		if median(byKind[k]) <= fineTask && 10*len(byKind[k]) >= len(all) {
			s.Where.Kinds = append(s.Where.Kinds, in.Run.Task.Kind.Dict[k])
		}
	}
	return []Symptom{s}
}

// littleParallelism: there are too few ready tasks because the longest path
// through the graph fills most of the run. Null hypothesis: work over span is well
// above the workers. Gain: the idle capacity without a ready task, but not
// more than what the makespan has above the mean load. It is called too-coarse
// where a worker has fewer than sixty tasks. Workers on architectures that ran nothing are not counted.
func littleParallelism(in *Input) []Symptom {
	if in.tail == nil || len(in.nodes()) > 1 {
		return nil
	}
	workers, capacity, idle := in.usable(chain.NoReadyTask)
	var span int64
	work := 0.0
	for _, v := range in.task {
		arch, ns := in.fastest(in.group[v])
		span = max(span, in.tail[v]+int64(ns))
		work += ns * in.archSpeed(arch)
	}
	if in.share(idle) < narrower*narrow || in.share(span) < narrower*narrowChain {
		return nil
	}
	weak := in.share(idle) < narrow || in.share(span) < narrowChain
	id := "little-parallelism"
	if len(in.task) < 60*workers {
		id = "too-coarse"
	}
	return []Symptom{{ID: id, Basis: Bound, Weak: weak, Gain: min(idle, in.Makespan-int64(work/capacity)), Evidence: map[string]any{
		"span_ns": span, "mean_load_ns": int64(work / capacity), "idle_without_ready_ns": idle, "tasks": len(in.task), "workers": workers,
	}}}
}

// usable are the workers on architectures that ran tasks, their capacity, and what of it was
// idle for some cause, in ns of the run. That workers which nothing runs on are idle says
// nothing of the graph, and fewer of them change nothing.
func (in *Input) usable(class chain.Class) (workers int, capacity float64, idle int64) {
	ran := map[int32]bool{}
	for _, v := range in.task {
		ran[in.arch[in.Run.Task.Worker[v]]] = true
	}
	sum := 0.0
	for i, w := range in.workers {
		if ran[in.arch[w]] {
			workers++
			capacity += in.speed[w]
			sum += float64(in.waiting[i][class]) * in.speed[w]
		}
	}
	if capacity == 0 {
		return 0, in.capacity, 0
	}
	return workers, capacity, int64(sum / capacity)
}

// layouts reports whether the layouts of the tasks' data are known.
func (in *Input) layouts() bool { return len(in.Run.Task.Footprint) > 0 }

// oversubscription: tasks of a kind with the same layout of data take very
// different times on CPUs, on all workers and throughout, so that something else
// uses their cores: threads of libraries, other processes. Null hypothesis: the
// durations of a group on an architecture lie within a factor of 3 (10 % to 90 %
// quantile). Gain: what the chain would save if each took the 10 % quantile.
func oversubscription(in *Input) []Symptom {
	t := &in.Run.Task
	type key struct{ group, arch int32 }
	groups := map[key][]float64{}
	for _, v := range in.task {
		if a := in.arch[t.Worker[v]]; in.layouts() && in.regular[in.group[v]] && kind.ArchName(in.Run, a) == "cpu" {
			groups[key{in.group[v], a}] = append(groups[key{in.group[v], a}], float64(in.dur[v]))
		}
	}
	var gain, took float64
	var names []string
	worst := 0.0
	onChain := map[key]float64{}
	for _, p := range in.critical.Parts {
		if v := in.chain.TaskOf(p); p.Class == chain.Execute && v != trace.None && in.group[v] != trace.None {
			onChain[key{in.group[v], in.arch[t.Worker[v]]}] += float64(p.To - p.From)
		}
	}
	for k, d := range groups {
		if len(d) < enough {
			continue
		}
		low, high := quantile(d, 0.1), quantile(d, 0.9)
		mean := in.cell(k.group, k.arch).mean()
		if low <= 0 || high < dispersed*low || onChain[k] < dispersedIn*float64(in.Makespan) {
			continue
		}
		gain += onChain[k] * (1 - low/mean)
		took += onChain[k]
		worst = max(worst, high/low)
		names = append(names, t.Kind.Dict[in.kindOf[k.group]])
	}
	if gain == 0 {
		return nil
	}
	slices.Sort(names)
	return []Symptom{{ID: "oversubscription", Basis: Bound, Gain: int64(gain), Where: Where{Kinds: slices.Compact(names)}, Evidence: map[string]any{"spread": worst, "on_chain_ns": int64(took)}}}
}
