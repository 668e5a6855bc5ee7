package calibrate

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed bench.c.txt
var benchSource string

// C is a program in C that makes the measurements of a design and prints them
// as [ReadCSV] reads them. It needs a LAPACK and POSIX threads only.
func (d *Design) C() string {
	var b strings.Builder
	fmt.Fprintf(&b, "enum { npoints = %d, reps = %d, ib = %d, seed = %d };\nstatic const struct point points[npoints] = {\n", len(d.Points), d.Repeat, d.IB, d.Seed%1e6)
	for i := range d.Points {
		q := &d.Points[i]
		var p [3]float64
		copy(p[:], q.Parameters)
		fmt.Fprintf(&b, "  {%s, {%.0f, %.0f, %.0f}, %.12g, %d, %d, %d, %d},\n", constantOf(q.Kind), p[0], p[1], p[2], q.GFlop, q.Rows, q.Cols, q.Inner, q.Fronts)
	}
	b.WriteString("};\n")
	return strings.Replace(benchSource, "/* POINTS */\n", b.String(), 1)
}

// constantOf is what the program calls a kind.
func constantOf(kind string) string {
	if kind == "Do_subtree" {
		return "SUBTREE"
	}
	return strings.ToUpper(kind)
}

// Gflop is the work of all measurements.
func (d *Design) Gflop() (sum float64) {
	for i := range d.Points {
		sum += d.Points[i].GFlop * float64(d.Repeat)
	}
	return sum
}

// Kinds are those that are measured, in the order of [Kernels].
func (d *Design) Kinds() (kinds []string) {
	for _, k := range Kernels {
		if slices.ContainsFunc(d.Points, func(q Point) bool { return q.Kind == k.Kind }) {
			kinds = append(kinds, k.Kind)
		}
	}
	return kinds
}
