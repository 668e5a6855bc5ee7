package finding

import (
	"fmt"

	"dagscope/diagnose/verdict"
	"dagscope/internal/words"
)

// onChain is what a family has of the critical chain, if it is a fiftieth of the
// makespan or more.
func (in *Input) onChain(family verdict.Family) (cost verdict.Cost, ok bool) {
	for _, c := range in.Costs {
		if c.Family == family && c.NS*50 >= in.Makespan {
			return c, true
		}
	}
	return cost, false
}

// at names the place of most of a cost in one dimension, after a word.
func at(c verdict.Cost, by, before string) string {
	for _, p := range c.Where {
		if p.By == by {
			return before + p.Name
		}
	}
	return ""
}

func costEvidence(in *Input, c verdict.Cost) map[string]any {
	e := map[string]any{"chain_ns": c.NS, "makespan_ns": in.Makespan}
	if c.Longest.NS > 0 {
		e["longest_ns"], e["longest_from_ns"] = c.Longest.NS, c.Longest.From
	}
	for _, p := range c.Where {
		e[p.By], e[p.By+"_share"] = p.Name, p.Share
	}
	return e
}

// memoryWaits: the chain waited for room in a memory. Gain: that time.
func memoryWaits(in *Input) (Finding, bool) {
	c, ok := in.onChain(verdict.Memory)
	if !ok {
		return Finding{}, false
	}
	where := at(c, "memory", " in ")
	longest := ""
	if c.Longest.NS > 0 {
		longest = fmt.Sprintf(", %s of it at once from %s", words.Duration(c.Longest.NS), words.Duration(c.Longest.From))
	}
	return Finding{
		ID: "memory-wait", Gain: c.NS, Panel: "memstates",
		Title:    fmt.Sprintf("the critical chain waited %s for memory to be allocated or freed%s%s", words.Duration(c.NS), where, longest),
		Evidence: costEvidence(in, c),
		Advice:   "look at what was allocated then (panel memstates): allocate and pin buffers before the run, or raise the limit of a memory that evicts",
	}, true
}

// transferWaits: data was on its way between memories on the chain. Gain: that
// time.
func transferWaits(in *Input) (Finding, bool) {
	c, ok := in.onChain(verdict.Transfers)
	if !ok {
		return Finding{}, false
	}
	contention := ""
	if c.Class.Name == "transfer-contention" {
		contention = fmt.Sprintf(", %.0f %% of that beyond what the link needs alone", 100*c.Class.Share)
	}
	return Finding{
		ID: "transfer-waits", Gain: c.NS, Panel: "bandwidth",
		Title:    fmt.Sprintf("transfers between memories take %s of the critical chain%s%s", words.Duration(c.NS), at(c, "link", ", most of them "), contention),
		Evidence: costEvidence(in, c),
		Advice:   "compare the bandwidth of the link with that of its peers, prefetch, and keep data where it is used",
	}, true
}

// criticalOnSlow: half of the makespan or more is extra time of the chain's tasks
// on an architecture that is slower for them, as where a scheduler does not know how
// fast architectures are. Less says nothing: a schedule at its bound has it too. Gain:
// that time.
func criticalOnSlow(in *Input) (Finding, bool) {
	c, ok := in.onChain(verdict.SlowerArchitecture)
	if !ok || 2*c.NS < in.Makespan {
		return Finding{}, false
	}
	return Finding{
		ID: "critical-on-slow", Gain: c.NS, Panel: "chain",
		Title: fmt.Sprintf("tasks of the critical chain lost %s%s because they ran where they are slower%s",
			words.Duration(c.NS), at(c, "arch", " on "), at(c, "kind", ", most of it in ")),
		Evidence: costEvidence(in, c),
		Advice:   "check where these kinds may run, and what the scheduler knows of their speed: one with performance models (dmda, dmdas), and calibrated ones",
	}, true
}

// lateSubmission: tasks of the chain were not submitted yet though what they
// depend on had ended. Gain: that time.
func lateSubmission(in *Input) (Finding, bool) {
	c, ok := in.onChain(verdict.Submission)
	if !ok {
		return Finding{}, false
	}
	return Finding{
		ID: "late-submission", Gain: c.NS, Panel: "submitted",
		Title:    fmt.Sprintf("tasks of the critical chain were submitted %s after they could have started", words.Duration(c.NS)),
		Evidence: costEvidence(in, c),
		Advice:   "submit earlier or from several threads, make tasks larger, and do not wait between phases",
	}, true
}
