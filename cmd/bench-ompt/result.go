package main

import (
	"fmt"
	"slices"
	"strings"
)

// result is what was measured of one program: CPU seconds of each round's
// variants, and what the recorder recorded.
type result struct {
	program
	cpu   [][3]float64
	count count
}

// quantile is a q-quantile of values, the nearest one.
func quantile(values []float64, q float64) float64 {
	s := slices.Sorted(slices.Values(values))
	return s[int(q*float64(len(s)-1)+0.5)]
}

func median(values []float64) float64 { return quantile(values, 0.5) }

// each applies f to the rounds.
func (r result) each(f func(cpu [3]float64) float64) []float64 {
	out := make([]float64, len(r.cpu))
	for i, cpu := range r.cpu {
		out[i] = f(cpu)
	}
	return out
}

// slowdown is the CPU time of a variant over that without a tool, per round.
func (r result) slowdown(v variant) []float64 {
	return r.each(func(cpu [3]float64) float64 { return cpu[v] / cpu[none] })
}

// perEvent is what an event costs with one variant beyond another, in ns.
func (r result) perEvent(v, beyond variant) float64 {
	return median(r.each(func(cpu [3]float64) float64 { return (cpu[v] - cpu[beyond]) * 1e9 / float64(r.count.events) }))
}

func ratio(values []float64) string {
	return fmt.Sprintf("%.2f (%.2f-%.2f)", median(values), quantile(values, 0.25), quantile(values, 0.75))
}

// String is the program's row of the table.
func (r result) String() string {
	cpu := median(r.each(func(cpu [3]float64) float64 { return cpu[none] }))
	perEvent := [2]string{"-", "-"}
	if r.fine {
		perEvent = [2]string{fmt.Sprintf("%.1f", r.perEvent(noop, none)), fmt.Sprintf("%.1f", r.perEvent(recorder, noop))}
	}
	return fmt.Sprintf("%-22s %7.2f  %-18s %-18s %10d %8.2f %9s %9s %7.1f",
		r.name+" "+strings.Join(r.args, " "), cpu, ratio(r.slowdown(noop)), ratio(r.slowdown(recorder)), r.count.events,
		float64(r.count.events)/cpu/1e6, perEvent[0], perEvent[1], float64(r.count.bytes)/float64(r.count.plain))
}

// summary prints the means of the slowdowns and the median cost of an event.
func summary(results []result) {
	var none, tool, events []float64
	for _, r := range results {
		if r.fine {
			events = append(events, r.perEvent(recorder, noop))
		}
		if !r.bare {
			none = append(none, median(r.slowdown(noop)))
			tool = append(tool, median(r.slowdown(recorder)))
		}
	}
	if len(tool) > 0 {
		fmt.Printf("mean slowdown (without the bare ones): no-op %.3f, recorder %.3f\n", mean(none), mean(tool))
	}
	if len(events) > 0 {
		fmt.Printf("median cost of an event beyond the no-op tool, fine-grained programs: %.1f ns\n", median(events))
	}
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}
