package panel

import (
	"math"

	"dagscope/internal/interval"
)

// peaks finds the greatest value of a sum of step functions in any period
// without keeping the sum: it has the greatest value of each stretch of so many
// changes of it, and adds the parts up where a period begins or ends inside one.
type peaks struct {
	parts []*compact
	time  []int64   // where stretches begin, ascending
	most  []float64 // of each but the last
}

const peakChanges = 256

// newPeaks takes the parts and their sum.
func newPeaks(parts []*compact, sum interval.Steps) *peaks {
	p := &peaks{parts: parts}
	most, changes := math.Inf(-1), 0
	for i, t := range sum.Time {
		if i+1 < len(sum.Time) && sum.Time[i+1] == t {
			continue // it lasts no time
		}
		if changes%peakChanges == 0 {
			if changes > 0 {
				p.most = append(p.most, most)
			}
			p.time, most = append(p.time, t), math.Inf(-1)
		}
		most = max(most, sum.Value[i])
		changes++
	}
	return p
}

// within is the greatest value in a period.
func (p *peaks) within(q period) float64 {
	first := interval.FirstAfter(p.time, q.from-1) // begins inside
	last := interval.FirstAfter(p.time, q.to) - 1  // begins inside, and the one before is whole
	if first >= last {
		return p.sweep(q)
	}
	most := max(p.sweep(period{q.from, p.time[first]}), p.sweep(period{p.time[last], q.to}))
	for _, m := range p.most[first:last] {
		most = max(most, m)
	}
	return most
}

// sweep adds the parts up, change by change.
func (p *peaks) sweep(q period) float64 {
	cursors := make([]*compactCursor, len(p.parts))
	for i, c := range p.parts {
		cursors[i] = c.cursor(q.from)
	}
	most := math.Inf(-1)
	for at := q.from; at < q.to; {
		sum, until := 0.0, q.to
		for _, c := range cursors {
			for t, ok := c.next(); ok && t <= at; t, ok = c.next() {
				c.take()
			}
			sum += c.value
			if t, ok := c.next(); ok {
				until = min(until, t)
			}
		}
		most, at = max(most, sum), until
	}
	return most
}
