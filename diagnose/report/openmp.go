package report

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"dagscope/diagnose/verdict"
	"dagscope/explain/breakdown"
	"dagscope/explain/lock"
	"dagscope/explain/region"
	"dagscope/internal/words"
	"dagscope/trace"
)

// Region is a parallel region or worksharing construct with all its instances.
type Region struct {
	Construct  string  `json:"construct"` // parallel, loop, sections, single, …
	Function   string  `json:"function,omitempty"`
	File       string  `json:"file,omitempty"`
	Line       int32   `json:"line,omitempty"`
	Schedule   string  `json:"schedule,omitempty"`
	Inside     int     `json:"inside"` // row of the construct around it, -1 for none
	Calls      int64   `json:"calls"`
	Team       int     `json:"team"`
	Wall       int64   `json:"wall_ns"`
	WallShare  float64 `json:"wall_share"`
	Time       int64   `json:"thread_time_ns"` // work, idleness and overhead
	Work       int64   `json:"work_ns"`
	Lock       int64   `json:"lock_ns"`    // of work
	OffCPU     int64   `json:"off_cpu_ns"` // of work: threads had no processor
	Idle       int64   `json:"idleness_ns"`
	Over       int64   `json:"overhead_ns"`
	Barrier    int64   `json:"barrier_ns"`        // of idleness and overhead
	Tasks      int64   `json:"task_ns"`           // of work: explicit tasks
	Imbalance  float64 `json:"imbalance"`         // longest thread's work over the mean
	Cost       int64   `json:"imbalance_ns"`      // wall time that an even division would save
	Slowest    string  `json:"slowest,omitempty"` // thread that is longest for most of that
	Chunks     int64   `json:"chunks,omitempty"`
	Iterations int64   `json:"iterations,omitempty"`

	place region.Place
}

// LockUse is what a lock, or a source line that asks for it, cost.
type LockUse struct {
	Kind      string `json:"kind"`
	Lock      string `json:"lock"`
	Function  string `json:"function,omitempty"`
	File      string `json:"file,omitempty"`
	Line      int32  `json:"line,omitempty"`
	Requests  int64  `json:"requests"`
	Contended int64  `json:"contended"`
	Threads   int    `json:"threads"`
	Waiting   int64  `json:"waiting_ns"`
	Holding   int64  `json:"holding_ns"` // in which some thread held it
	Longest   int64  `json:"longest_wait_ns"`
}

// Locks are the locks of a run, and the lines that ask for them.
type Locks struct {
	Waiting int64     `json:"waiting_ns"`
	Locks   []LockUse `json:"locks"`
	Lines   []LockUse `json:"lines"`
}

// regions makes the table of regions and loops.
func (c *computation) regions() {
	from, to := int64(0), int64(0)
	if b := c.r.Breakdown; b != nil {
		from, to = b.From, b.To
	}
	f := region.Find(c.run, from, to, c.lanes)
	if f == nil {
		return
	}
	c.in.Regions = f
	window := max(1, f.To-f.From)
	add := func(p *region.Place) {
		r := Region{
			Construct: p.Kind, Function: p.Function, File: p.File, Line: p.Line, Schedule: p.Schedule, Inside: p.Parent, Calls: p.Calls, Team: p.Team,
			Wall: p.Wall, WallShare: float64(p.Wall) / float64(window), Time: p.Time, Work: p.Work, Lock: p.Lock, OffCPU: p.Queued, Idle: p.Idle, Over: p.Over,
			Barrier: p.Barrier, Tasks: p.Tasks, Imbalance: p.Imbalance(), Cost: p.Cost(), Chunks: p.Chunks, Iterations: p.Iterations, place: *p,
		}
		if p.Slowest != trace.None {
			r.Slowest = c.run.Resource.Name.At(int(p.Slowest))
		}
		c.r.Regions = append(c.r.Regions, r)
	}
	for i := range f.Places {
		add(&f.Places[i])
	}
	add(&f.Serial)
	c.r.combined = make([]int, len(f.Places))
	for i := range f.Places {
		c.r.combined[i] = f.Combined(i)
	}
}

// locks makes the tables of locks.
func (c *computation) locks() {
	from, to := int64(0), int64(0)
	if b := c.r.Breakdown; b != nil {
		from, to = b.From, b.To
	}
	f := lock.Find(c.run, from, to)
	if f == nil {
		return
	}
	c.in.Locks = f
	list := func(uses []lock.Use) (all []LockUse) {
		for _, u := range uses {
			all = append(all, LockUse{u.Kind, u.Lock, u.Function, u.File, max(0, u.Line), u.Requests, u.Contended, u.Threads, u.Waiting, u.Holding, u.Longest})
		}
		return all
	}
	c.r.Locks = &Locks{Waiting: f.Waiting(), Locks: list(f.Locks), Lines: list(f.Lines)}
}

