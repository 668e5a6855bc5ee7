package spacetime

import (
	"math"
	"slices"

	"dagscope/explain/utilization"
	"dagscope/show/panel/core"
	"dagscope/show/panel/kit"
	"dagscope/show/scene"
)

// idleColumn is a column of idle shares beside the rows.
type idleColumn struct {
	title   string
	share   []float64 // by lane, NaN where the run does not tell
	runtime bool      // by the runtime's states
}

// idleColumns are the idle shares of the lanes over the makespan
// (docs/design/methods.md, Idleness) by the definitions that were asked for, of
// several workers their mean.
func (v *spaceTime) idleColumns() []idleColumn {
	by := v.options.SpaceTime.Idle
	if by == core.IdleNone || v.makespan <= 0 {
		return nil
	}
	w := v.base.IdleWorkers()
	if by != core.IdleTasks {
		w = utilization.ByWorker(v.run, utilization.WorkerOptions{Lanes: v.base.Lanes})
	}
	var out []idleColumn
	if by != core.IdleRuntime {
		out = append(out, idleColumn{title: "idle", share: v.byLane(w, w.Share)})
	}
	if by != core.IdleTasks {
		out = append(out, idleColumn{title: "idle (runtime)", runtime: true, share: v.byLane(w, func(i int) float64 {
			if share, traced := w.RuntimeShare(i); traced {
				return share
			}
			return math.NaN()
		})})
	}
	return out
}

// byLane takes the mean of a number of each worker over those of each lane.
func (v *spaceTime) byLane(w *utilization.Workers, number func(int) float64) []float64 {
	of := make(map[int32]float64)
	for i, r := range w.Worker {
		of[r] = number(i)
	}
	out := make([]float64, len(v.gantt.Lanes.Lanes))
	for l := range out {
		var all []float64
		for _, r := range v.gantt.Lanes.Lanes[l].Resources {
			if x, ok := of[r]; ok {
				all = append(all, x)
			}
		}
		out[l] = kit.Mean(all)
	}
	return out
}

// idleGap is the room between two columns.
const idleGap = 10

// idleOf are the columns for a window: shares by tasks are of the window, those
// by states say that they are of the whole run.
func (v *spaceTime) idleOf(q core.Query) []idleColumn {
	if len(v.idle) == 0 || v.states || v.showsAll(q) {
		return v.idle
	}
	out := slices.Clone(v.idle)
	for i := range out {
		if out[i].runtime {
			out[i].title += ", run"
		} else if share, ok := v.idleIn(q); ok {
			out[i].title, out[i].share = "idle in window", share
		}
	}
	return out
}

// idleLayers draws the columns side by side.
func (v *spaceTime) idleLayers(r *kit.Rows, q core.Query) []scene.Layer {
	var out []scene.Layer
	x := 0.0
	for _, c := range v.idleOf(q) {
		l := v.gantt.Lanes.IdleLabels(r, c.share, c.title)
		width := 0.0
		for i := range l.Texts {
			t := &l.Texts[i]
			width = max(width, t.X+scene.TextWidth(t.S, t.Size, t.Bold))
			t.X += x
		}
		for _, bars := range l.Rects {
			for i := range bars.X0 {
				bars.X0[i], bars.X1[i] = bars.X0[i]+x, bars.X1[i]+x
			}
		}
		out = append(out, l)
		x += math.Ceil(width) + idleGap - kit.BarGap
	}
	return out
}
