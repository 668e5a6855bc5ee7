// Package finding answers: what should I look at first? It turns the results
// of the other analyses into a short list of statements, each with its
// evidence, an estimate of what the makespan could gain, the panel that shows
// it, and advice. The largest gain comes first.
//
// Gains are estimates, made the same way for each kind of finding and stated in
// its documentation; they overlap and must not be added up. What leaves the
// tasks' durations as they are cannot gain more than the gap to the best lower
// bound.
package finding

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"dagscope/explain/bound"
	"dagscope/explain/breakdown"
	"dagscope/explain/decision"
	"dagscope/explain/depend"
	"dagscope/explain/kind"
	"dagscope/explain/outlier"
	"dagscope/explain/tasking"
	"dagscope/explain/utilization"
	"dagscope/internal/words"
	"dagscope/trace"
)

// Finding is one statement about a run.
type Finding struct {
	ID       string         `json:"id"`       // stable name of the kind of finding
	Severity Severity       `json:"severity"` // by the gain
	Title    string         `json:"title"`    // one sentence with the figures
	Gain     int64          `json:"gain_ns"`  // estimated gain of the makespan, at most
	Evidence map[string]any `json:"evidence"` // the figures behind it, times in ns
	Panel    string         `json:"panel"`    // where to see it
	Advice   string         `json:"advice"`

	faster bool // the gain comes from shorter tasks: bounds of these durations do not limit it
	graph  bool // … from another task graph of the same work: only the area bound limits it
}

// Severity ranks findings.
type Severity string

// Severities: High from a tenth of the makespan, Medium from a fiftieth, Low
// below, Note for what is worth knowing but has no estimate.
const (
	High   Severity = "high"
	Medium Severity = "medium"
	Low    Severity = "low"
	Note   Severity = "note"
)

// Input are the results to draw from; nil ones are skipped.
type Input struct {
	Run       *trace.Run
	Makespan  int64
	Bounds    *bound.Result
	Idle      *utilization.Workers
	Outliers  *outlier.Result
	Breakdown *breakdown.Result
	Last      *depend.Last
	Delays    *depend.Totals
	Tasking   *tasking.Facts
	Decisions *decision.Accuracy
}

// rule makes at most one finding of the input.
type rule func(in *Input) (Finding, bool)

// rules in the order in which equal gains are listed.
var rules = []rule{
	gapToBound, wrongArchitecture, unusedWorkers, lateSubmission, lastPathWaits, waitsForTransfers, slowTasks, starvation, overheads, otherNodes,
	fineGrain, serialCreator, littleParallelism, transfersMisjudged, tightBound,
}

// Find returns the findings of a run, the largest gain first.
func Find(in Input) []Finding {
	var found []Finding
	if in.Makespan <= 0 {
		return nil
	}
	for _, r := range rules {
		f, ok := r(&in)
		if !ok {
			continue
		}
		limit := in.gap()
		switch {
		case f.faster:
			limit = in.Makespan
		case f.graph:
			limit = in.aboveArea()
		}
		f.Gain = max(0, min(f.Gain, limit))
		if f.Gain == 0 && f.Severity != Note {
			continue // true, but nothing could be gained
		}
		if f.Severity == "" {
			f.Severity = severityOf(f.Gain, in.Makespan)
		}
		found = append(found, f)
	}
	found = tooSmall(found)
	slices.SortStableFunc(found, func(a, b Finding) int { return cmp.Compare(b.Gain, a.Gain) })
	return found
}

// tooSmall takes findings that follow from tasks being too small as what they
// are: waits of single tasks say nothing then, and the order of tasks is not
// what to look at.
func tooSmall(found []Finding) []Finding {
	if !slices.ContainsFunc(found, func(f Finding) bool { return f.ID == "fine-grain" }) {
		return found
	}
	found = slices.DeleteFunc(found, func(f Finding) bool { return f.ID == "last-path-waits" || f.ID == "late-submission" })
	for i := range found {
		switch found[i].ID {
		case "gap-to-bound":
			found[i].Advice = "tasks are too small (fine-grain): make them larger before you look at their order"
		case "ready-but-waiting":
			found[i].Advice = "the runtime cannot create and hand out tasks this small in time (fine-grain): make them larger"
		}
	}
	return found
}

// aboveArea is what the makespan has above the area bound.
func (in *Input) aboveArea() int64 {
	if in.Bounds == nil {
		return in.Makespan
	}
	return in.Makespan - round(in.Bounds.Area.Time)
}

// gap is what the makespan has above the best lower bound.
func (in *Input) gap() int64 {
	if in.Bounds == nil {
		return in.Makespan
	}
	return in.Makespan - round(in.Bounds.Lower().Time)
}

