// Package finding answers: what should I look at first? It turns the results
// of the other analyses into a short list of statements, each with its
// evidence, an estimate of what the makespan could gain, the panel that shows
// it, and advice. The largest gain comes first; what could gain less than a
// hundredth of the makespan is left out.
//
// Gains are estimates, made the same way for each kind of finding and stated in
// its documentation; they overlap and must not be added up. What leaves the
// tasks' durations as they are cannot gain more than the gap to the best lower
// bound.
package finding

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"dagscope/diagnose/verdict"
	"dagscope/explain/bound"
	"dagscope/explain/breakdown"
	"dagscope/explain/decision"
	"dagscope/explain/depend"
	"dagscope/explain/kind"
	"dagscope/explain/outlier"
	"dagscope/explain/tasking"
	"dagscope/explain/utilization"
	"dagscope/internal/words"
	"dagscope/trace"
)

// Finding is one statement about a run.
type Finding struct {
	ID       string         `json:"id"`       // stable name of the kind of finding
	Severity Severity       `json:"severity"` // by the gain
	Title    string         `json:"title"`    // one sentence with the figures
	Gain     int64          `json:"gain_ns"`  // estimated gain of the makespan, at most
	Evidence map[string]any `json:"evidence"` // the figures behind it, times in ns
	Panel    string         `json:"panel"`    // where to see it
	Advice   string         `json:"advice"`

	faster bool // the gain comes from shorter tasks: bounds of these durations do not limit it
	data   bool // … from another distribution of data: the bound with any limits it
	graph  bool // … from another task graph of the same work: only the area bound limits it
}

// Severity ranks findings.
type Severity string

// Severities: High from a tenth of the makespan, Medium from a fiftieth, Low
// from a hundredth, Note for what is worth knowing but has no estimate.
const (
	High   Severity = "high"
	Medium Severity = "medium"
	Low    Severity = "low"
	Note   Severity = "note"
)

// Input are the results to draw from; nil ones are skipped.
type Input struct {
	Run       *trace.Run
	Makespan  int64
	Bounds    *bound.Result
	Idle      *utilization.Workers
	Outliers  *outlier.Result
	Breakdown *breakdown.Result
	Last      *depend.Last
	Costs     []verdict.Cost // of the critical chain
	Tasking   *tasking.Facts
	Decisions *decision.Accuracy
}

// rule makes at most one finding of the input.
type rule func(in *Input) (Finding, bool)

// Most is how many findings there are at most.
const Most = 7

// rules in the order in which equal gains are listed.
var rules = []rule{
	criticalOnSlow, memoryWaits, transferWaits, lateSubmission, distribution, slowTasks, fineGrain, serialCreator, littleParallelism, transfersMisjudged, unusedWorkers,
}

// Find returns the findings of a run, the largest gain first.
func Find(in Input) []Finding {
	var found []Finding
	if in.Makespan <= 0 {
		return nil
	}
	for _, r := range rules {
		f, ok := r(&in)
		if !ok {
			continue
		}
		limit := in.gap()
		switch {
		case f.faster:
			limit = in.Makespan
		case f.graph:
			limit = in.aboveArea()
		case f.data:
			limit = in.aboveAny()
		}
		f.Gain = max(0, min(f.Gain, limit))
		if f.Gain*100 < in.Makespan && f.Severity != Note {
			continue // true, but not worth the time
		}
		if f.Severity == "" {
			f.Severity = severityOf(f.Gain, in.Makespan)
		}
		found = append(found, f)
	}
	slices.SortStableFunc(found, func(a, b Finding) int { return cmp.Compare(b.Gain, a.Gain) })
	return found[:min(len(found), Most)]
}

// aboveArea is what the makespan has above the area bound.
func (in *Input) aboveArea() int64 {
	if in.Bounds == nil {
		return in.Makespan
	}
	return in.Makespan - round(in.Bounds.Area.Time)
}

