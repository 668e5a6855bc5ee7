package progress

import (
	"math/rand/v2"
	"slices"
	"testing"

	"dagscope/explain/index"
	"dagscope/explain/numbers/panels"
	"dagscope/internal/stat"
	"dagscope/show/panel/core"
	"dagscope/show/panel/layout"
	"dagscope/show/panel/paneltest"
	"dagscope/trace"
	"dagscope/trace/tracetest"

	"pgregory.net/rapid"
)

// Bins of the fine scale ascend and begin where they say.
func TestFineBins(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 100_000 {
		ns := random.Int64() >> random.IntN(63)
		b := fineBin(ns)
		if b < 0 || b >= fineBins || fineStart(b) > ns || b+1 < fineBins && fineStart(b+1) <= ns {
			t.Fatalf("%d ns are in bin %d of [%d, %d)", ns, b, fineStart(b), fineStart(b+1))
		}
	}
}

// Samples are those of a list of durations, sorted.
func TestSamplesAgainstLists(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		list := &listedDurations{}
		groups := rapid.IntRange(1, 4).Draw(t, "groups")
		for range groups {
			var start, duration []int64
			shift := random.IntN(60)
			for range random.IntN(300) {
				start, duration = append(start, random.Int64N(100)), append(duration, random.Int64()>>(10+shift%50+random.IntN(3)))
			}
			list.start, list.duration = append(list.start, start), append(list.duration, duration)
		}
		q := core.Query{T0: random.Int64N(60), T1: 60 + random.Int64N(50)}
		const columns = 37
		column := func(ns int64) int { return min(fineBin(ns)/360, columns-1) }
		for g, got := range samplesOf(list, groups, q, columns, column) {
			var inside []int64
			for i, at := range list.start[g] {
				if at >= q.T0 && at < q.T1 {
					inside = append(inside, list.duration[g][i])
				}
			}
			checkSample(t, &got, inside, column)
		}
	})
}

func checkSample(t interface{ Fatalf(string, ...any) }, got *sample, inside []int64, column func(int64) int) {
	want := sample{n: len(inside), usual: make([]int, len(got.usual)), long: make([]int, len(got.long))}
	if len(inside) > 0 {
		stat.Quantiles(inside, quartiles[:], want.quartile[:])
	}
	for _, ns := range inside {
		if float64(ns) > want.quartile[2]+1.5*(want.quartile[2]-want.quartile[0]) {
			want.long[column(ns)]++
		} else {
			want.usual[column(ns)]++
		}
	}
	if got.n != want.n || got.quartile != want.quartile || !slices.Equal(got.usual, want.usual) || !slices.Equal(got.long, want.long) {
		t.Fatalf("sample %+v, want %+v", *got, want)
	}
}

// A panel of kinds that is drawn from a base is that of the tasks themselves.
func TestKindsFromBase(t *testing.T) {
	for _, run := range []*trace.Run{tracetest.CholeskyTasks(400, tracetest.Options{Nodes: 2}), tracetest.CholeskyTasks(60, tracetest.Options{})} {
		base := core.NewBase(run, index.New(run))
		t0, t1, _ := panels.Extent(run)
		for _, o := range []core.Options{{}, {Nodes: []int32{0}}, {Hide: run.Task.Kind.Dict[:1]}} {
			plain, err := paneltest.Open("kinds", run, []*trace.Run{run}, o)
			if err != nil {
				t.Fatal(err)
			}
			o.Base = base
			fast, err := paneltest.Open("kinds", run, []*trace.Run{run}, o)
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := fast.(*kindView).source.(*baseDurations); !ok {
				t.Fatal("the base is not used")
			}
			for _, q := range []core.Query{{T0: t0, T1: t1 + 1, Width: 500}, {T0: (t0 + t1) / 3, T1: (t0 + t1) / 2, Width: 300}} {
				a, b := plain.Draw(q), fast.Draw(q)
				if a.Note != b.Note || !slices.Equal(a.Layers[1].Rects[0].H, b.Layers[1].Rects[0].H) || !slices.Equal(a.Layers[2].Rects[0].X0, b.Layers[2].Rects[0].X0) ||
					!slices.Equal(layout.LeftTexts(&a), layout.LeftTexts(&b)) || !slices.Equal(a.Right[0].Texts, b.Right[0].Texts) {
					t.Fatalf("drawn from a base: %+v\nwant %+v", b, a)
				}
			}
		}
	}
}
