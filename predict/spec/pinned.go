package spec

import (
	"cmp"
	"math"
	"slices"

	"dagscope/predict/platform"
	"dagscope/predict/starpu/policy"
	"dagscope/predict/workload"
	"dagscope/trace"
)

// pinnedScheduler is what a replay with the recorded schedule is called.
const pinnedScheduler = "pinned"

// pinned is the recorded schedule of the graph's run on the machine; nil unless
// the spec wants it repeated.
func (s *Spec) pinned(e engine, m *platform.Machine, p program, g *workload.Graph) (*policy.Recorded, error) {
	if !s.Options.Pinned {
		return nil, nil
	}
	fail := func(format string, args ...any) (*policy.Recorded, error) {
		return nil, s.errorf(at("options", "pinned"), format, args...)
	}
	switch {
	case p.recorded == nil || timeless(p.recorded.run):
		return fail("found no recorded run to repeat, want its task graph (graph: RUN, --from RUN)")
	case e.plain:
		return fail("found the plain engine, want options: {engine: exact}")
	case s.Scheduler != "":
		return fail("found scheduler %s, want none: workers run what they ran", s.Scheduler)
	case s.Workload.Generate.Kind != "":
		return fail("found tasks in front of the recorded ones (generate), want none")
	}
	run := p.recorded.run
	worker, err := sameWorkers(run, m)
	if err != nil {
		return fail("%w", err)
	}
	r := &policy.Recorded{Worker: make([]int32, g.Tasks()), Start: make([]int64, g.Tasks())}
	for i, row := range p.recorded.rows {
		r.Worker[i] = workload.None
		if g.HasWork(i) {
			r.Worker[i], r.Start[i] = worker[run.Task.Worker[row]], run.Task.Start[row]
		}
	}
	if r.Delay, err = s.delays(p.recorded, m, g); err != nil {
		return nil, err
	}
	r.Prefetch = slices.Contains(run.Transfer.Kind.Dict, trace.TransferTaskPrefetch)
	return r, nil
}

// makespan is how long the tasks of a run took, from the first start to the last
// end, without those that make the input.
func (from *recording) makespan(g *workload.Graph) int64 {
	first, last := int64(math.MaxInt64), int64(math.MinInt64)
	for i, row := range from.rows {
		if g.HasWork(i) && !g.Classes[g.Class[i]].Generation {
			first, last = min(first, from.run.Task.Start[row]), max(last, from.run.Task.End[row])
		}
	}
	return max(0, last-first)
}

// sameWorkers finds, by resource of a run, the worker of a machine that is the
// same: the first of its architecture on its node is the first of that architecture
// there, and so on.
func sameWorkers(run *trace.Run, m *platform.Machine) (map[int32]int32, error) {
	type place struct {
		node int32
		arch string
	}
	free := make(map[place][]int32)
	for i := range m.Workers {
		p := place{m.Workers[i].Node, m.Workers[i].Arch}
		free[p] = append(free[p], int32(i))
	}
	re := &run.Resource
	var rows []int32
	for i := range re.Parent {
		if re.Level.At(i) == trace.LevelWorker {
			rows = append(rows, int32(i))
		}
	}
	slices.SortStableFunc(rows, func(a, b int32) int { return cmp.Compare(re.Index[a], re.Index[b]) })
	ran := make(map[int32]bool)
	for _, w := range run.Task.Worker {
		ran[w] = true
	}
	same := make(map[int32]int32)
	for _, row := range rows {
		arch, _ := typeOf(re, row)
		p := place{max(re.Node[row], 0), arch}
		if len(free[p]) == 0 {
			if ran[row] {
				return nil, errorf("found no %s worker for %s of the run, want all workers of the run", arch, re.Name.At(int(row)))
			}
			continue
		}
		same[row] = free[p][0]
		free[p] = free[p][1:]
	}
	return same, nil
}

