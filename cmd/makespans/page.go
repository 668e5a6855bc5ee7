package main

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// spread is what a group of errors comes to.
type spread struct {
	n           int
	median, p90 float64
	worst       measured
}

func spreadOf(group []measured) spread {
	group = slices.Clone(group)
	slices.SortStableFunc(group, func(a, b measured) int { return cmp.Compare(math.Abs(a.err), math.Abs(b.err)) })
	at := func(q float64) measured { return group[int(math.Ceil(q*float64(len(group))))-1] }
	return spread{len(group), math.Abs(at(0.5).err), math.Abs(at(0.9).err), at(1)}
}

// grouped are rows by what a key says of each.
func grouped(all []measured, key func(measured) string) map[string][]measured {
	by := make(map[string][]measured)
	for _, m := range all {
		by[key(m)] = append(by[key(m)], m)
	}
	return by
}

// far is the error from which a row has a line of its own: StarPU prints makespans
// with four digits.
const far = 0.001

func table(all []measured) string {
	var b strings.Builder
	total := spreadOf(all)
	near := 0
	for _, m := range all {
		if math.Abs(m.err) < far {
			near++
		}
	}
	fmt.Fprintf(&b, `# Makespans: the exact engine and StarPU's own simulation

Written by `+"`make makespans`"+`: every makespan of the reference (Cholesky under StarPU 1.4 and SimGrid,
known to four digits) simulated from the machine's performance models, without anything of the run
itself. %d of %d rows are met within %s, half of them within %s, nine of ten within %s.
`+"`heteroprio`"+` begins with nothing; StarPU's had the memory of earlier runs whose order is not known
([what they come to with some](../policies.md#schedulers)).

`, near, total.n, percent(far), percent(total.median), percent(total.p90))
	for _, t := range []struct {
		name string
		key  func(measured) string
	}{
		{"scheduler", func(m measured) string { return m.scheduler }},
		{"machine", func(m measured) string { return m.machine }},
		{"tiles", func(m measured) string { return fmt.Sprintf("%d × %d", m.tiles, m.tile) }},
		{"options", func(m measured) string { return m.variant }},
	} {
		fmt.Fprintf(&b, "| %s | rows | median | 90 %% | worst | which |\n|--|--|--|--|--|--|\n", t.name)
		by := grouped(all, t.key)
		for _, name := range slices.Sorted(maps.Keys(by)) {
			s := spreadOf(by[name])
			fmt.Fprintf(&b, "| %s | %d | %s | %s | %s | %v |\n", name, s.n, percent(s.median), percent(s.p90), signed(s.worst.err), s.worst.row)
		}
		if t.name == "scheduler" {
			fmt.Fprintf(&b, "| all | %d | %s | %s | %s | %v |\n", total.n, percent(total.median), percent(total.p90), signed(total.worst.err), total.worst.row)
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "Rows that are off by %s or more. The last columns are errors of %d simulations with durations perturbed by\n"+
		"%.0f ppm each: where they are on both sides of 0, the row turns on ties that a nanosecond decides.\n\n"+
		"| row | StarPU | simulated | | perturbed, from | to |\n|--|--|--|--|--|--|\n", percent(far), perturbed, 1e6*perturbation)
	for _, m := range all {
		if math.Abs(m.err) >= far {
			fmt.Fprintf(&b, "| %v | %.1f ms | %.1f ms | %s | %s | %s |\n", m.row, m.makespan/1e3, m.simulated()/1e3, signed(m.err), signed(m.low), signed(m.high))
		}
	}
	return b.String()
}

func percent(share float64) string { return fmt.Sprintf("%.2g %%", 100*share) }

func signed(share float64) string { return fmt.Sprintf("%+.2f %%", 100*share) }
