package comm

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"dagscope/explain/comm"
	"dagscope/explain/numbers/panels"
	"dagscope/internal/interval"
	"dagscope/internal/words"
	"dagscope/show/panel/core"
	"dagscope/show/panel/kit"
	"dagscope/show/scene"
	"dagscope/trace"
)

func init() {
	core.Register(core.Drawing(core.Panel{
		ID: "mpibandwidth", Time: true,
		Doc: "Rate at which messages enter (upwards) and leave (downwards) each node, all on one scale. Heights are time averages " +
			"of each pixel; at the right, the amounts in the window. Of many nodes those with consecutive ranks share a row, " +
			"which shows their mean.",
		Open: openMPIBandwidth,
	}))
	core.Register(core.Drawing(core.Panel{
		ID: "mpiconcurrent", Time: true,
		Doc: "Messages under way to each node (upwards) and from it (downwards): posted by the sender and not yet received. " +
			"Heights are time averages of each pixel; at the right, the means over the window. Of many nodes those with " +
			"consecutive ranks share a row, which shows their mean.",
		Open: openMPIConcurrent,
	}))
}

func openMPIBandwidth(run *trace.Run, o *core.Options) (core.View, error) {
	of := o.MPIBandwidth
	flows, _, err := panels.MPIFlows(run, of.Source)
	if err != nil {
		return nil, err
	}
	s := core.WholeRun()
	s.Source, s.Total = of.Source, of.Total
	v := kit.NewBands("mpibandwidth", run, of, s, "MB/s")
	if v.Bands = nodeBands(kit.NotNegative(flows), o, of.Total); len(v.Bands) == 0 {
		return nil, &panels.Missing{Why: "no node with messages is selected"}
	}
	v.Legend = inAndOut(v)
	if !o.Tight {
		v.Totals = func(in, out float64) string { return words.BytesFine(in*1e6) + " / " + words.BytesFine(out*1e6) }
		v.Heading = "in / out"
		if len(v.Bands[0].Resources) > 1 && !of.Total {
			v.Totals = nil // of means: sums are in the note
		}
	}
	v.Note = kit.FlowsNote(run, flows, of.Source, "messages") + sharedNote(v.Bands, of.Total)
	return v, nil
}

func inAndOut(v *kit.Bands) []scene.LegendEntry {
	return []scene.LegendEntry{{Label: "in", Color: v.Colors[0]}, {Label: "out", Color: v.Colors[1]}}
}

// sharedNote says what rows of several nodes show.
func sharedNote(bands []kit.Band, total bool) string {
	if total || len(bands[0].Resources) <= 1 {
		return ""
	}
	return fmt.Sprintf("; a row is the mean of %d nodes", len(bands[0].Resources))
}

func openMPIConcurrent(run *trace.Run, o *core.Options) (core.View, error) {
	of := o.MPIConcurrent
	flows, l, err := panels.ConcurrentFlows(run)
	if err != nil {
		return nil, err
	}
	s := core.WholeRun()
	s.Total = of.Total
	v := kit.NewBands("mpiconcurrent", run, of, s, "messages")
	if v.Bands = nodeBands(flows, o, of.Total); len(v.Bands) == 0 {
		return nil, &panels.Missing{Why: "no node with messages is selected"}
	}
	v.Legend = inAndOut(v)
	if !o.Tight {
		v.Means = func(in, out float64) string {
			return fewDigits(in) + " / " + fewDigits(out)
		}
		v.Heading = "mean in / out"
	}
	v.Note = words.PluralThin(len(l.Row), "message", "messages") + backwardNote(l) + sharedNote(v.Bands, of.Total)
	return v, nil
}

// fewDigits writes a mean number, small ones by their first digits.
func fewDigits(v float64) string {
	if v > 0 && v < 0.1 {
		return strconv.FormatFloat(v, 'g', 2, 64)
	}
	return words.Number(v, 2)
}

// backwardNote says how many messages are under way at no time.
func backwardNote(l *comm.List) string {
	d := l.Delays()
	if d.Backward == 0 {
		return ""
	}
	return fmt.Sprintf("; %s to end before %s, so clocks differ by %s at least: not shown",
		words.PluralThin(int(d.Backward), "seems", "seem"), words.Agree(d.Backward, "it starts", "they start"),
		words.Duration(d.LeastClockDeviation))
}

// nodeBands makes a row of each selected node, or of so many with consecutive
// ranks that there are not too many rows; total makes one of all.
func nodeBands(flows []panels.Flow, o *core.Options, total bool) []kit.Band {
	of := map[int32]*[2][]interval.Steps{}
	resource := map[int32]int32{}
	for _, f := range flows {
		for i := range f.Series {
			s := &f.Series[i]
			if !o.ShowsNode(s.Node) || s.Node < 0 {
				continue
			}
			if of[s.Node] == nil {
				of[s.Node] = &[2][]interval.Steps{}
				resource[s.Node] = s.Resource
			}
			side := 0
			if f.Direction == "out" {
				side = 1
			}
			of[s.Node][side] = append(of[s.Node][side], s.Steps)
		}
	}
	nodes := slices.Sorted(maps.Keys(of))
	if len(nodes) == 0 {
		return nil
	}
	each := (len(nodes) + kit.MostBands - 1) / kit.MostBands
	if total {
		each = len(nodes)
	}
	var bands []kit.Band
	for some := range slices.Chunk(nodes, each) {
		bands = append(bands, bandOfNodes(some, of, resource, total))
	}
	return bands
}

// bandOfNodes is the mean of some nodes, or their sum.
func bandOfNodes(nodes []int32, of map[int32]*[2][]interval.Steps, resource map[int32]int32, total bool) kit.Band {
	b := kit.Band{Label: kit.RanksLabel(nodes), Node: nodes[0]}
	if total {
		b.Label, b.Node = "all nodes", trace.None
	}
	var sides [2][]interval.Steps
	for _, n := range nodes {
		b.Resources = append(b.Resources, resource[n])
		for side := range sides {
			sides[side] = append(sides[side], of[n][side]...)
		}
	}
	var out [2]*kit.Compact
	for side := range sides {
		out[side] = &kit.Compact{}
		if len(sides[side]) == 0 {
			continue
		}
		sum := kit.SumSteps(sides[side])
		if n := float64(len(nodes)); n > 1 && !total {
			sum = interval.Steps{Time: sum.Time, Value: panels.Each(sum.Value, func(v float64) float64 { return v / n })}
		}
		out[side] = kit.NewCompact(sum)
	}
	b.Up, b.Down = out[:1], out[1:]
	return b
}
