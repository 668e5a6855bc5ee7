package panel_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"dagscope/internal/testenv"
	"dagscope/read"
	"dagscope/show/panel"
	"dagscope/show/render"
	"dagscope/trace"
	"dagscope/trace/store"
	"dagscope/trace/tracetest"
)

// The layers over runs as they were traced, to the byte. Look at the pictures
// before committing a change of them.
func TestGoldenLayers(t *testing.T) {
	bounds := []panel.BoundName{panel.BoundABE, panel.BoundCPE, panel.BoundBest}
	for _, c := range []struct {
		name, run string
		st        panel.SpaceTime
	}{
		{"last-path", "nativempi-np2-n8-lws", panel.SpaceTime{Idle: panel.IdleBoth, Computed: []panel.BoundName{panel.BoundABENode},
			Links: panel.Links{LastPath: true}}},
		{"chosen", "native-chol-tiny", panel.SpaceTime{Computed: bounds,
			Links: panel.Links{Tasks: []string{"24", "39"}, Dependencies: panel.DependenciesAll}}},
		{"chains", "sg-mirage-n12-dmdas", panel.SpaceTime{Links: panel.Links{Kinds: []string{"POTRF"}, Levels: 3, Merge: true}}},
		{"dynamic", "sg-mirage-n12-dmdas", panel.SpaceTime{Computed: bounds,
			Aggregation: panel.Aggregation{Mode: panel.AggregateDynamic, Kinds: []string{"GEMM"}}}},
		{"static", "native-chol-n10-dmdas", panel.SpaceTime{Aggregation: panel.Aggregation{Mode: panel.AggregateStatic}}},
		{"critical", "sg-mirage-n12-dmdas", panel.SpaceTime{Chain: true}},
		{"critical-nodes", "nativempi-np2-n8-lws", panel.SpaceTime{Chain: true, Fold: true}},
		{"nodes", "nativempi-np2-n8-lws", panel.SpaceTime{Aggregation: panel.Aggregation{Mode: panel.AggregateNodes}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			run, err := read.Read(testenv.Repo("testdata/starpu", c.run), read.Options{})
			if err != nil {
				t.Fatal(err)
			}
			page := compose(t, figure(t, run, panel.FigureSpec{Title: c.run, Width: 700}, panel.Options{SpaceTime: c.st}))
			var got bytes.Buffer
			if err := render.SVG(&got, page, render.Options{}); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", "layer-"+c.name+".svg")
			if *update {
				if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), want) {
				t.Errorf("%s differs; draw it again with -update and look at it", file)
			}
			checkLabels(t, page)
		})
	}
}

// With every layer on, no label is cut and none meets another, whatever the
// number of rows.
func TestLayersInk(t *testing.T) {
	for _, machine := range []tracetest.Options{{CPUs: 3}, {}, {Nodes: 4, CPUs: 8, GPUs: 2}, {Nodes: 40, CPUs: 8, GPUs: 2}} { // 3, 12, 40, 400 rows
		machine.Tiles = 6
		run := tracetest.Cholesky(machine)
		for n, mode := range []panel.AggregationMode{panel.AggregateNone, panel.AggregateDynamic, panel.AggregateStatic, panel.AggregateNodes} {
			o := panel.Options{}
			st := &o.SpaceTime
			st.Idle, st.Computed, st.Aggregation.Mode = panel.IdleBoth, panel.BoundNames(), mode
			st.Chain = n%2 == 1
			st.Links = panel.Links{LastPath: true, Merge: true, Levels: n, Kinds: []string{run.Task.Kind.Dict[0]}}
			for i := 0; i < len(run.Task.Start); i += 7 {
				st.Links.Tasks = append(st.Links.Tasks, run.Task.Key.At(i))
			}
			for _, width := range []int{420, 1000} {
				checkLabels(t, compose(t, figure(t, run, panel.FigureSpec{Width: width}, o)))
			}
		}
	}
}

// Everything that drawing reads is in the list of what to load.
func TestReadsSuffice(t *testing.T) {
	st := find(t, "st")
	full := tracetest.Cholesky(tracetest.Options{Tiles: 6, Nodes: 2, CPUs: 2, GPUs: 1})
	path := filepath.Join(t.TempDir(), "run.dsr")
	if err := store.Write(path, full); err != nil {
		t.Fatal(err)
	}
	dir, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []panel.SpaceTime{
		{}, {HideOutliers: true, Idle: panel.IdleBoth}, {Computed: panel.BoundNames()}, {Links: panel.Links{LastPath: true}},
		{Links: panel.Links{Tasks: []string{full.Task.Key.At(9)}, Levels: 3, Merge: true}},
		{Aggregation: panel.Aggregation{Mode: panel.AggregateDynamic, Exclude: []string{full.Task.Key.At(3)}}},
		{Aggregation: panel.Aggregation{Mode: panel.AggregateNodes}}, {Chain: true},
	} {
		o := panel.Options{SpaceTime: s}
		draw := func(run *trace.Run) []byte {
			var out bytes.Buffer
			if err := render.SVG(&out, compose(t, figure(t, run, panel.FigureSpec{}, o)), render.Options{}); err != nil {
				t.Fatal(err)
			}
			return out.Bytes()
		}
		part, err := dir.Load(st.Reads(&o)...)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(draw(full), draw(part)) {
			t.Errorf("%+v: drawn otherwise with only the columns that it reads", s)
		}
	}
}
