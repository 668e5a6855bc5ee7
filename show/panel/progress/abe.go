package progress

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"dagscope/explain/numbers"
	"dagscope/explain/numbers/panels"
	"dagscope/explain/schedule"
	"dagscope/internal/words"
	"dagscope/show/panel/core"
	"dagscope/show/panel/kit"
	"dagscope/show/scene"
	"dagscope/trace"
)

func init() {
	core.Register(core.Drawing(core.Panel{
		ID: "abe",
		Doc: "Where the tasks of each kind ran (bars) and where they would run in the solution of the area bound (black " +
			"marks), as shares of the kind's tasks (Garcia Pinto 2018, section 5.2.3). At the right the numbers of tasks. A bar that ends short " +
			"of its mark is work that this architecture should have more of. Other solutions may be as good. By node, each " +
			"node has a bound of its own.",
		Open: openAreaBound,
	}))
}

// areaView compares the solution of the area bound with what ran.
type areaView struct {
	run      *trace.Run
	makespan int64
	settings panels.Settings
	options  *core.Options
	rows     []areaRow
	colors   core.Colors
	fade     float64
	note     string
	tight    bool
}

// areaRow is a kind on an architecture of a node.
type areaRow struct {
	node          int32
	kind, arch    string
	ideal, actual float64 // tasks
	of            float64 // tasks of the kind
	work          float64 // ns
}

func openAreaBound(run *trace.Run, o *core.Options) (core.View, error) {
	v := &areaView{run: run, options: o, makespan: schedule.Makespan(run), settings: core.WholeRun(), colors: o.Colors, fade: o.Paleness(), tight: o.Tight}
	v.settings.ByNode, v.settings.Durations, v.settings.UsedWorkers = o.Area.ByNode, o.Area.Durations, o.Area.UsedWorkers
	data, err := panels.AreaNumbers(run, &v.settings)
	if err != nil {
		return nil, err
	}
	if v.colors == nil {
		v.colors = core.TaskColors([]*trace.Run{run}, false)
	}
	v.read(data, o)
	if len(v.rows) == 0 {
		return nil, &panels.Missing{Why: "no node is selected, or every kind is hidden"}
	}
	return v, nil
}

// read takes the rows from the columns of the numbers.
func (v *areaView) read(data []any, o *core.Options) {
	node, abe := data[0].([]int32), data[1].([]float64)
	arch, kind := data[2].(*trace.Strings), data[3].(*trace.Strings)
	duration, ideal, actual := data[4].([]float64), data[5].([]float64), data[6].([]int64)
	low, high := math.Inf(1), 0.0
	for i := range node {
		if node[i] != trace.NoInt && !o.ShowsNode(node[i]) || ideal[i] <= 0 && actual[i] == 0 {
			continue
		}
		low, high = min(low, abe[i]), max(high, abe[i])
		if o.Hides(kind.At(i)) {
			continue
		}
		v.rows = append(v.rows, areaRow{node: node[i], kind: kind.At(i), arch: arch.At(i), ideal: ideal[i],
			actual: float64(actual[i]), work: duration[i] * float64(actual[i])})
	}
	v.note = v.bound(low, high)
	left := v.largest()
	v.sort()
	if left > 0 {
		v.note += "; " + words.PluralThin(left, "smaller kind is", "smaller kinds are") + " left out"
	}
}

// bound writes the bound beside the makespan.
func (v *areaView) bound(low, high float64) string {
	makespan := float64(v.makespan)
	if v.settings.ByNode {
		return fmt.Sprintf("area bounds of the nodes from %s to %s; makespan %s", words.Duration(low), words.Duration(high), words.Duration(makespan))
	}
	return fmt.Sprintf("area bound %s, %s of the makespan %s", words.Duration(high), words.PercentFine(high/makespan), words.Duration(makespan))
}

// mostAreaKinds is the number of kinds that are shown, those with most work.
const mostAreaKinds = 24

