package panel_test

import (
	"slices"
	"strings"
	"testing"

	"dagscope/explain/compare"
	"dagscope/show/panel/layout"
	"dagscope/trace/tracetest"
)

// The courses of two runs make a figure that names the quantities and the runs;
// points of equal runs lie on the diagonal.
func TestCourses(t *testing.T) {
	run := tracetest.Cholesky(tracetest.Options{Tiles: 8})
	r, err := compare.Compute(compare.Side{Name: "one", Run: run}, compare.Side{Name: "two", Run: run}, compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := layout.Courses(r.Courses, [2]string{"one", "two"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Panels) != 2*len(r.Courses) || len(r.Courses) < 2 {
		t.Fatalf("%d panels of %d courses", len(f.Panels), len(r.Courses))
	}
	var labels []string
	for _, op := range compose(t, f).Ops {
		if op.Label != nil {
			labels = append(labels, op.Label.S)
		}
	}
	for _, want := range []string{"running tasks", "one", "two", "equal", "part of the run [%]", "correlation 1"} {
		if !slices.ContainsFunc(labels, func(s string) bool { return strings.Contains(s, want) }) {
			t.Errorf("found no %q in %q", want, labels)
		}
	}
	scatter := f.Panels[1]
	points, diagonal := scatter.Layers[2].Rects[0], scatter.Layers[1].Lines[0]
	for i, x := range points.X0 {
		share := x / diagonal.X[1]
		want := float64(diagonal.Y[0]) + share*float64(diagonal.Y[1]-diagonal.Y[0])
		if got := float64(points.Y[i] + points.H[i]/2); got-want > 0.01 || want-got > 0.01 {
			t.Fatalf("a point of equal runs lies at %v, want %v", got, want)
		}
	}
	if _, err := layout.Courses(nil, [2]string{}, 0); err == nil {
		t.Error("nothing is drawn")
	}
}
