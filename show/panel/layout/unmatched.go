package layout

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dagscope/show/panel/core"
	"dagscope/show/panel/kit"
	"dagscope/trace"
)

// Unmatched says, a line each, which of the things that options choose are in
// none of the runs: nodes and workers, and where the space-time panel is drawn
// kinds and tasks. The runs have what the panels read.
func Unmatched(runs []*trace.Run, o *core.Options, spaceTime bool) []string {
	u := unmatched{runs: runs}
	var nodes []string
	for _, n := range o.Nodes {
		nodes = append(nodes, strconv.Itoa(int(n)))
	}
	u.check("node", nodes, u.nodes(), func(a, b string) bool { return a == b })
	var shown []string
	for _, w := range o.Workers {
		shown = append(shown, strings.TrimPrefix(w, "!"))
	}
	u.check("worker", append(shown, o.Rows.Pin...), u.workers(), core.Matches)
	if !spaceTime {
		return u.lines
	}
	st := &o.SpaceTime
	kinds := u.kinds()
	for _, asked := range [][]string{st.Links.Kinds, st.Aggregation.Kinds} {
		u.check("kind", asked, kinds, func(a, b string) bool { return a == b })
	}
	u.tasks(slices.Concat(st.Links.Tasks, excluded(&st.Aggregation)))
	return u.lines
}

// excluded are the keys that an aggregation looks at.
func excluded(a *core.Aggregation) []string {
	if a.Mode == core.AggregateNone {
		return nil
	}
	return a.Exclude
}

type unmatched struct {
	runs  []*trace.Run
	lines []string
}

// check adds a line for what is asked for and not there.
func (u *unmatched) check(what string, asked, there []string, match func(asked, there string) bool) {
	for _, a := range asked {
		if !slices.ContainsFunc(there, func(b string) bool { return match(a, b) }) {
			u.Add(fmt.Sprintf("found no %s %s: %s", what, a, several(what, there)))
		}
	}
}

func (u *unmatched) Add(line string) {
	if !slices.Contains(u.lines, line) {
		u.lines = append(u.lines, line)
	}
}

// several lists the first names of what there is.
func several(what string, there []string) string {
	const most = 8
	switch n := len(there); {
	case n == 0:
		return "the runs have none"
	case n > most:
		return fmt.Sprintf("there are %d %ss: %s, …", n, what, strings.Join(there[:most], ", "))
	}
	return "there is " + strings.Join(there, ", ")
}

func (u *unmatched) nodes() (all []string) {
	for _, run := range u.runs {
		for _, n := range run.Resource.Node {
			if s := strconv.Itoa(int(n)); n >= 0 && !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
	}
	slices.SortFunc(all, core.CompareNatural)
	return all
}

// workers are the names of what can have a row.
func (u *unmatched) workers() (all []string) {
	seen := make(map[string]bool)
	for _, run := range u.runs {
		re := &run.Resource
		for r := range re.Parent {
			if name := re.Name.At(r); slices.Contains(kit.StateLevels, re.Level.At(r)) && !seen[name] {
				seen[name] = true
				all = append(all, name)
			}
		}
	}
	slices.SortFunc(all, core.CompareNatural)
	return all
}

// kinds are those of tasks that ran.
func (u *unmatched) kinds() (all []string) {
	seen := make(map[string]bool)
	for _, run := range u.runs {
		for kind := range core.TaskTime(run) {
			if !seen[kind] {
				seen[kind] = true
				all = append(all, kind)
			}
		}
	}
	slices.SortFunc(all, core.CompareNatural)
	return all
}

func (u *unmatched) tasks(keys []string) {
	for _, key := range keys {
		found := func(run *trace.Run) bool { return run.Task.Key.Find(key) != trace.None }
		if slices.ContainsFunc(u.runs, found) {
			continue
		}
		for _, run := range u.runs {
			if n := len(run.Task.Start); n > 0 {
				u.Add(fmt.Sprintf("found no task %s: the keys of tasks are like %s and %s", key, run.Task.Key.At(0), run.Task.Key.At(n-1)))
				break
			}
		}
	}
}
