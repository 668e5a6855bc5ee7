package figure

import (
	"dagscope/explain/numbers/panels"
	"dagscope/show/panel/core"
	"dagscope/show/setting"
)

// manyKeys are the options of the panels on many nodes and workers that StarVZ
// does not have.
func manyKeys() []Key {
	o := func(s *Spec) *core.ManyOptions { return &s.Options.ManyOptions }
	weights := panels.AllImbalanceWeights()
	return []Key{
		keyOf("nodes.order", "", "order of the nodes: by rank, those that come least near their bounds first, or those that end last first",
			word(func(s *Spec) *core.NodeOrder { return &o(s).Summary.Order }, "rank", "gap", "end")),
		keyOf("nodes.durations", "", "durations that stand for a kind", durations(func(s *Spec) *panels.Durations { return &o(s).Summary.Durations })),
		keyOf("nodes.used_workers", "", "count only workers that ran a task", boolean(func(s *Spec) *bool { return &o(s).Summary.UsedWorkers })),
		keyOf("progression.steps", "", "number of steps from zero to the makespan", count(func(s *Spec) *int { return &o(s).Progression.Steps }, panels.UsualSteps, 10_000)),
		keyOf("progression.bandwidth", "", "bandwidth of the density that divides nodes, as a share of their progress: the less, the more clusters; 0 for 0.01",
			number(func(s *Spec) *float64 { return &o(s).Progression.Bandwidth }, setting.Between(0, 1), "")),
		keyOf("progression.sheather_jones", "", "choose the bandwidth at each step by the data", boolean(func(s *Spec) *bool { return &o(s).Progression.SheatherJones })),
		keyOf("progression.weights", "", "what tasks count for: by the workers that can run them, by those that did with each its mean (as StarVZ), or all alike",
			word(func(s *Spec) *panels.TaskWeights { return &o(s).Progression.Weights }, "arch", string(panels.WeightsByWorker), string(panels.WeightsByCount))),
		keyOf("progression.nodes", "", "curves of single nodes in the background", hidden(func(s *Spec) *bool { return &o(s).Progression.HideNodes })),
		keyOf("progression.bounds", "", "area bounds of the run and of the steps", hidden(func(s *Spec) *bool { return &o(s).Progression.HideBounds })),
		keyOf("progression.labels", "", "nodes of the smaller branches", hidden(func(s *Spec) *bool { return &o(s).Progression.HideLabels })),
		keyOf("utilization.starvz", "", "numbers by StarVZ's conventions", boolean(func(s *Spec) *bool { return &o(s).Utilization.StarVZ })),
		keyOf("imbalance.weights", "", "what workers count for: all alike, by their speed on one kind, or against the area bound of each step",
			several(func(s *Spec) *[]panels.ImbalanceWeights { return &o(s).Imbalance.Weights }, weights)),
		keyOf("imbalance.starvz", "", "by StarVZ's conventions: only workers that ran a task, the last step over its whole length", boolean(func(s *Spec) *bool { return &o(s).Imbalance.StarVZ })),
		keyOf("resourceusage.step", "", "draw means over steps this long, ms", length(func(s *Spec) *int64 { return &o(s).Usage.Step })),
		keyOf("resourceusage.perarch", "", "active workers of each architecture, not of each kind of tasks", boolean(func(s *Spec) *bool { return &o(s).Usage.ByArch })),
	}
}

// manyStarVZKeys are those that StarVZ has too. Its three panels of imbalance are
// parts of one.
func manyStarVZKeys() []Key {
	o := func(s *Spec) *core.Imbalance { return &s.Options.Imbalance }
	var out []Key
	for _, key := range []string{"imbalance", "power_imbalance", "hete_imbalance"} {
		step := length(func(s *Spec) *int64 { return &o(s).Step })
		limit := number(func(s *Spec) *float64 { return &o(s).Top }, positive, "")
		if key != "imbalance" {
			step.get, limit.get = nil, nil // imbalance.* says it
		}
		out = append(out, starvz(key+".step", "length of a step of panel imbalance, ms", step),
			starvz(key+".limit", "value at the upper edge of each part of panel imbalance", limit))
	}
	return append(append(out,
		starvz("power_imbalance.task", "kind of tasks whose durations stand for the power of workers", text(func(s *Spec) *string { return &o(s).Kind }, nil)),
		starvz("utilheatmap.step", "length of a step, ms", length(func(s *Spec) *int64 { return &s.Options.Utilization.Step }))),
		void("colours go from none to all of a step; st.labels says which rows are labelled", "utilheatmap.limit", "utilheatmap.labels")...)
}
