package finding

import (
	"fmt"

	"dagscope/diagnose/symptom"
	"dagscope/explain/breakdown"
	"dagscope/explain/kind"
	"dagscope/explain/schedule"
	"dagscope/internal/words"
)

// ownCode is from how many ns between two creations on the program's own code is between
// them: no runtime takes as long.
const ownCode = 20_000

// fineGrain: creating tasks takes a tenth of their work or more. Gain: what
// tasks ten times as large would save of the creator's time; where several
// workers create tasks, each saves its part.
func fineGrain(in *Input) (Finding, bool) {
	if in.Tasking == nil || len(in.Tasking.Creation.Creators) == 0 || len(in.Tasking.Creation.Gaps) == 0 {
		return Finding{}, false
	}
	c := in.Tasking.Creation
	creation, work := c.Estimate(), c.Work[0]*c.Tasks[0]
	if creation*10 < work || in.Run.Meta.Lifetimes && c.Gaps[0].Median >= ownCode {
		return Finding{}, false
	}
	return Finding{
		ID: "fine-grain", Gain: int64(0.9 * float64(creation) / c.Concurrent()), Panel: "breakdown", graph: true,
		Title: fmt.Sprintf("creating a task takes %s, its work %s: tasks are too small", words.USTo(creation/max(c.Tasks[0], 1), 2)+" µs", words.USTo(c.Work[0], 2)+" µs"),
		Evidence: map[string]any{
			"creation_ns": creation, "work_ns": work, "tasks": c.Tasks[0], "creation_per_task_ns": creation / max(c.Tasks[0], 1), "work_per_task_ns": c.Work[0],
			"creating_workers": c.Concurrent(),
		},
		Advice: "make tasks larger: a grainsize for taskloops, blocks of the loop, a depth below which recursion creates none (final, if)",
	}, true
}

// serialCreator: one worker creates nearly all tasks while others have nothing
// to run, and its code is most of the longest chain. Gain: the idle time
// divided by the workers.
func serialCreator(in *Input) (Finding, bool) {
	if in.Tasking == nil || in.Breakdown == nil || len(in.Breakdown.Workers) < 2 || len(in.Tasking.Creation.Creators) == 0 {
		return Finding{}, false
	}
	c, span := in.Tasking.Creation, in.Tasking.Span
	first, all := c.Creators[0].Tasks, int64(0)
	for _, w := range c.Creators {
		all += w.Tasks
	}
	chain := int64(0)
	for _, step := range span.Path {
		if in.Run.Task.Internal[step.Task] {
			chain += step.Work
		}
	}
	total := in.Breakdown.Total(breakdown.Global)
	if first*10 < all*9 || chain*2 < span.Span || total.Idleness*10 < total.Sum() {
		return Finding{}, false
	}
	name := in.Run.Resource.Name.At(int(c.Creators[0].Worker))
	return Finding{
		ID: "serial-creator", Gain: total.Idleness / int64(len(in.Breakdown.Workers)), Panel: "parallelism", graph: true,
		Title: fmt.Sprintf("%s creates %s of the tasks, and its code is %s of the longest chain: the others starve", name, words.PercentOf(first, all), words.PercentOf(chain, span.Span)),
		Evidence: map[string]any{
			"worker": name, "tasks_created": first, "tasks": all, "serial_ns": chain, "span_ns": span.Span, "idleness_ns": total.Idleness, "of_ns": total.Sum(),
		},
		Advice: "let tasks create tasks (recursion, taskloop), create them on several threads, make each creation cheaper (fewer dependences), or make tasks larger",
	}, true
}

// littleParallelism: the longest chain is longer than the work divided among
// the workers, so that they cannot all be busy whatever the runtime does. Gain:
// what the chain is longer.
func littleParallelism(in *Input) (Finding, bool) {
	if in.Tasking == nil || len(in.Tasking.Creation.Creators) == 0 {
		return Finding{}, false
	}
	s, workers := in.Tasking.Span, kind.Workers(in.Run)
	if p := len(workers); p < 2 || s.Parallelism() >= float64(p) || s.Span == 0 || len(schedule.GroupTypes(in.Run, workers).Type) > 1 {
		return Finding{}, false
	}
	share := s.Work / int64(len(workers))
	evidence := map[string]any{"work_ns": s.Work, "span_ns": s.Span, "parallelism": s.Parallelism(), "workers": len(workers)}
	text := ""
	var where *symptom.Where
	if uses := s.Uses(in.Run); len(uses) > 0 && uses[0].Kind >= 0 {
		name := in.Run.Task.Kind.Dict[uses[0].Kind]
		evidence["longest_in"], evidence["longest_in_ns"] = name, uses[0].Work
		text = fmt.Sprintf(": %s of the longest chain is %s", words.PercentOf(uses[0].Work, s.Span), name)
		if at := symptom.SourceOf(in.Run, name); at != "" {
			where = &symptom.Where{Kinds: []string{name}, Source: at}
			text += " (" + at + ")"
		}
	}
	return Finding{
		ID: "little-parallelism", Gain: s.Span - share, Panel: "parallelism", graph: true, Where: where,
		Title:    fmt.Sprintf("the program has work for %.1f workers on average, %d ran it%s", s.Parallelism(), len(workers), text),
		Evidence: evidence,
		Advice:   "shorten the chain: smaller tasks on it, fewer dependences, no taskwait or barrier where a dependence would do; or use fewer threads",
	}, true
}
