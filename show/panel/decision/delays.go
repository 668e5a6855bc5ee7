package decision

import (
	"slices"
	"strings"

	"dagscope/explain/chain"
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
		ID: "delays",
		Doc: "What the tasks of each kind waited for from ready to start (task), and what their workers waited for since their " +
			"previous task (worker): shares of the summed time by class, or by the mark of a task that was in the way, with the mean " +
			"per task at the right.",
		Open: openDelays,
	}))
}

// delayView draws shares of waiting time by cause.
type delayView struct {
	run      *trace.Run
	makespan int64
	kinds    []kindDelay
	tight    bool
}

// kindDelay are the waiting times of the tasks of a kind: of themselves and of
// their workers.
type kindDelay struct {
	kind         string
	tasks, known int64
	sum          [2]chain.Sums
}

func openDelays(run *trace.Run, o *core.Options) (core.View, error) {
	d := chain.New(run, chain.Options{}).Delays()
	v := &delayView{run: run, makespan: schedule.Makespan(run), tight: o.Tight}
	at := map[string]int{}
	for i, w := range d.Worker {
		if node := run.Resource.Node[w]; node >= 0 && !o.ShowsNode(node) {
			continue
		}
		name := run.Task.Kind.Dict[d.Kind[i]]
		if _, ok := at[name]; !ok {
			at[name] = len(v.kinds)
			v.kinds = append(v.kinds, kindDelay{kind: name})
		}
		k := &v.kinds[at[name]]
		k.tasks, k.known = k.tasks+d.Tasks[i], k.known+d.Known[i]
		k.sum[0].Add(&d.Delay[i])
		k.sum[1].Add(&d.Gap[i])
	}
	if len(v.kinds) == 0 {
		return nil, &panels.Missing{Why: "no task of the application ran in this run"}
	}
	slices.SortFunc(v.kinds, func(a, b kindDelay) int { return core.CompareNatural(a.kind, b.kind) })
	return v, nil
}

// Draw draws the shares; they are of the whole run whatever the window.
func (v *delayView) Draw(q core.Query) scene.Panel {
	var rows []kit.BarRow
	for _, k := range v.kinds {
		for side, what := range [2]string{"task", "worker"} {
			row := kit.BarRow{Label: what, Block: k.kind, Right: k.mean(side)}
			rows = append(rows, row)
		}
	}
	b := kit.NewBarRows(rows, q, kit.BarPitch, v.tight)
	shares := scene.Rects{Edges: scene.Abut}
	back := scene.Rects{Palette: []scene.Color{scene.Lane}, Edges: scene.Crisp}
	p := scene.Panel{ID: "delays", Height: float64(b.Rows.Height), X: kit.ShareAxis(q.Width, "share of the waiting time")}
	causes := v.causes()
	for _, c := range causes {
		shares.Palette = append(shares.Palette, core.CauseColor(c))
		p.Legend = append(p.Legend, scene.LegendEntry{Label: c.String(), Color: core.CauseColor(c)})
	}
	for i := range rows {
		y, h := b.Rows.Y[i], b.Rows.H[i]
		back.Add(0, 1, y, h, 0)
		sum := &v.kinds[i/2].sum[i%2]
		at, whole := 0.0, float64(sum.Sum())
		for c, cause := range causes {
			if ns := sum[cause]; ns > 0 {
				next := at + float64(ns)/whole
				shares.Add(at, next, y, h, uint8(c))
				at = next
			}
		}
	}
	p.Layers = []scene.Layer{{Name: "rows", Rects: []scene.Rects{back}}, {Name: "causes", Rects: []scene.Rects{shares}}}
	p.Left, p.Right = b.Margins("mean")
	p.Note = strings.TrimPrefix(kit.WholeRunNote(v.makespan, q), "; ")
	return p
}

// causes are those that anything waited for.
func (v *delayView) causes() []chain.Cause {
	return slices.DeleteFunc(chain.Causes(), func(c chain.Cause) bool {
		return !slices.ContainsFunc(v.kinds, func(k kindDelay) bool { return k.sum[0][c] > 0 || k.sum[1][c] > 0 })
	})
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
	return words.Duration(float64(k.sum[side].Sum()) / float64(n))
}

// Data returns the waiting times of the whole run.
func (v *delayView) Data(q core.Query) numbers.Table {
	return core.NumbersOf("delays", v.run, core.WholeRun(), q)
}
