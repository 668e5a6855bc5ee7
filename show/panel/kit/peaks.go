package kit

import (
	"math"

	"dagscope/internal/interval"
)

// Peaks finds the greatest value of a sum of step functions in any period
// without keeping the sum: it has the greatest value of each stretch of so many
// changes of it, and adds the parts up where a period begins or ends inside one.
type Peaks struct {
	Parts []*Compact
	time  []int64   // where stretches begin, ascending
	most  []float64 // of each but the last
}

const peakChanges = 256

// NewPeaks takes the parts and their sum.
func NewPeaks(parts []*Compact, sum interval.Steps) *Peaks {
	p := &Peaks{Parts: parts}
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

// Within is the greatest value in a period.
func (p *Peaks) Within(q Period) float64 {
	first := interval.FirstAfter(p.time, q.From-1) // begins inside
	last := interval.FirstAfter(p.time, q.To) - 1  // begins inside, and the one before is whole
	if first >= last {
		return p.Sweep(q)
	}
	most := max(p.Sweep(Period{q.From, p.time[first]}), p.Sweep(Period{p.time[last], q.To}))
	for _, m := range p.most[first:last] {
		most = max(most, m)
	}
	return most
}

// Sweep adds the parts up, change by change.
func (p *Peaks) Sweep(q Period) float64 {
	cursors := make([]*CompactCursor, len(p.Parts))
	for i, c := range p.Parts {
		cursors[i] = c.Cursor(q.From)
	}
	most := math.Inf(-1)
	for at := q.From; at < q.To; {
		sum, until := 0.0, q.To
		for _, c := range cursors {
			for t, ok := c.Next(); ok && t <= at; t, ok = c.Next() {
				c.take()
			}
			sum += c.value
			if t, ok := c.Next(); ok {
				until = min(until, t)
			}
		}
		most, at = max(most, sum), until
	}
	return most
}
