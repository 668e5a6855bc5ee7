package spacetime

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"dagscope/explain/index"
	"dagscope/explain/numbers/panels"
	"dagscope/show/panel/core"
	"dagscope/show/panel/kit"
	"dagscope/show/panel/paneltest"
	"dagscope/show/scene"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// randomGantt has lanes of pieces that do not overlap: mostly narrow, some wide,
// some empty, of all variants of a few kinds.
func randomGantt(r *rand.Rand, lanes int, normal bool) *kit.Gantt {
	kinds := []string{"a", "b", "", "c"}
	class := core.NewClasses(kinds, core.Colors{"a": 1, "b": 2, "c": 3}, &core.Options{})
	set := &kit.Lanes{}
	var b kit.SpanBuilder
	for l := range lanes {
		set.Lanes = append(set.Lanes, kit.Lane{Resources: []int32{int32(l)}})
		at := r.Int64N(50)
		for i := range r.IntN(400) {
			at += r.Int64N(2) * r.Int64N(15)
			d := r.Int64N(6)
			if r.IntN(20) == 0 {
				d = r.Int64N(400)
			}
			variant := []uint8{core.Plain, core.Plain, core.Plain, core.Outlying, core.Generating}[r.IntN(5)]
			b.Add(int32(l), at, at+d, class.Of[r.IntN(len(kinds))]+variant, int32(i))
			at += d
		}
	}
	g := &kit.Gantt{Lanes: set, Spans: b.Build(lanes), Palette: class.Palette, Full: class.Full, Normal: normal}
	g.Kind = make([]string, len(g.Palette))
	for c := range g.Kind {
		g.Kind[c] = "k"
	}
	return g
}

// scanned is the same drawing by looking at every piece.
func scanned(g *kit.Gantt) *kit.Gantt {
	return &kit.Gantt{Lanes: g.Lanes, Spans: g.Sorted(), Palette: g.Palette, Full: g.Full, Kind: g.Kind, Normal: g.Normal, Gather: g.Gather,
		Remap: g.Remap, Tracks: make([][]*core.Track, len(g.Lanes.Lanes))}
}

func sameDrawing(t *testing.T, name string, g *kit.Gantt, q core.Query) {
	t.Helper()
	r := g.Lanes.Place(q.Height)
	got, gotCount := g.Draw(q, r)
	want, wantCount := scanned(g).Draw(q, r)
	if gotCount != wantCount {
		t.Fatalf("%s, %+v: counted %+v, want %+v", name, q, gotCount, wantCount)
	}
	for i := range want {
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Fatalf("%s, %+v: layer %s is\n%+v, want\n%+v", name, q, want[i].Name, got[i], want[i])
		}
	}
}

// What the index draws is what looking at every piece draws.
func TestIndexDrawsTheSame(t *testing.T) {
	for seed := range uint64(120) {
		r := rand.New(rand.NewPCG(seed, 9))
		g := randomGantt(r, 1+r.IntN(5), seed%7 == 0)
		for range 12 {
			sameDrawing(t, fmt.Sprintf("seed %d", seed), g, paneltest.RandomWindow(r, 0, 3000))
		}
	}
}

// So it does with classes that are drawn as others; hidden narrow pieces still
// mix the columns that they touch, so that only the shares can be compared.
func TestIndexDrawsOtherClasses(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 10))
		g := randomGantt(r, 3, false)
		g.Remap = new([256]uint8)
		for c := range g.Remap {
			g.Remap[c] = uint8(c)
		}
		for c := range core.Variants { // the first kind is drawn as the second
			g.Remap[c] = c + core.Variants
		}
		g.Remap[core.Outlying+core.Variants] = core.Plain + core.Variants
		for range 12 {
			sameDrawing(t, fmt.Sprintf("seed %d", seed), g, paneltest.RandomWindow(r, 0, 3000))
		}
	}
}

// Lanes of several workers are drawn the same too.
func TestIndexDrawsTheSameMeans(t *testing.T) {
	for seed := range uint64(20) {
		run := tracetest.Cholesky(tracetest.Options{Tiles: 4 + int(seed)%9, CPUs: 4, GPUs: 2, Nodes: 1 + int(seed)%2, Seed: seed})
		for _, o := range []core.Options{{}, {SpaceTime: core.SpaceTime{Fold: true}}, {Rows: core.Rows{Collapse: []string{"*/cuda"}}}, {SpaceTime: core.SpaceTime{HideOutliers: true}}} {
			view, err := openSpaceTime(run, &o)
			if err != nil {
				t.Fatal(err)
			}
			v := view.(*spaceTime)
			r := rand.New(rand.NewPCG(seed, 11))
			t0, t1, _ := panels.Extent(run)
			for range 12 {
				sameDrawing(t, fmt.Sprintf("seed %d", seed), &v.gantt, paneltest.RandomWindow(r, t0, t1))
			}
		}
	}
}

// area is the area in time × share of a lane of each colour that a drawing
// inks between two times, without outliers' minimal widths.
func area(layers []scene.Layer, height float64) map[scene.Color]float64 {
	sum := make(map[scene.Color]float64)
	for _, l := range layers {
		if l.Name != "tasks" {
			continue
		}
		for _, rects := range l.Rects[:3] {
			for i := range rects.X0 {
				sum[rects.Palette[rects.Color[i]]] += (rects.X1[i] - rects.X0[i]) * float64(rects.H[i]) / height
			}
		}
	}
	return sum
}

