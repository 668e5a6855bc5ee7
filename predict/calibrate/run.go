package calibrate

import (
	"math"
	"slices"

	"dagscope/explain/kind"
	"dagscope/predict/perfmodel"
	"dagscope/trace"
)

// RunNeeds names the columns that [FromRun] reads.
var RunNeeds = perfmodel.FitNeeds

// FromRun takes the tasks of a run that ran as measurements: how long they
// worked, their named parameters (task.parameters) and work, and how many
// workers were busy meanwhile. File names it in reports.
func FromRun(run *trace.Run, file string) []*Samples {
	var out []*Samples
	durations, busy := kind.Durations(run), busyOf(run)
	groups := kind.Group(run, kind.Options{Generation: true})
	for k := range groups.Len() {
		s := &Samples{Kind: run.Task.Kind.Dict[groups.Kind[k]], Arch: perfmodel.ArchOf(kind.ArchName(run, groups.Arch[k])), From: []string{file}}
		if known := kernelOf(s.Kind); known != nil {
			s.Kind = known.Kind
		}
		tasks := groups.Tasks(k)
		for _, i := range tasks {
			s.Time = append(s.Time, float64(durations[i]))
			s.Busy = append(s.Busy, busy[i])
			if g := run.Task.GFlop; len(g) > 0 {
				s.GFlop = append(s.GFlop, g[i])
			}
		}
		s.parameters(&run.Task.Parameters, tasks)
		out = append(out, s.tidy(s.Names))
	}
	return Join(out)
}

// busyOf is how many workers were busy while each task ran, 0 for tasks that do
// not count.
func busyOf(run *trace.Run) []float64 {
	t := &run.Task
	o := kind.Options{Generation: true}
	var rows []int
	var spans []interval
	for i := range t.Start {
		if o.Counts(t, i) {
			rows, spans = append(rows, i), append(spans, interval{float64(t.Start[i]), float64(t.End[i])})
		}
	}
	out := make([]float64, len(t.Start))
	for k, busy := range busyWorkers(spans) {
		out[rows[k]] = busy
	}
	return out
}

// parameters reads those that tasks name.
func (s *Samples) parameters(texts *trace.Strings, tasks []int32) {
	if texts.Len() == 0 {
		return
	}
	for n, i := range tasks {
		at := texts.Index[i]
		if at < 0 {
			continue
		}
		names, values := perfmodel.NamedParameters(texts.Dict[at])
		for k, name := range names {
			j := slices.Index(s.Names, name)
			if j < 0 {
				j = len(s.Names)
				s.Names, s.Param = append(s.Names, name), append(s.Param, unknown(len(tasks)))
			}
			s.Param[j][n] = values[k]
		}
	}
	for j := range s.Param {
		for n, v := range s.Param[j] {
			if math.IsInf(v, 0) {
				s.Param[j][n] = math.NaN()
			}
		}
	}
}
