package layout

import (
	"fmt"
	"slices"

	"dagscope/explain/bound"
	"dagscope/explain/schedule"
	"dagscope/explain/utilization"
	"dagscope/internal/words"
	"dagscope/show/panel/core"
	"dagscope/show/panel/kit"
	"dagscope/trace"
)

// Fact is a number of a run that stands beside its name.
type Fact string

// Facts.
const (
	FactMakespan Fact = "makespan" // docs/design/methods.md, Time
	FactIdle     Fact = "idle"     // mean idle share of the workers that are shown (docs/design/methods.md, Idleness)
	FactABE      Fact = "abe"      // area bound (docs/design/methods.md, Bounds)
	FactTasks    Fact = "tasks"    // of the application
)

// Facts lists all, in the order in which they are stated by default.
func Facts() []Fact { return []Fact{FactMakespan, FactABE, FactIdle, FactTasks} }

// FactReads names the columns that a fact is computed from.
func FactReads(f Fact) []string {
	switch f {
	case FactIdle:
		return utilization.WorkerNeeds
	case FactABE:
		return slices.Concat(bound.Needs, bound.SourceNeeds)
	}
	return nil
}

// StateFacts writes facts of a run; one that the run does not tell is left out.
// The error is a bound that could not be computed.
func StateFacts(run *trace.Run, facts []Fact, o *core.Options) ([]string, error) {
	makespan := schedule.Makespan(run)
	if makespan <= 0 {
		return nil, nil
	}
	var out []string
	for _, f := range facts {
		switch f {
		case FactMakespan:
			out = append(out, "makespan "+words.Duration(makespan))
		case FactTasks:
			out = append(out, words.PluralThin(countTasks(run), "task", "tasks"))
		case FactIdle:
			out = append(out, "idle "+words.PercentFine(idleShare(run, o)))
		case FactABE:
			areas, err := bound.Areas(run, o.Pool.Bounds(), false)
			if err != nil {
				return nil, fmt.Errorf("compute the area bound: %w", err)
			}
			if len(areas) > 0 && areas[0].Time > 0 {
				out = append(out, fmt.Sprintf("%.2f × ABE (%s)", float64(makespan)/areas[0].Time, words.Duration(areas[0].Time)))
			}
		}
	}
	return out, nil
}

// idleShare is the mean over the workers that are selected.
func idleShare(run *trace.Run, o *core.Options) float64 {
	w := utilization.ByWorker(run, utilization.WorkerOptions{})
	var shares []float64
	for i, r := range w.Worker {
		if o.Selects(&run.Resource, r) {
			shares = append(shares, w.Share(i))
		}
	}
	return kit.Mean(shares)
}

func countTasks(run *trace.Run) int {
	n := 0
	for i := range run.Task.Start {
		if schedule.Ran(&run.Task, i) && !run.Task.Generation[i] {
			n++
		}
	}
	return n
}
