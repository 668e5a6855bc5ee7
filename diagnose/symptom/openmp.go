package symptom

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"dagscope/explain/schedule"
	"dagscope/explain/tasking"
	"dagscope/internal/interval"
	"dagscope/internal/stat"
	"dagscope/trace"
)

// Limits of judgements on OpenMP programs.
const (
	imbalanced       = 0.05 // share of the time that the busiest threads work longer than the mean
	foreign          = 20e3 // ns between two creations from which the program's own code is in between
	starving         = 0.1  // share of the makespan that threads are idle and nothing is created
	keepsUp          = 0.5  // of a task's work that the others do between two creations
	oneCreator       = 0.9  // share of the tasks that a single creator creates
	fineShare        = 0.1  // of a task's work that its creation takes from where it is too small
	significantWaits = 3    // phases from which a mean over them says something
)

// openMP reports whether a run records states of OpenMP.
func (in *Input) openMP() bool {
	return slices.Contains(in.Run.State.Type.Dict, "OpenMP")
}

// phase is a time between synchronisations of a team, and what its threads worked.
type phase struct {
	from, to int64
	work     map[int32]int64
	task     map[int32]int64 // longest single task by thread
}

// loadImbalance: threads that meet at a barrier or taskwait have worked differently long.
// Null hypothesis: the work of a phase is shared evenly, its threads differ by chance and
// another one is the longest each time. Gain: what the longest thread of each phase works
// beyond the mean, summed over phases; where tasks are waited for it counts only if a
// single task is what is longer, since else the schedule could have shared it, or where
// there are three phases and more (t test of the excesses against 0).
func loadImbalance(in *Input) []Symptom {
	if !in.openMP() || len(in.workers) < 2 {
		return nil
	}
	var loops []phase
	if in.regionFacts == nil { // else constructs say it, with their lines
		loops = in.regions()
	}
	waits := in.taskwaits()
	total := max(in.Makespan, in.Run.Meta.Horizon)
	var found []Symptom
	for _, g := range []struct {
		name   string
		phases []phase
	}{{"loops", loops}, {"tasks", waits}} {
		sum, excesses := 0.0, []float64{}
		byThread := map[int32]float64{}
		single := 0
		for _, p := range g.phases {
			var all, most int64
			thread := trace.None
			for _, w := range in.workers {
				if n := p.work[w]; n > most || thread == trace.None {
					most, thread = n, w
				}
				all += p.work[w]
			}
			more := float64(most) - float64(all)/float64(len(in.workers))
			if g.name == "tasks" && float64(p.task[thread]) >= more {
				single++
			}
			sum += more
			excesses = append(excesses, more)
			byThread[thread] += more
		}
		if sum < imbalanced*float64(total) || len(excesses) == 0 || g.name == "tasks" && (2*single < len(g.phases) || len(g.phases) < significantWaits) {
			continue
		}
		if m := stat.Summarize(excesses); len(excesses) >= significantWaits && m.SD > 0 && m.Mean < 2*m.SD/math.Sqrt(float64(len(excesses))) {
			continue
		}
		worst := slices.MaxFunc(sortedKeys(byThread), func(a, b int32) int { return cmp.Compare(byThread[a], byThread[b]) })
		s := Symptom{ID: "load-imbalance", Basis: Bound, Gain: int64(sum), Evidence: map[string]any{
			"of": g.name, "phases": len(g.phases), "excess_ns": int64(sum), "worker": in.Run.Resource.Name.At(int(worst)), "worker_share": byThread[worst] / sum,
		}}
		if byThread[worst] > 0.8*sum {
			s.Where.Workers = []string{in.Run.Resource.Name.At(int(worst))}
		}
		found = append(found, s)
	}
	return append(found, unevenConstructs(in)...)
}

