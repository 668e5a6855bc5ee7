package figure

import (
	"dagscope/explain/numbers/panels"
	"dagscope/show/panel/core"
)

func init() {
	of := func(o *core.Options) core.ManyOptions { return o.ManyOptions }
	effects = append(effects, []effect{
		{"nodes: {order: gap, durations: median, used_workers: TRUE}", func(_ *Spec, o *core.Options) any { return of(o).Summary },
			core.NodeSummary{Order: core.NodesByGap, Durations: 1, UsedWorkers: true}},
		{"progression: {steps: 50, bandwidth: 0.15, sheather_jones: TRUE, weights: count, nodes: FALSE, bounds: FALSE, labels: FALSE}",
			func(_ *Spec, o *core.Options) any { return of(o).Progression },
			core.Progression{Steps: 50, Bandwidth: 0.15, SheatherJones: true, Weights: panels.WeightsByCount, HideNodes: true, HideBounds: true, HideLabels: true}},
		{"{utilheatmap.step: 5, utilization.starvz: TRUE}", func(_ *Spec, o *core.Options) any { return of(o).Utilization },
			core.Utilization{Step: 5_000_000, StarVZ: true}},
		{"imbalance: {step: 5, limit: 0.5, weights: [area, plain], starvz: TRUE}", func(_ *Spec, o *core.Options) any { return of(o).Imbalance },
			core.Imbalance{Step: 5_000_000, Top: 0.5, Weights: []panels.ImbalanceWeights{panels.AreaImbalance, panels.PlainImbalance}, StarVZ: true}},
		{"power_imbalance: {step: 5, limit: 0.5, task: GEMM}", func(_ *Spec, o *core.Options) any { return of(o).Imbalance },
			core.Imbalance{Step: 5_000_000, Top: 0.5, Kind: "GEMM"}},
		{"hete_imbalance: {step: 7, limit: 0.5}", func(_ *Spec, o *core.Options) any { return of(o).Imbalance }, core.Imbalance{Step: 7_000_000, Top: 0.5}},
		{"resourceusage: {step: 5, perarch: TRUE}", func(_ *Spec, o *core.Options) any { return of(o).Usage }, core.Usage{Step: 5_000_000, ByArch: true}},
	}...)
	for _, said := range []string{"power_imbalance", "hete_imbalance"} { // imbalance.* says it in recipes
		tested[said+".step"], tested[said+".limit"] = true, true
	}
}
