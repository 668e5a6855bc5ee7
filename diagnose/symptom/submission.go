package symptom

import (
	"slices"

	"dagscope/explain/chain"
	"dagscope/trace"
)

// Shares of the makespan from which the submitting thread is looked at.
const (
	lateShare  = 0.05 // of the chain or the idle time that is submission
	waitPhases = 2    // waits for all tasks before the last submission that make phases
)

// submitting is what the threads that submit did while the workers waited for
// them, ns; all but phases over the capacity.
type submitting struct {
	cost     int64 // of not yet submitted and waits for all tasks
	throttle int64 // time in which the window of submitted tasks was full
	barrier  int64 // time in waits for all tasks that were followed by submissions
	phases   int   // such waits
	window   []int64
}

// submitters looks at the states of the threads that submit tasks, up to their
// last submission.
func (in *Input) submitters() submitting {
	s := submitting{cost: in.classes(chain.Submission, chain.Synchronisation, chain.Creation)}
	t, st, re := &in.Run.Task, &in.Run.State, &in.Run.Resource
	last := map[int32]int64{}
	for _, v := range in.task {
		n := re.Node[t.Worker[v]]
		if t.Submit[v] != trace.NoTime {
			last[n] = max(last[n], t.Submit[v])
		}
	}
	from, to := in.Makespan, int64(0)
	for i := range st.Start {
		r := st.Resource[i]
		if re.Level.At(int(r)) != trace.LevelUserThread || st.End[i] <= st.Start[i] {
			continue
		}
		switch end := last[re.Node[r]]; st.Kind.At(i) {
		case "Throttling task submission":
			if st.Start[i] < end {
				s.throttle += min(st.End[i], end) - max(st.Start[i], 0)
			}
		case "Waiting all tasks", "Parallel sync":
			if st.End[i] <= end && st.End[i] > 0 {
				s.barrier += st.End[i] - max(st.Start[i], 0)
				s.phases++
				from, to = min(from, max(0, st.Start[i])), max(to, st.End[i])
			}
		}
	}
	if s.phases > 0 {
		s.window = []int64{from, to}
	}
	nodes := int64(max(1, len(in.nodes())))
	s.throttle, s.barrier = s.throttle/nodes, s.barrier/nodes
	return s
}

// submission: tasks were not submitted when they could have run. Null hypothesis:
// what the chain, or the workers, waited for was hardly ever the submission. Which
// of three it is follows from what the submitting thread did meanwhile: it waited
// for all tasks between phases (synchronisation), its window of submitted tasks
// was full (submission-window), or neither: it was slow (late-submission). Gain:
// the time waited for.
func submission(in *Input) []Symptom {
	s := in.submitters()
	if in.share(s.cost) < lateShare {
		return nil
	}
	evidence := map[string]any{"waits_ns": s.cost, "window_full_ns": s.throttle, "barrier_ns": s.barrier, "barriers": s.phases}
	switch {
	case s.phases >= waitPhases && s.barrier > s.throttle:
		return []Symptom{{ID: "synchronisation", Basis: Bound, Gain: s.cost, Evidence: evidence, Where: Where{Window: s.window}}}
	case s.throttle*10 >= in.Makespan:
		return []Symptom{{ID: "submission-window", Basis: Bound, Gain: s.cost, Evidence: evidence}}
	}
	return []Symptom{{ID: "late-submission", Basis: Bound, Gain: s.cost, Evidence: evidence}}
}

var _ = slices.Sort[[]int]
