package panel_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dagscope/read"
	"dagscope/show/panel/core"
	"dagscope/show/render"
	"dagscope/show/scene"
	"dagscope/trace"
)

// bundled are the panels that are compared with golden files, by the run that
// is drawn.
var bundled = map[string][]string{
	"native-chol-tiny": {"iterations", "ready", "submitted", "lackready", "states", "kinds", "breakdown", "parallelism", "delays", "abe"},
	"sg-mirage-n12-dmdas": {"iterations", "ready", "submitted", "lackready", "gflops", "usedmemory", "bandwidth", "breakdown", "states",
		"kinds", "delays", "abe"},
	"nativempi-np2-n8-lws": {"iterations", "ready", "submitted", "lackready", "gflops", "usedmemory", "bandwidth", "breakdown", "states", "abe"},
}

func readBundled(t *testing.T, name string) *trace.Run {
	t.Helper()
	run, err := read.Read(filepath.Join("..", "..", "testdata", "starpu", name), read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// Scenes of the bundled runs as text, so that a difference says what changed.
func TestGoldenScenes(t *testing.T) {
	for name, ids := range bundled {
		run := readBundled(t, name)
		t0, t1, _ := core.Window([]*trace.Run{run})
		var text bytes.Buffer
		for _, id := range ids {
			p := open(t, id, run, core.Options{}).Draw(core.Query{T0: t0, T1: t1, Width: 60})
			writeScene(&text, &p)
		}
		golden(t, filepath.Join("testdata", "scenes", name+".txt"), text.Bytes())
	}
}

// The whole way to SVG, to the byte. Look at the picture before committing a
// change of it.
func TestGoldenFigures(t *testing.T) {
	for name, ids := range bundled {
		run := readBundled(t, name)
		t0, t1, _ := core.Window([]*trace.Run{run})
		f := &scene.Figure{Title: name, Width: 480, T0: float64(t0), T1: float64(t1)}
		for _, id := range ids {
			p := open(t, id, run, core.Options{}).Draw(core.Query{T0: t0, T1: t1, Width: 300})
			described, err := core.Find(id)
			if err != nil {
				t.Fatal(err)
			}
			p.Title = described.Title
			f.Panels = append(f.Panels, p)
		}
		var svg bytes.Buffer
		if err := render.SVG(&svg, compose(t, f), render.Options{}); err != nil {
			t.Fatal(err)
		}
		golden(t, filepath.Join("testdata", "panels", name+".svg"), svg.Bytes())
	}
}

// golden compares with a file, or writes it with -update.
func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(got, want) {
		return
	}
	a, b := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			t.Fatalf("%s:%d differs; draw it again with -update and look at it\n got %.200s\nwant %.200s", file, i+1, a[i], b[i])
		}
	}
	t.Fatalf("%s has %d lines, want %d", file, len(a), len(b))
}

// writeScene writes a panel as text: a line for each primitive.
func writeScene(w *bytes.Buffer, p *scene.Panel) {
	fmt.Fprintf(w, "panel %s height %g y %q note %q\n", p.ID, p.Height, p.YLabel, p.Note)
	if p.X != nil {
		fmt.Fprintf(w, "  axis %.6g to %.6g %q", p.X.Min, p.X.Max, p.X.Label)
		for _, t := range p.X.Ticks {
			fmt.Fprintf(w, " %.6g=%q", t.At, t.Label)
		}
		fmt.Fprintln(w)
	}
	for _, e := range p.Legend {
		fmt.Fprintf(w, "  legend %q %q %s\n", e.Label, e.Detail, e.Color.Hex())
	}
	for _, l := range p.Left {
		writeLayer(w, "left", &l)
	}
	for _, l := range p.Right {
		writeLayer(w, "right", &l)
	}
	for _, l := range p.Layers {
		writeLayer(w, "layer", &l)
	}
	fmt.Fprintln(w)
}

func writeLayer(w *bytes.Buffer, where string, l *scene.Layer) {
	fmt.Fprintf(w, "  %s %s\n", where, l.Name)
	for _, r := range l.Rects {
		for i := range r.X0 {
			fmt.Fprintf(w, "    rect %.6g %.6g y %.5g h %.5g %s\n", r.X0[i], r.X1[i], r.Y[i], r.H[i], r.Palette[r.Color[i]].Hex())
		}
	}
	for _, a := range l.Areas {
		fmt.Fprintf(w, "    area %s", a.Color.Hex())
		for i, x := range a.X {
			fmt.Fprintf(w, " %.6g:%.5g-%.5g", x, a.Y0[i], a.Y1[i])
		}
		fmt.Fprintln(w)
	}
	for _, line := range l.Lines {
		fmt.Fprintf(w, "    line %s", line.Color.Hex())
		for i, x := range line.X {
			fmt.Fprintf(w, " %.6g:%.5g", x, line.Y[i])
		}
		fmt.Fprintln(w)
	}
	for _, t := range l.Texts {
		fmt.Fprintf(w, "    text %.6g %.5g %q\n", t.X, t.Y, t.S)
	}
}