// boundWords name the best lower bound and what it depends on.
func (in *Input) boundWords() string {
	name := bound.Names[in.Bounds.Lower().Name]
	if in.Bounds.Conditional() {
		name += ", with the placements seen"
	}
	return name
}

func severityOf(gain, makespan int64) Severity {
	switch {
	case gain*10 >= makespan:
		return High
	case gain*50 >= makespan:
		return Medium
	}
	return Low
}

// gapToBound: the makespan is above the best lower bound. Gain: the gap.
func gapToBound(in *Input) (Finding, bool) {
	b := in.Bounds
	if b == nil || b.Best.Time <= 0 {
		return Finding{}, false
	}
	gap := in.gap()
	if gap*100 < in.Makespan {
		return Finding{}, false
	}
	limit := "the work divides badly among workers: look at the order of tasks (priorities) and at waiting"
	if b.Best.Name == "cpe" {
		limit = "a better order can come nearer to the critical path: give its tasks priority; to get below it, make its kernels faster or its tiles smaller"
	}
	f := Finding{
		ID: "gap-to-bound", Gain: gap, Panel: "st",
		Title: fmt.Sprintf("the run takes %s longer than the best lower bound (%s)", words.PercentOf(gap, in.Makespan-gap), in.boundWords()),
		Evidence: map[string]any{
			"makespan_ns": in.Makespan, "bound": b.Lower().Name, "bound_ns": round(b.Lower().Time),
			"abe_ns": round(b.Area.Time), "cpe_ns": round(b.CPE.Time),
		},
		Advice: limit,
	}
	if d := b.Distribution; d != nil && d.Cost(b) > 0 {
		f.Evidence["distribution_bound_ns"], f.Evidence["distribution_cost_ns"] = round(d.Best.Time), round(d.Cost(b))
		if 2*round(d.Cost(b)) >= gap {
			f.Panel = "nodes"
			f.Advice = fmt.Sprintf("%s of it are due to the distribution of data over nodes (node %d has most work for its workers): give each node work by its speed", words.InMS(round(d.Cost(b))), d.Area.Node)
		}
	}
	return f, true
}

// tightBound: the makespan is at the bound; only other kernels or another
// machine help.
func tightBound(in *Input) (Finding, bool) {
	b := in.Bounds
	if b == nil || b.Best.Time <= 0 || (float64(in.Makespan)-b.Lower().Time)*100 >= float64(in.Makespan) {
		return Finding{}, false
	}
	f := Finding{
		ID: "at-the-bound", Severity: Note, Panel: "st",
		Title:    fmt.Sprintf("the run is within 1 %% of its lower bound (%s)", in.boundWords()),
		Evidence: map[string]any{"makespan_ns": in.Makespan, "bound": b.Lower().Name, "bound_ns": round(b.Lower().Time)},
		Advice:   "no schedule of these tasks is much faster: faster kernels, other tiles or more workers are",
	}
	if b.Conditional() {
		f.Advice = "only other placements of tasks, faster kernels, other tiles or more workers are much faster: " + bound.NeverRan(in.Run, b.Unknown)
	}
	if b.Lower().Time > float64(in.Makespan) {
		f.Title = fmt.Sprintf("the lower bound (%s), made of mean durations, exceeds this makespan", in.boundWords())
	}
	return f, true
}

// wrongArchitecture: kinds ran where the area bound would not put them. Gain:
// how much longer the busiest architecture works than the bound, if all work
// were spread evenly within architectures.
func wrongArchitecture(in *Input) (Finding, bool) {
	b := in.Bounds
	if b == nil || len(b.Area.Kind) == 0 {
		return Finding{}, false
	}
	load := map[int32]float64{}
	worst, excess := -1, 0.0
	for i := range b.Area.Kind {
		load[b.Area.Arch[i]] += float64(b.Area.Actual[i]) * b.Area.Mean[i]
		if e := (float64(b.Area.Actual[i]) - b.Area.Ideal[i]) * b.Area.Mean[i]; e > excess {
			worst, excess = i, e
		}
	}
	workers := workersByArch(in.Run)
	if len(load) < 2 || worst < 0 {
		return Finding{}, false
	}
	busiest := 0.0
	for arch, total := range load {
		busiest = max(busiest, total/float64(max(workers[arch], 1)))
	}
	gain := int64(busiest - b.Area.Time)
	if gain*100 < in.Makespan {
		return Finding{}, false
	}
	kindName, arch := in.Run.Task.Kind.Dict[b.Area.Kind[worst]], kind.ArchName(in.Run, b.Area.Arch[worst])
	return Finding{
		ID: "allocation", Gain: gain, Panel: "abe",
		Title: fmt.Sprintf("%s ran %d times on %s where the area bound puts %.0f", kindName, b.Area.Actual[worst], arch, b.Area.Ideal[worst]),
		Evidence: map[string]any{
			"kind": kindName, "arch": arch, "tasks_actual": b.Area.Actual[worst], "tasks_ideal": b.Area.Ideal[worst],
			"abe_ns": round(b.Area.Time), "busiest_arch_ns": round(busiest),
		},
		Advice: "the other architecture is the better place for part of this kind: check the scheduler's performance models, or steer the kind there",
	}, true
}

