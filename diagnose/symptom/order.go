package symptom

import (
	"math"
	"slices"

	"dagscope/explain/chain"
	"dagscope/internal/stat"
	"dagscope/trace"
)

// Limits of judgements on the order of tasks.
const (
	agree     = 0.2  // rank correlation of priorities with tails from which they are in order
	misorders = 0.03 // share of the makespan that the wrong order must cost
)

// badPriorities: priorities do not follow how much depends on a task. Null
// hypothesis: priorities and tails (the longest path after a task) are ranked in
// the same order, or nothing is lost by their not being so. None, or constant ones,
// correlate with nothing, inverted ones negatively. That there are none is weak evidence:
// many schedulers do well without; so are
// tails of tasks whose work differs within their kind. The largest and the smallest priority
// there is say "first" or "last", not how urgent: such tasks are not ranked. Gain: the time of the chain in which a worker ran a task that less depends on, or, of inverted ones, in
// which there was no ready task because of it.
func badPriorities(in *Input) []Symptom {
	if in.tail == nil {
		return nil
	}
	t := &in.Run.Task
	var priority, tail []int64
	first := 0 // tasks that are to run before all others, whatever depends on them
	for _, v := range in.task {
		if p := int64(t.Priority[v]); p == math.MaxInt32 || p == math.MinInt32 {
			first++
			continue
		}
		priority, tail = append(priority, int64(t.Priority[v])), append(tail, in.tail[v])
	}
	if len(priority) == 0 || slices.Max(tail) == slices.Min(tail) {
		return nil
	}
	irregular := 0
	for _, v := range in.task {
		if !in.regular[in.group[v]] {
			irregular++
		}
	}
	if in.openMP() && slices.Max(priority) == slices.Min(priority) {
		return nil // libraries of OpenMP run no tasks by priority unless OMP_MAX_TASK_PRIORITY says so
	}
	state := "none"
	correlation := 0.0
	if slices.Max(priority) > slices.Min(priority) {
		correlation = stat.Spearman(priority, tail)
		switch {
		case correlation >= agree:
			return nil
		case correlation < -agree:
			state = "inverted"
		default:
			state = "unrelated"
		}
	}
	var order int64
	for _, p := range in.critical.Parts {
		if p.Mark == chain.Order {
			order += p.To - p.From
		}
	}
	gain := order
	if state == "inverted" {
		gain = max(gain, in.classes(chain.NoReadyTask))
	}
	if in.share(gain) < misorders {
		return nil
	}
	return []Symptom{{ID: "bad-priorities", Basis: Bound, Gain: gain, Weak: state == "none" || 2*irregular > len(in.task) || 2*first > len(in.task), Evidence: map[string]any{"priorities": state, "correlation": correlation, "order_on_chain_ns": order}}}
}

// prefetch: data of tasks that wait in the queues of devices is fetched only when
// they start. Null hypothesis: most of what devices fetch is prefetched. Where
// hardly any is, and devices wait for it, prefetching is off. Gain: what transfers
// cost.
func prefetch(in *Input) []Symptom {
	x := &in.Run.Transfer
	var fetched, before int64
	for i := range x.Start {
		if name := in.memory(x.To[i]); name == "" || name == "RAM" {
			continue
		}
		switch x.Kind.At(i) {
		case trace.TransferFetch:
			fetched += x.Bytes[i]
		case trace.TransferTaskPrefetch, trace.TransferPrefetch:
			before += x.Bytes[i]
		}
	}
	if fetched == 0 || 20*before > fetched {
		return nil
	}
	gain := in.classes(chain.Transfer, chain.TransferContention)
	return []Symptom{{ID: "prefetch", Basis: Bound, Gain: gain, Evidence: map[string]any{"fetched_bytes": fetched, "prefetched_bytes": before, "waits_ns": gain}}}
}
