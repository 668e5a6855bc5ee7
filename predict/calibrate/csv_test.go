package calibrate

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dagscope/internal/budget"
)

func written(t testing.TB, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestReadCSV(t *testing.T) {
	for _, c := range []struct {
		text, kind string
		o          CSVOptions
		names      []string
		params     [][]float64
		time       []float64
	}{
		{"kernel,MB,NB,BK,time\nPanel,10,4,1,0.5\n# remark\n\npanel,20,4,2,1e-3\n", "Panel", CSVOptions{}, []string{"MB", "NB", "BK"}, [][]float64{{10, 20}, {4, 4}, {1, 2}}, []float64{5e8, 1e6}},
		{"BK;mb;NB;Kernel;Time_ms\n1;10;4;Update;0.5\n", "Update", CSVOptions{Unit: "ns"}, []string{"MB", "NB", "BK"}, [][]float64{{10}, {4}, {1}}, []float64{5e5}},
		{"kernel\tcoeffs\tduration [us]\nAssemble\t7\t3\n", "Assemble", CSVOptions{}, []string{"coefficients"}, [][]float64{{7}}, []float64{3e3}},
		{"nodes,flops,start,end\n3,2e9,1,1.5\n", "Do_subtree", CSVOptions{Kind: "do_subtree"}, []string{"fronts"}, [][]float64{{3}}, []float64{5e8}},
		{"kernel,n,time_s,wall_s,cpu_s\nGEMM,8,4,3,2\n", "GEMM", CSVOptions{Formulas: map[string]string{"GEMM": "n^3"}}, []string{"n"}, [][]float64{{8}}, []float64{2e9}},
		{"kernel,n,time_s,wall_s,cpu_s\nGEMM,8,4,3,2\n", "GEMM", CSVOptions{Time: "wall_s"}, nil, nil, []float64{3e9}},
		{"kernel,time_s,wall_s,cpu_s\nGEMM,4,3,2\n", "GEMM", CSVOptions{Time: "time"}, nil, nil, []float64{4e9}},
		{"kind,start_ms,end_ms,cpu_ms,deps\n\"A, b\",1,4,2,\"1,2\"\n", "A, b", CSVOptions{Time: "end-start"}, nil, nil, []float64{3e6}},
		{"kind,mem_delta_end,time\nDeactivate,-800,1\nDeactivate,0,1\n", "Deactivate", CSVOptions{}, []string{"released"}, [][]float64{{800, 0}}, []float64{1e9, 1e9}},
	} {
		all, err := ReadCSV(written(t, "a.csv", c.text), c.o)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		s := all[0]
		if len(all) != 1 || s.Kind != c.kind || !slices.Equal(s.Names, c.names) || !slices.EqualFunc(s.Param, c.params, slices.Equal[[]float64]) || !slices.Equal(s.Time, c.time) {
			t.Errorf("%q: found %+v", c.text, s)
		}
	}
}

func TestCSVErrorsNameFileAndLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     "found nothing, want a header and timings",
		"# a remark\n":                         "found nothing, want a header and timings",
		"kernel,time\n":                        "found a header without timings, want a line for each",
		"a,b\n1,2\n":                           `1: found no column of kernels in the header "a,b", want one called kernel, or the kernel's name by --kernel`,
		"routine,time\nx,2\n":                  `1: found no column of kernels in the header "routine,time", want one called kernel (is it column "routine"?), or the kernel's name by --kernel`,
		"kernel,b\nx,2\n":                      `1: found no column of times in the header "kernel,b", want cpu, time, start and end, or wall, with a unit as in time_ms`,
		"kernel,time\nPanel,1\nPanel,1,2\n":    "3: found 3 fields, want 2 as in the header",
		"kernel,time\n\nPanel,fast\n":          `3: found time "fast", want a number`,
		"kernel,time\nPanel,\n":                `2: found time "", want a time`,
		"kernel,time\nPanel,-1\n":              "2: found a task that takes -1 s, want at least 0",
		"kernel,start,end\nPanel,2,1\n":        "2: found a task that takes -1 s, want at least 0",
		"kernel,time,MB\nPanel,1,many\n":       `2: found MB "many", want a number`,
		"kernel,time,MB\nPanel,1,+Inf\n":       `2: found MB "+Inf", want a number`,
		"kernel,time\n ,1\n":                   "2: found no kernel, want its name",
		"kernel,time\nPanel,1e300\n":           `2: found time "1e300", want a time`,
		"kernel,time,gflop\nPanel,1,a lot\n":   `2: found gflop "a lot", want a number`,
		"kernel,time,weight\nPanel,1,0x_1__\n": `2: found weight "0x_1__", want a number`,
	} {
		file := written(t, "f.csv", text)
		_, err := ReadCSV(file, CSVOptions{})
		if err == nil || !strings.HasPrefix(err.Error(), "read "+file+":") || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%q:\n%v, want\n…%s", text, err, want)
		}
	}
	for _, o := range []CSVOptions{{Unit: "h"}, {Time: "none"}} {
		if _, err := ReadCSV(written(t, "f.csv", "kernel,time\nPanel,1\n"), o); err == nil {
			t.Errorf("%+v: found no error", o)
		}
	}
}

