package panel_test

import (
	"fmt"
	"slices"
	"testing"

	"dagscope/show/panel/core"
	"dagscope/show/panel/layout"
	"dagscope/show/scene"
	"dagscope/trace/tracetest"
)

// In a grid each panel of all runs is in rows and columns on one scale; the
// places that are left are empty.
func TestGridOfRuns(t *testing.T) {
	var sources []layout.Source
	for i := range 5 {
		sources = append(sources, layout.Source{Name: fmt.Sprint("run ", i), Run: tracetest.Cholesky(tracetest.Options{Tiles: 4 + i})})
	}
	for across, want := range map[int]int{0: 3, 2: 2, 9: 5} {
		spec := layout.Spec{Panels: []string{"st", "ready"}, Width: 1200, Facets: layout.FacetGrid, Across: across}
		f, err := layout.Figure(sources, spec, core.Options{})
		if err != nil {
			t.Fatal(err)
		}
		places := (5 + want - 1) / want * want
		if f.Columns != want || len(f.Panels) != 2*places {
			t.Fatalf("%d across: %d columns and %d panels, want %d and %d", across, f.Columns, len(f.Panels), want, 2*places)
		}
		var scales []string
		for i, p := range f.Panels {
			run := i % places
			if p.Blank != (run >= 5) {
				t.Errorf("%d across: panel %d is empty: %v", across, i, p.Blank)
			}
			if p.Blank {
				continue
			}
			if title := fmt.Sprint("run ", run); p.Title != title && (i < places || want < 5) {
				t.Errorf("%d across: panel %d is called %q, want %q", across, i, p.Title, title)
			}
			if i >= places && run%want == 0 {
				scales = append(scales, fmt.Sprint(texts(p.Left)))
			}
		}
		if len(slices.Compact(scales)) != 1 {
			t.Errorf("%d across: scales differ: %q", across, scales)
		}
		page := compose(t, f)
		checkInk(t, page, 0)
		axes := 0
		for _, op := range page.Ops {
			if op.Label != nil && op.Label.S == "time [ms]" {
				axes++
			}
		}
		if axes != want {
			t.Errorf("%d across: %d time axes, want one of each column", across, axes)
		}
	}
}

func texts(layers []scene.Layer) (out []string) {
	for _, l := range layers {
		for _, t := range l.Texts {
			out = append(out, t.S)
		}
	}
	return out
}
