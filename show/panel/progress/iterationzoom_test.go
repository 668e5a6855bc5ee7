package progress

import (
	"math"
	"testing"

	"dagscope/show/panel/core"
	"dagscope/trace/tracetest"
)

// Figures of a window have rows for the iterations that touch it; in the live
// view, whose tiles lie beside each other, rows stay where they are.
func TestIterationsFollowTheZoom(t *testing.T) {
	run := tracetest.Chain(40)
	for i := range run.Task.Start {
		run.Task.Iteration[i] = int32(i)
		run.Task.Start[i], run.Task.End[i] = int64(i)*100, int64(i)*100+90
	}
	view, err := openIterations(run, &core.Options{})
	if err != nil {
		t.Fatal(err)
	}
	q := core.Query{T0: 1000, T1: 1400, Width: 400, Height: 200}
	p := view.Draw(q)
	extents := p.Layers[0].Rects[0]
	if extents.Len() != 4 || extents.X0[0] != 1000 || extents.X1[3] != 1390 {
		t.Fatalf("iterations from %v to %v have rows, want the four of the window", extents.X0, extents.X1)
	}
	if top, bottom := float64(extents.Y[0]), float64(extents.Y[3]+extents.H[3]); top > 10 || bottom < 180 {
		t.Errorf("the rows are from %g to %g of 200", top, bottom)
	}
	tasks := p.Layers[1].Rects[0]
	for i := range tasks.X0 {
		row := int(tasks.X0[i]-1000) / 100
		if math.Abs(float64(tasks.Y[i]-extents.Y[row])) > 1 {
			t.Errorf("the task at %g is at %g, its iteration at %g", tasks.X0[i], tasks.Y[i], extents.Y[row])
		}
	}
	if n := tasks.Len(); n != 4 {
		t.Errorf("%d tasks are drawn, want 4", n)
	}
	q.Steady = true
	if steady := view.Draw(q).Layers[0].Rects[0]; steady.Len() != 40 {
		t.Errorf("%d rows of a tile, want all 40", steady.Len())
	}
	if before := view.Draw(core.Query{T0: -500, T1: -100, Width: 400}).Layers[0].Rects[0]; before.Len() != 40 {
		t.Errorf("%d rows where no iteration is, want all 40", before.Len())
	}
}
