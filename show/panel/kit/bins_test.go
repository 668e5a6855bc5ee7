package kit

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawWindow draws a window of very different lengths and pixel widths.
func drawWindow(t *rapid.T) *Grid {
	t0 := rapid.Int64Range(-1e15, 1e15).Draw(t, "t0")
	span := rapid.OneOf(rapid.Int64Range(1, 50), rapid.Int64Range(1, 1e6), rapid.Int64Range(1, 1e18)).Draw(t, "span")
	return NewGrid(t0, t0+span, rapid.IntRange(1, 3000).Draw(t, "width"))
}

// Columns tile the window, none is empty, and all have the same length to 1 ns.
func TestGridTilesWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawWindow(t)
		if g.Edges[0] != g.T0 || g.Edges[g.Columns()] != g.T1 {
			t.Fatalf("edges from %d to %d, window [%d, %d)", g.Edges[0], g.Edges[g.Columns()], g.T0, g.T1)
		}
		least := (g.T1 - g.T0) / int64(g.Columns())
		for k := range g.Columns() {
			if w := g.Edges[k+1] - g.Edges[k]; w < max(1, least) || w > least+1 {
				t.Fatalf("column %d is %d ns, want %d or one more", k, w, least)
			}
		}
	})
}

// column finds what a search over the edges finds.
func TestColumnOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawWindow(t)
		at := rapid.Int64Range(g.T0, g.T1-1).Draw(t, "at")
		want, found := slices.BinarySearch(g.Edges, at)
		if !found {
			want--
		}
		if got := g.Column(at); got != want {
			t.Fatalf("column(%d) = %d, want %d", at, got, want)
		}
	})
}

// The shares of every column are, to the nanosecond, what a naive sum over all
// pieces gives; over all classes they add up to its busy time.
func TestBinsOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		t0 := rapid.Int64Range(-1000, 1000).Draw(t, "t0")
		g := NewGrid(t0, t0+rapid.Int64Range(1, 3000).Draw(t, "span"), rapid.IntRange(1, 40).Draw(t, "width"))
		b := NewBins(g, 5)
		b.Add(t0, t0+1, 3) // a lane before this one
		b.Reset()
		type piece struct {
			start, end int64
			class      uint8
		}
		var pieces []piece
		for range rapid.IntRange(0, 30).Draw(t, "n") {
			start := rapid.Int64Range(t0-500, t0+3500).Draw(t, "start")
			p := piece{start, start + rapid.Int64Range(0, 400).Draw(t, "length"), rapid.Uint8Range(0, 4).Draw(t, "class")}
			pieces = append(pieces, p)
			b.Add(p.start, p.end, p.class)
		}
		for k := range g.Columns() {
			var want [5]int64
			total := int64(0)
			for _, p := range pieces {
				inside := max(0, min(p.end, g.Edges[k+1])-max(p.start, g.Edges[k]))
				want[p.class] += inside
				total += inside
			}
			if b.Sum(k) != total {
				t.Fatalf("column %d is busy for %d ns, want %d", k, b.Sum(k), total)
			}
			for c, ns := range want {
				if got := b.At(uint8(c), k); got != ns {
					t.Fatalf("class %d, column %d: %d ns, want %d", c, k, got, ns)
				}
			}
		}
	})
}

// At is the time of a class in a column.
func (b *Bins) At(class uint8, column int) int64 {
	if b.Busy[class] == nil {
		return 0
	}
	return b.Busy[class][column]
}
