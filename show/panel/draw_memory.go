package panel

import (
	"cmp"
	"fmt"
	"slices"

	"dagscope/explain/numbers"
	"dagscope/explain/progress"
	"dagscope/internal/interval"
	"dagscope/internal/words"
	"dagscope/show/scene"
	"dagscope/trace"
)

func init() {
	register(drawing(Panel{
		ID: "usedmemory", Time: true,
		Doc: "Memory that the runtime has allocated on each memory node: RAM and the memories of accelerators, those in which " +
			"nothing was allocated left out. With many memory nodes each has a row of its own; beyond that each node. " +
			"Heights are time averages of each pixel.",
		Open: openMemory,
	}))
	register(drawing(Panel{
		ID: "bandwidth", Time: true,
		Doc: "Rate at which data enters (upwards) and leaves (downwards) each memory node and, between nodes, the network of " +
			"each node, all on one scale. Heights are time averages of each pixel; at the right, the amounts in the window. " +
			"With many places there is a row for each node.",
		Open: openBandwidth,
	}))
}

func openMemory(run *trace.Run, o *Options) (View, error) {
	series, err := memorySeries(run)
	if err != nil {
		return nil, err
	}
	of := o.UsedMemory
	var used []progress.Series
	for _, s := range series {
		if !zero(s.Steps) && o.showsNode(s.Node) {
			used = append(used, s)
		}
	}
	if len(used) == 0 {
		return nil, &Missing{"the runtime's counters show no memory in use"}
	}
	settings := wholeRun()
	settings.ByNode, settings.Total = of.ByNode, of.Total
	if len(used) > mostBands {
		settings.ByNode = true
	}
	used = settings.summed(used)
	name := placeNames(run)
	if len(used) <= mostCurves {
		v := &curveView{numbers: "usedmemory", run: run, options: of, settings: settings, unit: "MiB", note: memoryNote(run)}
		v.add(used, o, func(s *progress.Series) string { return name(s, true) })
		return v, nil
	}
	v := newBands("usedmemory", run, of, settings, "MiB")
	for i := range used {
		v.bands = append(v.bands, band{label: name(&used[i], false), group: bandGroup(run, &used[i]), node: used[i].Node, resources: placesOf(&used[i]), up: []*compact{newCompact(used[i].Steps)}})
	}
	v.note = memoryNote(run)
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

// zero tells whether a step function is always 0.
func zero(f interval.Steps) bool {
	for _, v := range f.Value {
		if v != 0 {
			return false
		}
	}
	return true
}

// mostBands is the number of rows beyond which the places of a node are one.
const mostBands = 32

// newBands is a view on numbers that take the settings of curves.
func newBands(id string, run *trace.Run, of Curve, s Settings, unit string) *bandsView {
	v := &bandsView{id: id, step: of.Step, top: of.Top, unit: unit, colors: [2]scene.Color{seriesColors[0], seriesColors[3]}}
	v.data = func(q Query) numbers.Table {
		s.Step = sliceStep(&of, q)
		return numbersOf(id, run, s, q)
	}
	return v
}

// placeNames names series by where they were measured; long names say the node
// too where there are several.
func placeNames(run *trace.Run) func(s *progress.Series, long bool) string {
	several := severalNodes(run)
	return func(s *progress.Series, long bool) string {
		switch {
		case s.Resource < 0:
			return nodeLabel(s)
		case long && several:
			return fmt.Sprintf("%d %s", s.Node, memoryName(run, s.Resource))
		}
		return memoryName(run, s.Resource)
	}
}

// bandGroup is the node of a place where there are several.
func bandGroup(run *trace.Run, s *progress.Series) string {
	if s.Resource < 0 || !severalNodes(run) {
		return ""
	}
	return nodeLabel(s)
}

func openBandwidth(run *trace.Run, o *Options) (View, error) {
	of := o.Bandwidth
	flows, err := bandwidthFlows(run, of.Source)
	if err != nil {
		return nil, err
	}
	note := flowsNote(run, flows, of.Source, "transfers")
	flows = notNegative(flows)
	settings := wholeRun()
	settings.Source, settings.ByNode, settings.Total = of.Source, of.ByNode, of.Total
	bands := bandwidthBands(run, o, flows, &settings)
	if len(bands) > mostBands && !settings.Total {
		settings.ByNode = true
		bands = bandwidthBands(run, o, flows, &settings)
	}
	if len(bands) > mostBands {
		settings.Total = true
		bands = bandwidthBands(run, o, flows, &settings)
	}
	if len(bands) == 0 {
		return nil, &Missing{"no data moved at any time"}
	}
	v := newBands("bandwidth", run, of, settings, "MB/s")
	v.bands = bands
	v.legend = []scene.LegendEntry{{Label: "in", Color: v.colors[0]}, {Label: "out", Color: v.colors[1]}}
	if !o.Tight {
		v.totals = func(in, out float64) string {
			return words.BytesFine(in*1e6) + " in, " + words.BytesFine(out*1e6) + " out"
		}
	}
	v.note = note
	return v, nil
}

// flowPlace is a row of the bandwidth panel.
type flowPlace struct {
	node, place int32
	medium      string
}

// bandwidthBands are the rows: those of a node stand together, the network
// last. Places through which nothing moved have none.
func bandwidthBands(run *trace.Run, o *Options, flows []flow, s *Settings) []band {
	name := placeNames(run)
	known := map[flowPlace]*band{}
	var order []flowPlace
	for _, f := range flows {
		for i := range f.series {
			one := &f.series[i]
			if zero(one.Steps) || !o.showsNode(one.Node) {
				continue
			}
			p := flowPlace{one.Node, one.Resource, f.medium}
			switch {
			case s.Total:
				p = flowPlace{trace.None, trace.None, f.medium}
			case s.ByNode:
				p.place = trace.None
			}
			b := known[p]
			if b == nil {
				b = &band{label: p.medium, group: bandGroup(run, one), node: p.node}
				if p.place >= 0 && p.medium == memoryMedium {
					b.label = name(one, false)
				}
				if s.Total {
					b.group = ""
				}
				known[p], order = b, append(order, p)
			}
			b.flow(f.direction, one.Steps)
			for _, r := range placesOf(one) {
				if !slices.Contains(b.resources, r) {
					b.resources = append(b.resources, r)
				}
			}
		}
	}
	slices.SortStableFunc(order, func(a, b flowPlace) int {
		return cmp.Or(cmp.Compare(a.node, b.node), cmp.Compare(a.medium, b.medium), cmp.Compare(a.place, b.place))
	})
	bands := make([]band, len(order))
	for i, p := range order {
		bands[i] = *known[p]
		bands[i].both()
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

func (b *band) flow(direction string, f interval.Steps) {
	if direction == "in" {
		b.up = append(b.up, newCompact(f))
	} else {
		b.down = append(b.down, newCompact(f))
	}
}

// both gives a band both directions, so that all are drawn alike.
func (b *band) both() {
	if b.up == nil {
		b.up = []*compact{{}}
	}
	if b.down == nil {
		b.down = []*compact{{}}
	}
}