// regions are parallel regions that created no tasks: a phase for each group of implicit
// tasks of one parent that run at the same time. A thread works until it waits at the
// barrier at the end.
func (in *Input) regions() []phase {
	t, st := &in.Run.Task, &in.Run.State
	if len(t.Parent) == 0 {
		return nil
	}
	creates := map[int32]bool{}
	for v := range t.Start {
		if !t.Internal[v] && t.Parent[v] != trace.None {
			creates[t.Parent[v]] = true
		}
	}
	waiting := map[int32]*interval.Spans{}
	for i := range st.Start {
		if strings.HasPrefix(st.Kind.At(i), "barrier") && st.End[i] > st.Start[i] {
			w := st.Resource[i]
			if waiting[w] == nil {
				waiting[w] = &interval.Spans{}
			}
			waiting[w].Add(st.Start[i], st.End[i])
		}
	}
	covers := map[int32]*interval.Cover{}
	for w, s := range waiting {
		c := interval.NewCover(interval.Union(*s))
		covers[w] = &c
	}
	var implicit []int32
	for v := range t.Start {
		if t.Internal[v] && t.Kind.At(v) == "implicit task" && t.Start[v] != trace.NoTime && t.Worker[v] != trace.None && t.End[v] > t.Start[v] {
			implicit = append(implicit, int32(v))
		}
	}
	slices.SortStableFunc(implicit, func(a, b int32) int { return cmp.Compare(t.Start[a], t.Start[b]) })
	var list []phase
	tasks := false
	for i, v := range implicit {
		if i == 0 || t.Start[v] >= list[len(list)-1].to || list[len(list)-1].work[t.Worker[v]] > 0 {
			if tasks {
				list = list[:len(list)-1]
			}
			list, tasks = append(list, phase{from: t.Start[v], work: map[int32]int64{}}), false
		}
		p := &list[len(list)-1]
		p.to = max(p.to, t.End[v])
		tasks = tasks || creates[v]
		work := t.End[v] - t.Start[v]
		if c := covers[t.Worker[v]]; c != nil {
			work -= c.Within(t.Start[v], t.End[v])
		}
		p.work[t.Worker[v]] = max(1, work)
	}
	if tasks {
		list = list[:len(list)-1]
	}
	return list
}

// taskwaits are the phases that end with a taskwait, or with a barrier within a parallel
// region: from the end of the one before.
func (in *Input) taskwaits() []phase {
	t, st := &in.Run.Task, &in.Run.State
	var list []phase
	barriers := map[int32][]phase{}
	for i := range st.Start {
		if st.End[i] <= st.Start[i] {
			continue
		}
		p := phase{from: st.Start[i], to: st.End[i], work: map[int32]int64{}, task: map[int32]int64{}}
		switch k := st.Kind.At(i); {
		case k == "taskwait" || strings.HasPrefix(k, "taskgroup"):
			list = append(list, p)
		case k == "explicit barrier":
			barriers[st.Resource[i]] = append(barriers[st.Resource[i]], p)
		}
	}
	if len(list) == 0 { // each thread waits: one of them says when
		for _, w := range sortedKeys(barriers) {
			if len(barriers[w]) > len(list) {
				list = barriers[w]
			}
		}
		slices.SortFunc(list, func(a, b phase) int { return cmp.Compare(a.from, b.from) })
		for i := 0; i+1 < len(list); i++ { // a thread goes on when it notices, its tasks may run before
			if list[i].to > list[i+1].from {
				list[i].to = list[i+1].from
			}
		}
	}
	slices.SortFunc(list, func(a, b phase) int { return cmp.Compare(a.to, b.to) })
	for i := range list {
		if i > 0 && list[i].from < list[i-1].to {
			return nil // taskwaits within others: recursion, whose phases are not a team's
		}
	}
	for i := range list {
		list[i].from = 0
		if i > 0 {
			list[i].from = list[i-1].to
		}
	}
	i := 0
	for _, v := range in.task {
		for i < len(list) && t.Start[v] >= list[i].to {
			i++
		}
		if i == len(list) {
			break
		}
		w := t.Worker[v]
		list[i].work[w] += in.dur[v]
		list[i].task[w] = max(list[i].task[w], in.dur[v])
	}
	return list
}

