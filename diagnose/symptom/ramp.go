package symptom

import "dagscope/explain/chain"

// Limits of the judgement on the ends of a run.
const (
	rampSlices  = 200
	rampDensity = 0.5  // share of the capacity without ready tasks in a ramp
	rampRest    = 3.0  // times as dense as in the rest of the run
	rampLongest = 0.5  // share of the makespan that a ramp takes at most
	rampShare   = 0.2  // share of the makespan that it must cost
	rampSome    = 0.05 // the same, weakly: all factorizations have some
)

// ramp: the workers are idle without ready tasks at the beginning or the end of the run.
// Null hypothesis: what there is of such idleness is spread over the run. Against it
// speaks a stretch from the beginning, or to the end, in which half of the capacity has
// nothing ready, three times as much as in the rest; weakly on several nodes, whose messages come late at the ends, too. Gain: that idleness.
func ramp(in *Input) (found []Symptom) {
	nothing := make([]float64, rampSlices)
	width := float64(in.Makespan) / rampSlices
	for _, w := range in.workers {
		in.chain.Idle(w, func(p chain.Part) {
			if p.Class != chain.NoReadyTask {
				return
			}
			from, to := float64(max(0, p.From)), float64(min(p.To, in.Makespan))
			for b := int(from / width); b < rampSlices && float64(b)*width < to; b++ {
				nothing[b] += max(0, min(to, float64(b+1)*width)-max(from, float64(b)*width)) * in.speed[w] / in.capacity
			}
		})
	}
	all := 0.0
	for _, ns := range nothing {
		all += ns
	}
	for _, end := range []string{"start", "end"} {
		at := func(i int) float64 {
			if end == "end" {
				i = rampSlices - 1 - i
			}
			return nothing[i]
		}
		sum, best, cost := 0.0, 0, 0.0
		for i := range int(rampLongest * rampSlices) {
			if sum += at(i); sum >= rampDensity*width*float64(i+1) && at(i) >= rampDensity*width {
				best, cost = i+1, sum
			}
		}
		if best == 0 {
			continue
		}
		length := int64(width * float64(best))
		rest := (all - cost) / float64(in.Makespan-length)
		if share := in.share(int64(cost)); share < rampSome || cost/float64(length) < rampRest*rest {
			continue
		}
		window := []int64{0, length}
		if end == "end" {
			window = []int64{in.Makespan - length, in.Makespan}
		}
		found = append(found, Symptom{
			ID: "ramp", Basis: Bound, Weak: in.share(int64(cost)) < rampShare || len(in.nodes()) > 1, Gain: int64(cost), Where: Where{Window: window},
			Evidence: map[string]any{"of": end, "idle_without_ready_ns": int64(cost), "length_ns": length, "idle_share": cost / float64(length)},
		})
	}
	return found
}
