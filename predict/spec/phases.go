package spec

import (
	"fmt"
	"math"
	"slices"

	"go.yaml.in/yaml/v4"

	"dagscope/internal/stat"
	"dagscope/internal/yamlform"
	"dagscope/predict/starpu"
	"dagscope/predict/workload"
	"dagscope/trace"
)

// Window is how many tasks may be submitted and not have ended: beyond max, the
// program waits until there are min of them.
type Window struct {
	Max Number `yaml:"max"` // 0: any number
	Min Number `yaml:"min"`
}

// UnmarshalYAML reads none, or both numbers.
func (w *Window) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode && n.Value == none {
		*w = Window{}
		return nil
	}
	type form Window
	var f form
	if err := yamlform.DecodeNode(n, &f); err != nil {
		return err
	}
	if *w = Window(f); w.Max == 0 || w.Min > w.Max {
		return fmt.Errorf("found a window of %d tasks, down to %d, want none, or {max: 40, min: 20}", w.Max, w.Min)
	}
	return nil
}

// States of threads that submit.
const (
	waitingForAll = "Waiting all tasks"
	throttled     = "Throttling task submission"
)

// phases are where the program waits while it submits: for all tasks, or for room
// in the window. A recorded program does so where it did.
func (s *Spec) phases(p program, g *workload.Graph, o *starpu.Options) {
	own := p.recorded != nil && len(p.recorded.rows) == g.Tasks() && g.Node == nil
	switch w := s.Options.Window; {
	case w != nil:
		o.Window, o.WindowMin = int(w.Max), int(w.Min)
	case own:
		o.Window, o.WindowMin = p.recorded.window()
	}
	if own && (s.Options.Waits == nil || *s.Options.Waits) {
		o.Waits = p.recorded.barriers()
	}
}

// submitting are the states of a kind of the threads that submit, in their order.
func (from *recording) submitting(kind string) (all [][2]int64) {
	st, re := &from.run.State, &from.run.Resource
	for i, r := range st.Resource {
		if st.Kind.At(i) == kind && re.Level.At(int(r)) == trace.LevelUserThread && st.End[i] > st.Start[i] {
			all = append(all, [2]int64{st.Start[i], st.End[i]})
		}
	}
	slices.SortFunc(all, func(a, b [2]int64) int { return int(max(-1, min(1, a[0]-b[0]))) })
	return all
}

// barriers are the tasks before which the program waited for all others. The time in
// which it waits after the last submission is none of them.
func (from *recording) barriers() (tasks []int32) {
	t, next := &from.run.Task, 0
	for _, w := range from.submitting(waitingForAll) {
		for next < len(from.rows) && t.Submit[from.rows[next]] < w[1] {
			next++
		}
		if next > 0 && next < len(from.rows) && (len(tasks) == 0 || tasks[len(tasks)-1] != int32(next)) {
			tasks = append(tasks, int32(next))
		}
	}
	return tasks
}

// window is how many tasks the program had submitted that had not ended when it
// was throttled, and when it went on: in the median of the times. Tasks of the
// runtime's own are not known; 0 where the program was never throttled.
func (from *recording) window() (most, least int) {
	spans := from.submitting(throttled)
	if len(spans) < 2 { // the first may be of tasks that are not in the graph
		return 0, 0
	}
	t := &from.run.Task
	var submitted, ended []int64
	for _, row := range from.rows {
		if t.Submit[row] == trace.NoTime {
			return 0, 0
		}
		submitted, ended = append(submitted, t.Submit[row]), append(ended, t.End[row])
	}
	slices.Sort(submitted)
	slices.Sort(ended)
	before := func(times []int64, at int64) int64 {
		n, _ := slices.BinarySearch(times, at+1)
		return int64(n)
	}
	var full, room []int64
	for _, s := range spans {
		full = append(full, before(submitted, s[0])-before(ended, s[0]))
		room = append(room, before(submitted, s[1]-1)-before(ended, s[1]))
	}
	most, least = int(math.Round(stat.Quantile(full, 0.5))), int(math.Round(stat.Quantile(room, 0.5)))
	if most < 1 {
		return 0, 0
	}
	return most, max(0, min(least, most))
}
