package region

import (
	"dagscope/explain/lock"
	"dagscope/explain/numbers"
	"dagscope/trace"
)

// Columns describes what Values computes.
var Columns = []numbers.Column{
	{Name: "construct", Doc: "parallel, loop, sections, single, masked, taskloop, …; serial is the time outside of all parallel regions"},
	{Name: "function", Doc: "that it is in"},
	{Name: "file", Doc: "of the source, where debug information has it"},
	{Name: "line", Doc: "of the source, 0 where it is not known"},
	{Name: "schedule", Doc: "of a loop"},
	{Name: "inside", Doc: "row of the construct around it, counted from 0; -1 for none"},
	{Name: "team", Doc: "threads of the largest team"},
	{Name: "calls", Doc: "how often a team met it"},
	{Name: "wall", Unit: "ns", Doc: "in which some call of it was going on"},
	{Name: "wall_share", Doc: "the same as a share of the window"},
	{Name: "time", Unit: "ns", Doc: "of all threads in it: work, idleness and overhead"},
	{Name: "work", Unit: "ns", Doc: "they ran a task, implicit ones included"},
	{Name: "lock", Unit: "ns", Doc: "of the work: they waited for locks"},
	{Name: "off_cpu", Unit: "ns", Doc: "of the work: they had no processor, as far as it is known"},
	{Name: "idleness", Unit: "ns", Doc: "they ran no task and none was ready"},
	{Name: "overhead", Unit: "ns", Doc: "they ran no task although some was ready"},
	{Name: "barrier", Unit: "ns", Doc: "of idleness and overhead: they waited at barriers"},
	{Name: "tasks", Unit: "ns", Doc: "of the work: explicit tasks"},
	{Name: "imbalance_cost", Unit: "ns", Doc: "wall time that an even division of the work would save"},
	{Name: "imbalance", Doc: "work of the longest thread over the mean, waits for locks and time without processor left out"},
	{Name: "slowest", Doc: "thread that is the longest for most of the cost"},
	{Name: "chunks", Doc: "of loops: handed out"},
	{Name: "iterations", Doc: "of loops"},
}

// Values are the columns of a row for each place and one for the time outside of regions,
// longest first.
func (f *Facts) Values(run *trace.Run) []any {
	var construct, function, file, schedule, slowest trace.Strings
	var line, inside, team []int32
	n := len(f.Places) + 1
	whole := make([][]int64, 13)
	imbalance, share := make([]float64, 0, n), make([]float64, 0, n)
	add := func(p *Place) {
		construct.Append(p.Kind)
		function.Append(p.Function)
		file.Append(p.File)
		schedule.Append(p.Schedule)
		name := ""
		if p.Slowest != trace.None {
			name = run.Resource.Name.At(int(p.Slowest))
		}
		slowest.Append(name)
		line, inside, team = append(line, p.Line), append(inside, int32(p.Parent)), append(team, int32(p.Team))
		for i, v := range []int64{p.Calls, p.Wall, p.Time, p.Work, p.Lock, p.Queued, p.Idle, p.Over, p.Barrier, p.Tasks, p.Cost(), p.Chunks, p.Iterations} {
			whole[i] = append(whole[i], v)
		}
		imbalance, share = append(imbalance, p.Imbalance()), append(share, float64(p.Wall)/float64(max(1, f.To-f.From)))
	}
	for i := range f.Places {
		add(&f.Places[i])
	}
	add(&f.Serial)
	out := []any{&construct, &function, &file, line, &schedule, inside, team, whole[0], whole[1], share}
	for _, w := range whole[2:11] {
		out = append(out, w)
	}
	return append(out, imbalance, &slowest, whole[11], whole[12])
}

// LockTable is a row for each lock and line that asks for it, the most waited for first.
func LockTable(f *lock.Facts) numbers.Table {
	var kind, name, function, file trace.Strings
	var line, threads []int32
	whole := make([][]int64, 5)
	for _, u := range f.Lines {
		kind.Append(u.Kind)
		name.Append(u.Lock)
		function.Append(u.Function)
		file.Append(u.File)
		line, threads = append(line, max(0, u.Line)), append(threads, int32(u.Threads))
		for i, v := range []int64{u.Requests, u.Contended, u.Waiting, u.Longest, u.Holding} {
			whole[i] = append(whole[i], v)
		}
	}
	var t numbers.Table
	t.Add("kind", "", &kind)
	t.Add("lock", "", &name)
	t.Add("function", "", &function)
	t.Add("file", "", &file)
	t.Add("line", "", line)
	t.Add("threads", "", threads)
	t.Add("requests", "", whole[0])
	t.Add("contended", "", whole[1])
	t.Add("waiting", "ns", whole[2])
	t.Add("longest", "ns", whole[3])
	t.Add("holding", "ns", whole[4])
	return t
}
