// Package symptom answers: what is wrong in this run, and where? It looks at an
// imported run alone, without simulation, and returns what it finds as data: an
// id, the nodes, workers, links, memories, kinds and window meant, the numbers
// behind it, and an estimate from above of what the makespan could gain.
//
// The approach: a detector for each id, a pure function of the prepared run
// ([Input]). Each states in its comment what it expects of a run in which
// nothing is wrong (the null hypothesis) and from where on it disbelieves that.
// What is compared are peers: tasks of the same kind and layout of data, workers
// of the same type, links of the same sort; the median of the peers stands for
// what is usual, so that the faulty one does not move it. Where many workers or
// links are tried at once the false discovery rate is held (Benjamini 1995).
//
// Gains: what a cause took of the critical chain, or what it took of the time
// of all workers, spread over those that could have used it, whichever is more.
// Repairing a cause rarely gains more, since something else then limits the run;
// gains of several symptoms overlap and must not be added up. A simulation of
// the repaired run is what proves a symptom; this package only says what is worth
// one.
//
// What it does not do: put anything into words, judge OpenMP's own constructs
// (explain/tasking), or price what the run has no duration of ([Unpriced]).
package symptom

import (
	"cmp"
	"reflect"
	"slices"

	"dagscope/internal/parallel"

	"dagscope/trace"
)

// Symptom is something wrong with a run.
type Symptom struct {
	ID    string `json:"id"`
	Where Where  `json:"where"`
	Gain  int64  `json:"gain_ns"` // from above; of [Unpriced], what idle workers could have taken over at most
	// Weak says that what is seen is compatible with a run that cannot be made
	// faster: it is worth a simulation, not an alarm.
	Weak     bool           `json:"weak,omitempty"`
	Also     string         `json:"also,omitempty"`    // id of what explains it, if something does
	Runtime  string         `json:"runtime,omitempty"` // whose words the advice is in: [OpenMP], else StarPU
	Basis    Basis          `json:"basis"`
	Evidence map[string]any `json:"evidence"` // times in ns
}

// Where names what a symptom is about; what it says nothing of is empty.
type Where struct {
	Nodes    []int32     `json:"nodes,omitempty"`
	Workers  []string    `json:"workers,omitempty"`
	Links    [][2]string `json:"links,omitempty"` // from, to: memories, or nodes
	Memories []string    `json:"memories,omitempty"`
	Kinds    []string    `json:"kinds,omitempty"`
	Archs    []string    `json:"archs,omitempty"`
	Window   []int64     `json:"window_ns,omitempty"` // from, to
	Source   string      `json:"source,omitempty"`    // file:line of the construct, or of the task's creation
}

// OpenMP is the runtime of runs that have its states.
const OpenMP = "OpenMP"

// Basis says what a gain is made of.
type Basis string

// Bases.
const (
	Simulated Basis = "simulated" // runs with and without the problem, both simulated (diagnose/proof)
	Bound     Basis = "bound"     // times of the run
	Unpriced  Basis = "unpriced"  // the run has no duration of what would be better
)

// least is the share of the makespan below which nothing is worth a look.
const least = 0.01

// detectors in the order in which equal gains are listed.
var detectors = []func(*Input) []Symptom{
	slowNode, slowWorker, disturbance,
	slowLink, slowNetwork, repeatedMessages, latePosting,
	memoryTooSmall, submission,
	forbiddenPlacement, misplaced, dataUnaware, badPriorities, prefetch, pipeline,
	tooFine, littleParallelism, ramp, oversubscription, workInflation, outliers, distribution,
}

// ofOpenMP are the detectors that know what they look at in programs of OpenMP, which
// have neither submissions nor memories nor performance models.
var ofOpenMP = []func(*Input) []Symptom{
	slowWorker, disturbance, badPriorities, tooFine, littleParallelism, ramp, lostProcessors, workInflation, outliers, loadImbalance, serialCreator, locks, synchronisation,
}

// Find returns the symptoms of a run, the greatest gain first, weak ones last. A
// run without counted tasks has none, but for the imbalance of loops.
func Find(run *trace.Run, o Options) []Symptom {
	in := Prepare(run, o)
	if in.Makespan <= 0 {
		return loops(in)
	}
	var found []Symptom
	list := detectors
	if in.openMP() {
		list = ofOpenMP
	}
	of := make([][]Symptom, len(list)) // by detector: they only read what they look at
	parallel.For(len(list), func(i int) { of[i] = list[i](in) })
	for _, symptoms := range of {
		for _, s := range symptoms {
			s.Gain = min(s.Gain, in.Makespan)
			if float64(s.Gain) >= least*float64(in.Makespan) {
				found = fold(found, s)
			}
		}
	}
	subordinate(found)
	if in.openMP() {
		in.ofOpenMP(found)
	}
	order(found)
	return found
}

