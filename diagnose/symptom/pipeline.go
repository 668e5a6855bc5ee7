package symptom

import (
	"slices"

	"dagscope/explain/chain"
	"dagscope/trace"
)

// Limits of the judgement on pipelines.
const (
	handover = 2e3   // ns: with the next kernel queued, a device goes on sooner
	handed   = 50    // such changes of tasks to say anything of
	queued   = 100e3 // ns before the end of the one task that the next one must have been ready
)

// pipeline: devices wait between tasks although the next was there in time. Null
// hypothesis: the kernel of a task that has been ready for a while is queued behind that
// which runs, so that at least one in ten begins within two microseconds of the end of
// the other; if one in two did, fewer than one in ten of fifty would be an accident of less
// than 1e-9. Gain: the runtime's work on the chain, or between tasks of the devices.
func pipeline(in *Input) []Symptom {
	t := &in.Run.Task
	last := map[int32]int32{}
	var gaps []float64
	archs := map[string]bool{}
	for _, v := range in.task {
		w := t.Worker[v]
		if name := in.memory(in.manager[w]); name == "" || name == "RAM" {
			continue
		}
		if u, known := last[w]; known && t.Ready[v] != trace.NoTime && t.Ready[v] <= t.End[u]-queued {
			gaps = append(gaps, float64(t.Start[v]-t.End[u]))
			archs[in.Run.Resource.Arch.At(int(w))] = true
		}
		last[w] = v
	}
	if len(gaps) < handed || quantile(gaps, 0.1) < handover {
		return nil
	}
	var onChain int64
	idle := 0.0
	for _, p := range in.critical.Parts {
		if p.Class == chain.Runtime && p.Resource != trace.None && in.device(p.Resource) {
			onChain += p.To - p.From
		}
	}
	capacity := 0.0
	for i, w := range in.workers {
		if in.device(w) {
			idle += float64(in.waiting[i][chain.Runtime]) * in.speed[w]
			capacity += in.speed[w]
		}
	}
	s := Symptom{ID: "pipeline", Basis: Bound, Gain: max(onChain, int64(idle/capacity)), Evidence: map[string]any{
		"changes": len(gaps), "gap_median_ns": int64(median(gaps)), "gap_low_ns": int64(quantile(gaps, 0.1)), "on_chain_ns": onChain,
	}}
	for a := range archs {
		s.Where.Archs = append(s.Where.Archs, a)
	}
	slices.Sort(s.Where.Archs)
	return []Symptom{s}
}

// device reports whether a resource is a worker with a memory of its own.
func (in *Input) device(r int32) bool {
	name := in.memory(in.manager[r])
	return name != "" && name != "RAM" && in.speed[r] > 0
}
