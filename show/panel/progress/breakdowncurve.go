package progress

import (
	"slices"

	"dagscope/explain/breakdown"
	"dagscope/explain/kind"
	"dagscope/explain/numbers/panels"
	"dagscope/explain/schedule"
	"dagscope/internal/interval"
	"dagscope/internal/parallel"
	"dagscope/show/panel/core"
	"dagscope/show/panel/kit"
	"dagscope/trace"
)

// breakdownCurve is how many of some workers are there, how many work, and how
// many are held up: those without work while some task is ready. Where the times when one is
// ready are few, the latter follows from them and is not kept.
type breakdownCurve struct {
	arch     string
	workers  int
	present  *kit.Compact // nil when all count throughout
	work     *kit.Compact
	overhead *kit.Compact   // nil to take it from ready
	ready    interval.Spans // when some task is ready
}

// mostReady is the number of intervals from which on the overhead is kept as a
// curve of its own: a drawing visits each that it shows.
const mostReady = 1 << 13

// breakdownCurves are one for all workers, or one for each architecture;
// unknown is the number of tasks whose ready time is not known.
func breakdownCurves(run *trace.Run, o *core.Options) (all []breakdownCurve, unknown int64) {
	laid := o.Base.AllLanes()
	options := breakdown.Options{Lanes: laid, WaitingNotReady: o.Breakdown.Waiting == panels.WaitingNotReady}
	if !o.Breakdown.ByArch && !run.Meta.Lifetimes {
		ready, unknown := breakdown.Ready(run, options, nil)
		if of := kind.Workers(run); ready.Len() <= mostReady && len(of) > 0 {
			return []breakdownCurve{{workers: len(of), work: workOf(run, laid, of), ready: ready}}, unknown
		}
	}
	scope := breakdown.Global
	if o.Breakdown.ByArch {
		scope = breakdown.ByArch
	}
	curves, unknown := breakdown.Curves(run, options, scope)
	all = make([]breakdownCurve, len(curves))
	parallel.For(len(all), func(i int) {
		c := &curves[i]
		all[i] = breakdownCurve{arch: c.Arch, workers: c.Workers, work: kit.NewCompact(c.Work), overhead: kit.NewCompact(c.Overhead)}
		if len(c.Present.Time) > 0 {
			all[i].present = kit.NewCompact(c.Present)
		}
	})
	return all, unknown
}

// workOf is how many of some workers run a task, also one of the runtime's own.
func workOf(run *trace.Run, laid *schedule.Lanes, of []int32) *kit.Compact {
	lanes := schedule.Select(run, laid, func(i int) bool { return run.Task.Start[i] != trace.NoTime && !run.Task.Generation[i] })
	var work interval.Spans
	work.Start, work.End = make([]int64, 0, len(lanes.Start)), make([]int64, 0, len(lanes.Start))
	for _, r := range of {
		from, to := lanes.Of(r)
		first := len(work.Start)
		for i := from; i < to; i++ {
			if n := len(work.End); n > first && lanes.Start[i] < work.End[n-1] {
				work.End[n-1] = max(work.End[n-1], lanes.End[i])
				continue
			}
			work.Add(lanes.Start[i], lanes.End[i])
		}
	}
	return kit.CompactConcurrency(work)
}

// there is the mean number of workers over a period.
func (c *breakdownCurve) there(p kit.Period) float64 {
	if c.present == nil {
		return float64(c.workers)
	}
	mean, _ := p.MeanMost(c.present)
	return mean
}

// overheads are the means of the overhead over columns.
func (c *breakdownCurve) overheads(g *kit.Grid) []float64 {
	if c.overhead != nil {
		return c.overhead.Reduce(g).Mean
	}
	out := make([]float64, g.Columns())
	k := c.work.Cursor(g.T0)
	for i := range out {
		p := kit.Period{From: g.Edges[i], To: g.Edges[i+1]}
		out[i] = c.held(k, p) / float64(p.To-p.From)
	}
	return out
}

// meanOverhead is the mean over a period.
func (c *breakdownCurve) meanOverhead(p kit.Period) float64 {
	if c.overhead != nil {
		mean, _ := p.MeanMost(c.overhead)
		return mean
	}
	return c.held(c.work.Cursor(p.From), p) / float64(p.To-p.From)
}

// held is the time of workers in a period that are without work while a task
// is ready, for a cursor over the work that is not beyond it.
func (c *breakdownCurve) held(k *kit.CompactCursor, p kit.Period) (ns float64) {
	first, _ := slices.BinarySearch(c.ready.End, p.From+1)
	for i := first; i < len(c.ready.Start) && c.ready.Start[i] < p.To; i++ {
		from, to := max(c.ready.Start[i], p.From), min(c.ready.End[i], p.To)
		k.MoveTo(from)
		area, _, _ := k.Column(from, to)
		ns += float64(c.workers)*float64(to-from) - area
	}
	return ns
}

// overheadAt is the overhead at an instant.
func (c *breakdownCurve) overheadAt(t int64) float64 {
	if c.overhead != nil {
		return c.overhead.At(t)
	}
	if i, _ := slices.BinarySearch(c.ready.End, t+1); i < len(c.ready.Start) && c.ready.Start[i] <= t {
		return float64(c.workers) - c.work.At(t)
	}
	return 0
}

// thereAt is the number of workers at an instant.
func (c *breakdownCurve) thereAt(t int64) float64 {
	if c.present == nil {
		return float64(c.workers)
	}
	return c.present.At(t)
}
