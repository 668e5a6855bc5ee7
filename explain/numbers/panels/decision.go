package panels

import (
	"fmt"
	"strings"

	"dagscope/explain/decision"
	"dagscope/explain/numbers"
	"dagscope/explain/search"
	"dagscope/trace"
)

// Numbers on how schedulers placed tasks.

var decisionNumbers = []Numbers{
	{
		ID: "decision", Title: "A scheduler's decision",
		Doc: "How the scheduler placed one task (--task; by default the one whose placing it would regret most, or in runs without " +
			"estimates that waited longest): for each worker what it expected, what it had taken, what lay in its queue. queue + exposed + duration is " +
			"from the decision to the predicted end.",
		Needs: []string{"task.start"},
		Reads: decision.Needs,
		Takes: taking("task"),
		Columns: []numbers.Column{keyColumn, kindColumn, {Name: "time", Unit: "ns", Doc: "of the decision, since zero"}, workerColumn,
			{Name: "chosen", Doc: "the scheduler chose it"},
			{Name: "queue", Unit: "ns", Doc: "expected until it is through with what it has"},
			{Name: "exposed", Unit: "ns", Doc: "what transfers add to that"},
			{Name: "duration", Unit: "ns", Doc: "expected of the task"}, endColumn,
			{Name: "transfer", Unit: "ns", Doc: "expected of all transfers, hidden ones too"},
			{Name: "fitness", Unit: "ns", Doc: "the smallest wins"}, {Name: "taken", Doc: "tasks that it had taken, with priorities"},
			{Name: "waiting", Doc: "tasks in its queue, with priorities, first first"}},
		Compute: decisionRows,
	},
}

// Placed finds the task that is asked for, and how it was placed.
func Placed(run *trace.Run, x *decision.Index, key string) (*decision.Inspection, error) {
	row, ok := search.Lookup(run, key)
	if key == "" {
		row, ok = worstPlaced(run, x)
	}
	switch {
	case !ok && key == "":
		return nil, &Missing{"nothing in this run tells when a task was placed that did not begin at once"}
	case !ok:
		return nil, &Missing{fmt.Sprintf("there is no task %s: give its key, the job id as the runtime printed it", key)}
	}
	in, err := x.Inspect(row)
	if err == nil && in.Moment == nil {
		return nil, &Missing{fmt.Sprintf("nothing in this run tells when task %s was placed", in.Task.Key)}
	}
	return in, err
}

// worstPlaced is the task whose placing went wrong most.
func worstPlaced(run *trace.Run, x *decision.Index) (int32, bool) {
	for _, by := range []string{decision.ByRegret, decision.ByMisprediction, decision.ByDelay} {
		if worst, err := x.List(by, 1); err == nil && len(worst) > 0 {
			return search.Lookup(run, worst[0].Task.Key)
		}
	}
	return 0, false
}

func decisionRows(run *trace.Run, s *Settings) ([]any, error) {
	in, err := Placed(run, decision.New(run, decision.Options{}), s.Task)
	if err != nil {
		return nil, err
	}
	var key, kind, worker, taken, waiting trace.Strings
	var time, queue, exposed, duration, end, transfer, fitness []int64
	var chosen []bool
	for _, w := range in.Moment.Workers {
		key.Append(in.Task.Key)
		kind.Append(in.Task.Kind)
		worker.Append(w.Name)
		taken.Append(heldNames(w.Taken))
		waiting.Append(heldNames(w.Waiting))
		time, chosen = append(time, in.Moment.Time), append(chosen, w.Chosen)
		e := decision.Estimate{Queue: trace.NoTime, Exposed: trace.NoTime, Duration: trace.NoTime, End: trace.NoTime, Transfer: trace.NoTime, Fitness: trace.NoTime}
		if w.Estimate != nil {
			e = *w.Estimate
		}
		queue, exposed, duration, end = append(queue, e.Queue), append(exposed, e.Exposed), append(duration, e.Duration), append(end, e.End)
		transfer, fitness = append(transfer, e.Transfer), append(fitness, e.Fitness)
	}
	return []any{&key, &kind, time, &worker, chosen, queue, exposed, duration, end, transfer, fitness, &taken, &waiting}, nil
}

// heldNames lists tasks with their priorities.
func heldNames(tasks []decision.Held) string {
	words := make([]string, len(tasks))
	for i, h := range tasks {
		words[i] = fmt.Sprintf("%s %s (%d)", h.Kind, h.Key, h.Priority)
	}
	return strings.Join(words, ", ")
}