// lostTime says what of the breakdown threads waited for locks or had no processor, and
// withholds the class where that is too much.
func (c *computation) lostTime(b *Breakdown, o breakdown.Options, res *breakdown.Result) {
	if !c.run.Meta.Lifetimes {
		return
	}
	l := breakdown.FindLost(c.run, o, res)
	c.in.Lost = &l
	if l.Lock != nil {
		p := partsOf(*l.Lock)
		b.Lock = &p
	}
	if l.OffCPU != nil {
		p := partsOf(*l.OffCPU)
		b.OffCPU = &p
	}
	b.Unaccounted = l.Unaccounted
	total := res.Total(breakdown.Global)
	locks, processors := l.Forbids(total)
	var why []string
	if processors {
		switch {
		case l.OffCPU != nil:
			why = append(why, fmt.Sprintf("threads that had work or ready tasks had no processor for %s of the time", words.PercentOf(l.OffCPU.Work+l.OffCPU.Overhead, total.Sum())))
		default:
			why = append(why, fmt.Sprintf("work and overhead exceed the processor time that the program used by %s: threads slept, or had no processor", words.Duration(l.Unaccounted)))
		}
	}
	if locks {
		why = append(why, fmt.Sprintf("threads waited for locks for %s of the time", words.PercentOf(l.Lock.Sum(), total.Sum())))
	}
	if len(res.Workers) == 1 {
		why = append(why, "one thread: what it does not work is the runtime's, however long tasks are")
	}
	b.withhold(strings.Join(why, "; "))
}

// withhold takes the class back.
func (b *Breakdown) withhold(why string) {
	if why != "" && b.Withheld == "" {
		b.Class, b.Advice, b.Withheld = "", "", why
	}
}

// Of regions and loops the first screen has so many lines at most, each of at least so
// much of the run's time, or whose imbalance costs as much.
const (
	shownRegions = 8
	shownShare   = 0.01
)

// regionLine is a line of the table on the first screen.
type regionLine struct {
	r      *Region
	depth  int
	merged int // place of the loop that the region consists of, -1 without
}

// regionLines are the regions, the longest first, each with what is in it.
func (r *Report) regionLines() (lines []regionLine) {
	var add func(i, depth int)
	visited := make([]bool, len(r.Regions))
	add = func(i, depth int) {
		if visited[i] {
			return
		}
		visited[i] = true
		l := regionLine{&r.Regions[i], depth, -1}
		if i < len(r.combined) {
			l.merged = r.combined[i]
		}
		lines = append(lines, l)
		for k := range r.combined {
			if r.Regions[k].Inside == i {
				if k == l.merged {
					visited[k] = true
					for n := range r.combined { // what is in the loop is in the region
						if r.Regions[n].Inside == k {
							add(n, depth+1)
						}
					}
					continue
				}
				add(k, depth+1)
			}
		}
	}
	top := make([]int, 0, len(r.Regions))
	for i := range r.Regions {
		if r.Regions[i].Inside < 0 {
			top = append(top, i)
		}
	}
	slices.SortStableFunc(top, func(a, b int) int { return int(min(1, max(-1, r.Regions[b].Wall-r.Regions[a].Wall))) })
	for _, i := range top {
		add(i, 0)
	}
	return lines
}

// name is a construct as the program writes it.
func (l *regionLine) name(r *Report) string {
	p := &l.r.place
	switch {
	case p.Kind == "serial":
		return "outside of parallel regions"
	case l.merged >= 0:
		return "parallel " + r.Regions[l.merged].place.Directive()
	}
	return p.Directive()
}

