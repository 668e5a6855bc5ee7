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

	"dagscope/diagnose/symptom"
	"dagscope/diagnose/verdict"
	"dagscope/explain/bound"
	"dagscope/explain/breakdown"
	"dagscope/explain/decision"
	"dagscope/explain/depend"
	"dagscope/explain/kind"
	"dagscope/explain/lock"
	"dagscope/explain/outlier"
	"dagscope/explain/region"
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
	Gain     int64          `json:"gain_ns"`  // of the makespan: the simulated median, else at most
	Evidence map[string]any `json:"evidence"` // the figures behind it, times in ns
	Panel    string         `json:"panel"`    // where to see it
	Advice   string         `json:"advice"`
	Where    *symptom.Where `json:"where,omitempty"` // of findings of the detectors
	Basis    symptom.Basis  `json:"basis"`           // of the gain
	// Weak findings are seen in sound runs too: worth a try, no alarm.
	Weak bool `json:"weak,omitempty"`

	// What a simulation of the run without the problem adds (diagnose/proof).
	Low        *int64      `json:"gain_low_ns,omitempty"` // 10 and 90 % quantiles of the pairs
	High       *int64      `json:"gain_high_ns,omitempty"`
	Experiment *Experiment `json:"experiment,omitempty"`
	Command    string      `json:"command,omitempty"`   // repeats the experiment
	Unproven   string      `json:"unproven,omitempty"`  // why there is no simulated gain
	AlsoSeen   []string    `json:"also_seen,omitempty"` // ids of findings that this one's repair repairs
	// Refuted says why the finding is not given as advice: its repair was simulated
	// and gains nothing, too little, or nothing beyond another's.
	Refuted string `json:"refuted,omitempty"`

	faster bool // the gain comes from shorter tasks: bounds of these durations do not limit it
	data   bool // … from another distribution of data: the bound with any limits it
	graph  bool // … from another task graph of the same work: only the area bound limits it
}

// Experiment is a simulation of the run in which the problem is repaired.
type Experiment struct {
	Title       string   `json:"title"`         // what is different, in words
	Set         []string `json:"set,omitempty"` // as KEY=VALUE of dagscope simulate; none where durations of single tasks change
	Makespan    int64    `json:"makespan_ns"`   // simulated, with the change
	Pairs       int      `json:"pairs"`         // of simulations with and without the change
	ReplayError float64  `json:"replay_error"`  // of the makespan simulated without the change
	Pinned      bool     `json:"pinned,omitempty"`
	Scheduler   string   `json:"scheduler,omitempty"` // of the simulations; "" for the recorded schedule
}

// Severity ranks findings.
type Severity string

// Severities of what a test of significance has found: High from a tenth of the
// makespan, Medium from a fiftieth, Low from a hundredth. What is seen in runs too
// in which nothing is wrong is Low at most. Note is for what is worth knowing but
// has no estimate.
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
	Symptoms  []symptom.Symptom
	Tasking   *tasking.Facts
	Decisions *decision.Accuracy
	Regions   *region.Facts   // of OpenMP programs
	Locks     *lock.Facts     // of programs that record locks
	Lost      *breakdown.Lost // time of threads that was neither work nor waiting for it
}

// rule makes at most one finding of the input.
type rule func(in *Input) (Finding, bool)

// Most is how many findings there are at most, MostWeak how many weak ones.
const (
	Most     = 7
	MostWeak = 3
)

// rules in the order in which equal gains are listed. Those that observe see in
// sound runs too what they see.
var (
	proofs       = []rule{fineGrain, serialCreator, littleParallelism, transfersMisjudged, unusedWorkers}
	observations = []rule{criticalOnSlow, memoryWaits, transferWaits, lateSubmission, distribution, slowTasks}
)

// notOfThreads are findings about nodes, memories and submission, which OpenMP programs
// do not have: processes that forked share no data to distribute.
var notOfThreads = []string{"distribution", "late-submission", "memory-wait", "transfer-waits", "critical-on-slow"}

// explained are the observations that a symptom says better.
var explained = map[string][]string{
	"transfer-waits":     {"slow-link", "slow-network", "prefetch", "memory-too-small", "scheduler", "wrong-models"},
	"late-submission":    {"late-submission", "submission-window", "synchronisation"},
	"distribution":       {"distribution", "slow-node"},
	"outliers":           {"slow-worker", "slow-node", "disturbance", "oversubscription", "outliers", "work-inflation"},
	"critical-on-slow":   {"scheduler", "wrong-models", "forbidden-placement"},
	"little-parallelism": {"little-parallelism", "too-coarse", "load-imbalance", "serial-creator", "too-fine"},
	"fine-grain":         {"too-fine", "serial-creator"},
	"serial-creator":     {"serial-creator"},
}

// Find returns the findings of a run as far as it is known without simulation.
func Find(in Input) []Finding { return Shortlist(Candidates(in), in.Makespan) }

