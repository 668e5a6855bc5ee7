package calibrate

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dagscope/internal/testenv"
)

// The kernels in Go are a QR factorization: applied to the matrix itself, the
// reflectors make it R, zero below its diagonal, and keep lengths of columns.
func TestKernelsInGo(t *testing.T) {
	for _, size := range [][3]int{{40, 24, 8}, {40, 24, 32}, {7, 7, 3}, {5, 9, 4}, {1, 1, 1}, {100, 1, 32}} {
		a := newDense(size[0], size[1])
		c := &dense{a.rows, a.cols, append([]float64(nil), a.v...)}
		a.factorize(size[2]).apply(c)
		before := newDense(size[0], size[1])
		for j := range c.cols {
			length, wanted := 0.0, 0.0
			for i := range c.rows {
				got := c.v[i*c.cols+j]
				length, wanted = math.Hypot(length, got), math.Hypot(wanted, before.v[i*c.cols+j])
				want := 0.0
				if i <= j {
					want = a.v[i*c.cols+j]
				}
				if math.Abs(got-want) > 1e-12 {
					t.Fatalf("%v: found %g at %d, %d, want %g", size, got, i, j, want)
				}
			}
			near(t, "length", length, wanted, 1e-12)
		}
	}
}

func smallDesign(t testing.TB) *Design {
	t.Helper()
	d, err := DesignIn(Region{MB: [2]int{8, 60}, NB: [2]int{4, 20}, BK: [2]int{1, 3}}, DesignOptions{Points: 15, Repeat: 2, IB: 8})
	if err != nil {
		t.Fatal(err)
	}
	subtree := Point{Kind: "Do_subtree", Parameters: []float64{5, 900, 100}, GFlop: 5e-6}
	subtree.subtree()
	d.Points = append(d.Points, subtree, Point{Kind: "Activate", Parameters: []float64{1000, 100}},
		Point{Kind: "Assemble", Parameters: []float64{500}}, Point{Kind: "Deactivate", Parameters: []float64{8000}})
	return d
}

// What is measured in Go and by the program in C is read as the design says.
func TestMeasurements(t *testing.T) {
	d := smallDesign(t)
	var out bytes.Buffer
	if err := d.MeasureGo(context.Background(), &out); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "go.csv")
	if err := os.WriteFile(file, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	compareWithDesign(t, file, d, 1)
}

func TestMeasurementsInC(t *testing.T) {
	testenv.Need(t, "apt-get install gcc", "cc")
	d := smallDesign(t)
	dir := t.TempDir()
	p, err := d.Build(context.Background(), dir, BuildOptions{})
	if err != nil {
		if strings.Contains(err.Error(), "found no LAPACK") {
			testenv.Missing(t, "LAPACK for C", err.Error(), "apt-get install libopenblas-dev liblapacke-dev")
		}
		t.Fatal(err)
	}
	file := filepath.Join(dir, "c.csv")
	if err := p.Run(context.Background(), file, []int{1, 2}); err != nil {
		t.Fatal(err)
	}
	compareWithDesign(t, file, d, 3) // threads alone and two at once
}

// compareWithDesign wants each point so many times.
func compareWithDesign(t *testing.T, file string, d *Design, times int) {
	t.Helper()
	all, err := ReadCSV(file, CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, s := range all {
		k := kernelOf(s.Kind)
		for i, number := range s.Point {
			q := &d.Points[int(number)]
			for j, name := range k.Parameters {
				if got := s.param(name)[i]; got != q.Parameters[j] || q.Kind != s.Kind {
					t.Fatalf("point %v of %s: %s is %v, want %v of %s", number, s.Kind, name, got, q.Parameters[j], q.Kind)
				}
			}
			near(t, "gflop", s.GFlop[i], q.GFlop, 1e-9)
			found++
		}
	}
	if want := len(d.Points) * d.Repeat * times; found != want {
		t.Errorf("found %d measurements, want %d", found, want)
	}
}
