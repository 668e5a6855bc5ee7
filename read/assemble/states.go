package assemble

import (
	"slices"

	"dagscope/trace"
)

// addStates takes over every span that is not a task, by resource.
func (a *assembler) addStates() {
	s := &a.in.State
	runs := a.stateRuns()
	for i, c := range s.Container {
		s.Container[i] = a.resource[c]
	}
	st := &a.out.State
	st.Task = a.stateTasks()
	pick(runs, &s.Container, &s.Type.Index, &s.Kind.Index, &s.Depth, &st.Task)
	pick(runs, &s.Start, &s.End)
	st.Resource, st.Start, st.End, st.Depth = s.Container, s.Start, s.End, s.Depth
	st.Type = trace.Strings{Dict: s.Type.Dict, Index: s.Type.Index}
	st.Kind = trace.Strings{Dict: s.Kind.Dict, Index: s.Kind.Index}
	spellOut(st)
	a.in.State = States{}
	a.in.Extended = Extended{}
}

// stateTasks are the tasks that spans which are none belong to, nil if none
// does.
func (a *assembler) stateTasks() []int32 {
	tasks := a.in.State.Extended
	named := false
	for row, ext := range tasks {
		if ext != trace.None {
			tasks[row] = a.taskOfExt[ext]
			named = named || !a.isTask[row] && tasks[row] != trace.None
		}
	}
	if !named {
		return nil
	}
	return tasks
}

// undeclared are aliases that StarPU's communication threads write without
// declaring them for their type of states: neither the trace nor CSV files made
// of it can say what they mean.
var undeclared = map[string]string{
	"Sc": "Scheduling", "Sl": "Sleeping", "P": "Progressing", "C": "Callback", "B": "Overhead", "I": "Idle",
	"In": "Initializing", "D": "Deinitializing", "Fi": "FetchingInput", "Po": "PushingOutput",
}

// spellOut gives the states of communication threads their names.
func spellOut(st *trace.States) {
	name := make([]int32, len(st.Kind.Dict))
	for i, kind := range st.Kind.Dict {
		name[i] = trace.None
		if full, ok := undeclared[kind]; ok {
			name[i] = st.Kind.Intern(full)
		}
	}
	comm := st.Type.Find("Communication Thread State")
	for i, k := range st.Kind.Index {
		if st.Type.Index[i] == comm && k >= 0 && name[k] != trace.None {
			st.Kind.Index[i] = name[k]
		}
	}
}

// run is rows from … to-1.
type run struct{ from, to int32 }

// stateRuns lists the spans that are no tasks in runs of one container, by
// resource and else as they come: readers mostly have those of a container
// together.
func (a *assembler) stateRuns() []run {
	container := a.in.State.Container
	var runs []run
	for from := 0; from < len(container); {
		to := from
		for to < len(container) && container[to] == container[from] && !a.isTask[to] {
			to++
		}
		if from < to {
			runs = append(runs, run{int32(from), int32(to)})
		}
		from = max(to, from+1)
	}
	return runsBy(runs, len(a.out.Resource.Parent), func(r run) int32 { return a.resource[container[r.from]] })
}

// runsBy sorts runs by a number below n; equal ones stay as they are.
func runsBy(runs []run, n int, number func(run) int32) []run {
	first := make([]int32, n+1)
	for _, r := range runs {
		first[number(r)+1]++
	}
	for i := range n {
		first[i+1] += first[i]
	}
	sorted := make([]run, len(runs))
	for _, r := range runs {
		at := &first[number(r)]
		sorted[*at] = r
		*at++
	}
	return sorted
}

// pick replaces columns (nil ones aside), equally long, by the rows of the runs.
func pick[T any](runs []run, columns ...*[]T) {
	var room []T // the memory of the column before
	for _, c := range columns {
		if *c == nil {
			continue
		}
		picked := slices.Grow(room[:0], len(*c))
		for _, r := range runs {
			picked = append(picked, (*c)[r.from:r.to]...)
		}
		*c, room = picked, *c
	}
}