// Where pieces overlap none is hidden, and none scaled: the ink of a lane is
// the busy time of each class, over the number of its tracks.
func TestOverlappingPiecesGetTracks(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 12))
		g := randomGantt(r, 1, false)
		overlaps(g, r)
		q := paneltest.RandomWindow(r, 0, 3000)
		rows := g.Lanes.Place(q.Height)
		layers, _ := g.Draw(q, rows)
		n := float64(max(1, len(g.Tracks[0])))
		want := make(map[scene.Color]float64)
		for i := range g.Spans.Start {
			if ns := min(g.Spans.End[i], q.T1) - max(g.Spans.Start[i], q.T0); ns > 0 {
				want[g.Palette[g.Spans.Class[i]]] += float64(ns) / n
			}
		}
		got := area(layers, float64(rows.H[0]))
		for c, ns := range want {
			if d := got[c] - ns; d > 1e-3*(1+ns) || d < -1e-3*(1+ns) {
				t.Fatalf("seed %d, %d tracks: ink of %v is %v ns, want %v", seed, len(g.Tracks[0]), c, got[c], ns)
			}
		}
	}
}

// overlaps makes the pieces of a gantt longer.
func overlaps(g *kit.Gantt, r *rand.Rand) {
	for i := range g.Spans.End {
		g.Spans.End[i] += r.Int64N(1 + r.Int64N(60))
	}
	*g = kit.Gantt{Lanes: g.Lanes, Palette: g.Palette, Full: g.Full, Kind: g.Kind,
		Spans: kit.NewSpans(g.Spans.From, g.Spans.To, g.Spans.Start, g.Spans.End, g.Spans.Class, g.Spans.Row)}
}

// Where too many overlap, the lane is drawn as before.
func TestTooManyTracks(t *testing.T) {
	var b kit.SpanBuilder
	for i := range int32(core.MostTracks + 1) {
		b.Add(0, int64(i), 1000, 0, i)
	}
	g := &kit.Gantt{Lanes: &kit.Lanes{Lanes: []kit.Lane{{Resources: []int32{0}}}}, Spans: b.Build(1), Palette: []scene.Color{1}, Full: []scene.Color{1}, Normal: true}
	sameDrawing(t, "many", g, core.Query{T0: 0, T1: 1000, Width: 100, Height: 50})
}

// A view of a base, other outliers, hidden kinds and more kinds than classes
// are drawn as by a view of its own.
func TestViewsOfABase(t *testing.T) {
	for seed := range uint64(6) {
		run := tracetest.Cholesky(tracetest.Options{Tiles: 7, Seed: seed})
		if seed%2 == 1 {
			manyKinds(run)
		}
		x, err := index.Decode(run, index.Encode(run))
		if err != nil {
			t.Fatal(err)
		}
		base := core.NewBase(run, x)
		other := slices.Clone(base.Outlier)
		other[3] = !other[3]
		kind := run.Task.Kind.Dict[1]
		for i, o := range []core.Options{{}, {Outlier: other}, {Hide: []string{kind}}, {Focus: []string{kind}}, {SpaceTime: core.SpaceTime{HideOutliers: true}},
			{Colors: core.Colors{kind: 7, run.Task.Kind.Dict[0]: 7}}, {Colors: manyColors(run)},
			{SpaceTime: core.SpaceTime{Aggregation: core.Aggregation{Mode: core.AggregateDynamic}}, Hide: []string{kind}}} {
			alone, err := openSpaceTime(run, &o)
			if err != nil {
				t.Fatal(err)
			}
			o.Base = base
			shared, err := openSpaceTime(run, &o)
			if err != nil {
				t.Fatal(err)
			}
			t0, t1, _ := panels.Extent(run)
			q := core.Query{T0: t0, T1: t1, Width: 200, Height: 300}
			if got, want := shared.Draw(q), alone.Draw(q); !reflect.DeepEqual(got, want) {
				t.Errorf("seed %d, options %d: drawings differ:\n%+v\n%+v", seed, i, got.Note, want.Note)
			}
			if got, want := shared.Data(q), alone.Data(q); !reflect.DeepEqual(got, want) {
				t.Errorf("seed %d, options %d: data differs", seed, i)
			}
		}
	}
}

// manyKinds gives the tasks of a run more kinds than there are classes.
func manyKinds(run *trace.Run) {
	kinds := trace.Strings{}
	for i := range run.Task.Start {
		kinds.Append(fmt.Sprintf("kind%d", i%90))
	}
	run.Task.Kind = kinds
}

// manyColors tells kinds apart that share a class of the base.
func manyColors(run *trace.Run) core.Colors {
	colors := make(core.Colors)
	for i, kind := range run.Task.Kind.Dict {
		if i < 20 || i > 60 && i < 80 {
			colors[kind] = scene.Color(0x101010 + i)
		}
	}
	return colors
}

// However many outliers there are and however narrow, each is seen: what is
// drawn for it lies in a column that it touches, in its colour.
func TestEveryOutlierIsSeen(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 13))
		g := randomGantt(r, 1, false)
		q := paneltest.RandomWindow(r, 0, 3000)
		q.Width = 1 + int(seed)
		layers, _ := g.Draw(q, g.Lanes.Place(q.Height))
		drawn := layers[2].Rects[0]
		columns := kit.NewGrid(q.T0, q.T1, q.Width)
		for i, class := range g.Spans.Class {
			if class%core.Variants != core.Outlying || g.Spans.End[i] <= q.T0 || g.Spans.Start[i] >= q.T1 {
				continue
			}
			column := columns.Column(max(g.Spans.Start[i], q.T0))
			seen := false
			for k := range drawn.X0 {
				at := columns.Column(max(int64(drawn.X0[k]), q.T0))
				seen = seen || drawn.Color[k] == class && at == column
			}
			if !seen {
				t.Fatalf("seed %d, %+v: outlier [%d, %d) is not seen", seed, q, g.Spans.Start[i], g.Spans.End[i])
			}
		}
	}
}
