package calibrate

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"dagscope/predict/workload/sparse"
)

func someProgram(t testing.TB, seed uint64) *sparse.Program {
	t.Helper()
	e, err := sparse.Generate("tf", []string{"13"}, seed)
	if err != nil {
		t.Fatal(err)
	}
	m, _ := e.Matrix().Tall()
	a, err := sparse.Analyze(m, nil, sparse.Options{NB: 32})
	if err != nil {
		t.Fatal(err)
	}
	p, err := a.Program(2)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A design has every kind of the program, the ends of all its ranges, matrices
// that exist, and is the same again for the same seed.
func TestDesignOf(t *testing.T) {
	p := someProgram(t, 1)
	d, err := DesignOf(p, DesignOptions{Points: 25, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := DesignOf(p, DesignOptions{Points: 25, Seed: 3}); !reflect.DeepEqual(d, again) {
		t.Error("the same seed makes another design")
	}
	if got := d.Kinds(); len(got) != len(Kernels) {
		t.Fatalf("found kinds %v", got)
	}
	for number, kind := range sparse.KindNames {
		of := slices.DeleteFunc(slices.Clone(d.Points), func(q Point) bool { return q.Kind != kind })
		if len(of) == 0 || len(of) > 25 {
			t.Errorf("%s: found %d points", kind, len(of))
		}
		all := pointsOf(p, int32(number))
		for j := range all[0].Parameters {
			by := func(a, b Point) int { return compare(a.Parameters[j], b.Parameters[j]) }
			if got, want := slices.MinFunc(of, by).Parameters[j], slices.MinFunc(all, by).Parameters[j]; got != want {
				t.Errorf("%s: least parameter %d is %v, want %v", kind, j+1, got, want)
			}
			if got, want := slices.MaxFunc(of, by).Parameters[j], slices.MaxFunc(all, by).Parameters[j]; got != want {
				t.Errorf("%s: greatest parameter %d is %v, want %v", kind, j+1, got, want)
			}
		}
	}
	checkPoints(t, d.Points)
}

// checkPoints wants matrices that exist.
func checkPoints(t *testing.T, points []Point) {
	t.Helper()
	for _, q := range points {
		switch q.Kind {
		case "Panel", "Update":
			if q.Rows < 1 || q.Cols < 1 || q.Inner < 1 || q.Inner > q.Rows || !(q.GFlop >= 0) {
				t.Errorf("found %+v", q)
			}
		case "Do_subtree":
			if q.Rows < 1 || q.Cols < 1 || q.Inner < 1 || q.Inner > q.Fronts {
				t.Errorf("found %+v", q)
			}
		}
	}
}

// Fronts of equal size do the work of the subtree on its entries, as far as the
// work of a front of so many entries allows.
func TestSubtreeDoesTheWork(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	for range 500 {
		fronts, rows, cols := 1+rng.IntN(30), 20+rng.IntN(300), 5+rng.IntN(100)
		rows = max(rows, cols)
		q := Point{Kind: "Do_subtree", Parameters: []float64{float64(fronts), float64(fronts * rows * cols), 0}, GFlop: float64(fronts) * qrFlops(float64(rows), float64(cols)) / 1e9}
		q.subtree()
		did := float64(q.Inner) * qrFlops(float64(q.Rows), float64(q.Cols)) / 1e9
		near(t, "work", did, q.GFlop, 0.25)
		near(t, "entries", float64(q.Inner*q.Rows*q.Cols), q.Parameters[1], 0.25)
	}
}

func TestDesignIn(t *testing.T) {
	r := Region{MB: [2]int{100, 5000}, NB: [2]int{32, 200}, BK: [2]int{1, 12}}
	d, err := DesignIn(r, DesignOptions{Points: 300, MostGFlop: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	checkPoints(t, d.Points)
	for _, q := range d.Points {
		for j, b := range [][2]int{r.MB, r.NB, r.BK} {
			if v := q.Parameters[j]; v < float64(b[0]) || v > float64(b[1]) || q.GFlop > 0.5 {
				t.Errorf("found %+v", q)
			}
		}
	}
	for _, bad := range []Region{{}, {MB: [2]int{5, 4}, NB: [2]int{1, 2}, BK: [2]int{1, 2}}, {MB: [2]int{1, 1 << 30}, NB: [2]int{1, 2}, BK: [2]int{1, 2}}} {
		if _, err := DesignIn(bad, DesignOptions{}); err == nil {
			t.Errorf("%+v: found no error", bad)
		}
	}
	if d, err := DesignIn(r, DesignOptions{Kinds: []string{"Update"}}); err != nil || !slices.Equal(d.Kinds(), []string{"Update"}) {
		t.Errorf("found %v, %v", d, err)
	}
	if _, err := DesignIn(r, DesignOptions{Kinds: []string{"GEMM"}}); err == nil {
		t.Error("found no error of a kernel that there is not")
	}
	if _, err := DesignIn(r, DesignOptions{Points: -1}); err == nil {
		t.Error("found no error of -1 points")
	}
}

// What is too large is left out and counted.
func TestDesignLeavesOutWhatIsTooLarge(t *testing.T) {
	d, err := DesignOf(someProgram(t, 1), DesignOptions{MostGFlop: 1e-4})
	if err != nil {
		t.Fatal(err)
	}
	if d.Left["Update"] == 0 {
		t.Errorf("found %v left out", d.Left)
	}
	for _, q := range d.Points {
		if q.GFlop > 1e-4 {
			t.Errorf("found %+v", q)
		}
	}
}

// A table of tasks without their parameters gets them from the program, and
// another program is noticed.
func TestComplete(t *testing.T) {
	p := someProgram(t, 1)
	var table bytes.Buffer
	if err := p.WriteTasks(&table); err != nil {
		t.Fatal(err)
	}
	var bare, full strings.Builder
	for i, line := range strings.Split(strings.TrimSpace(table.String()), "\n") {
		f := strings.Split(line, ",")
		end := "1"
		if i == 0 {
			end = "time"
		}
		bare.WriteString(f[0] + "," + f[1] + "," + end + "\n")
		full.WriteString(line + "," + end + "\n")
	}
	got, err := ReadCSV(written(t, "bare.csv", bare.String()), CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := ReadCSV(written(t, "full.csv", full.String()), CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := Complete(got, p); err != nil {
		t.Fatal(err)
	}
	for k, s := range got {
		if s.Kind != want[k].Kind || !slices.Equal(s.Names, want[k].Names) || !reflect.DeepEqual(s.Param, want[k].Param) {
			t.Errorf("%s: found %v, want %v", s.Kind, s.Names, want[k].Names)
		}
		for i := range s.GFlop {
			near(t, "gflop", s.GFlop[i], want[k].GFlop[i], 1e-12)
		}
	}
	other, err := p.Analysis.Program(1)
	if err != nil {
		t.Fatal(err)
	}
	if err := Complete(got, other); err == nil || !strings.Contains(err.Error(), "another matrix, order, block size or number of workers") {
		t.Errorf("found %v", err)
	}
}

// What the program needs beyond the ranges of models is counted.
func TestNeededBy(t *testing.T) {
	p := someProgram(t, 1)
	s := &Samples{Kind: "Assemble", Arch: "cpu", Names: []string{"coefficients"}, Param: [][]float64{{10, 20, 30, 40}}, Time: []float64{100, 200, 300, 400}}
	fits, err := FitKernels([]*Samples{s}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	set, err := SetOf(fits)
	if err != nil {
		t.Fatal(err)
	}
	tasks, outside, most := 0, 0, 0.0
	for task := range int32(len(p.Front)) {
		if p.Kind(task) != sparse.Assemble {
			continue
		}
		v := p.Parameters(task, nil)[0]
		if tasks++; v < 10 || v > 40 {
			outside++
		}
		most = max(most, v)
	}
	for _, n := range NeededBy(p, set) {
		switch n.Kind {
		case "Assemble":
			if n.Tasks != tasks || n.Outside != outside || n.Ranges[0].Wanted[1] != most || n.Unknown != 0 || outside == 0 {
				t.Errorf("found %+v, want %d of %d tasks outside, up to %v", n, outside, tasks, most)
			}
		default:
			if n.Unknown != n.Tasks {
				t.Errorf("found %+v, want no duration", n)
			}
		}
	}
}

// The program that is emitted has all points.
func TestEmitted(t *testing.T) {
	d, err := DesignOf(someProgram(t, 1), DesignOptions{Points: 5})
	if err != nil {
		t.Fatal(err)
	}
	text := d.C()
	if strings.Contains(text, "POINTS */") || strings.Count(text, "\n  {") != len(d.Points) {
		t.Errorf("found %d points, want %d", strings.Count(text, "\n  {"), len(d.Points))
	}
}