// ofOpenMP has advice in the words of OpenMP, and sources as far as they are known.
func (in *Input) ofOpenMP(found []Symptom) {
	for i := range found {
		s := &found[i]
		if s.Runtime = OpenMP; s.Where.Source == "" && len(s.Where.Kinds) > 0 {
			s.Where.Source = in.sourceOf(s.Where.Kinds[0])
		}
	}
}

// order puts what costs most first, weak symptoms last.
func order(found []Symptom) {
	slices.SortStableFunc(found, func(a, b Symptom) int {
		if a.Weak != b.Weak {
			if a.Weak {
				return 1
			}
			return -1
		}
		return cmp.Compare(b.Gain, a.Gain)
	})
}

// loops looks at programs that have parallel loops and no tasks.
func loops(in *Input) []Symptom {
	whole := in.whole()
	var found []Symptom
	for _, detect := range []func(*Input) []Symptom{loadImbalance, locks, lostProcessors, synchronisation, serialCode} {
		for _, s := range detect(in) {
			if s.Gain = min(s.Gain, whole); float64(s.Gain) >= least*float64(whole) {
				found = append(found, s)
			}
		}
	}
	subordinate(found)
	in.ofOpenMP(found)
	order(found)
	return found
}

// causes are, by id, the ids that explain it: what is seen of both is weak evidence of
// the former. Schedulers that know neither speeds nor data do not prefetch either; data
// that goes to and fro for any reason keeps all links busy, and a link that evictions
// keep busy is never seen with nothing in the way.
var causes = map[string][]string{
	"prefetch":        {"scheduler"},
	"pipeline":        {"prefetch", "memory-too-small"},
	"slow-link":       {"memory-too-small"},
	"slow-network":    {"memory-too-small", "prefetch", "scheduler", "wrong-models", "slow-link", "forbidden-placement"},
	"late-posting":    {"repeated-messages"},
	"disturbance":     {"too-fine", "oversubscription", "lock"},
	"synchronisation": {"oversubscription", "load-imbalance", "lock"},
	"outliers":        {"slow-worker", "slow-node", "disturbance", "oversubscription", "work-inflation", "lock"},
	"slow-worker":     {"oversubscription", "lock"},
	"work-inflation":  {"oversubscription", "lock"},
	"ramp":            {"late-submission", "submission-window", "synchronisation", "serial-creator", "too-coarse", "little-parallelism", "too-fine", "slow-worker", "slow-node", "distribution", "load-imbalance", "scheduler", "wrong-models", "forbidden-placement", "bad-priorities", "memory-too-small", "slow-link", "slow-network"},
}

// subordinate makes weak what something else that was found explains.
func subordinate(found []Symptom) {
	for i := range found {
		s := &found[i]
		for j := range found {
			if o := &found[j]; (!o.Weak || s.ID == "ramp") && slices.Contains(causes[s.ID], o.ID) && (s.ID != "slow-link" || sameMemory(s, o)) {
				s.Weak = true
				s.Also = o.ID
			}
		}
	}
}

// sameMemory reports whether two symptoms name a memory in common; those of nodes, which
// name none, do not.
func sameMemory(a, b *Symptom) bool {
	return slices.ContainsFunc(a.Where.Memories, func(m string) bool { return slices.Contains(b.Where.Memories, m) })
}

// fold adds a symptom; one of the same id at the same place has its evidence added
// to, since it is the same statement made for two reasons. The greater gain stays.
func fold(found []Symptom, s Symptom) []Symptom {
	for i := range found {
		f := &found[i]
		if f.ID != s.ID || !reflect.DeepEqual(f.Where, s.Where) {
			continue
		}
		if s.Gain > f.Gain {
			*f, s = s, *f
		}
		f.Weak = f.Weak && s.Weak
		for key, value := range s.Evidence {
			if _, known := f.Evidence[key]; !known {
				f.Evidence[key] = value
			}
		}
		return found
	}
	return append(found, s)
}
