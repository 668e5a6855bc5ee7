package assemble

import (
	"dagscope/trace"
)

// addStates takes over every span that is not a task.
func (a *assembler) addStates() {
	s := &a.State
	st := &a.Run.State
	st.Task = a.stateTasks()
	st.Resource = without(s.Container, a.isTask)
	for i, c := range st.Resource {
		st.Resource[i] = a.resource[c]
	}
	st.Type = trace.Strings{Dict: s.Type.Dict, Index: without(s.Type.Index, a.isTask)}
	st.Kind = trace.Strings{Dict: s.Kind.Dict, Index: without(s.Kind.Index, a.isTask)}
	spellOut(st)
	st.Start, st.End = without(s.Start, a.isTask), without(s.End, a.isTask)
	st.Depth = without(s.Depth, a.isTask)
	a.State = States{}
	a.Extended = Extended{}
}

// stateTasks are the tasks that spans belong to, nil if none does.
func (a *assembler) stateTasks() []int32 {
	tasks := without(a.State.Extended, a.isTask)
	named := false
	for i, ext := range tasks {
		if ext != trace.None {
			tasks[i] = a.taskOfExt[ext]
			named = named || tasks[i] != trace.None
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

// without takes the flagged rows out of a column, in place.
func without[T any](values []T, flagged []bool) []T {
	kept := values[:0]
	for i, v := range values {
		if !flagged[i] {
			kept = append(kept, v)
		}
	}
	return kept
}
