package panel_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"dagscope/explain/numbers/panels"
	"dagscope/show/panel/core"
	"dagscope/show/panel/layout"
	"dagscope/show/scene"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// Whatever is drawn at whatever size: no label is cut by the page or meets
// another, none is smaller than six points, and each can be read on its paper.
func TestInk(t *testing.T) {
	machines := []tracetest.Options{{CPUs: 3}, {}, {Nodes: 4, CPUs: 8, GPUs: 2}, {Nodes: 40, CPUs: 8, GPUs: 2}} // 3, 12, 40, 400 rows
	windows := []int64{1e3, 1e6, 0, 86_400e9}                                                                   // ns, 0 for the run
	sizes := []struct {
		width  int
		height float64
		zoom   float64
	}{{341, 0, 0.95}, {673, 0, 1}, {960, 0, 1.4}, {1000, 0, 0}, {673, 900, 1}}
	names := []int{3, 11, 24, 40}
	n := 0
	for _, machine := range machines {
		machine.Tiles = 6
		for _, window := range windows {
			for _, size := range sizes {
				n++
				run := renamed(machine, names[n%4])
				spec := layout.Spec{Title: strings.Repeat("A title of words ", 1+n%5), Panels: []string{"st"}, Width: size.width, Height: size.height,
					Zoom: size.zoom, Facts: layout.Facts(), T1: window, Window: window > 0}
				spec.Panels = append(spec.Panels, others(n)...)
				sources := []layout.Source{{Name: "run", Run: run}, {Name: strings.Repeat("name", n%9), Run: run}}[:1+n%2]
				if spec.Facets = layout.FacetRows; size.width > 600 && n%3 == 0 {
					spec.Facets = layout.FacetColumns
				}
				o := core.Options{Marks: []scene.Mark{{X: float64(n) * 1e6, Label: "a mark"}, {X: float64(n)*1e6 + 10, Label: "beside it"}}}
				if n%2 == 0 {
					o.SpaceTime.Bounds = []core.Bound{{Name: "CPE", NS: 2e6}, {Name: "ABE", NS: 5e6}, {Name: "best bound (head–tail)", NS: 6e6}}
				}
				o.Colors = core.Coloring{Palette: core.Palettes()[n%4]}.Of([]*trace.Run{run})
				o.Rows.Group = []core.RowGroup{core.ByNode, core.ByArch, core.NoGroup}[n%3]
				o.Rows.Order = []core.RowOrder{core.OrderName, core.OrderIdle, core.OrderTasks}[n%3]
				if n%2 == 1 {
					spec.Theme = scene.Dark(o.Colors.Bases())
				}
				name := fmt.Sprintf("%d×%d+%d,%d ns,%d×%g,names %d,%d runs %s", max(1, machine.Nodes), machine.CPUs, machine.GPUs, window,
					size.width, size.height, names[n%4], len(sources), spec.Facets)
				t.Run(name, func(t *testing.T) {
					f, err := layout.Figure(sources, spec, o)
					if err != nil {
						t.Fatal(spec.Panels, err)
					}
					checkInk(t, compose(t, f), size.height)
				})
			}
		}
	}
}

// others takes panels besides the space-time panel in turn.
func others(n int) []string {
	all := core.All()
	return []string{all[n%len(all)].ID, all[(n*3+1)%len(all)].ID}
}

// renamed is a run whose workers and kinds have names of so many letters at
// least, all different.
func renamed(o tracetest.Options, letters int) *trace.Run {
	run := tracetest.Cholesky(o)
	for _, dict := range [][]string{run.Resource.Name.Dict, run.Task.Kind.Dict} {
		for i, name := range dict {
			if missing := letters - len(name); missing > 1 {
				dict[i] = name[:len(name)/2] + "_" + strings.Repeat("x", missing-1) + name[len(name)/2:]
			}
		}
	}
	return run
}

