package panel

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"dagscope/explain/comm"
	"dagscope/explain/progress"
	"dagscope/internal/interval"
	"dagscope/internal/words"
	"dagscope/show/scene"
	"dagscope/trace"
)

func init() {
	register(drawing(Panel{
		ID: "mpibandwidth", Time: true,
		Doc: "Rate at which messages enter (upwards) and leave (downwards) each node, all on one scale. Heights are time averages " +
			"of each pixel; at the right, the amounts in the window. Of many nodes those with consecutive ranks share a row, " +
			"which shows their mean.",
		Open: openMPIBandwidth,
	}))
	register(drawing(Panel{
		ID: "mpiconcurrent", Time: true,
		Doc: "Messages under way to each node (upwards) and from it (downwards): posted by the sender and not yet received. " +
			"Heights are time averages of each pixel; at the right, the means over the window. Of many nodes those with " +
			"consecutive ranks share a row, which shows their mean.",
		Open: openMPIConcurrent,
	}))
}

func openMPIBandwidth(run *trace.Run, o *Options) (View, error) {
	of := o.MPIBandwidth
	flows, _, err := mpiFlows(run, of.Source)
	if err != nil {
		return nil, err
	}
	s := wholeRun()
	s.Source, s.Total = of.Source, of.Total
	v := newBands("mpibandwidth", run, of, s, "MB/s")
	if v.bands = nodeBands(notNegative(flows), o, of.Total); len(v.bands) == 0 {
		return nil, &Missing{"no node with messages is selected"}
	}
	v.legend = inAndOut(v)
	if !o.Tight {
		v.totals = func(in, out float64) string { return words.BytesFine(in*1e6) + " / " + words.BytesFine(out*1e6) }
		v.heading = "in / out"
		if len(v.bands[0].resources) > 1 && !of.Total {
			v.totals = nil // of means: sums are in the note
		}
	}
	v.note = flowsNote(run, flows, of.Source, "messages") + sharedNote(v.bands, of.Total)
	return v, nil
}

func inAndOut(v *bandsView) []scene.LegendEntry {
	return []scene.LegendEntry{{Label: "in", Color: v.colors[0]}, {Label: "out", Color: v.colors[1]}}
}

// sharedNote says what rows of several nodes show.
func sharedNote(bands []band, total bool) string {
	if total || len(bands[0].resources) <= 1 {
		return ""
	}
	return fmt.Sprintf("; a row is the mean of %d nodes", len(bands[0].resources))
}

func openMPIConcurrent(run *trace.Run, o *Options) (View, error) {
	of := o.MPIConcurrent
	flows, l, err := concurrentFlows(run)
	if err != nil {
		return nil, err
	}
	s := wholeRun()
	s.Total = of.Total
	v := newBands("mpiconcurrent", run, of, s, "messages")
	if v.bands = nodeBands(flows, o, of.Total); len(v.bands) == 0 {
		return nil, &Missing{"no node with messages is selected"}
	}
	v.legend = inAndOut(v)
	if !o.Tight {
		v.means = func(in, out float64) string {
			return fewDigits(in) + " / " + fewDigits(out)
		}
		v.heading = "mean in / out"
	}
	v.note = words.PluralThin(len(l.Row), "message", "messages") + backwardNote(l) + sharedNote(v.bands, of.Total)
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
func nodeBands(flows []flow, o *Options, total bool) []band {
	of := map[int32]*[2][]interval.Steps{}
	resource := map[int32]int32{}
	for _, f := range flows {
		for i := range f.series {
			s := &f.series[i]
			if !o.showsNode(s.Node) || s.Node < 0 {
				continue
			}
			if of[s.Node] == nil {
				of[s.Node] = &[2][]interval.Steps{}
				resource[s.Node] = s.Resource
			}
			side := 0
			if f.direction == "out" {
				side = 1
			}
			of[s.Node][side] = append(of[s.Node][side], s.Steps)
		}
	}
	nodes := slices.Sorted(maps.Keys(of))
	if len(nodes) == 0 {
		return nil
	}
	each := (len(nodes) + mostBands - 1) / mostBands
	if total {
		each = len(nodes)
	}
	var bands []band
	for some := range slices.Chunk(nodes, each) {
		bands = append(bands, bandOfNodes(some, of, resource, total))
	}
	return bands
}

// bandOfNodes is the mean of some nodes, or their sum.
func bandOfNodes(nodes []int32, of map[int32]*[2][]interval.Steps, resource map[int32]int32, total bool) band {
	b := band{label: ranksLabel(nodes), node: nodes[0]}
	if total {
		b.label, b.node = "all nodes", trace.None
	}
	var sides [2][]interval.Steps
	for _, n := range nodes {
		b.resources = append(b.resources, resource[n])
		for side := range sides {
			sides[side] = append(sides[side], of[n][side]...)
		}
	}
	var out [2]*compact
	for side := range sides {
		out[side] = &compact{}
		if len(sides[side]) == 0 {
			continue
		}
		sum := sumSteps(sides[side])
		if n := float64(len(nodes)); n > 1 && !total {
			sum = interval.Steps{Time: sum.Time, Value: each(sum.Value, func(v float64) float64 { return v / n })}
		}
		out[side] = newCompact(sum)
	}
	b.up, b.down = out[:1], out[1:]
	return b
}

// ranksLabel names nodes with consecutive ranks.
func ranksLabel(nodes []int32) string {
	first, last := nodes[0], nodes[len(nodes)-1]
	if first == last {
		return nodeLabel(&progress.Series{Node: first})
	}
	return fmt.Sprintf("nodes %d–%d", first, last)
}
