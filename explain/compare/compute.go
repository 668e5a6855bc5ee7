package compare

import (
	"cmp"
	"math"
	"slices"

	"dagscope/explain/bound"
	"dagscope/explain/chain"
	"dagscope/explain/depend"
	"dagscope/explain/efficiency"
	"dagscope/explain/kind"
	"dagscope/explain/schedule"
	"dagscope/internal/interval"
	"dagscope/internal/parallel"
	"dagscope/internal/words"
	"dagscope/trace"
)

// Needs names the columns that [Compute] reads, LargeNeeds those that it reads
// when either run has more than [Large] tasks and not all is asked for.
var (
	Needs      = slices.Concat(LargeNeeds, chain.Needs, chain.More, efficiency.StateNeeds)
	LargeNeeds = slices.Concat(kind.Needs, schedule.Needs, bound.Needs, bound.ModelNeeds, depend.Needs, efficiency.Needs, MatchNeeds, AlignNeeds, CourseNeeds, FirstNeeds)
)

// Large is the number of rows of the table of tasks above which the head–tail
// and mixed bounds, and the classes of idle time, are left out unless asked for:
// they take longer than all else together.
const Large = 100_000

// defaultTasks is how many of the tasks that changed most are listed by default.
const defaultTasks = 50

// Compute compares two runs that have the columns of Needs. The error is a run
// without any task of the application that ran.
func Compute(a, b Side, o Options) (*Result, error) {
	return compute(a, b, o, !o.Full && max(len(a.Run.Task.Start), len(b.Run.Task.Start)) > Large)
}