func workersByArch(run *trace.Run) map[int32]int {
	n := map[int32]int{}
	for _, w := range kind.Workers(run) {
		n[run.Resource.Arch.Index[w]]++
	}
	return n
}

// unusedWorkers: workers that ran nothing. Gain: none is claimed beyond the
// other findings; the share of the machine is the evidence.
func unusedWorkers(in *Input) (Finding, bool) {
	if in.Idle == nil {
		return Finding{}, false
	}
	var names []string
	for i, w := range in.Idle.Worker {
		if in.Idle.Tasks[i] == 0 && in.Idle.Busy[i] == 0 {
			names = append(names, in.Run.Resource.Name.At(int(w)))
		}
	}
	if len(names) == 0 {
		return Finding{}, false
	}
	return Finding{
		ID: "unused-workers", Severity: Note, Panel: "st",
		Title:    fmt.Sprintf("%d of %d workers ran no task", len(names), len(in.Idle.Worker)),
		Evidence: map[string]any{"workers": names[:min(len(names), 20)], "count": len(names), "of": len(in.Idle.Worker)},
		Advice:   "there is too little parallelism for them, or the scheduler finds them too slow for what is left: compare the bounds, or give their cores to something else",
	}, true
}

// lateSubmission: along the chain of last dependencies behind the final task,
// tasks were submitted only after what they depend on had ended. Gain: the sum
// of these times.
func lateSubmission(in *Input) (Finding, bool) {
	if in.Last == nil {
		return Finding{}, false
	}
	sum, count := int64(0), 0
	for _, node := range in.Last.LastPath() {
		if _, transfer := in.Last.Transfer(node); transfer {
			continue
		}
		submit := in.Run.Task.Submit[node]
		released := int64(0) // what depends on nothing could have started at once
		if d := in.Last.Release(node); d != trace.NoTime {
			released = in.Last.Start(node) - d
		}
		if submit != trace.NoTime && submit > released {
			sum += min(submit, in.Last.Start(node)) - released
			count++
		}
	}
	if sum*50 < in.Makespan {
		return Finding{}, false
	}
	return Finding{
		ID: "late-submission", Gain: sum, Panel: "submitted",
		Title:    fmt.Sprintf("%s on the chain behind the last task were submitted only after they could have started, %s of the makespan", words.Plural(count, "task"), words.PercentOf(sum, in.Makespan)),
		Evidence: map[string]any{"late_ns": sum, "tasks": count},
		Advice:   "submission is the bottleneck: submit earlier or from several threads, make tasks larger, do not wait between phases",
	}, true
}

// lastPathWaits: along the chain of last dependencies behind the final task,
// tasks waited although they were submitted and what they depend on had ended.
// Gain: the sum of these delays.
func lastPathWaits(in *Input) (Finding, bool) {
	if in.Last == nil {
		return Finding{}, false
	}
	path := in.Last.LastPath()
	sum, worst, at := int64(0), int64(0), int32(trace.None)
	for _, node := range path {
		if d := in.waited(node); d > 0 {
			sum += d
			if d > worst {
				worst, at = d, node
			}
		}
	}
	if sum*50 < in.Makespan || at == trace.None {
		return Finding{}, false
	}
	return Finding{
		ID: "last-path-waits", Gain: sum, Panel: "st",
		Title: fmt.Sprintf("tasks on the chain behind the last task waited %s of the makespan after they could start", words.PercentOf(sum, in.Makespan)),
		Evidence: map[string]any{
			"release_delay_ns": sum, "path_length": len(path), "worst_task": in.Last.Key(at), "worst_ns": worst,
		},
		Advice: "raise the priority of these tasks, or look what their workers did meanwhile (delays: queue, transfer, runtime)",
	}, true
}

// waited is how long a node of the graph waited once it could start: since its
// last dependency ended and it was submitted.
func (in *Input) waited(node int32) int64 {
	d := in.Last.Release(node)
	if d == trace.NoTime {
		return 0
	}
	if _, transfer := in.Last.Transfer(node); !transfer {
		if submit := in.Run.Task.Submit[node]; submit != trace.NoTime {
			d = min(d, in.Last.Start(node)-submit)
		}
	}
	return d
}

