package panel

import (
	"slices"
	"strings"

	"dagscope/explain/numbers"
	"dagscope/explain/schedule"
	"dagscope/internal/words"
	"dagscope/show/scene"
	"dagscope/trace"
)

func init() {
	register(drawing(Panel{
		ID: "delays",
		Doc: "What the tasks of each kind waited for from ready to start (task), and what their workers waited for since their " +
			"previous task (worker): shares of the summed time by cause, with the mean per task at the right. " +
			"Where several causes hold at once the earlier in the legend counts.",
		Open: openDelays,
	}))
}

// delayCauses are the causes by the columns of the numbers that hold them:
// of tasks and of workers.
var delayCauses = []struct {
	label     string
	color     scene.Color
	task, gap string
}{
	{"a dependency had not ended", scene.RGB(0xaa3377), "", "gap_dependency"},
	{"data on its way", scene.RGB(0x0072b2), "delay_transfer", "gap_transfer"},
	{"worker busy with other tasks", runningColor, "delay_queue", ""},
	{"runtime at work", scene.RGB(0xd55e00), "delay_runtime", "gap_runtime"},
	{"unexplained", scene.RGB(0xf0e442), "delay_unexplained", "gap_unexplained"},
}

// delayView draws shares of waiting time by cause.
type delayView struct {
	run      *trace.Run
	makespan int64
	kinds    []kindDelay
	tight    bool
}

// kindDelay are the waiting times of the tasks of a kind: of themselves and of
// their workers, by cause.
type kindDelay struct {
	kind         string
	tasks, known int64
	sum          [2][]int64
}

func openDelays(run *trace.Run, o *Options) (View, error) {
	data, err := delayNumbers(run, nil)
	if err != nil {
		return nil, err
	}
	v := &delayView{run: run, makespan: schedule.Makespan(run), tight: o.Tight}
	n, err := FindNumbers("delays")
	if err != nil {
		return nil, err
	}
	column := func(name string) any {
		return data[slices.IndexFunc(n.Columns, func(c numbers.Column) bool { return c.Name == name })]
	}
	kind, node := column("kind").(*trace.Strings), column("node").([]int32)
	tasks, known := column("tasks").([]int64), column("known").([]int64)
	at := map[string]int{}
	for i := range tasks {
		if node[i] != trace.NoInt && !o.showsNode(node[i]) {
			continue
		}
		name := kind.At(i)
		if _, ok := at[name]; !ok {
			at[name] = len(v.kinds)
			v.kinds = append(v.kinds, kindDelay{kind: name, sum: [2][]int64{make([]int64, len(delayCauses)), make([]int64, len(delayCauses))}})
		}
		k := &v.kinds[at[name]]
		k.tasks, k.known = k.tasks+tasks[i], k.known+known[i]
		for c, cause := range delayCauses {
			for side, name := range [2]string{cause.task, cause.gap} {
				if name != "" {
					k.sum[side][c] += column(name).([]int64)[i]
				}
			}
		}
	}
	if len(v.kinds) == 0 {
		return nil, &Missing{"no task of the application ran in this run"}
	}
	slices.SortFunc(v.kinds, func(a, b kindDelay) int { return compareNatural(a.kind, b.kind) })
	return v, nil
}

// Draw draws the shares; they are of the whole run whatever the window.
func (v *delayView) Draw(q Query) scene.Panel {
	var rows []barRow
	for _, k := range v.kinds {
		for side, what := range [2]string{"task", "worker"} {
			row := barRow{label: what, block: k.kind, right: k.mean(side)}
			rows = append(rows, row)
		}
	}
	b := newBarRows(rows, q, barPitch, v.tight)
	shares := scene.Rects{Edges: scene.Abut}
	back := scene.Rects{Palette: []scene.Color{scene.Lane}, Edges: scene.Crisp}
	p := scene.Panel{ID: "delays", Height: float64(b.rows.height), X: shareAxis(q.Width, "share of the waiting time")}
	for _, c := range delayCauses {
		shares.Palette = append(shares.Palette, c.color)
		p.Legend = append(p.Legend, scene.LegendEntry{Label: c.label, Color: c.color})
	}
	for i := range rows {
		y, h := b.rows.y[i], b.rows.h[i]
		back.Add(0, 1, y, h, 0)
		at, whole := 0.0, float64(v.kinds[i/2].whole(i%2))
		for c, ns := range v.kinds[i/2].sum[i%2] {
			if ns > 0 {
				next := at + float64(ns)/whole
				shares.Add(at, next, y, h, uint8(c))
				at = next
			}
		}
	}
	p.Layers = []scene.Layer{{Name: "rows", Rects: []scene.Rects{back}}, {Name: "causes", Rects: []scene.Rects{shares}}}
	p.Left, p.Right = b.margins("mean")
	p.Note = strings.TrimPrefix(wholeRunNote(v.makespan, q), "; ")
	return p
}

// whole is the summed waiting time.
func (k *kindDelay) whole(side int) (ns int64) {
	for _, part := range k.sum[side] {
		ns += part
	}
	return ns
}

// mean writes the mean waiting time per task.
func (k *kindDelay) mean(side int) string {
	n := k.tasks
	if side == 0 {
		n = k.known
	}
	if n == 0 {
		return "–"
	}
	return words.Duration(float64(k.whole(side)) / float64(n))
}

// Data returns the waiting times of the whole run.
func (v *delayView) Data(q Query) numbers.Table { return numbersOf("delays", v.run, wholeRun(), q) }
