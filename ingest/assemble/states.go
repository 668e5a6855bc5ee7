package assemble

import (
	"dagscope/trace"
)

// addStates takes over every span that is not a task, grouped by resource.
func (a *assembler) addStates() {
	s := &a.State
	rows := a.byResource()
	st := &a.Run.State
	n := len(rows)
	st.Resource = make([]int32, n)
	st.Task = make([]int32, n)
	named := false
	for i, row := range rows {
		st.Resource[i] = a.resource[s.Container[row]]
		st.Task[i] = trace.None
		if ext := s.Extended[row]; ext != trace.None {
			st.Task[i] = a.taskOfExt[ext]
			named = named || st.Task[i] != trace.None
		}
	}
	if !named {
		st.Task = nil
	}
	st.Type = trace.Strings{Dict: s.Type.Dict, Index: take(&s.Type.Index, rows)}
	st.Kind = trace.Strings{Dict: s.Kind.Dict, Index: take(&s.Kind.Index, rows)}
	spellOut(st)
	st.Start, st.End = take(&s.Start, rows), take(&s.End, rows)
	st.Depth = take(&s.Depth, rows)
	a.State = States{}
	a.Extended = Extended{}
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

// byResource lists the rows to keep, by resource (a stable counting sort: what
// is in time order stays so).
func (a *assembler) byResource() (rows []int32) {
	s := &a.State
	first := make([]int32, len(a.Run.Resource.Parent)+1)
	keep := make([]bool, len(s.Start)) // what is no task
	tasks := 0
	for row := range keep {
		if keep[row] = !a.isTask[row]; keep[row] {
			first[a.resource[s.Container[row]]+1]++
		} else {
			tasks++
		}
	}
	for i := 1; i < len(first); i++ {
		first[i] += first[i-1]
	}
	rows = make([]int32, len(keep)-tasks)
	for row, k := range keep {
		if k {
			r := a.resource[s.Container[row]]
			rows[first[r]] = int32(row)
			first[r]++
		}
	}
	return rows
}

// take gathers rows of a column and gives the column up.
func take[T any](from *[]T, rows []int32) []T {
	to := make([]T, len(rows))
	for i, row := range rows {
		to[i] = (*from)[row]
	}
	*from = nil
	return to
}