// waitsForTransfers: workers did nothing while the data of their next task was
// on its way. Gain: that time divided by the workers.
func waitsForTransfers(in *Input) (Finding, bool) {
	if in.Delays == nil || in.Idle == nil || len(in.Idle.Worker) == 0 {
		return Finding{}, false
	}
	_, gap := in.Delays.Sum()
	gain := gap.Transfer / int64(len(in.Idle.Worker))
	if gain*100 < in.Makespan {
		return Finding{}, false
	}
	return Finding{
		ID: "transfer-waits", Gain: gain, Panel: "bandwidth",
		Title:    fmt.Sprintf("workers waited %s of their time for data on its way", words.PercentOf(gain, in.Makespan)),
		Evidence: map[string]any{"transfer_wait_ns": gap.Transfer, "workers": len(in.Idle.Worker)},
		Advice:   "prefetch, keep data where it is used (dmda with data awareness, larger beta), or use fewer memory nodes",
	}, true
}

// slowTasks: suspiciously long tasks. Gain: what they took beyond the bound of
// what is usual, divided by the workers; what lies on the last path counts whole.
func slowTasks(in *Input) (Finding, bool) {
	o := in.Outliers
	if o == nil || in.Idle == nil {
		return Finding{}, false
	}
	onPath := map[int32]bool{}
	if in.Last != nil {
		for _, node := range in.Last.LastPath() {
			onPath[node] = true
		}
	}
	var all, chain float64
	count, slowest := 0, trace.None
	duration := kind.Durations(in.Run)
	for i, task := range o.Task {
		if o.Side[i] != outlier.Long {
			continue
		}
		count++
		excess := float64(duration[task]) - o.Bound[i]
		all += excess
		if onPath[task] {
			chain += excess
		}
		if slowest == trace.None || duration[task] > duration[slowest] {
			slowest = task
		}
	}
	if count == 0 {
		return Finding{}, false
	}
	gain := int64(max(chain, all/float64(max(len(in.Idle.Worker), 1))))
	return Finding{
		ID: "outliers", Gain: gain, Panel: "st", faster: true,
		Title: fmt.Sprintf("%s took suspiciously long, the slowest is %s (%s)", words.Plural(count, "task"), in.Run.Task.Key.At(int(slowest)), in.Run.Task.Kind.At(int(slowest))),
		Evidence: map[string]any{
			"count": count, "excess_ns": round(all), "excess_on_last_path_ns": round(chain),
			"slowest": in.Run.Task.Key.At(int(slowest)), "slowest_ns": duration[slowest],
		},
		Advice: "look when and where they ran: first calls, shared cores, memory pressure, clock frequency",
	}, true
}

// starvation: workers were idle while no task was ready. Gain: that time
// divided by the workers.
func starvation(in *Input) (Finding, bool) {
	if in.Breakdown == nil || len(in.Breakdown.Workers) == 0 {
		return Finding{}, false
	}
	total := in.Breakdown.Total(breakdown.Global)
	gain := total.Idleness / int64(len(in.Breakdown.Workers))
	if gain*50 < in.Makespan {
		return Finding{}, false
	}
	return Finding{
		ID: "no-ready-tasks", Gain: gain, Panel: "lackready",
		Title:    fmt.Sprintf("workers stood still %s of their time because no task was ready", words.PercentOf(total.Idleness, total.Sum())),
		Evidence: map[string]any{"idleness_ns": total.Idleness, "of_ns": total.Sum(), "class": string(total.Classify(breakdown.DefaultThresholds))},
		Advice:   "there is too little parallelism at times, or tasks are submitted late (panel submitted): smaller tiles, more tasks in flight, priorities for tasks that release many",
	}, true
}

// overheads: tasks were ready but workers did not run them. Gain: that time
// divided by the workers, by what workers of the architecture could have run on
// their node.
func overheads(in *Input) (Finding, bool) {
	if in.Breakdown == nil || len(in.Breakdown.Workers) == 0 {
		return Finding{}, false
	}
	total, able := in.Breakdown.Total(breakdown.Global), in.Breakdown.Total(breakdown.Local)
	gain := able.Overhead / int64(len(in.Breakdown.Workers))
	if gain*50 < in.Makespan {
		return Finding{}, false
	}
	return Finding{
		ID: "ready-but-waiting", Gain: gain, Panel: "breakdown",
		Title:    fmt.Sprintf("workers stood still %s of their time although tasks that they can run were ready", words.PercentOf(able.Overhead, able.Sum())),
		Evidence: map[string]any{"overhead_ns": total.Overhead, "overhead_by_arch_ns": in.Breakdown.Total(breakdown.ByArch).Overhead, "overhead_by_node_ns": able.Overhead, "of_ns": total.Sum()},
		Advice:   "the scheduler kept them for others or the runtime could not hand them out in time: compare schedulers, look at queues, at tasks too small",
	}, true
}

func round(v float64) int64 { return int64(math.Round(v)) }
