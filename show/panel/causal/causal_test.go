package causal

import (
	"slices"
	"testing"

	"dagscope/show/panel/core"
	"dagscope/trace"
)

// The profile has a curve for each kind and architecture, from no gain at no
// speed-up on, the one that gains most first; gains of other experiments are no part of it.
func TestCausal(t *testing.T) {
	run := &trace.Run{}
	g := &run.Gain
	for _, x := range []struct {
		experiment, kind, arch string
		speedUp                float64
		gain                   int64
	}{{"causal", "A", "cpu", 0.5, 100}, {"causal", "A", "cpu", 0.1, 30}, {"causal", "B", "cuda", 0.5, 400}, {"scheduler", "", "", 0, 900}, {"causal", "B", "cuda", 0.1, -20}} {
		g.Experiment.Append(x.experiment)
		g.Title.Append(x.kind)
		g.Keys.Append("")
		g.Kind.Append(x.kind)
		g.Arch.Append(x.arch)
		g.SpeedUp, g.Base, g.Gain = append(g.SpeedUp, x.speedUp), append(g.Base, 1000), append(g.Gain, x.gain)
		g.Low, g.High, g.Pairs = append(g.Low, x.gain-10), append(g.High, x.gain+10), append(g.Pairs, 11)
	}
	p, err := core.Find("causal")
	if err != nil {
		t.Fatal(err)
	}
	opened, err := p.View(run, &core.Options{})
	if err != nil {
		t.Fatal(err)
	}
	v := opened.(*causalView)
	if len(v.curves) != 2 || v.curves[0].label != "B on CUDA" || v.curves[1].label != "A on CPU" {
		t.Fatalf("found curves %+v", v.curves)
	}
	if want := []causalPoint{{}, {0.1, -0.02, -0.03, -0.01}, {0.5, 0.4, 0.39, 0.41}}; !slices.Equal(v.curves[0].points, want) {
		t.Errorf("found %v, want %v", v.curves[0].points, want)
	}
	drawn := v.Draw(core.Query{Width: 400})
	if len(drawn.Legend) != 2 || drawn.X.Max != 1 || drawn.Note == "" {
		t.Errorf("found legend %v, axis %+v, note %q", drawn.Legend, drawn.X, drawn.Note)
	}
	if rows := v.Data(core.Query{}); len(rows.Columns) == 0 || len(rows.Data[2].([]float64)) != 4 {
		t.Errorf("found %+v, want the 4 rows of the profile", rows)
	}
	for _, none := range []*trace.Run{{}, {Gain: trace.Gains{}}} {
		if _, err := p.View(none, &core.Options{}); err == nil {
			t.Error("a run without profile is drawn")
		}
	}
}
