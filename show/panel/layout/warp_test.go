package layout

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"dagscope/explain/compare"
	"dagscope/explain/numbers"
	"dagscope/show/panel/core"
	_ "dagscope/show/panel/progress"
	_ "dagscope/show/panel/spacetime"
	"dagscope/show/scene"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

var warpedPanels = []string{"st", "ready", "iterations", "gflops"}

func alignedFigure(t *testing.T, mode Alignment, t0, t1 int64, runs ...*trace.Run) *scene.Figure {
	t.Helper()
	var sources []Source
	for range runs {
		sources = append(sources, Source{Name: "run", Run: runs[len(sources)]})
	}
	f, err := Figure(sources, Spec{Panels: warpedPanels, Window: true, T0: t0, T1: t1, Width: 900, Align: mode}, core.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A run that is aligned with itself is drawn as it is.
func TestRunAlignedWithItself(t *testing.T) {
	run := tracetest.Cholesky(tracetest.Options{})
	t0, t1, _ := core.Window([]*trace.Run{run})
	want := alignedFigure(t, "", t0, t1, run, run)
	for _, mode := range Alignments() {
		if got := alignedFigure(t, mode, t0, t1, run, run); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: another figure than without alignment", mode)
		}
	}
}

// Tasks of the second run begin and end where their times are on the axis of
// the first, and names stand in what they name.
func TestAlignedTasksAreWhereTheyBelong(t *testing.T) {
	a, b := tracetest.Cholesky(tracetest.Options{}), tracetest.Cholesky(tracetest.Options{Tiles: 7})
	for _, mode := range Alignments() {
		m, err := compare.Align(a, b, mode)
		if err != nil {
			t.Fatal(err)
		}
		x0, x1, _ := core.Window([]*trace.Run{b})
		mid, room := m.ToAxis((x0+x1)/2), (x1-x0)/40
		f := alignedFigure(t, mode, mid-room, mid+room, a, b)
		var times []float64
		for i, start := range b.Task.Start {
			times = append(times, float64(m.ToAxis(start)), float64(m.ToAxis(b.Task.End[i])))
		}
		layer := f.Panels[1].Layers
		at := slices.IndexFunc(layer, func(l scene.Layer) bool { return len(l.Rects) > 0 && l.Name == "tasks" })
		if at < 0 {
			t.Fatalf("%s: no layer of tasks", mode)
		}
		seen := 0
		for _, r := range layer[at].Rects {
			for i := range r.X0 {
				for _, x := range []float64{r.X0[i], r.X1[i]} {
					if x > float64(mid-room) && x < float64(mid+room) {
						seen++
						if !slices.ContainsFunc(times, func(v float64) bool { return math.Abs(v-x) <= 1.5 }) {
							t.Fatalf("%s: an edge at %v ns, where no task begins or ends", mode, x)
						}
					}
				}
			}
		}
		if seen == 0 {
			t.Errorf("%s: no edge of a task in the window", mode)
		}
	}
}

// Curves have the same value at the same instant, whatever the axis.
func TestBentCurves(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		m := &compare.Map{}
		for own, axis, n := int64(0), int64(50), 2+rng.IntN(6); len(m.Own) < n; {
			own, axis = own+1+rng.Int64N(1000), axis+1+rng.Int64N(1000)
			m.Own, m.Axis = append(m.Own, own), append(m.Axis, axis)
		}
		var line scene.Line
		for x := -500.0; x < 6000; x += rng.Float64() * 1500 {
			line.X, line.Y = append(line.X, x), append(line.Y, rng.Float32())
		}
		area := scene.Area{X: line.X, Y0: line.Y, Y1: line.Y}
		got := warpLayer(scene.Layer{Lines: []scene.Line{line}, Areas: []scene.Area{area}}, m, 1)
		for range 50 {
			at := rng.Int64N(6000) - 500
			if float64(at) > line.X[len(line.X)-1] || float64(at) < line.X[0] {
				continue
			}
			want := valueOn(line.X, line.Y, float64(at))
			axis := float64(m.ToAxis(at))
			for _, y := range []float64{valueOn(got.Lines[0].X, got.Lines[0].Y, axis), valueOn(got.Areas[0].X, got.Areas[0].Y1, axis)} {
				if slope := 0.1; math.Abs(y-want) > slope { // half a ns of rounding, on steep parts
					t.Fatalf("at %d: %v, want %v", at, y, want)
				}
			}
		}
	}
}

func valueOn(x []float64, y []float32, at float64) float64 {
	for i := 1; i < len(x); i++ {
		if at <= x[i] {
			f := (at - x[i-1]) / max(x[i]-x[i-1], 1e-9)
			return float64(y[i-1]) + f*float64(y[i]-y[i-1])
		}
	}
	return float64(y[len(y)-1])
}

// Room that a text has is that of what it names.
func TestWarpedRoom(t *testing.T) {
	m := &compare.Map{Own: []int64{0, 100, 200}, Axis: []int64{0, 300, 350}}
	texts := []scene.Text{{X: 100, Room: 100, Anchor: scene.Middle}, {X: 50, Room: 100}, {X: 150, Room: 100, Anchor: scene.End}, {X: 100}}
	for i, want := range []scene.Text{{X: 237.5, Room: 175, Anchor: scene.Middle}, {X: 150, Room: 175}, {X: 325, Room: 175, Anchor: scene.End}, {X: 300}} {
		if got := WarpTexts(texts, m)[i]; got != want {
			t.Errorf("text %d: %+v, want %+v", i, got, want)
		}
	}
}

// What is stretched is drawn finer, but for its texts.
func TestStretchedPiecesAreDrawnFiner(t *testing.T) {
	m := &compare.Map{Own: []int64{0, 100, 200}, Axis: []int64{0, 300, 350}}
	v := &recorder{}
	p := drawAligned(v, m, core.Query{T0: 0, T1: 350, Width: 350})
	if want := []int{350, 600}; !slices.Equal(v.widths, want) { // 100 ns are 300 pixels of 350, else 175
		t.Errorf("drawn %v pixels wide, want %v", v.widths, want)
	}
	if got := p.Layers[0]; len(got.Rects) != 1 || got.Rects[0].X1[0] != 300 || got.Texts[0].S != "350" || got.Rects[0].Y[0] != 600 {
		t.Errorf("found %+v", got)
	}
}

// recorder draws how wide it is drawn.
type recorder struct{ widths []int }

func (r *recorder) Draw(q core.Query) scene.Panel {
	r.widths = append(r.widths, q.Width)
	rects := scene.Rects{}
	rects.Add(0, 100, float32(q.Width), 1, 0)
	return scene.Panel{Height: 10, Layers: []scene.Layer{{Name: "all", Rects: []scene.Rects{rects}, Texts: []scene.Text{{X: 50, S: strconv.Itoa(q.Width)}}}}}
}

func (r *recorder) Data(core.Query) numbers.Table { return numbers.Table{} }