// delays are how much later each task of a run began than its predecessors and the
// task before it on its worker had ended, and it was submitted, less what the
// simulator has a worker do before a task: what the runtime and the operating system
// took of a native run. They are known where data does not move, which would be a
// delay as well; nil otherwise.
func (s *Spec) delays(from *recording, m *platform.Machine, g *workload.Graph) ([]int64, error) {
	if len(m.Memories) > m.Nodes() {
		return nil, nil
	}
	t := &from.run.Task
	possible, err := from.latest(g)
	if err != nil {
		return nil, err
	}
	byStart := make([]int32, 0, len(from.rows))
	for i := range from.rows {
		if g.HasWork(i) {
			byStart = append(byStart, int32(i))
		}
	}
	slices.SortStableFunc(byStart, func(a, b int32) int { return cmp.Compare(t.Start[from.rows[a]], t.Start[from.rows[b]]) })
	costs := s.Costs.of()
	received := from.received()
	delay, before, data := make([]int64, g.Tasks()), make(map[int32]int64), newDataUses(g)
	for _, i := range byStart {
		row := from.rows[i]
		at := max(possible[i], t.Submit[row], received(row))
		if end, ran := before[t.Worker[row]]; ran {
			at = max(at, end)
		}
		at = max(at, data.free(g, i, t.Start[row]))
		data.used(g, i, t.End[row])
		before[t.Worker[row]] = t.End[row]
		if at != trace.NoTime { // else it is the first of its worker, and nothing is known of its submission
			accesses := float64(g.AccessAt[i+1] - g.AccessAt[i])
			delay[i] = max(0, int64(float64(t.Start[row]-at)-costs.Push-costs.Fetch*accesses))
		}
	}
	return delay, nil
}

// received finds when the last of the messages had arrived that a task waited for,
// trace.NoTime without any.
func (from *recording) received() func(row int32) int64 {
	run := from.run
	messages := arrivalsOf(run)
	if len(messages) == 0 {
		return func(int32) int64 { return trace.NoTime }
	}
	tags := make(map[int32][]int64) // by row
	for i, row := range run.Access.Task {
		if h := run.Access.Handle[i]; h != trace.None {
			tags[row] = append(tags[row], run.Handle.Tag[h])
		}
	}
	return func(row int32) int64 {
		at, node := int64(trace.NoTime), run.Resource.Node[run.Task.Worker[row]]
		for _, tag := range tags[row] {
			at = max(at, messages.last(node, tag, run.Task.Start[row]))
		}
		return at
	}
}

// dataUses are when the last of the tasks so far that read and that wrote each
// piece of data ended: tasks that exclude each other without depending on each
// other, since their updates commute, wait for that.
type dataUses struct{ read, written []int64 }

func newDataUses(g *workload.Graph) *dataUses {
	never := slices.Repeat([]int64{trace.NoTime}, len(g.Bytes))
	return &dataUses{never, slices.Clone(never)}
}

// free is when the data of a task was free for it, of what ended by its start.
func (d *dataUses) free(g *workload.Graph, task int32, start int64) int64 {
	at := int64(trace.NoTime)
	for x := g.AccessAt[task]; x < g.AccessAt[task+1]; x++ {
		ends := []int64{d.written[g.Handle[x]]}
		if g.Mode[x]&workload.Write != 0 {
			ends = append(ends, d.read[g.Handle[x]])
		}
		for _, end := range ends {
			if end <= start {
				at = max(at, end)
			}
		}
	}
	return at
}

// used notes when a task ended.
func (d *dataUses) used(g *workload.Graph, task int32, end int64) {
	for x := g.AccessAt[task]; x < g.AccessAt[task+1]; x++ {
		h := g.Handle[x]
		if g.Mode[x]&workload.Write != 0 {
			d.written[h] = max(d.written[h], end)
		} else {
			d.read[h] = max(d.read[h], end)
		}
	}
}

// latest is when the last of each task's predecessors ended, trace.NoTime without
// any, through joins and tasks without work.
func (from *recording) latest(g *workload.Graph) ([]int64, error) {
	deps, err := workload.Infer(g)
	if err != nil {
		return nil, err
	}
	order, err := deps.Topological()
	if err != nil {
		return nil, err
	}
	latest := slices.Repeat([]int64{trace.NoTime}, deps.Nodes())
	for _, v := range order {
		end := latest[v]
		if int(v) < g.Tasks() && g.HasWork(int(v)) {
			end = from.run.Task.End[from.rows[v]]
		}
		for _, next := range deps.Succs(v) {
			latest[next] = max(latest[next], end)
		}
	}
	return latest, nil
}