func checkInk(t *testing.T, p *scene.Page, height float64) {
	t.Helper()
	checkLabels(t, p)
	checkCrossed(t, p)
	for _, op := range p.Ops {
		if l := op.Label; l != nil {
			if l.Size < 8 { // pixels of 1/96 inch: six points
				t.Errorf("label %q has %g points", l.S, l.Size*0.75)
			}
			if r := scene.Contrast(l.Color, p.Background()); op.Clip.Empty() && r < 3 {
				t.Errorf("label %q has contrast %.2f", l.S, r)
			}
		}
		if b := op.Boxes; b != nil {
			for i := range b.X0 {
				if b.X0[i] < -1e-6 || b.Y0[i] < -1e-6 || b.X1[i] > p.W+1e-6 || b.Y1[i] > p.H+1e-6 {
					t.Fatalf("a box leaves the page: %v to %v", b.X1[i], b.Y1[i])
				}
			}
		}
	}
	if height > 0 && p.H != height {
		t.Errorf("the page is %g high, want %g", p.H, height)
	}
}

// checkCrossed finds labels outside bodies that a vertical line is seen through:
// one that is drawn later, or before it with no paper between.
func checkCrossed(t *testing.T, p *scene.Page) {
	t.Helper()
	for at, op := range p.Ops {
		if op.Label == nil || !op.Clip.Empty() || op.Label.Rotate != 0 {
			continue
		}
		box, crossed := ink(op.Label), false
		for i, other := range p.Ops {
			if !other.Clip.Empty() {
				continue
			}
			if crosses(other.Path, box) {
				crossed = true
			}
			if i < at && covers(other.Boxes, box, p.Background()) {
				crossed = false
			}
		}
		if crossed {
			t.Errorf("a line crosses the label %q", op.Label.S)
		}
	}
}

// crosses reports whether a path has a vertical piece through a box.
func crosses(path *scene.Path, box scene.Rectangle) bool {
	if path == nil || path.Stroke == scene.None || path.Closed {
		return false
	}
	for i := 1; i < len(path.Points); i++ {
		a, b := path.Points[i-1], path.Points[i]
		if a.X == b.X && box.X0 < a.X && a.X < box.X1 && min(a.Y, b.Y) < box.Y1 && box.Y0 < max(a.Y, b.Y) && !slices.Contains(path.Starts, i) {
			return true
		}
	}
	return false
}

// covers reports whether boxes of the colour of the paper hide what is in box.
func covers(boxes *scene.Boxes, box scene.Rectangle, paper scene.Color) bool {
	if boxes == nil || boxes.Palette[0] != paper {
		return false
	}
	for i := range boxes.X0 {
		if boxes.X0[i] <= box.X0 && boxes.Y0[i] <= box.Y0 && boxes.X1[i] >= box.X1 && boxes.Y1[i] >= box.Y1 {
			return true
		}
	}
	return false
}

// Labels of bounds that have no room beside each other's lines stand before them.
func TestLabelsOfBoundsAreNotCrossed(t *testing.T) {
	run := tracetest.Cholesky(tracetest.Options{Tiles: 6})
	_, end, _ := panels.Extent(run)
	at := func(share float64) int64 { return int64(share * float64(end)) }
	o := core.Options{}
	o.SpaceTime.Idle = core.IdleBoth
	o.SpaceTime.Bounds = []core.Bound{{Name: "ABE", NS: at(0.775)}, {Name: "CPE", NS: at(0.337)}, {Name: "best bound (head–tail)", NS: at(0.818)}}
	for _, theme := range []*scene.Theme{nil, scene.Dark(nil)} {
		f, err := layout.Figure([]layout.Source{{Name: "run", Run: run}}, layout.Spec{Panels: []string{"st"}, Width: 321, Zoom: 0.95, Theme: theme}, o)
		if err != nil {
			t.Fatal(err)
		}
		checkInk(t, compose(t, f), 0)
	}
}
