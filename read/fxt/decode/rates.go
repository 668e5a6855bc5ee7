package decode

import (
	"slices"

	"dagscope/internal/interval"
	"dagscope/read/assemble"
)

// rates are amounts that move or are worked off at one place, each spread
// evenly over its time. Their sum at each instant is the counter that StarPU's
// converter keeps: the bandwidth of a memory, the GFlop/s of a node.
type rates struct {
	spans interval.Spans
	rate  []float64
}

// add spreads an amount over a time, as amount per second.
func (r *rates) add(start, end int64, amount float64) {
	from, to := moving(start, end)
	r.spans.Add(from, to)
	r.rate = append(r.rate, amount/(float64(to-from)*1e-9))
}

// moving is the time over which an amount is spread, so that none is lost. What
// ends before it starts, as the clocks of two nodes disagree, is spread between
// the two; what takes no time takes 1 ns.
func moving(start, end int64) (from, to int64) {
	from = min(start, end)
	return from, max(start, end, from+1)
}

// sampleRates appends the sum of rates over time as samples of a variable:
// exactly 0 where there is none.
func sampleRates(p *assemble.Parts, metric string, container int32, of *rates) {
	steps := interval.WeightedConcurrency(of.spans, of.rate)
	s, n := &p.Sample, len(steps.Time)
	s.Time, s.Value = append(s.Time, steps.Time...), append(s.Value, steps.Value...)
	s.Metric.Index, s.Container = slices.Grow(s.Metric.Index, n), slices.Grow(s.Container, n)
	of.spans, of.rate = interval.Spans{}, nil
	for m := s.Metric.Intern(metric); n > 0; n-- {
		s.Metric.AppendIndex(m)
		s.Container = append(s.Container, container)
	}
}
