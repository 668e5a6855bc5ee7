package memory

import (
	"cmp"
	"fmt"
	"slices"

	"dagscope/explain/numbers/panels"
	"dagscope/explain/progress"
	"dagscope/internal/words"
	"dagscope/show/panel/core"
	"dagscope/show/panel/kit"
	"dagscope/show/scene"
	"dagscope/trace"
)

func init() {
	core.Register(core.Drawing(core.Panel{
		ID: "usedmemory", Time: true,
		Doc: "Memory that the runtime has allocated on each memory node: RAM and the memories of accelerators, those in which " +
			"nothing was allocated left out. With many memory nodes each has a row of its own; beyond that each node. " +
			"Heights are time averages of each pixel.",
		Open: openMemory,
	}))
	core.Register(core.Drawing(core.Panel{
		ID: "bandwidth", Time: true,
		Doc: "Rate at which data enters (upwards) and leaves (downwards) each memory node and, between nodes, the network of " +
			"each node, all on one scale. Heights are time averages of each pixel; at the right, the amounts in the window. " +
			"With many places there is a row for each node.",
		Open: openBandwidth,
	}))
}

func openMemory(run *trace.Run, o *core.Options) (core.View, error) {
	series, err := panels.MemorySeries(run)
	if err != nil {
		return nil, err
	}
	of := o.UsedMemory
	var used []progress.Series
	for _, s := range series {
		if !kit.Zero(s.Steps) && o.ShowsNode(s.Node) {
			used = append(used, s)
		}
	}
	if len(used) == 0 {
		return nil, &panels.Missing{Why: "the runtime's counters show no memory in use"}
	}
	settings := core.WholeRun()
	settings.ByNode, settings.Total = of.ByNode, of.Total
	if len(used) > kit.MostBands {
		settings.ByNode = true
	}
	used = settings.Summed(used)
	name := placeNames(run)
	if len(used) <= kit.MostCurves {
		v := &kit.Curves{Numbers: "usedmemory", Run: run, Options: of, Settings: settings, Unit: "MiB", Note: memoryNote(run)}
		v.Add(used, o, func(s *progress.Series) string { return name(s, true) })
		return v, nil
	}
	v := kit.NewBands("usedmemory", run, of, settings, "MiB")
	for i := range used {
		v.Bands = append(v.Bands, kit.Band{Label: name(&used[i], false), Group: bandGroup(run, &used[i]), Node: used[i].Node, Resources: placesOf(&used[i]), Up: []*kit.Compact{kit.NewCompact(used[i].Steps)}})
	}
	v.Note = memoryNote(run)
	return v, nil
}

// memoryNote says where the curves come from.
func memoryNote(run *trace.Run) string {
	switch {
	case run.Meta.Reader == "simulation":
		return "simulated"
	case slices.ContainsFunc(progress.UsedMemoryMetric, run.Meta.SamplesDerived):
		return "summed up from the tasks"
	}
	return "counted by the runtime"
}

// placeNames names series by where they were measured; long names say the node
// too where there are several.
func placeNames(run *trace.Run) func(s *progress.Series, long bool) string {
	several := panels.SeveralNodes(run)
	return func(s *progress.Series, long bool) string {
		switch {
		case s.Resource < 0:
			return kit.NodeLabel(s)
		case long && several:
			return fmt.Sprintf("%d %s", s.Node, panels.MemoryName(run, s.Resource))
		}
		return panels.MemoryName(run, s.Resource)
	}
}

// bandGroup is the node of a place where there are several.
func bandGroup(run *trace.Run, s *progress.Series) string {
	if s.Resource < 0 || !panels.SeveralNodes(run) {
		return ""
	}
	return kit.NodeLabel(s)
}

func openBandwidth(run *trace.Run, o *core.Options) (core.View, error) {
	of := o.Bandwidth
	flows, err := panels.BandwidthFlows(run, of.Source)
	if err != nil {
		return nil, err
	}
	note := kit.FlowsNote(run, flows, of.Source, "transfers")
	flows = kit.NotNegative(flows)
	settings := core.WholeRun()
	settings.Source, settings.ByNode, settings.Total = of.Source, of.ByNode, of.Total
	bands := bandwidthBands(run, o, flows, &settings)
	if len(bands) > kit.MostBands && !settings.Total {
		settings.ByNode = true
		bands = bandwidthBands(run, o, flows, &settings)
	}
	if len(bands) > kit.MostBands {
		settings.Total = true
		bands = bandwidthBands(run, o, flows, &settings)
	}
	if len(bands) == 0 {
		return nil, &panels.Missing{Why: "no data moved at any time"}
	}
	v := kit.NewBands("bandwidth", run, of, settings, "MB/s")
	v.Bands = bands
	v.Legend = []scene.LegendEntry{{Label: "in", Color: v.Colors[0]}, {Label: "out", Color: v.Colors[1]}}
	if !o.Tight {
		v.Totals = func(in, out float64) string {
			return words.BytesFine(in*1e6) + " in, " + words.BytesFine(out*1e6) + " out"
		}
	}
	v.Note = note
	return v, nil
}

// flowPlace is a row of the bandwidth panel.
type flowPlace struct {
	node, place int32
	medium      string
}

// bandwidthBands are the rows: those of a node stand together, the network
// last. Places through which nothing moved have none.
func bandwidthBands(run *trace.Run, o *core.Options, flows []panels.Flow, s *panels.Settings) []kit.Band {
	name := placeNames(run)
	known := map[flowPlace]*kit.Band{}
	var order []flowPlace
	for _, f := range flows {
		for i := range f.Series {
			one := &f.Series[i]
			if kit.Zero(one.Steps) || !o.ShowsNode(one.Node) {
				continue
			}
			p := flowPlace{one.Node, one.Resource, f.Medium}
			switch {
			case s.Total:
				p = flowPlace{trace.None, trace.None, f.Medium}
			case s.ByNode:
				p.place = trace.None
			}
			b := known[p]
			if b == nil {
				b = &kit.Band{Label: p.medium, Group: bandGroup(run, one), Node: p.node}
				if p.place >= 0 && p.medium == panels.MemoryMedium {
					b.Label = name(one, false)
				}
				if s.Total {
					b.Group = ""
				}
				known[p], order = b, append(order, p)
			}
			b.Flow(f.Direction, one.Steps)
			for _, r := range placesOf(one) {
				if !slices.Contains(b.Resources, r) {
					b.Resources = append(b.Resources, r)
				}
			}
		}
	}
	slices.SortStableFunc(order, func(a, b flowPlace) int {
		return cmp.Or(cmp.Compare(a.node, b.node), cmp.Compare(a.medium, b.medium), cmp.Compare(a.place, b.place))
	})
	bands := make([]kit.Band, len(order))
	for i, p := range order {
		bands[i] = *known[p]
		bands[i].Both()
	}
	return bands
}

// placesOf is the resource at which a series was measured, if it is one.
func placesOf(s *progress.Series) []int32 {
	if s.Resource < 0 {
		return nil
	}
	return []int32{s.Resource}
}
