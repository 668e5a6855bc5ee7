// Package region answers where the time of each parallel region, loop and other
// worksharing construct of an OpenMP program went: how long it took, how much of its
// threads' time was work, idleness or overhead, how long they waited at barriers and for
// locks, how evenly the work was shared and what the unevenness cost.
//
// The approach: a construct has a share for each thread of its team, from when the
// thread met it to when it left the barrier behind it. In that time the thread works (it
// runs a task, implicit ones included), or does not; the rest is idleness or overhead by
// the definitions of explain/breakdown, so that the three parts add up to the time of
// the share. Barriers are part of the rest, waiting for locks is part of the work.
// Instances of the same construct (kind, function, line, schedule) are summed up to a
// [Place]. Imbalance is the longest thread's work over the mean of the team, by instance
// (DeRose 2007); its cost is the difference, which an even division would save of the
// wall time.
//
// What it does not do: sum up places. Constructs are inside of regions, and regions in
// regions; only [Facts.Serial], the time outside of all regions, and the regions that are
// in no other make up the run.
package region

import (
	"cmp"
	"slices"
	"strings"

	"dagscope/explain/breakdown"
	"dagscope/explain/kind"
	"dagscope/explain/lock"
	"dagscope/explain/processor"
	"dagscope/explain/schedule"
	"dagscope/internal/interval"
	"dagscope/trace"
)

// Needs names the columns that this package reads.
var Needs = slices.Concat(breakdown.Needs, breakdown.LostNeeds, []string{
	"construct.kind", "construct.function", "construct.file", "construct.line", "construct.parent", "construct.start", "construct.leave", "construct.team",
	"construct.schedule", "construct.iterations", "share.construct", "share.resource", "share.start", "share.leave", "share.chunks", "state.type", "task.internal",
})

// Place is a construct of the program with all its instances.
type Place struct {
	Kind     string // one of trace's Construct kinds
	Function string
	File     string
	Line     int32  // < 1 if not known
	Schedule string // of loops, "" if not known

	Parent int // place around it, -1 for none: where there are several, the first
	Calls  int64
	Team   int   // threads of the largest team
	Wall   int64 // ns, in which some instance was going on
	Time   int64 // ns of all shares: Work + Idle + Overhead
	Work   int64
	Lock   int64 // of Work: waiting for locks
	Idle   int64 // nothing was ready
	Over   int64 // a task was ready
	// Barrier is the part of Idle and Over that was spent at barriers.
	Barrier int64
	Tasks   int64 // of Work: explicit tasks
	Queued  int64 // of Work: threads had no processor; 0 too where that is not known

	Longest int64 // sum over instances of the longest thread's work, without Lock and Queued
	Mean    int64 // … of the mean of the team
	Slowest int32 // thread that is longest for most of the cost, trace.None without
	// SlowestShare is the part of the cost in which it is.
	SlowestShare float64

	Chunks, Iterations int64
}

// Imbalance is the longest thread's work over the mean; 1 is even.
func (p *Place) Imbalance() float64 {
	if p.Mean <= 0 {
		return 1
	}
	return float64(p.Longest) / float64(p.Mean)
}

// Cost is the wall time that an even division of the work would save.
func (p *Place) Cost() int64 { return max(0, p.Longest-p.Mean) }

// OneThread reports whether the construct is for one thread, so that imbalance is its
// purpose.
func (p *Place) OneThread() bool {
	return p.Kind == trace.ConstructSingle || p.Kind == trace.ConstructMasked || p.Kind == trace.ConstructTaskloop
}

// Facts are all places of a run.
type Facts struct {
	From, To int64   // window, ns
	Places   []Place // longest first
	// Serial is the time of the window outside of all parallel regions, as a place
	// without name: Calls is 0.
	Serial Place
	// Waits is, of all threads, what of the window was waiting at barriers.
	Waits int64
	Of    []int32 // place of each construct, -1 of those outside the window
}

type key struct {
	kind, function, file, line, schedule int32
}

// finder holds, by resource, covers of what is asked for of each share.
type finder struct {
	run                             *trace.Run
	from, to                        int64
	work, rest, barrier, wait, task []interval.Cover
	lost                            *processor.Lost
	slowest                         []map[int32]int64 // by place: cost by longest thread
	cost                            []int64
}