// aboveAny is what the makespan has above the bound with any distribution of data.
func (in *Input) aboveAny() int64 {
	return in.Makespan - round(in.Bounds.Best.Time)
}

// gap is what the makespan has above the best lower bound.
func (in *Input) gap() int64 {
	if in.Bounds == nil {
		return in.Makespan
	}
	return in.Makespan - round(in.Bounds.Lower().Time)
}

func severityOf(gain, makespan int64) Severity {
	switch {
	case gain*10 >= makespan:
		return High
	case gain*50 >= makespan:
		return Medium
	}
	return Low
}

// unusedWorkers: workers that ran nothing. What their work would gain is not
// known; kinds that never ran on their architecture are named.
func unusedWorkers(in *Input) (Finding, bool) {
	if in.Idle == nil {
		return Finding{}, false
	}
	var names, arches []string
	unused := map[int32]bool{}
	for i, w := range in.Idle.Worker {
		if in.Idle.Tasks[i] == 0 && in.Idle.Busy[i] == 0 {
			names = append(names, in.Run.Resource.Name.At(int(w)))
			if arch := in.Run.Resource.Arch.Index[w]; !unused[arch] {
				unused[arch] = true
				arches = append(arches, in.Run.Resource.Arch.At(int(w)))
			}
		}
	}
	if len(names) == 0 {
		return Finding{}, false
	}
	f := Finding{
		ID: "unused-workers", Severity: Note, Panel: "st",
		Title:    fmt.Sprintf("%d of %d workers (%s) ran no task", len(names), len(in.Idle.Worker), words.List(arches, 3)),
		Evidence: map[string]any{"workers": names[:min(len(names), 20)], "count": len(names), "of": len(in.Idle.Worker)},
		Advice:   "give their cores to something else, or check whether the scheduler may use them",
	}
	if in.Bounds == nil {
		return f, true
	}
	var never []bound.Placement
	for _, p := range in.Bounds.Unknown {
		if unused[p.Arch] {
			never = append(never, p)
		}
	}
	if len(never) > 0 {
		f.Advice = "try once with all kinds allowed there: " + bound.NeverRan(in.Run, never)
	}
	return f, true
}

// slowTasks: suspiciously long tasks. Gain: what they took beyond the bound of
// what is usual, divided by the workers; what lies on the last path counts whole.
func slowTasks(in *Input) (Finding, bool) {
	o := in.Outliers
	if o == nil || in.Idle == nil {
		return Finding{}, false
	}
	onPath := map[int32]bool{}
	if in.Last != nil {
		for _, node := range in.Last.LastPath() {
			onPath[node] = true
		}
	}
	var all, chain float64
	count, slowest := 0, trace.None
	duration := kind.Durations(in.Run)
	for i, task := range o.Task {
		if o.Side[i] != outlier.Long {
			continue
		}
		count++
		excess := float64(duration[task]) - o.Bound[i]
		all += excess
		if onPath[task] {
			chain += excess
		}
		if slowest == trace.None || duration[task] > duration[slowest] {
			slowest = task
		}
	}
	if count == 0 {
		return Finding{}, false
	}
	gain := int64(max(chain, all/float64(max(len(in.Idle.Worker), 1))))
	return Finding{
		ID: "outliers", Gain: gain, Panel: "st", faster: true,
		Title: fmt.Sprintf("%s took unusually long for their kind, the longest is %s (%s, %s)", words.Plural(count, "task"), in.Run.Task.Key.At(int(slowest)), in.Run.Task.Kind.At(int(slowest)), words.InMS(duration[slowest])),
		Evidence: map[string]any{
			"count": count, "excess_ns": round(all), "excess_on_last_path_ns": round(chain),
			"slowest": in.Run.Task.Key.At(int(slowest)), "slowest_ns": duration[slowest],
		},
		Advice: "look at when and where they ran (panel outliers)",
	}, true
}

func round(v float64) int64 { return int64(math.Round(v)) }
