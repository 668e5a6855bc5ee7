package figure

import (
	"dagscope/show/panel/core"
)

func init() {
	effects = append(effects, irregularEffects...)
}

var irregularEffects = []effect{
	{"st.color: ratio", func(_ *Spec, o *core.Options) any { return o.SpaceTime.Color }, core.ShadeRatio},
	{"st.color: kind", func(_ *Spec, o *core.Options) any { return o.SpaceTime.Color }, core.ShadeKind},
	{"models: {bytes: TRUE, linear: TRUE, method: two-thirds}", func(_ *Spec, o *core.Options) any { return o.Models },
		core.Models{Bytes: true, Linear: true, Method: "two-thirds"}},
	{"models: {show: residuals, fit: history, formula: gflop + bytes^2}", func(_ *Spec, o *core.Options) any { return o.Models },
		core.Models{Show: core.ShowResiduals, Fit: "history", Formula: "gflop + bytes^2"}},
	{"counters: {event: X, duration: TRUE, linear: TRUE}", func(_ *Spec, o *core.Options) any { return o.Counters },
		core.Counters{Event: "X", Duration: true, Linear: true}},
	{"tree: {order: depth, depth: 3, from: 10, to: 20, edges: FALSE}", func(_ *Spec, o *core.Options) any { return o.Tree },
		core.TreeOptions{Order: "depth", Depth: 3, From: 10, To: 20, HideEdges: true}},
	{"atree: {step: 5, zoom: {start: 10, end: 20}, computation: {active: FALSE, pruned: {active: FALSE}}, initialization: {active: FALSE}, anomalies: {active: FALSE}}",
		func(_ *Spec, o *core.Options) any { return o.Tree },
		core.TreeOptions{Step: 5_000_000, From: 10, To: 20, HideLoad: true, HidePruned: true, HideAssembly: true, HideOutliers: true}},
	{"treeusage.parts: [depth, memory]", func(_ *Spec, o *core.Options) any { return o.TreeUsage.Parts }, []string{"depth", "memory"}},
	{"utiltreenode.step: 7", func(_ *Spec, o *core.Options) any { return o.TreeUsage.Step }, int64(7_000_000)},
	{"utiltreedepth.step: 7", func(_ *Spec, o *core.Options) any { return o.TreeUsage.Step }, int64(7_000_000)},
	{"activenodes: {aggregation: {step: 7}}", func(_ *Spec, o *core.Options) any { return o.TreeUsage.Step }, int64(7_000_000)},
}
