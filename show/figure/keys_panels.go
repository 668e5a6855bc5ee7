package figure

import (
	"slices"

	"dagscope/explain/numbers/panels"
	"dagscope/show/panel/core"
	"dagscope/trace"
)

// optionKeys are the options of single panels that StarVZ does not have; they
// begin with the panel's id.
func optionKeys() []Key {
	o := func(s *Spec) *core.PanelOptions { return &s.Options.PanelOptions }
	origin := func(name string, p at[panels.Origin]) Key {
		return keyOf(name, "", "where the curve comes from: what the runtime counted, what follows from the times of tasks and transfers, "+
			"or the first where it was traced",
			word(p, "best", string(panels.FromCounters), string(panels.Reconstructed)))
	}
	const perNode = "each node by itself"
	return []Key{
		keyOf("iterations.tasks", "", "tasks inside", hidden(func(s *Spec) *bool { return &o(s).Iterations.HideTasks })),
		keyOf("iterations.borders", "", "curves along the beginnings and ends", hidden(func(s *Spec) *bool { return &o(s).Iterations.HideBorders })),
		keyOf("states.tasks", "", "grey where a worker runs a task", hidden(func(s *Spec) *bool { return &o(s).States.HideTasks })),
		keyOf("states.flush", "", "mark when the trace was written to disk", hidden(func(s *Spec) *bool { return &o(s).States.HideFlush })),
		keyOf("states.levels", "", "levels of the resources that get rows", several(func(s *Spec) *[]string { return &o(s).States.Levels }, stateLevels)),
		keyOf("abe.pernode", "", "each node with its own tasks and bound", boolean(func(s *Spec) *bool { return &o(s).Area.ByNode })),
		keyOf("abe.durations", "", "durations that stand for a kind", durations(func(s *Spec) *panels.Durations { return &o(s).Area.Durations })),
		keyOf("abe.used_workers", "", "count only workers that ran a task", boolean(func(s *Spec) *bool { return &o(s).Area.UsedWorkers })),
		keyOf("breakdown.perarch", "", "each architecture by itself, with the tasks that it can run", boolean(func(s *Spec) *bool { return &o(s).Breakdown.ByArch })),
		keyOf("breakdown.waitingready", "waiting-ready", "tasks that wait for others which are done count as ready",
			word(func(s *Spec) *panels.Waiting { return &o(s).Breakdown.Waiting }, "on", string(panels.WaitingNotReady))),
		origin("ready.source", func(s *Spec) *panels.Origin { return &o(s).Ready.Source }),
		keyOf("ready.total", "", "one curve for the whole run", boolean(func(s *Spec) *bool { return &o(s).Ready.Total })),
		origin("submitted.source", func(s *Spec) *panels.Origin { return &o(s).Submitted.Source }),
		keyOf("submitted.total", "", "one curve for the whole run", boolean(func(s *Spec) *bool { return &o(s).Submitted.Total })),
		origin("lackready.source", func(s *Spec) *panels.Origin { return &o(s).LackReady.Source }),
		origin("gflops.source", func(s *Spec) *panels.Origin { return &o(s).GFlops.Source }),
		keyOf("gflops.pernode", "", "a curve for each node, not architectures stacked", boolean(func(s *Spec) *bool { return &o(s).GFlops.ByNode })),
		keyOf("usedmemory.pernode", "", perNode, boolean(func(s *Spec) *bool { return &o(s).UsedMemory.ByNode })),
		keyOf("usedmemory.total", "", "one curve for the whole run", boolean(func(s *Spec) *bool { return &o(s).UsedMemory.Total })),
		origin("bandwidth.source", func(s *Spec) *panels.Origin { return &o(s).Bandwidth.Source }),
		keyOf("bandwidth.pernode", "", perNode, boolean(func(s *Spec) *bool { return &o(s).Bandwidth.ByNode })),
	}
}

// stateLevels are the levels of resources that have states.
var stateLevels = []string{trace.LevelWorker, trace.LevelThread, trace.LevelUserThread, trace.LevelComm,
	trace.LevelMemory, trace.LevelMemoryManager, trace.LevelScheduler, trace.LevelOther}

// durations reads what stands for the durations of a kind.
func durations(p at[panels.Durations]) field {
	names := panels.DurationNames()
	return choice(names, func(s *Spec) string { return names[*p(s)] },
		func(s *Spec, word string) { *p(s) = panels.Durations(slices.Index(names, word)) })
}