// Candidates are all statements that are worth a simulation, in the order of
// [Shortlist].
func Candidates(in Input) []Finding {
	var found []Finding
	if in.Makespan <= 0 { // loops of OpenMP have no tasks: only what was found of them is known
		if len(in.Symptoms) == 0 {
			return nil
		}
		in = Input{Run: in.Run, Makespan: in.Run.Meta.Horizon, Symptoms: in.Symptoms}
	}
	strong := map[string]bool{}
	for i := range in.Symptoms {
		if f := in.of(&in.Symptoms[i]); f.Gain*100 >= in.Makespan {
			found = append(found, f)
			strong[f.ID] = true
		}
	}
	for i, r := range slices.Concat(proofs, observations) {
		f, ok := r(&in)
		if !ok || in.Run != nil && in.Run.Meta.Lifetimes && slices.Contains(notOfThreads, f.ID) || slices.ContainsFunc(explained[f.ID], func(id string) bool { return strong[id] }) || in.smallMemory(&f) {
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
		f.Gain, f.Basis = max(0, min(f.Gain, limit)), symptom.Bound
		if f.Gain*100 < in.Makespan && f.Severity != Note {
			continue // true, but not worth the time
		}
		switch {
		case f.Severity != "":
		case i >= len(proofs):
			f.Severity, f.Weak = Low, true
		default:
			f.Severity = SeverityOf(f.Gain, in.Makespan)
		}
		found = append(found, f)
	}
	order(found)
	return found
}

// Shortlist orders findings and keeps those to show: at most seven that nothing
// refutes, three weak ones among them.
func Shortlist(all []Finding, makespan int64) []Finding {
	found := slices.DeleteFunc(slices.Clone(all), func(f Finding) bool {
		return f.Refuted != "" || f.Low != nil && f.Gain*100 < makespan
	})
	order(found)
	weak := 0
	found = slices.DeleteFunc(found, func(f Finding) bool {
		if f.Weak {
			weak++
		}
		return f.Weak && weak > MostWeak
	})
	return found[:min(len(found), Most)]
}

// order puts what costs most first: of the same severity what was simulated before
// what was not.
func order(found []Finding) {
	slices.SortStableFunc(found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.Severity.rank(), b.Severity.rank()), cmp.Compare(a.basis(), b.basis()), cmp.Compare(b.least(), a.least()))
	})
}

// basis orders findings of the same severity by what their gain is made of.
func (f *Finding) basis() int {
	if f.Basis == symptom.Simulated {
		return 0
	}
	return 1
}

// least is the gain that a finding is ranked by.
func (f *Finding) least() int64 {
	if f.Low != nil {
		return *f.Low
	}
	return f.Gain
}

func (s Severity) rank() int { return slices.Index([]Severity{High, Medium, Low, Note}, s) }

// smallMemory reports whether a wait for memory is at one that is too small.
func (in *Input) smallMemory(f *Finding) bool {
	memory, _ := f.Evidence["memory"].(string)
	return f.ID == "memory-wait" && slices.ContainsFunc(in.Symptoms, func(s symptom.Symptom) bool {
		return s.ID == "memory-too-small" && slices.Contains(s.Where.Memories, memory)
	})
}

// rank orders findings before their gains do: proven ones, those that are seen in
// sound runs too, notes.
func (f *Finding) rank() int {
	switch {
	case f.Severity == Note:
		return 2
	case f.Weak:
		return 1
	}
	return 0
}

// of is a symptom as a finding. What a repair leaves as it is limits its gain:
// durations, the placements seen, the distribution of data, the task graph.
func (in *Input) of(s *symptom.Symptom) Finding {
	limit := in.gap()
	switch s.ID {
	case "slow-worker", "slow-node", "disturbance", "oversubscription", "lock", "forbidden-placement", "work-inflation", "outliers":
		limit = in.Makespan
	case "too-fine", "too-coarse", "little-parallelism", "load-imbalance", "serial-creator":
		limit = in.aboveArea()
	case "distribution":
		limit = in.aboveAny()
	}
	f := Finding{ID: s.ID, Gain: max(0, min(s.Gain, limit)), Where: &s.Where, Basis: s.Basis, Evidence: s.Evidence, Weak: s.Weak}
	if f.Severity = SeverityOf(f.Gain, in.Makespan); s.Weak {
		f.Severity = Low
	}
	f.Title, f.Advice, f.Panel = s.Words()
	return f
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
	if in.Bounds == nil {
		return in.Makespan
	}
	return in.Makespan - round(in.Bounds.Best.Time)
}

// gap is what the makespan has above the best lower bound.
func (in *Input) gap() int64 {
	if in.Bounds == nil {
		return in.Makespan
	}
	return in.Makespan - round(in.Bounds.Lower().Time)
}

// SeverityOf is the severity of a gain that is tested for significance.
func SeverityOf(gain, makespan int64) Severity {
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
		Title: fmt.Sprintf("%s took unusually long for their kind, the longest is %s (%s, %s)", words.Plural(count, "task"), in.Run.Task.Key.At(int(slowest)), in.Run.Task.Kind.At(int(slowest)), words.Duration(duration[slowest])),
		Evidence: map[string]any{
			"count": count, "excess_ns": round(all), "excess_on_last_path_ns": round(chain),
			"slowest": in.Run.Task.Key.At(int(slowest)), "slowest_ns": duration[slowest],
		},
		Advice: "look at when and where they ran (panel outliers)",
	}, true
}

func round(v float64) int64 { return int64(math.Round(v)) }
