package comm

import (
	"dagscope/explain/progress"
	"dagscope/internal/interval"
	"dagscope/internal/parallel"
	"dagscope/trace"
)

// Side says at which end of transfers something is counted.
type Side uint8

// Sides.
const (
	In  Side = iota // at the place they go to
	Out             // at the place they come from
)

// Concurrent is how many transfers are under way to (In) or from (Out) each
// place, a series for each place of the list. The counts are 0 at the end: a
// transfer without known end, or one that seems to end before it starts, is
// under way at no time.
//
// StarVZ's panel counts each pair of nodes by itself, draws it as the count of
// the whole node and ends each value where any node's next begins (its defect
// B6); it calls counts by origin "MPI Concurrent" and those by destination
// "out".
func (l *List) Concurrent(side Side) []progress.Series {
	end := l.To
	if side == Out {
		end = l.From
	}
	spans := make([]interval.Spans, len(l.Places))
	for i, p := range end {
		if start, end, ok := l.span(i); ok && start < end {
			spans[p].Add(start, end)
		}
	}
	series := make([]progress.Series, len(l.Places))
	parallel.For(len(series), func(p int) {
		series[p] = progress.Series{Metric: "transfers", Node: l.Places[p].Node, Resource: trace.None, Steps: interval.Concurrency(spans[p])}
		if r := l.Places[p].Resource; r >= 0 {
			series[p].Resource = r
		}
	})
	return series
}

// Rate is the rate at which transfers bring data to (In) or take it from (Out)
// each place, MB/s (1e6 bytes), the bytes of each spread evenly over its time,
// as [progress.Moving] says. What has no known time has no rate.
func (l *List) Rate(side Side) []progress.Series {
	end := l.To
	if side == Out {
		end = l.From
	}
	spans, rates := make([]interval.Spans, len(l.Places)), make([][]float64, len(l.Places))
	for i, p := range end {
		if start, end, ok := l.span(i); ok || l.Backward(i) {
			start, end = progress.Moving(start, end)
			spans[p].Add(start, end)
			rates[p] = append(rates[p], float64(l.Bytes(i))/(float64(end-start)*1e-9)/1e6)
		}
	}
	series := make([]progress.Series, len(l.Places))
	for p := range series {
		series[p] = progress.Series{Metric: "MB/s", Node: l.Places[p].Node, Resource: l.Places[p].Resource,
			Steps: interval.WeightedConcurrency(spans[p], rates[p])}
	}
	return series
}
