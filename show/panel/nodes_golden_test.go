package panel_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"dagscope/show/panel/core"
	"dagscope/show/render"
	"dagscope/show/scene"
	"dagscope/trace"
)

// Scenes of the panels on many nodes and workers as text, and the whole way to
// SVG.
func TestGoldenNodePanels(t *testing.T) {
	for _, name := range []string{"sg-mirage-n12-dmdas", "nativempi-np2-n8-lws"} {
		run := readBundled(t, name)
		t0, t1, _ := core.Window([]*trace.Run{run})
		var text, svg bytes.Buffer
		f := &scene.Figure{Title: name, Width: 480, T0: float64(t0), T1: float64(t1)}
		for _, id := range []string{"nodes", "progression", "utilization", "imbalance", "resourceusage"} {
			v := open(t, id, run, core.Options{})
			p := v.Draw(core.Query{T0: t0, T1: t1, Width: 60})
			writeScene(&text, &p)
			p = v.Draw(core.Query{T0: t0, T1: t1, Width: 300})
			f.Panels = append(f.Panels, p)
		}
		if err := render.SVG(&svg, compose(t, f), render.Options{}); err != nil {
			t.Fatal(err)
		}
		golden(t, filepath.Join("testdata", "scenes", "nodes-"+name+".txt"), text.Bytes())
		golden(t, filepath.Join("testdata", "panels", "nodes-"+name+".svg"), svg.Bytes())
	}
}
