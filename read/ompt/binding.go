package ompt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dagscope/read/ompt/event"
	"dagscope/trace"
)

// mostBindings are threads whose binding is told; table event has all.
const mostBindings = 64

// noteBinding says in the environment where threads may run: "T0: 0 (place 0),
// T1: 1 (place 1)", or of all at once where it is the same.
func noteBinding(run *trace.Run) {
	e := &run.Event
	want := e.Kind.Find("binding")
	if want < 0 {
		return
	}
	var rows []int
	values := map[string]bool{}
	for i, k := range e.Kind.Index {
		if k == want {
			rows = append(rows, i)
			values[e.Value.At(i)] = true
		}
	}
	slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(e.Resource[a], e.Resource[b]) })
	var each []string
	for _, i := range rows {
		each = append(each, run.Resource.Name.At(int(e.Resource[i]))+": "+e.Value.At(i))
	}
	text := strings.Join(each[:min(len(each), mostBindings)], ", ")
	if more := len(each) - mostBindings; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	if len(values) == 1 && len(each) > 1 {
		_, value, _ := strings.Cut(each[0], ": ")
		text = "all threads: " + value
	}
	if run.Meta.Environment == nil {
		run.Meta.Environment = map[string]string{}
	}
	run.Meta.Environment["thread binding"] = text
}

// placesOf writes places as OMP_PLACES does, "{0-1},{2-3}".
func placesOf(places [][]int) string {
	var all []string
	for _, p := range places {
		all = append(all, "{"+event.Processors(maskOf(p))+"}")
	}
	return strings.Join(all, ",")
}

// maskOf is the set of some processors; numbers out of range are left out.
func maskOf(processors []int) (mask []uint64) {
	for _, p := range processors {
		if p < 0 || p >= event.MaxProcessors {
			continue
		}
		for len(mask) <= p/64 {
			mask = append(mask, 0)
		}
		mask[p/64] |= 1 << (p % 64)
	}
	return mask
}
