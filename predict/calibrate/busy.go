package calibrate

import (
	"cmp"
	"slices"
)

// interval is when a task ran, ns.
type interval struct{ start, end float64 }

// busyWorkers are, of each task, how many ran at the same time on average over
// its duration, itself among them. A sweep adds up the number of running tasks
// over time; each task takes the difference between its end and its start.
func busyWorkers(tasks []interval) []float64 {
	type event struct {
		at   float64
		step float64
	}
	events := make([]event, 0, 2*len(tasks))
	for _, t := range tasks {
		events = append(events, event{t.start, 1}, event{t.end, -1})
	}
	slices.SortFunc(events, func(a, b event) int { return cmp.Compare(a.at, b.at) })
	at, sum := make([]float64, len(events)), make([]float64, len(events)) // running tasks × time until then
	running := 0.0
	for k, e := range events {
		if at[k] = e.at; k > 0 {
			sum[k] = sum[k-1] + running*(e.at-at[k-1])
		}
		running += e.step
	}
	until := func(t float64) float64 {
		k, _ := slices.BinarySearch(at, t)
		return sum[k]
	}
	out := make([]float64, len(tasks))
	for i, t := range tasks {
		if out[i] = 1; t.end > t.start {
			out[i] = max(1, (until(t.end)-until(t.start))/(t.end-t.start))
		}
	}
	return out
}
