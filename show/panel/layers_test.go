package panel_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"dagscope/internal/testenv"
	"dagscope/read"
	"dagscope/show/panel/core"
	"dagscope/show/panel/layout"
	"dagscope/show/render"
	"dagscope/trace"
	"dagscope/trace/store"
	"dagscope/trace/tracetest"
)

// The layers over runs as they were traced, to the byte. Look at the pictures
// before committing a change of them.
func TestGoldenLayers(t *testing.T) {
	bounds := []core.BoundName{core.BoundABE, core.BoundCPE, core.BoundBest}
	for _, c := range []struct {
		name, run string
		st        core.SpaceTime
	}{
		{"last-path", "nativempi-np2-n8-lws", core.SpaceTime{Idle: core.IdleBoth, Computed: []core.BoundName{core.BoundABENode},
			Links: core.Links{LastPath: true}}},
		{"chosen", "native-chol-tiny", core.SpaceTime{Computed: bounds,
			Links: core.Links{Tasks: []string{"24", "39"}, Dependencies: core.DependenciesAll}}},
		{"chains", "sg-mirage-n12-dmdas", core.SpaceTime{Links: core.Links{Kinds: []string{"POTRF"}, Levels: 3, Merge: true}}},
		{"dynamic", "sg-mirage-n12-dmdas", core.SpaceTime{Computed: bounds,
			Aggregation: core.Aggregation{Mode: core.AggregateDynamic, Kinds: []string{"GEMM"}}}},
		{"static", "native-chol-n10-dmdas", core.SpaceTime{Aggregation: core.Aggregation{Mode: core.AggregateStatic}}},
		{"critical", "sg-mirage-n12-dmdas", core.SpaceTime{Chain: true}},
		{"critical-nodes", "nativempi-np2-n8-lws", core.SpaceTime{Chain: true, Fold: true}},
		{"nodes", "nativempi-np2-n8-lws", core.SpaceTime{Aggregation: core.Aggregation{Mode: core.AggregateNodes}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			run, err := read.Read(testenv.Repo("testdata/starpu", c.run), read.Options{})
			if err != nil {
				t.Fatal(err)
			}
			page := compose(t, figure(t, run, layout.Spec{Title: c.run, Width: 700}, core.Options{SpaceTime: c.st}))
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
		for n, mode := range []core.AggregationMode{core.AggregateNone, core.AggregateDynamic, core.AggregateStatic, core.AggregateNodes} {
			o := core.Options{}
			st := &o.SpaceTime
			st.Idle, st.Computed, st.Aggregation.Mode = core.IdleBoth, core.BoundNames(), mode
			st.Chain = n%2 == 1
			st.Links = core.Links{LastPath: true, Merge: true, Levels: n, Kinds: []string{run.Task.Kind.Dict[0]}}
			for i := 0; i < len(run.Task.Start); i += 7 {
				st.Links.Tasks = append(st.Links.Tasks, run.Task.Key.At(i))
			}
			for _, width := range []int{420, 1000} {
				checkLabels(t, compose(t, figure(t, run, layout.Spec{Width: width}, o)))
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
	for _, s := range []core.SpaceTime{
		{}, {HideOutliers: true, Idle: core.IdleBoth}, {Computed: core.BoundNames()}, {Links: core.Links{LastPath: true}},
		{Links: core.Links{Tasks: []string{full.Task.Key.At(9)}, Levels: 3, Merge: true}},
		{Aggregation: core.Aggregation{Mode: core.AggregateDynamic, Exclude: []string{full.Task.Key.At(3)}}},
		{Aggregation: core.Aggregation{Mode: core.AggregateNodes}}, {Chain: true},
	} {
		o := core.Options{SpaceTime: s}
		draw := func(run *trace.Run) []byte {
			var out bytes.Buffer
			if err := render.SVG(&out, compose(t, figure(t, run, layout.Spec{}, o)), render.Options{}); err != nil {
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
