package starpu

import "math"

// eventDates holds the dates of the last events, for actors of other nodes that
// wait until time advances anywhere.
type eventDates struct {
	dates [256]float64 // s, a ring
	count int
}

func (p *eventDates) add(date float64) {
	if p != nil {
		p.dates[p.count%len(p.dates)] = date
		p.count++
	}
}

// after is the first of these dates after another, +Inf without one.
func (p *eventDates) after(date float64) float64 {
	first := math.Inf(1)
	for i := p.count - 1; i >= max(0, p.count-len(p.dates)); i-- {
		d := p.dates[i%len(p.dates)]
		if d <= date {
			break
		}
		first = d
	}
	return first
}

// last is the last of these dates, -Inf without one.
func (p *eventDates) last() float64 {
	if p.count == 0 {
		return math.Inf(-1)
	}
	return p.dates[(p.count-1)%len(p.dates)]
}