// Find sums up the constructs of a window, the whole recording if it is empty; nil
// where no construct was recorded.
func Find(run *trace.Run, from, to int64, lanes *schedule.Lanes) *Facts {
	c := &run.Construct
	if len(c.Start) == 0 {
		return nil
	}
	if from == to {
		from, to = breakdown.Recording(run)
	}
	f := newFinder(run, from, to, lanes)
	out := &Facts{From: from, To: to}
	of := f.places(out)
	out.Of = of
	first, walls := 0, make([]interval.Spans, len(out.Places))
	for row := range c.Start {
		last := first
		for last < len(run.Share.Construct) && int(run.Share.Construct[last]) == row {
			last++
		}
		if of[row] >= 0 {
			walls[of[row]].Add(max(c.Start[row], from), min(c.Leave[row], to))
			f.instance(&out.Places[of[row]], int(of[row]), first, last, int(c.Team[row]))
		}
		first = last
	}
	var parallel interval.Spans
	for i := range out.Places {
		p := &out.Places[i]
		walls[i].Unite()
		if p.Wall = walls[i].Length(); p.Kind == trace.ConstructParallel {
			parallel.Start, parallel.End = append(parallel.Start, walls[i].Start...), append(parallel.End, walls[i].End...)
		}
		f.settle(p, i)
	}
	parallel.Unite()
	f.serial(out, interval.Subtract(interval.Spans{Start: []int64{from}, End: []int64{to}}, parallel))
	out.sort()
	return out
}

func newFinder(run *trace.Run, from, to int64, lanes *schedule.Lanes) *finder {
	n := len(run.Resource.Parent)
	f := &finder{run: run, from: from, to: to, lost: processor.Find(run)}
	for _, c := range []*[]interval.Cover{&f.work, &f.rest, &f.barrier, &f.wait, &f.task} {
		*c = make([]interval.Cover, n)
	}
	if lanes == nil {
		lanes = schedule.Build(run, nil)
	}
	all, explicit := lanes, schedule.Select(run, lanes, func(v int) bool { return !run.Task.Internal[v] && run.Task.Start[v] != trace.NoTime })
	ready, _ := breakdown.Ready(run, breakdown.Options{}, nil)
	barriers, waits := Barriers(run), lock.Waits(run)
	for r := range n {
		work := all.Work(int32(r))
		f.work[r] = interval.NewCover(work)
		f.rest[r] = interval.NewCover(interval.Subtract(ready, work))
		f.barrier[r] = interval.NewCover(interval.Subtract(barriers[r], work))
		f.task[r] = interval.NewCover(explicit.Work(int32(r)))
		if waits != nil {
			f.wait[r] = interval.NewCover(interval.Intersect(waits[r], work))
		}
	}
	return f
}

// Barriers are when each resource waited at a barrier, tasks that it ran there included.
func Barriers(run *trace.Run) []interval.Spans {
	chosen := make([]bool, len(run.State.Kind.Dict))
	for i, name := range run.State.Kind.Dict {
		chosen[i] = strings.Contains(name, "barrier")
	}
	return schedule.States(run, chosen)
}

// places finds the place of each construct that overlaps the window, -1 for others.
func (f *finder) places(out *Facts) (of []int32) {
	c := &f.run.Construct
	known := map[key]int32{}
	of = make([]int32, len(c.Start))
	for row := range c.Start {
		if of[row] = -1; c.Start[row] >= f.to || c.Leave[row] <= f.from {
			continue
		}
		k := key{c.Kind.Index[row], c.Function.Index[row], c.File.Index[row], c.Line[row], c.Schedule.Index[row]}
		at, ok := known[k]
		if !ok {
			at = int32(len(out.Places))
			known[k] = at
			p := Place{Kind: c.Kind.At(row), Function: c.Function.At(row), File: c.File.At(row), Line: max(c.Line[row], 0), Schedule: c.Schedule.At(row), Parent: -1, Slowest: trace.None}
			if parent := c.Parent[row]; parent >= 0 {
				p.Parent = int(of[parent])
			}
			out.Places = append(out.Places, p)
		}
		of[row] = at
		out.Places[at].Calls++
		if n := c.Iterations[row]; n > 0 {
			out.Places[at].Iterations += n
		}
	}
	f.slowest, f.cost = make([]map[int32]int64, len(out.Places)), make([]int64, len(out.Places))
	return of
}