//fuzz:class file
func FuzzReadCSV(f *testing.F) {
	f.Add("kernel,MB,NB,BK,time\nPanel,10,4,1,0.5\n")
	f.Add("kind;start;end;busy\n\"a;b\";1;2;3\n")
	f.Fuzz(func(t *testing.T, text string) {
		budget.Watch(t)
		all, err := ReadCSV(written(t, "f.csv", text), CSVOptions{})
		if err != nil {
			return
		}
		if _, err := FitKernels(all, Options{Weights: Relative}); err != nil && !strings.HasPrefix(err.Error(), "fit ") {
			t.Error(err)
		}
	})
}

// Disturbed measurements are counted, and left out beyond a limit.
func TestDisturbed(t *testing.T) {
	all, err := ReadCSV(written(t, "a.csv", "kernel,coefficients,wall,cpu\nAssemble,1,1,1\nAssemble,2,1.04,1\nAssemble,3,1.2,1\nAssemble,4,9,1\n"), CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if n := all[0].DisturbedBeyond(1.05); n != 2 {
		t.Errorf("found %d", n)
	}
	fits, err := FitKernels(all, Options{Disturbed: 1.05})
	if err != nil {
		t.Fatal(err)
	}
	if f := fits[0]; f.Left != 2 || f.Samples.Len() != 2 || f.Model.Fit.Rejected != 2 {
		t.Errorf("found %d left out, %d kept", f.Left, f.Samples.Len())
	}
	if fits, err = FitKernels(all, Options{Disturbed: 0.5}); err != nil || fits[0].Samples.Len() != 4 || !warned(fits[0], WarnDisturbed) {
		t.Errorf("found %v: all were disturbed, all stay", err)
	}
}

// Of a point whose measurements were all disturbed the least disturbed one stays.
func TestLeastDisturbed(t *testing.T) {
	s := &Samples{Kind: "x", Point: []float64{0, 0, 1, 1, 1}, CPU: []float64{1e6, 1e6, 1e6, 1e6, 1e6}, Wall: []float64{1e6, 2e6, 4e6, 3e6, 5e6}, Time: []float64{1, 2, 3, 4, 5}}
	if got := s.Undisturbed(1.05); !slices.Equal(got.Time, []float64{1, 4}) || got.Disturbed != 3 {
		t.Errorf("found %v, %d left out", got.Time, got.Disturbed)
	}
}

// Median of repeated measurements of a point; others stay.
func TestMedians(t *testing.T) {
	nan := math.NaN()
	s := &Samples{Kind: "x", Time: []float64{5, 1, 9, 2, 7, 3}, Point: []float64{0, 0, 0, 1, nan, 1}}
	if got := s.medians().Time; !slices.Equal(got, []float64{5, 2, 7}) {
		t.Errorf("found %v", got)
	}
}

func TestJoin(t *testing.T) {
	a := &Samples{Kind: "k", Names: []string{"n"}, Param: [][]float64{{1, 2}}, Time: []float64{10, 20}, From: []string{"a"}}
	b := &Samples{Kind: "k", Names: []string{"m", "n"}, Param: [][]float64{{5}, {3}}, Time: []float64{30}, GFlop: []float64{7}, From: []string{"b"}}
	c := &Samples{Kind: "other", Time: []float64{1}}
	all := Join([]*Samples{a, c}, []*Samples{b})
	if len(all) != 2 || !slices.Equal(all[0].Time, []float64{10, 20, 30}) || !slices.Equal(all[0].param("n"), []float64{1, 2, 3}) {
		t.Fatalf("found %+v", all[0])
	}
	if m := all[0].param("m"); !math.IsNaN(m[0]) || m[2] != 5 || !math.IsNaN(all[0].GFlop[1]) || all[0].GFlop[2] != 7 {
		t.Errorf("found %v %v", m, all[0].GFlop)
	}
}

// Points of two designs are not repetitions of each other because they have the
// same numbers; those that a third table has besides neither.
func TestJoinKeepsPointsApart(t *testing.T) {
	nan := math.NaN()
	a := &Samples{Kind: "k", Time: []float64{1, 2, 3, 4}, Point: []float64{7, 0, 7, 0}}
	b := &Samples{Kind: "k", Time: []float64{10, 20, 30}, Point: []float64{0, 7, nan}}
	none := &Samples{Kind: "k", Time: []float64{100, 200}}
	c := &Samples{Kind: "k", Time: []float64{1000, 2000, 3000}, Point: []float64{1, 1, 1e300}}
	all := Join([]*Samples{a}, []*Samples{b}, []*Samples{none}, []*Samples{c})
	if got := all[0].medians().Time; !slices.Equal(got, []float64{1, 2, 10, 20, 30, 100, 200, 1000, 3000}) {
		t.Errorf("found %v", got)
	}
}

// What is written is read again.
func TestWriteCSV(t *testing.T) {
	for _, text := range []string{
		"kernel,MB,NB,BK,wall,cpu\nPanel,10,4,1,0.75,0.5\nUpdate,20,4,2,3,2\n",
		"kernel,coefficients,zeros,gflop,busy,point,weight,time\nAssemble,10,,1,2,3,4,0.25\nActivate,5,6,,1,,0.5,0.125\n",
		"kernel,time\n\"a, b\",1\nc,2\n",
		"kernel,time\n\"a \"\"b\"\", c\",1\n",
	} {
		first, err := ReadCSV(written(t, "a.csv", text), CSVOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		if err := WriteCSV(&out, first); err != nil {
			t.Fatal(err)
		}
		again, err := ReadCSV(written(t, "b.csv", out.String()), CSVOptions{})
		if err != nil {
			t.Fatalf("%v in\n%s", err, out.String())
		}
		if len(again) != len(first) {
			t.Fatalf("found %d kernels in\n%s", len(again), out.String())
		}
		for k, s := range again {
			w := first[k]
			same := s.Kind == w.Kind && slices.Equal(s.Names, w.Names) && slices.Equal(s.Time, w.Time) && slices.Equal(s.Wall, w.Wall) && slices.Equal(s.Busy, w.Busy)
			for _, c := range [][2][]float64{{s.GFlop, w.GFlop}, {s.Point, w.Point}, {s.Weight, w.Weight}} {
				same = same && slices.EqualFunc(c[0], c[1], func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) })
			}
			for j := range s.Param {
				same = same && slices.Equal(s.Param[j], w.Param[j])
			}
			if !same {
				t.Errorf("found %+v, want %+v in\n%s", s, w, out.String())
			}
		}
	}
}
