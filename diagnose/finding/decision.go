package finding

import (
	"fmt"

	"dagscope/explain/decision"
	"dagscope/internal/words"
)

// transfersMisjudged: a scheduler that estimates expected the transfers of what
// it placed to take a quarter less or more than they did, and they are a
// fiftieth of the work or more. What better estimates would gain is not known.
func transfersMisjudged(in *Input) (Finding, bool) {
	a := in.Decisions
	if a == nil || a.Tasks == 0 {
		return Finding{}, false
	}
	off := max(a.Expected-a.Transferred, a.Transferred-a.Expected)
	more := max(a.Expected, a.Transferred)
	if off*4 < more || more*50 < a.Lasted {
		return Finding{}, false
	}
	return Finding{
		ID: "misjudged-transfers", Severity: Note, Panel: "decision",
		Title: fmt.Sprintf("the scheduler expected the data of the tasks that it placed to take %s, it took %s", words.Duration(a.Expected), words.Duration(a.Transferred)),
		Evidence: map[string]any{
			"tasks": a.Tasks, "expected_ns": a.Expected, "took_ns": a.Transferred, "median_error_ns": a.TransferOff, "tasks_with_transfers": a.Transferring,
			"durations_expected_ns": a.Planned, "durations_ns": a.Lasted,
		},
		Advice: "dagscope inspect RUN --list --by transfer names the tasks; measure the bandwidths again, or weigh transfers differently (STARPU_SCHED_BETA)",
	}, true
}

// DecisionsOf is what the rules on decisions draw from: nil for a run without
// estimates.
func DecisionsOf(x *decision.Index) *decision.Accuracy {
	if !x.Estimated() {
		return nil
	}
	a := x.Accuracy()
	return &a
}