// compute leaves out what takes long if it is to be quick (see [Large]).
func compute(a, b Side, o Options, quick bool) (*Result, error) {
	c := &comparison{o: o, quick: quick}
	b.Run, c.renamed = Rename(a.Run, b.Run)
	bo := bound.Options{Generation: o.Generation}
	if c.own = bound.Poolable([]*trace.Run{a.Run, b.Run}, bo); c.own == "" {
		bo.Pool = []*trace.Run{a.Run, b.Run}
	}
	err := parallel.Try(3, func(i int) (err error) {
		if err := o.stopped(); err != nil {
			return err
		}
		switch i {
		case 0:
			c.a, err = measure(a, "A", o, bo, c.quick)
		case 1:
			c.b, err = measure(b, "B", o, bo, c.quick)
		case 2:
			c.m = Match(a.Run, b.Run, o)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if c.own == "" && c.a.bounds != nil && c.b.bounds != nil {
		bound.Share(c.a.bounds, c.b.bounds)
	}
	return c.result()
}

// comparison joins what was measured of each run.
type comparison struct {
	o       Options
	a, b    *measured
	m       *Matching
	r       *Result
	quick   bool   // see Large
	renamed string // what Rename has done
	own     string // why the runs do not share bounds, "" if they do
}

func (c *comparison) result() (*Result, error) {
	c.r = &Result{
		A: c.a.summary(), B: c.b.summary(), Makespan: Delta{&c.a.makespan, &c.b.makespan},
		Kinds: []Kind{}, Workers: []Worker{}, Bounds: []Bound{}, Phases: []Phase{}, Tasks: []Change{},
		Matched: c.m.Summary(), Matching: c.m,
	}
	c.r.Shared = c.own == ""
	for _, part := range []func(){c.kinds, c.workers, c.bounds, c.phases, c.changes, c.parts, c.distributions, c.courses,
		func() { c.r.First = FirstDifference(c.a.Run, c.b.Run, c.m) }, c.notes, c.words, c.inflation, c.efficiencies} {
		if err := c.o.stopped(); err != nil {
			return nil, err
		}
		part()
	}
	return c.r, nil
}

// kinds joins the kinds of both runs by name and architecture, those whose work
// changed most first.
func (c *comparison) kinds() {
	at := map[[2]string]int{}
	row := func(m *measured, k int) *Kind {
		name := [2]string{m.Run.Task.Kind.Dict[m.kinds.Kind[k]], kind.ArchName(m.Run, m.kinds.Arch[k])}
		if _, ok := at[name]; !ok {
			at[name] = len(c.r.Kinds)
			c.r.Kinds = append(c.r.Kinds, Kind{Kind: name[0], Arch: name[1]})
		}
		return &c.r.Kinds[at[name]]
	}
	for k := range c.a.kinds.Len() {
		r, s := row(c.a, k), c.a.kinds
		r.ACount, r.ATotal, r.AMedian = s.Count[k], s.Total[k], int64(math.Round(s.Median[k]))
	}
	for k := range c.b.kinds.Len() {
		r, s := row(c.b, k), c.b.kinds
		r.BCount, r.BTotal, r.BMedian = s.Count[k], s.Total[k], int64(math.Round(s.Median[k]))
	}
	slices.SortFunc(c.r.Kinds, func(x, y Kind) int {
		return cmp.Or(cmp.Compare(abs(y.BTotal-y.ATotal), abs(x.BTotal-x.ATotal)), cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Arch, y.Arch))
	})
}

// workers joins workers by name, in the order of run A, then of B; of equal
// names the first with the first.
func (c *comparison) workers() {
	at := map[string][]int{}
	for i, w := range c.a.idle.Worker {
		name := c.a.Run.Resource.Name.At(int(w))
		share := c.a.idle.Share(i)
		at[name] = append(at[name], len(c.r.Workers))
		c.r.Workers = append(c.r.Workers, Worker{
			Name: name, Arch: c.a.Run.Resource.Arch.At(int(w)), ABusy: &c.a.idle.Busy[i], AIdle: &share, ATasks: c.a.idle.Tasks[i],
		})
	}
	for i, w := range c.b.idle.Worker {
		name := c.b.Run.Resource.Name.At(int(w))
		if len(at[name]) == 0 {
			at[name] = []int{len(c.r.Workers)}
			c.r.Workers = append(c.r.Workers, Worker{Name: name, Arch: c.b.Run.Resource.Arch.At(int(w))})
		}
		share := c.b.idle.Share(i)
		r := &c.r.Workers[at[name][0]]
		at[name] = at[name][1:]
		r.BBusy, r.BIdle, r.BTasks = &c.b.idle.Busy[i], &share, c.b.idle.Tasks[i]
	}
}

// bounds sets the bounds of both runs side by side, those that either has. Runs
// of the same tasks on the same machine have them in common.
func (c *comparison) bounds() {
	if c.a.bounds == nil && c.b.bounds == nil {
		return
	}
	for _, b := range []struct {
		name string
		of   func(*bound.Result) float64
	}{
		{"abe", func(r *bound.Result) float64 { return r.Area.Time }},
		{"cpe", func(r *bound.Result) float64 { return r.CPE.Time }},
		{"head_tail", func(r *bound.Result) float64 { return r.HeadTail.Time }},
		{"mixed", func(r *bound.Result) float64 { return r.Mixed.Time }},
		{"cpb", func(r *bound.Result) float64 { return r.CPB.Time }},
	} {
		d := Delta{boundOf(c.a, b.of), boundOf(c.b, b.of)}
		if d.A != nil || d.B != nil {
			c.r.Bounds = append(c.r.Bounds, Bound{d, b.name})
		}
	}
}

func boundOf(m *measured, of func(*bound.Result) float64) *int64 {
	if m.bounds == nil || of(m.bounds) <= 0 {
		return nil
	}
	ns := int64(math.Round(of(m.bounds)))
	return &ns
}

// phases are the iterations that both runs have, else tenths of the work.
func (c *comparison) phases() {
	for _, p := range common(c.a.phases, c.b.phases) {
		c.r.Phases = append(c.r.Phases, newPhase("iteration "+words.Count(int64(p[0].iteration)), p[0].start, p[0].end, p[1].start, p[1].end))
	}
	if len(c.r.Phases) < 2 {
		c.r.Phases = c.tenths()
	}
}

func newPhase(name string, a0, a1, b0, b1 int64) Phase {
	return Phase{Name: name, AT0: a0, AT1: a1, BT0: b0, BT1: b1, ANS: a1 - a0, BNS: b1 - b0}
}

// tenths are when each tenth of each run's own work was done.
func (c *comparison) tenths() (all []Phase) {
	const parts = 10
	a, b := c.a.work.when(parts), c.b.work.when(parts)
	for i := range parts {
		name := words.Count(int64(10*i)) + "–" + words.Count(int64(10*i+10)) + " % of the work"
		all = append(all, newPhase(name, a[i], a[i+1], b[i], b[i+1]))
	}
	return all
}

// changes lists the pairs whose duration changed most, then those that only
// moved.
func (c *comparison) changes() {
	limit := c.o.Tasks
	if limit == 0 {
		limit = defaultTasks
	}
	less := make([]int64, len(c.m.A)) // minus the change
	for p, i := range c.m.A {
		less[p] = -abs(c.b.duration[c.m.B[p]] - c.a.duration[i])
	}
	moved, order := c.moved(), interval.Order(less)
	for _, p := range order {
		other, _ := moved(p)
		if len(c.r.Tasks) >= limit {
			return
		}
		if less[p] != 0 || other {
			c.r.Tasks = append(c.r.Tasks, c.change(p, other))
		}
	}
}

func (c *comparison) change(p int32, moved bool) Change {
	i, j := c.m.A[p], c.m.B[p]
	return Change{
		A: taskRef(c.a.Run, i), B: taskRef(c.b.Run, j), How: c.m.Levels[c.m.Level[p]],
		ANS: c.a.duration[i], BNS: c.b.duration[j], Moved: moved,
	}
}

func taskRef(run *trace.Run, i int32) TaskRef {
	t := &run.Task
	ref := TaskRef{Key: t.Key.At(int(i)), Kind: t.Kind.At(int(i))}
	if w := t.Worker[i]; w >= 0 {
		ref.Worker = run.Resource.Name.At(int(w))
	}
	if t.Start[i] != trace.NoTime {
		ref.Start, ref.End = &t.Start[i], &t.End[i]
	}
	return ref
}

func abs(n int64) int64 { return max(n, -n) }
