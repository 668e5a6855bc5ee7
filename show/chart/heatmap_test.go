package chart

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"dagscope/show/render"
)

const grain = `# threads × tasks
threads,tasks,time_ns,note
1,16,4000,a
2,16,2000,a
10,16,1000,a
2,4,1500,a
2,4,500,a
2,4,1600,a
1,4,,a
`

func readTable(t *testing.T, text string) *Table {
	t.Helper()
	all, err := ReadTable(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestGrid(t *testing.T) {
	for _, text := range []string{grain, strings.ReplaceAll(grain, ",", "\t"), "\ufeff" + strings.TrimPrefix(grain, "# threads × tasks\n")} {
		g, err := readTable(t, text).Grid("threads", "tasks", "time_ns")
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(g.XS, []string{"1", "2", "10"}) || !slices.Equal(g.YS, []string{"4", "16"}) || g.Repeated != 3 {
			t.Fatalf("grid %+v", g)
		}
		if fmt.Sprint(g.Cell) != "[[NaN 1500 NaN] [4000 2000 1000]]" {
			t.Fatalf("cells %v", g.Cell)
		}
	}
}

func TestGridsThatCannotBe(t *testing.T) {
	for _, c := range []struct{ text, x, value, want string }{
		{grain, "thread", "time_ns", `found no "thread", want one of threads, tasks, time_ns, note`},
		{grain, "threads", "note", `found "a" in column note, want a number`},
		{"x,tasks,v\n1,2,\n", "x", "v", "found no value in column v"},
		{"x,tasks,v\n1,2,NaN\n", "x", "v", "want a number"},
	} {
		_, err := readTable(t, c.text).Grid(c.x, "tasks", c.value)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	for _, text := range []string{"", "a,b\n", "a,b\n1\n"} {
		if _, err := ReadTable(strings.NewReader(text)); err == nil {
			t.Errorf("read %q without error", text)
		}
	}
	var many strings.Builder
	many.WriteString("x,y,v\n")
	for i := range 1000 {
		fmt.Fprintf(&many, "%d,%d,1\n", i, i)
	}
	if _, err := readTable(t, many.String()).Grid("x", "y", "v"); err == nil || !strings.Contains(err.Error(), "want at most") {
		t.Errorf("a million cells: error %v", err)
	}
}

func TestMedian(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 1))
		all := make([]float64, 1+rng.IntN(9))
		for i := range all {
			all[i] = rng.Float64()
		}
		m := median(slices.Clone(all))
		below, above := 0, 0
		for _, v := range all {
			if v < m {
				below++
			}
			if v > m {
				above++
			}
		}
		if below > len(all)/2 || above > len(all)/2 || below != above {
			t.Fatalf("median %v of %v", m, all)
		}
	}
}

func TestShading(t *testing.T) {
	for _, s := range []shading{{low: 2, high: 50}, {low: 2, high: 50, log: true}} {
		for _, v := range []float64{2, 3, 17, 50} {
			if got := s.value(s.share(v)); math.Abs(got-v) > 1e-9 {
				t.Errorf("%+v: %v comes back as %v", s, v, got)
			}
		}
	}
	for v, want := range map[float64]string{0.5: "0.5 ns", 4160e6: "4.16 s", 31.26e6: "31.3 ms", 0: "0 ns"} {
		if got := withUnit("time_ns", v); got != want {
			t.Errorf("%v is written %q, want %q", v, got, want)
		}
	}
	if got := withUnit("idle_share", 0.125); got != "12.5 %" {
		t.Errorf("a share is written %q", got)
	}
}

// square is a table of n × n with two values.
func square(t *testing.T, n int) []*Grid {
	t.Helper()
	var b strings.Builder
	b.WriteString("x,y,a_ns,b\n")
	for x := range n {
		for y := range n {
			fmt.Fprintf(&b, "%d,%d,%d,%d\n", x, y, 1000*(1+x*y), x+2*y)
		}
	}
	all := readTable(t, b.String())
	var grids []*Grid
	for _, v := range []string{"a_ns", "b"} {
		g, err := all.Grid("x", "y", v)
		if err != nil {
			t.Fatal(err)
		}
		grids = append(grids, g)
	}
	return grids
}

// Every cell of a small map has its value; of a large one none, and each cell
// is still there.
func TestValuesWhereTheyFit(t *testing.T) {
	for n, written := range map[int]bool{3: true, 8: true, 32: false} {
		page, err := (&HeatMap{Grids: square(t, n)}).Draw(Options{Width: 960})
		if err != nil {
			t.Fatal(err)
		}
		cells, labels := 0, map[string]int{}
		for _, op := range page.Ops {
			if op.Boxes != nil {
				cells += len(op.Boxes.X0)
			}
			if op.Label != nil {
				labels[op.Label.S]++
			}
		}
		if cells < 2*n*n {
			t.Errorf("%d × %d: %d cells", n, n, cells)
		}
		if last := fmt.Sprint(3 * (n - 1)); (labels[last] >= 2) != written && n > 3 {
			t.Errorf("%d × %d: %q stands %d times in the figure", n, n, last, labels[last])
		}
	}
}

func TestHeatMapsThatCannotBe(t *testing.T) {
	g := square(t, 3)
	if _, err := (&HeatMap{Grids: g, Log: true}).Draw(Options{Width: 960}); err == nil || !strings.Contains(err.Error(), "column b, want values above 0") {
		t.Errorf("logarithm of 0: error %v", err)
	}
	if _, err := (&HeatMap{Grids: g}).Draw(Options{Width: 60}); err == nil {
		t.Error("a figure of 60 pixels is drawn")
	}
}

// One value, one cell, equal values: nothing is divided by zero.
func TestSmallestHeatMap(t *testing.T) {
	g, err := readTable(t, "x,y,v\n1,1,5\n").Grid("x", "y", "v")
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range []HeatMap{{}, {Log: true}, {Shared: true}} {
		h.Grids = []*Grid{g}
		page, err := h.Draw(Options{Width: 300, Title: "one"})
		if err != nil {
			t.Fatal(err)
		}
		var svg bytes.Buffer
		if err := render.SVG(&svg, page, render.Options{}); err != nil || strings.Contains(svg.String(), "NaN") {
			t.Fatalf("%+v: %v", h, err)
		}
	}
}

// As many lines as may be drawn are arranged at once: a search of each row's place
// among them made it quadratic.
func TestGridOfManyLines(t *testing.T) {
	var text strings.Builder
	text.WriteString("x,y,v\n")
	for i := range maxCells {
		fmt.Fprintf(&text, "1,%d,%d\n", i, i)
	}
	all := readTable(t, text.String())
	begin := time.Now()
	g, err := all.Grid("x", "y", "v")
	if err != nil || len(g.YS) != maxCells || g.Cell[maxCells-1][0] != maxCells-1 {
		t.Fatalf("found %d lines, %v", len(g.YS), err)
	}
	if took := time.Since(begin); took > 30*time.Second {
		t.Errorf("arranging them takes %v", took)
	}
}