// largest drops all but the kinds with most work and tells how many it dropped.
func (v *areaView) largest() int {
	work := map[string]float64{}
	for _, r := range v.rows {
		work[r.kind] += r.work
	}
	var kinds []string
	for k := range work {
		kinds = append(kinds, k)
	}
	slices.SortFunc(kinds, func(a, b string) int { return cmp.Or(cmp.Compare(work[b], work[a]), strings.Compare(a, b)) })
	if len(kinds) <= mostAreaKinds {
		return 0
	}
	dropped := kinds[mostAreaKinds:]
	v.rows = slices.DeleteFunc(v.rows, func(r areaRow) bool { return slices.Contains(dropped, r.kind) })
	return len(dropped)
}

// sort orders the rows by node, kind and architecture, and counts the tasks of
// each kind.
func (v *areaView) sort() {
	slices.SortStableFunc(v.rows, func(a, b areaRow) int {
		return cmp.Or(cmp.Compare(a.node, b.node), core.CompareNatural(a.kind, b.kind), kit.CompareArchs(a.arch, b.arch))
	})
	type place struct {
		node int32
		kind string
	}
	sum := map[place]float64{}
	for _, r := range v.rows {
		sum[place{r.node, r.kind}] += r.actual
	}
	for i := range v.rows {
		v.rows[i].of = sum[place{v.rows[i].node, v.rows[i].kind}]
	}
}

// Draw draws the comparison; it is of the whole run whatever the window.
func (v *areaView) Draw(q core.Query) scene.Panel {
	var rows []kit.BarRow
	for _, r := range v.rows {
		row := kit.BarRow{Label: kit.ArchName(r.arch), Block: r.kind, Right: words.CountThin(int(r.actual)) + " / " + tasks(r.ideal)}
		if r.node != trace.NoInt {
			row.Group = fmt.Sprintf("node %d", r.node)
		}
		rows = append(rows, row)
	}
	b := kit.NewBarRows(rows, q, kit.BarPitch, v.tight)
	p := scene.Panel{ID: "abe", Height: float64(b.Rows.Height), X: kit.ShareAxis(q.Width, "share of the kind's tasks"), Note: v.note + kit.WholeRunNote(v.makespan, q),
		Layers: v.bars(b.Rows), Legend: []scene.LegendEntry{{Label: "ran there", Color: scene.Border},
			{Label: "ideal", Color: scene.Ink, Swatch: scene.Stroke}}}
	p.Left, p.Right = b.Margins("ran / ideal")
	return p
}

// tasks writes a number of tasks that may be a fraction.
func tasks(n float64) string {
	if n >= 100 || n == math.Trunc(n) {
		return words.CountThin(int(math.Round(n)))
	}
	return words.Number(n, 1)
}

// bars are what ran, and a mark where the ideal lies.
func (v *areaView) bars(r *kit.Rows) []scene.Layer {
	back := scene.Rects{Palette: []scene.Color{scene.Lane}, Edges: scene.Crisp}
	mark := scene.Rects{Palette: []scene.Color{scene.Ink}, MinWidth: 3}
	bar := scene.Rects{Edges: scene.Crisp}
	for i, row := range v.rows {
		y, h := r.Y[i], r.H[i]
		back.Add(0, 1, y, h, 0)
		color := v.options.ColorOf(v.colors, row.kind).Mix(scene.White, v.fade)
		at := slices.Index(bar.Palette, color)
		if at < 0 {
			at = len(bar.Palette)
			bar.Palette = append(bar.Palette, color)
		}
		bar.Add(0, row.actual/row.of, y, h, uint8(at))
		ideal := row.ideal / row.of
		mark.Add(ideal, ideal, y-1, h+2, 0)
	}
	return []scene.Layer{{Name: "rows", Rects: []scene.Rects{back}}, {Name: "ran", Rects: []scene.Rects{bar}}, {Name: "ideal", Rects: []scene.Rects{mark}}}
}

// Data returns the solution of the whole run.
func (v *areaView) Data(core.Query) numbers.Table {
	n, err := panels.Find("abe")
	if err != nil {
		panic(err) // registered in this package
	}
	t, err := n.Table(v.run, &v.settings)
	if err != nil {
		panic("panel: area bound of a view that was opened: " + err.Error())
	}
	return t
}