// regionSection is the table of regions and loops: on the first screen those that
// matter.
func (r *Report) regionSection(most int) (section, bool) {
	s := section{
		title: "Regions and loops", head: []string{"construct", "calls", "wall", "work", "idle", "over- head", "barrier", "max/ mean", "costs"},
		right: []bool{false, true, true, true, true, true, true, true, true},
	}
	locks, off := false, false
	for i := range r.Regions {
		p := &r.Regions[i]
		locks, off = locks || 100*p.Lock >= p.Time && p.Lock > 0, off || 100*p.OffCPU >= p.Time && p.OffCPU > 0
	}
	if locks {
		s.head, s.right = slices.Insert(s.head, 4, "of it lock"), slices.Insert(s.right, 4, true)
	}
	if off {
		s.head, s.right = slices.Insert(s.head, 4, "of it no cpu"), slices.Insert(s.right, 4, true)
	}
	barrier := slices.Index(s.head, "barrier")
	elsewhere := most == 0 // idle and overhead are not all at barriers
	hidden, window := 0, int64(1)
	for i := range r.Regions {
		if r.Regions[i].WallShare > 0 {
			window = max(window, int64(float64(r.Regions[i].Wall)/r.Regions[i].WallShare))
		}
	}
	for _, l := range r.regionLines() {
		p := l.r
		if small := p.WallShare < shownShare && float64(p.Cost) < shownShare*float64(window); most > 0 && (small || len(s.rows) == most) {
			hidden++
			continue
		}
		share := func(ns int64) string { return wholePercent(ns, p.Time) }
		calls, imbalance, cost := words.Count(p.Calls), words.Number(p.Imbalance, 2), words.Duration(p.Cost)
		if p.place.Kind == "serial" {
			calls, imbalance, cost = "", "", ""
		} else if p.place.OneThread() || p.Tasks > 0 {
			imbalance, cost = "–", "–"
		}
		elsewhere = elsewhere || 50*(p.Idle+p.Over-p.Barrier) > p.Time && p.place.Kind != "serial"
		row := []string{strings.Repeat("· ", l.depth) + l.cell(r, most > 0), calls, wholePercent(p.Wall, window), share(p.Work)}
		if off {
			row = append(row, share(p.OffCPU))
		}
		if locks {
			row = append(row, share(p.Lock))
		}
		s.rows = append(s.rows, append(row, share(p.Idle), share(p.Over), share(p.Barrier), imbalance, cost))
	}
	if !elsewhere {
		s.head, s.right = slices.Delete(s.head, barrier, barrier+1), slices.Delete(s.right, barrier, barrier+1)
		for i := range s.rows {
			s.rows[i] = slices.Delete(s.rows[i], barrier, barrier+1)
		}
		s.title += " (idle: at barriers)"
	}
	if hidden > 0 {
		s.after = append(s.after, words.Plurals(hidden, "construct more", "constructs more")+" (--full; dagscope report RUN --json has all)")
	}
	if most == 0 {
		s.after = append(s.after, "wall: of the run, in which some instance was going on; work, idle, overhead: of the time of its threads; of it: part of work, in which threads had no processor, or waited for a lock; barrier: of idle and overhead; "+
			"max/mean: longest thread's work over the team's mean; costs: wall time that an even division of that work would save; constructs are inside of those that they are indented below")
	}
	return s, len(r.Regions) > 1
}

// widestPlace is how much of a construct and its place the first screen shows.
const widestPlace = 38

// cell is a construct with its place. Of one that is too wide for the first screen the
// function is left out.
func (l *regionLine) cell(r *Report, short bool) string {
	p, name := &l.r.place, l.name(r)
	text := strings.TrimSpace(name + " " + p.Where())
	if short && utf8.RuneCountInString(text) > widestPlace && p.File != "" {
		text = name + " " + region.Source("", p.File, p.Line)
	}
	if short {
		text = verdict.Clip(text, widestPlace)
	}
	return text
}

// wholePercent is a share without decimals, for tables of many columns.
func wholePercent(part, whole int64) string {
	if whole <= 0 {
		return "–"
	}
	share := 100 * float64(part) / float64(whole)
	switch {
	case part > 0 && share < 0.5:
		return "<1 %"
	case part < whole && share >= 99.5:
		return ">99 %"
	}
	return fmt.Sprintf("%.0f %%", share)
}

func (r *Report) firstRegions() (section, bool) {
	most := shownRegions
	if slices.ContainsFunc(r.Regions, func(p Region) bool { return p.Tasks > 0 }) {
		most /= 2 // tasks have more to say below
	}
	s, ok := r.regionSection(most)
	s.id = regionBlock
	return s, ok
}

func (r *Report) allRegions() (section, bool) { return r.regionSection(0) }

// lockSection lists locks by line: waits first.
func (r *Report) lockSection() (section, bool) {
	if r.Locks == nil || len(r.Locks.Lines) == 0 {
		return section{}, false
	}
	s := section{
		title: "Locks", head: []string{"lock", "where", "requests", "waited", "waiting ms", "longest µs", "held ms"},
		right: []bool{false, false, true, true, true, true, true},
	}
	for _, u := range r.Locks.Lines {
		s.rows = append(s.rows, []string{u.name(), region.Source(u.Function, u.File, u.Line), words.Count(u.Requests), words.Count(u.Contended), words.MS(u.Waiting), words.US(u.Longest), words.MS(u.Holding)})
	}
	s.after = []string{"waiting: summed over threads; held: while some thread held it; waiting for locks is part of the work of tasks"}
	return s.cut("lines"), true
}

func (u *LockUse) name() string {
	return strings.TrimSpace(u.Kind + " " + u.Lock)
}

// firstLocks are the lines where threads waited longest, if that is a hundredth of
// the threads' time.
func (r *Report) firstLocks() (section, bool) {
	s, ok := r.lockSection()
	if b := r.Breakdown; !ok || b == nil || r.Locks.Waiting*100 < b.Work+b.Idleness+b.Overhead {
		return section{}, false
	}
	s.id, s.after = lockBlock, nil
	if more := len(s.rows) - shownLocks; more > 0 {
		s.rows, s.after = s.rows[:shownLocks], []string{words.Plurals(more, "line more", "lines more") + " (--full)"}
	}
	return s, true
}

const shownLocks = 4
