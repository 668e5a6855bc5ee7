package symptom

import (
	"math"

	"dagscope/explain/chain"
	"dagscope/explain/depend"
	"dagscope/explain/schedule"
	"dagscope/internal/interval"
	"dagscope/internal/stat"
	"dagscope/trace"
)

// Shares of the makespan from which the submitting thread is looked at.
const (
	lateShare = 0.05 // of the chain or the idle time that is submission
	someLate  = 0.02 // the same, weakly
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
	s := submitting{cost: max(in.classes(chain.Submission, chain.Synchronisation, chain.Creation), in.unsubmitted())}
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

// unsubmitted is how long workers were idle while a task of their node that
// depends on nothing unfinished was not submitted yet, over the capacity.
func (in *Input) unsubmitted() int64 {
	t, re := &in.Run.Task, &in.Run.Resource
	last := depend.Find(in.Run)
	begin := in.initialised()
	late := map[int32]*interval.Spans{}
	for _, v := range in.task {
		released := begin
		if l := last.Of[v]; l != trace.None && last.End(l) != trace.NoTime {
			released = max(begin, last.End(l))
		}
		if t.Submit[v] != trace.NoTime && t.Submit[v] > released {
			n := re.Node[t.Worker[v]]
			if late[n] == nil {
				late[n] = &interval.Spans{}
			}
			late[n].Add(released, t.Submit[v])
		}
	}
	lanes := schedule.Build(in.Run, nil)
	sum := 0.0
	for n, spans := range late {
		spans.Unite()
		for _, w := range in.workers {
			if re.Node[w] == n {
				idle := interval.Subtract(interval.Clip(*spans, 0, in.Makespan), lanes.Work(w))
				sum += float64(idle.Length()) * in.speed[w] / in.capacity
			}
		}
	}
	return int64(sum)
}

// initialised is when the program's first phase had ended if none of its kinds comes
// again: then it prepared the input, and what came next could not be submitted
// without it. 0 where there is no such phase.
func (in *Input) initialised() int64 {
	t, st, re := &in.Run.Task, &in.Run.State, &in.Run.Resource
	end := int64(math.MaxInt64)
	for i := range st.Start {
		if re.Level.At(int(st.Resource[i])) == trace.LevelUserThread && st.Kind.At(i) == "Waiting all tasks" && st.End[i] > 0 {
			end = min(end, st.End[i])
		}
	}
	before, after := map[int32]bool{}, map[int32]bool{}
	for _, v := range in.task {
		if t.Submit[v] < end {
			before[t.Kind.Index[v]] = true
		} else {
			after[t.Kind.Index[v]] = true
		}
	}
	for k := range before {
		if after[k] || len(after) == 0 {
			return 0
		}
	}
	return end
}

// submission: tasks were not submitted when they could have run. Null hypothesis:
// what the chain, or the workers, waited for was hardly ever the submission. Which
// of three it is follows from what the submitting thread did meanwhile: it waited
// for all tasks between phases (synchronisation), its window of submitted tasks
// was full (submission-window), or neither: it was slow (late-submission). Programs
// whose tasks create tasks are not looked at: explain/tasking does. Gain: the time
// waited for. Where a submission takes no longer than submitting does (finer), and the tasks
// are short, it is they that are too small (too-fine).
func submission(in *Input) []Symptom {
	if in.nested() {
		return nil
	}
	s := in.submitters()
	if in.share(s.cost) < someLate {
		return nil
	}
	weak := in.share(s.cost) < lateShare
	evidence := map[string]any{"waits_ns": s.cost, "window_full_ns": s.throttle, "barrier_ns": s.barrier, "barriers": s.phases}
	switch {
	case s.phases > 0 && s.barrier > s.throttle && 2*s.barrier >= s.cost:
		return []Symptom{{ID: "synchronisation", Basis: Bound, Weak: weak, Gain: s.cost, Evidence: evidence, Where: Where{Window: s.window}}}
	case s.throttle*10 >= in.Makespan:
		return []Symptom{{ID: "submission-window", Basis: Bound, Weak: weak, Gain: s.cost, Evidence: evidence}}
	case in.finer():
		return []Symptom{{ID: "too-fine", Basis: Bound, Weak: weak, Gain: s.cost, Evidence: map[string]any{"runtime_ns": s.cost, "median_ns": int64(in.medianTask()), "tasks": len(in.task)}}}
	}
	return []Symptom{{ID: "late-submission", Basis: Bound, Weak: weak, Gain: s.cost, Evidence: evidence}}
}

// quickSubmission is up to what ns a submission is the runtime's own work.
const quickSubmission = 30e3

// finer reports whether tasks are shorter than [fineTask], and submitted one soon after
// the other.
func (in *Input) finer() bool {
	if len(in.task) < 2 || in.medianTask() > fineTask {
		return false
	}
	first, last := int64(math.MaxInt64), int64(math.MinInt64)
	for _, v := range in.task {
		if at := in.Run.Task.Submit[v]; at != trace.NoTime {
			first, last = min(first, at), max(last, at)
		}
	}
	return float64(last-first)/float64(len(in.task)-1)*float64(max(1, len(in.nodes()))) <= quickSubmission
}

func (in *Input) medianTask() float64 {
	all := make([]float64, len(in.task))
	for i, v := range in.task {
		all[i] = float64(in.dur[v])
	}
	return stat.Quantile(all, 0.5)
}

// nested reports whether tasks create tasks.
func (in *Input) nested() bool {
	for _, v := range in.task {
		if len(in.Run.Task.Parent) > 0 && in.Run.Task.Parent[v] != trace.None {
			return true
		}
	}
	return false
}
