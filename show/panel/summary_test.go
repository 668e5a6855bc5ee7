package panel

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"dagscope/explain/schedule"
	"dagscope/internal/interval"
	"dagscope/trace/tracetest"
)

// The mean and the greatest value are those of every ns of the period, and
// sums of functions are sums at every ns.
func TestSummaryOfEveryNanosecond(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := []interval.Steps{}
		for range rapid.IntRange(1, 5).Draw(t, "functions") {
			all = append(all, drawSteps(t))
		}
		p := period{from: int64(rapid.IntRange(-30, 30).Draw(t, "from"))}
		p.to = p.from + int64(rapid.IntRange(1, 40).Draw(t, "for"))
		sum, want, top := sumSteps(all), 0.0, math.Inf(-1)
		for at := p.from; at < p.to; at++ {
			value := 0.0
			for _, f := range all {
				value += valueAt(f, at)
			}
			want, top = want+value/float64(p.to-p.from), max(top, value)
		}
		mean, most := p.meanMostSteps(sum)
		if math.Abs(mean-want) > 1e-9 || most != top {
			t.Fatalf("mean %g, most %g; want %g and %g", mean, most, want, top)
		}
	})
}

// The small print and the legends do not change with the width, nor with time
// before or after the run.
func TestSmallPrintIsOfTheRun(t *testing.T) {
	run := tracetest.Cholesky(tracetest.Options{Tiles: 8, Nodes: 2, CPUs: 3, GPUs: 1})
	end := ranIn(schedule.Makespan(run), Query{T0: math.MinInt64, T1: math.MaxInt64}).to
	o := Options{}
	o.Ready.Total = true
	for _, id := range []string{"gflops", "ready", "breakdown"} {
		p, err := Find(id)
		if err != nil {
			t.Fatal(err)
		}
		v, err := p.View(run, &o)
		if err != nil {
			t.Fatal(err)
		}
		want := v.Draw(Query{T0: 0, T1: end, Width: 400})
		for _, q := range []Query{{T0: 0, T1: end, Width: 37}, {T0: 0, T1: 3 * end, Width: 400}, {T0: -end, T1: 2 * end, Width: 900}} {
			got := v.Draw(q)
			if note, _, _ := strings.Cut(got.Note, "; pale"); note != want.Note {
				t.Errorf("%s in %v: note %q, want %q", id, q, got.Note, want.Note)
			}
			for i, e := range got.Legend {
				if e.Detail != want.Legend[i].Detail {
					t.Errorf("%s in %v: legend %q, want %q", id, q, e.Detail, want.Legend[i].Detail)
				}
			}
		}
	}
}

// The area bound is of the whole run and says so where the window is not.
func TestAreaBoundSaysWhatItIsOf(t *testing.T) {
	run := tracetest.Cholesky(tracetest.Options{Tiles: 8, Nodes: 2, CPUs: 3, GPUs: 1})
	end := ranIn(schedule.Makespan(run), Query{T0: math.MinInt64, T1: math.MaxInt64}).to
	p, err := Find("abe")
	if err != nil {
		t.Fatal(err)
	}
	v, err := p.View(run, &Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []Query{{T0: -1, T1: end + 1, Width: 300}, {T0: end / 4, T1: end / 2, Width: 300}} {
		note := v.Draw(q).Note
		if said := strings.Contains(note, "whole run"); said != (q.T0 > 0) {
			t.Errorf("note %q in the window %v", note, q)
		}
	}
}
