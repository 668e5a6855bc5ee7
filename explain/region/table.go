package region

import (
	"dagscope/explain/lock"
	"dagscope/explain/numbers"
	"dagscope/trace"
)

// Table is a row for each place and one for the time outside of regions, longest first.
func (f *Facts) Table(run *trace.Run) numbers.Table {
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
	var t numbers.Table
	t.Add("construct", "", &construct)
	t.Add("function", "", &function)
	t.Add("file", "", &file)
	t.Add("line", "", line)
	t.Add("schedule", "", &schedule)
	t.Add("inside", "", inside)
	t.Add("team", "", team)
	t.Add("calls", "", whole[0])
	t.Add("wall", "ns", whole[1])
	t.Add("wall_share", "", share)
	for i, name := range []string{"time", "work", "lock", "off_cpu", "idleness", "overhead", "barrier", "tasks", "imbalance_cost"} {
		t.Add(name, "ns", whole[2+i])
	}
	t.Add("imbalance", "", imbalance)
	t.Add("slowest", "", &slowest)
	t.Add("chunks", "", whole[11])
	t.Add("iterations", "", whole[12])
	return t
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