// instance adds the shares of one construct.
func (f *finder) instance(p *Place, place, first, last, team int) {
	s := &f.run.Share
	var longest, sum int64
	slowest := trace.None
	for i := first; i < last; i++ {
		from, to, r := max(s.Start[i], f.from), min(s.Leave[i], f.to), s.Resource[i]
		p.Chunks += int64(s.Chunks[i])
		if from >= to {
			continue
		}
		net := f.add(p, r, from, to)
		if slowest == trace.None || net > longest {
			longest, slowest = net, r
		}
		sum += net
	}
	if team = max(team, last-first); team == 0 {
		return
	}
	p.Team = max(p.Team, team)
	mean := sum / int64(team)
	p.Longest += longest
	p.Mean += mean
	if f.slowest[place] == nil {
		f.slowest[place] = map[int32]int64{}
	}
	f.slowest[place][slowest] += longest - mean
	f.cost[place] += longest - mean
}

// add counts [from, to) of a thread and returns how long it made progress: it worked, did
// not wait for a lock and had a processor.
func (f *finder) add(p *Place, r int32, from, to int64) (progress int64) {
	work, wait, queued := f.work[r].Within(from, to), f.wait[r].Within(from, to), int64(0)
	if f.lost != nil {
		queued = min(work-wait, int64(f.lost.Over(r, f.working(r, from, to))))
	}
	p.Queued += queued
	over := f.rest[r].Within(from, to)
	p.Time += to - from
	p.Work += work
	p.Lock += wait
	p.Over += over
	p.Idle += to - from - work - over
	p.Barrier += f.barrier[r].Within(from, to)
	p.Tasks += f.task[r].Within(from, to)
	return work - wait - queued
}

// working is when a thread worked and did not wait for a lock.
func (f *finder) working(r int32, from, to int64) interval.Spans {
	spans := interval.Clip(f.work[r].Spans(), from, to)
	if waits := f.wait[r].Spans(); waits.Len() > 0 {
		spans = interval.Subtract(spans, interval.Clip(waits, from, to))
	}
	return spans
}

// settle names the thread that is longest for most of the cost.
func (f *finder) settle(p *Place, place int) {
	for r, cost := range f.slowest[place] {
		if best := p.Slowest; best == trace.None || cost > f.slowest[place][best] || cost == f.slowest[place][best] && r < best {
			p.Slowest = r
		}
	}
	if f.cost[place] > 0 {
		p.SlowestShare = float64(f.slowest[place][p.Slowest]) / float64(f.cost[place])
	}
}

// serial counts the time outside of all regions, of threads while they live.
func (f *finder) serial(out *Facts, outside interval.Spans) {
	p := &out.Serial
	*p = Place{Kind: "serial", Parent: -1, Wall: outside.Length(), Slowest: trace.None}
	for _, w := range kind.Workers(f.run) {
		born, dead := breakdown.Lifetime(f.run, w)
		worked := false
		for i := range outside.Start {
			if from, to := max(outside.Start[i], born), min(outside.End[i], dead); from < to {
				worked = f.add(p, w, from, to) > 0 || worked
			}
		}
		if worked {
			p.Team++
		}
		if from, to := max(f.from, born), min(f.to, dead); from < to {
			out.Waits += f.barrier[w].Within(from, to)
		}
	}
}

// sort puts the longest places first.
func (f *Facts) sort() {
	order := make([]int, len(f.Places))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(f.Places[b].Wall, f.Places[a].Wall) })
	at, sorted := make([]int, len(order)), make([]Place, len(order))
	for to, from := range order {
		at[from], sorted[to] = to, f.Places[from]
	}
	for i := range sorted {
		if sorted[i].Parent >= 0 {
			sorted[i].Parent = at[sorted[i].Parent]
		}
	}
	f.Places = sorted
	for i, place := range f.Of {
		if place >= 0 {
			f.Of[i] = int32(at[place])
		}
	}
}

// consists is the share of a region's wall time from which it is called its loop.
const consists = 0.95

// Combined is the single loop or sections construct that a region consists of, as in
// parallel for; -1 without.
func (f *Facts) Combined(place int) int {
	p, found := &f.Places[place], -1
	if p.Kind != trace.ConstructParallel {
		return -1
	}
	for i := range f.Places {
		c := &f.Places[i]
		switch {
		case c.Parent != place:
		case found >= 0:
			return -1
		case c.Kind != trace.ConstructLoop && c.Kind != trace.ConstructSections, c.Function != p.Function, c.File != p.File, c.Calls != p.Calls, float64(c.Wall) < consists*float64(p.Wall):
			return -1
		default:
			found = i
		}
	}
	return found
}
