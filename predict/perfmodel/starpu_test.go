package perfmodel

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dagscope/internal/budget"
	"dagscope/internal/testenv"
	"dagscope/predict/platform"
)

// modelText is a model of one combination, with the given type of device,
// regressions and entries.
func modelText(device, linear, power, multi string, entries ...string) string {
	return "##\n# Version\n45\n# COMBs\n1\n# COMB_0\n1\n" + device + "\n0\n1\n# implementations\n1\n# entries\n" +
		string(rune('0'+len(entries))) + "\n# sums\n" + linear + "\n# a b c\n" + power + "\n" + multi + "\n" + strings.Join(entries, "\n") + "\n\n"
}

const (
	noLinear = "0 0 0 0 nan nan 0 0 0"
	noPower  = "nan nan nan"
	noMulti  = "# not multiple-regression-base\n0"
)

func readText(t *testing.T, text, formula string) *Set {
	t.Helper()
	models, err := parseStarPU("synthetic", text, "gemm", formula)
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewSet(models)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// expect compares the duration of a task; 0 for none.
func expect(t *testing.T, s *Set, task Task, on platform.Type, want float64) {
	t.Helper()
	task.Kind = "gemm"
	got, ok := s.Duration(task, on)
	if ok != (want > 0) || ok && math.Abs(got-want) > 1e-9*want {
		t.Errorf("%+v on %+v: %v ns (%v), want %v", task, on, got, ok, want)
	}
}

var (
	cpu   = platform.Type{Arch: platform.CPU}
	cuda0 = platform.Type{Arch: platform.CUDA}
)

func TestHistory(t *testing.T) {
	s := readText(t, modelText("1", noLinear, noPower, noMulti, "ff82dda0 7372800 1e9 120.5 1.5 241 29040 2", "1 100 5 0.5 10 50 2"), "")
	expect(t, s, Task{Footprint: 0xff82dda0}, cuda0, 120500)
	expect(t, s, Task{Footprint: 1}, cuda0, 5000) // an entry of old files, without flops
	expect(t, s, Task{Footprint: 2}, cuda0, 0)
	expect(t, s, Task{Footprint: 0xff82dda0}, cpu, 0)
	expect(t, s, Task{Footprint: 0xff82dda0}, platform.Type{Arch: platform.CUDA, Device: 1}, 0)
}

// StarPU uses a regression from nine tenths of the least size to eleven of the
// most, and only after ten measurements of sizes that differ by a tenth.
func TestRegressionsOfStarPU(t *testing.T) {
	entry := "1 5000 1e9 77 1 770 0 10"
	s := readText(t, modelText("0", "0 0 0 0 2 1.5 10 100 1000", noPower, noMulti), "")
	expect(t, s, Task{Bytes: 400}, cpu, 1e3*2*8000)
	expect(t, s, Task{Bytes: 90}, cpu, 1e3*2*math.Pow(90, 1.5))
	expect(t, s, Task{Bytes: 89}, cpu, 0)
	expect(t, s, Task{Bytes: 1101}, cpu, 0)
	s = readText(t, modelText("0", "0 0 0 0 2 1.5 10 100 1000", "3 2 7", noMulti, entry), "")
	expect(t, s, Task{Bytes: 100}, cpu, 1e3*(3*10000+7))
	expect(t, s, Task{Bytes: 5000, Footprint: 1}, cpu, 77e3) // outside: the history
	for _, unsure := range []string{"0 0 0 0 2 1.5 9 100 1000", "0 0 0 0 2 1.5 10 900 1000"} {
		s = readText(t, modelText("0", unsure, "3 2 7", noMulti, entry), "")
		expect(t, s, Task{Bytes: 950}, cpu, 0)
		expect(t, s, Task{Bytes: 950, Footprint: 1}, cpu, 77e3)
	}
	s = readText(t, modelText("0", "0 0 0 0 2 1.5 10 100 1000", "3 2 7", noMulti, "1 5000 1e9 77 1 770 0 9"), "")
	expect(t, s, Task{Bytes: 5000, Footprint: 1}, cpu, 0) // measured too seldom
}

func TestMultilinearOfStarPU(t *testing.T) {
	multi := "# n\tintercept\tMB*NB^2\t\tNB\t\t\n3\t10\t0.5\t-2"
	text := modelText("0", noLinear, noPower, multi)
	s := readText(t, text, "p1*p2^2 + p2")
	expect(t, s, Task{Parameters: []float64{3, 4}}, cpu, 1e3*(10+0.5*3*16-2*4))
	expect(t, s, Task{Parameters: []float64{0, 1000}}, cpu, shortestDuration) // never below
	expect(t, s, Task{Parameters: []float64{3}}, cpu, 0)
	if _, err := parseStarPU("f", text, "gemm", ""); err == nil || !strings.Contains(err.Error(), "MB*NB^2") || !strings.HasPrefix(err.Error(), "read f:20:") {
		t.Errorf("error %v, want one that names the terms and the line", err)
	}
	named := strings.NewReplacer("MB", "P0", "NB", "P1").Replace(text)
	expect(t, readText(t, named, ""), Task{Parameters: []float64{3, 4}}, cpu, 1e3*(10+0.5*3*16-2*4))
}

func TestFastestImplementation(t *testing.T) {
	impl := "1\n" + noLinear + "\n" + noPower + "\n0\n"
	s := readText(t, "45\n1\n1\n0\n0\n1\n3\n"+impl+"1 1 1 50 0 0 0 1\n"+impl+"1 1 1 20 0 0 0 1\n"+impl+"2 1 1 10 0 0 0 1\n", "")
	expect(t, s, Task{Footprint: 1}, cpu, 20e3)
}

// Tasks that run on several devices or cores at once are not simulated.
func TestCombinationsAreLeftOut(t *testing.T) {
	rest := "1\n1\n" + noLinear + "\n" + noPower + "\n0\n1 1 1 50 0 0 0 1\n"
	models, err := parseStarPU("f", "45\n3\n2\n0\n0\n1\n1\n0\n1\n"+rest+"1\n0\n0\n4\n"+rest+"1\n5\n0\n1\n"+rest, "gemm", "")
	if err != nil || len(models) != 0 {
		t.Errorf("%d models (%v), want none", len(models), err)
	}
}

func TestErrorsNameFileAndLine(t *testing.T) {
	whole := modelText("1", noLinear, noPower, noMulti, "1 2 3 4 5 6 7 8")
	for text, want := range map[string]string{
		"":                                      "read f:1: found the end of the file, want the version",
		"44\n":                                  "read f:1: found version 44, want 45",
		"45\n# comment\nmany\n":                 `read f:3: found "many", want the number of combinations`,
		"45\n99\n":                              "read f:2: found the end of the file, want the number of devices",
		strings.Replace(whole, "nan", "na", 1):  `read f:16: found "na", want a number`,
		strings.Replace(whole, "1 2 3", "x", 1): `read f:21: found 6 values, want an entry of 7`,
		strings.Replace(whole, "1 2 3", "zz 2 3", 1): `read f:21: found footprint "zz", want 8 hexadecimal digits`,
		strings.Replace(whole, "4 5 6", "-4 5 6", 1): `read f:21: found "1 2 3 -4 5 6 7 8", want an entry of numbers from 0`,
	} {
		if _, err := parseStarPU("f", text, "gemm", ""); err == nil || err.Error() != want {
			t.Errorf("%q:\n%v, want\n%s", text, err, want)
		}
	}
}

func FuzzReadStarPU(f *testing.F) {
	f.Add(modelText("1", noLinear, noPower, noMulti, "1 2 3 4 5 6 7 8"), "")
	f.Add(modelText("0", "0 0 0 0 2 1.5 10 100 1000", "3 2 7", "# intercept P0 P1^2\n3 1 2 3"), "p1 + p2")
	f.Fuzz(func(t *testing.T, text, formula string) {
		budget.Watch(t)
		models, err := parseStarPU("f", text, "k", formula)
		if err != nil {
			return
		}
		s, err := NewSet(models)
		if err != nil {
			return
		}
		for i := range s.Models {
			m := &s.Models[i]
			for _, e := range append(m.History, Entry{Bytes: 1 << 20}) {
				task := Task{Kind: "k", Footprint: e.Footprint, Bytes: e.Bytes, Parameters: []float64{1, 2, 3}}
				if ns, ok := s.Duration(task, platform.Type{Arch: m.Arch, Device: m.Device}); ok && !(ns >= shortestDuration) {
					t.Errorf("duration %v of %+v", ns, task)
				}
			}
		}
	})
}

// sampling is StarPU's own sampling directory, not part of the project.
func sampling(t *testing.T) string {
	t.Helper()
	return testenv.Reference(t, "data/starpu/perfmodels/sampling")
}

// Means that the reference runs used (docs/design/starpu.md, Performance
// models), µs.
func TestMeansOfTiles(t *testing.T) {
	dir := sampling(t)
	want := map[string][8]float64{ // potrf, trsm, syrk, gemm on a CPU and the first GPU
		"mirage": {18850, 5367, 45647, 6394, 43890, 1403, 87780, 2805},
		"attila": {75934, 44254, 43616, 6302, 42038, 1398, 84076, 2796},
	}
	tile := HandleFootprint(MatrixData, 960, 960)
	for host, means := range want {
		for i, kind := range []string{"potrf", "trsm", "syrk", "gemm"} {
			s, err := ReadStarPU(dir, host, map[string]string{kind: "chol_model_" + kind}, StarPUOptions{})
			if err != nil {
				t.Fatal(err)
			}
			footprint := footprintOf([]uint32{tile, tile, tile}[:[]int{1, 2, 2, 3}[i]]...)
			for j, on := range []platform.Type{cpu, cuda0} {
				got, ok := s.Duration(Task{Kind: kind, Footprint: footprint}, on)
				if !ok || math.Abs(got/1e3-means[2*i+j]) > 0.51 {
					t.Errorf("%s %s on %s: %.0f µs, want %.0f", host, kind, on.Arch, got/1e3, means[2*i+j])
				}
			}
		}
	}
}

// Every model that StarPU ships can be read.
func TestShippedModels(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(sampling(t), "codelets", "45", "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		models, err := parseStarPU(file, string(text), "k", "")
		if err != nil {
			t.Error(err)
		}
		if _, err := NewSet(models); err != nil || len(models) == 0 {
			t.Errorf("%s: %d models, %v", file, len(models), err)
		}
	}
	if _, err := ReadStarPU(sampling(t), "mirage", map[string]string{"potrf": "none"}, StarPUOptions{}); err == nil || !strings.Contains(err.Error(), "none for none") {
		t.Errorf("error %v", err)
	}
}