// serialCreator: one thread creates the tasks more slowly than the others execute them.
// Null hypothesis: threads are idle because tasks wait for others, or none are left to
// create. Against it speaks that in the time between two creations, more than 20 µs, so that
// the program's own code is there, the others do half a task or more, while they are idle
// for a tenth of the makespan before the last creation. (What takes less is the runtime's work: too-fine.) Gain: their idle
// time until the last creation, over the threads.
func serialCreator(in *Input) []Symptom {
	if !in.openMP() || len(in.task) < 2 || len(in.workers) < 2 {
		return nil
	}
	t := &in.Run.Task
	creation := tasking.FindCreation(in.Run, tasking.Options{})
	if len(creation.Gaps) == 0 || len(creation.Creators) == 0 {
		return nil
	}
	first, all := creation.Creators[0].Tasks, int64(0)
	for _, c := range creation.Creators {
		all += c.Tasks
	}
	gap, work := creation.Gaps[0].Median, creation.Work[0]
	if float64(first) < oneCreator*float64(all) || gap < foreign {
		return nil
	}
	last := int64(0)
	for _, v := range in.task {
		if at := t.Submit[v]; at != trace.NoTime {
			last = max(last, at)
		}
	}
	others := float64(len(in.workers) - 1)
	if float64(gap)*others < keepsUp*float64(work) || in.share(creation.Estimate()) < starving {
		return nil
	}
	lanes := schedule.Build(in.Run, nil)
	var idle int64
	for _, w := range in.workers {
		if w != creation.Creators[0].Worker {
			idle += last - interval.Clip(lanes.Work(w), 0, last).Length()
		}
	}
	cost := idle / int64(len(in.workers))
	if in.share(cost) < starving {
		return nil
	}
	return []Symptom{{ID: "serial-creator", Basis: Bound, Gain: cost, Where: Where{Source: in.sourceOf(t.Kind.At(int(in.task[0])))}, Evidence: map[string]any{
		"worker": in.Run.Resource.Name.At(int(creation.Creators[0].Worker)), "tasks_created": first, "tasks": all, "gap_ns": gap, "work_per_task_ns": work, "idle_ns": idle,
	}}}
}

// fineCreation: creating a task of a kind takes the runtime a tenth of the task's work or
// more, by the median time between two creations. Null hypothesis: it takes less, for each
// kind by itself: large tasks beside small ones do not make these cheaper. Kinds between
// whose creations there is more than 20 µs are left out: that is the program's own code.
// Gain: what tasks ten times as large would save of the creators' time. It does not judge
// (ok false) where no kind is too fine and the program's own code is between the creations
// of some.
func fineCreation(in *Input) (found []Symptom, ok bool) {
	creation := tasking.FindCreation(in.Run, tasking.Options{})
	if len(creation.Gaps) == 0 || len(creation.Creators) == 0 {
		return nil, true
	}
	t := &in.Run.Task
	s := Symptom{ID: "too-fine", Basis: Bound}
	var cost, gaps, work, tasks, most int64
	own := false
	for i, g := range creation.Gaps[1:] {
		per, n := g.Median, creation.Tasks[i+1]
		if g.Count == 0 {
			per = creation.Gaps[0].Median
		}
		if per >= foreign {
			own = true
			continue
		}
		if float64(per) < fineShare*float64(creation.Work[i+1]) || n == 0 {
			continue
		}
		cost += per * n
		gaps, work, tasks = gaps+per*n, work+creation.Work[i+1]*n, tasks+n
		if s.Where.Kinds = append(s.Where.Kinds, t.Kind.Dict[g.Kind]); per*n > most { // the costliest first
			most = per * n
			last := len(s.Where.Kinds) - 1
			s.Where.Kinds[0], s.Where.Kinds[last] = s.Where.Kinds[last], s.Where.Kinds[0]
		}
	}
	if tasks == 0 {
		return nil, !own
	}
	s.Gain = int64((1 - fineShare) * float64(cost) / creation.Concurrent())
	s.Evidence = map[string]any{"creation_per_task_ns": gaps / tasks, "work_per_task_ns": work / tasks, "tasks": tasks, "median_ns": work / tasks, "of_tasks": creation.Tasks[0]}
	return []Symptom{s}, true
}
