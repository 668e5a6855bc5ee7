package figure

import (
	"slices"

	"dagscope/explain/numbers/panels"
	"dagscope/show/panel/core"
	"dagscope/show/setting"
)

// irregularKeys are the options of the panels on irregular kernels.
func irregularKeys() []Key {
	o := func(s *Spec) *core.PanelOptions { return &s.Options.PanelOptions }
	node := func(s *Spec) *core.TreeOptions { return &o(s).Tree }
	return []Key{
		keyOf("st.color", "", "what colours tasks: kind, duration, ratio (duration by the median of the kind and architecture), region (of OpenMP, in which they began), or the name of a hardware counter",
			shade(func(s *Spec) *string { return &s.Options.SpaceTime.Color })),
		keyOf("models.bytes", "", "the work of a task is the bytes that it touches, not the GFlop that it declares",
			boolean(func(s *Spec) *bool { return &o(s).Models.Bytes })),
		keyOf("models.linear", "", "linear axes", boolean(func(s *Spec) *bool { return &o(s).Models.Linear })),
		keyOf("models.method", "", "how lines are fitted",
			word(func(s *Spec) *core.ModelMethod { return &o(s).Models.Method }, core.ModelMethods[0], core.ModelMethods[1:]...)),
		keyOf("models.show", "", "what durations are drawn against: the work of tasks, or what a model expects of them (observed), or their ratio to that (residuals)",
			word(func(s *Spec) *core.ModelShow { return &o(s).Models.Show }, core.ModelShows[0], core.ModelShows[1:]...)),
		keyOf("models.fit", "", "how models are fitted whose residuals are drawn, as by dagscope calibrate",
			word(func(s *Spec) *panels.FitMethod { return &o(s).Models.Fit }, panels.FitMethods[0], panels.FitMethods[1:]...)),
		keyOf("models.formula", "", "terms of those regressions, such as p1^3 + p1^2*p2; what tells most unless given",
			text(func(s *Spec) *string { return &o(s).Models.Formula }, panels.CheckFormula)),
		keyOf("tree.order", "", "order of the rows: children before parents, by the start of work, or the deepest first",
			word(func(s *Spec) *core.TreeOrder { return &node(s).Order }, "postorder", "start", "depth")),
		keyOf("tree.depth", "", "nodes deeper than this are in the row of their ancestor there; 0 for a row each",
			number(func(s *Spec) *float64 { return &node(s).Depth }, setting.Range{Max: 1e6, Whole: true}, "")),
		keyOf("tree.from", "", "where the rows that are shown begin, % from the top", number(func(s *Spec) *float64 { return &node(s).From }, setting.Between(0, 100), "%")),
		keyOf("tree.to", "", "where they end; 0 for all rows", number(func(s *Spec) *float64 { return &node(s).To }, setting.Between(0, 100), "%")),
		keyOf("tree.edges", "", "lines from nodes to their parents", hidden(func(s *Spec) *bool { return &node(s).HideEdges })),
		keyOf("counters.event", "", "the hardware counter that is shown; the first of the run unless given",
			text(func(s *Spec) *string { return &o(s).Counters.Event }, nil)),
		keyOf("counters.duration", "", "each task as a point, the counter against its duration, with a regression",
			boolean(func(s *Spec) *bool { return &o(s).Counters.Duration })),
		keyOf("counters.linear", "", "a linear axis where values span decades too", boolean(func(s *Spec) *bool { return &o(s).Counters.Linear })),
		keyOf("treeusage.parts", "", "what is drawn",
			several(func(s *Spec) *[]string { return &o(s).TreeUsage.Parts }, core.TreeParts)),
	}
}

// shade is a text that is "kind" where it is not set.
func shade(p at[string]) field {
	f := text(p, nil)
	set := f.set
	f.set = func(s *Spec, name string, v any) error {
		err := set(s, name, v)
		if *p(s) == "kind" {
			*p(s) = core.ShadeKind
		}
		return err
	}
	f.get = func(s *Spec) any {
		if *p(s) == core.ShadeKind {
			return "kind"
		}
		return *p(s)
	}
	return f
}

// starvzTreeKeys are StarVZ's keys of its panels of the elimination tree.
func starvzTreeKeys() []Key {
	tree := func(s *Spec) *core.TreeOptions { return &s.Options.Tree }
	step := func(s *Spec) *int64 { return &s.Options.TreeUsage.Step }
	const usageStep, strip = "draw means over slices this long, ms", "the strip of tasks that make, fill and clean nodes"
	return slices.Concat([]Key{
		starvz("atree.step", "length of a slice, ms", length(func(s *Spec) *int64 { return &tree(s).Step })),
		starvz("atree.zoom.start", "where the rows that are shown begin, % from the top", number(func(s *Spec) *float64 { return &tree(s).From }, setting.Between(0, 100), "%")),
		starvz("atree.zoom.end", "where they end; 0 for all rows", number(func(s *Spec) *float64 { return &tree(s).To }, setting.Between(0, 100), "%")),
		starvz("atree.computation.active", "the load of nodes", hidden(func(s *Spec) *bool { return &tree(s).HideLoad })),
		starvz("atree.computation.pruned.active", "the load of whole subtrees", hidden(func(s *Spec) *bool { return &tree(s).HidePruned })),
		starvz("atree.initialization.active", strip, hidden(func(s *Spec) *bool { return &tree(s).HideAssembly })),
		starvz("atree.anomalies.active", "marks of outliers", hidden(func(s *Spec) *bool { return &tree(s).HideOutliers })),
		starvz("utiltreenode.step", usageStep, length(step)),
		starvz("utiltreedepth.step", usageStep, length(step)),
		starvz("activenodes.aggregation.step", usageStep, length(step)),
		active("activenodes.active", "treeusage"),
		active("activenodes.nodememuse.active", "treeusage"),
	},
		void("parts of one panel share its legend, height and slices (treeusage)", "activenodes.step", "activenodes.height", "activenodes.legend",
			"activenodes.aggregation.active", "activenodes.nodememuse.legend", "activenodes.nodememuse.aggregation.active",
			"activenodes.nodememuse.aggregation.step", "nodememuse.active", "nodememuse.height", "nodememuse.legend"),
		void("what makes and what fills nodes is one strip (atree.initialization.active)", "atree.communication.active", "atree.communication"),
		void("it has keys of its own below it", "atree.computation", "atree.initialization"),
		void("nodes are always shown, and their load is of workers", "atree.utilization", "atree.anodes"))
}
