package serve

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dagscope/internal/budget"
	"dagscope/show/scene"
)

// randomRects are stacks of shares in the columns of a tile, as the space-time
// panel makes them: each column of each row is filled from the bottom.
func randomRects(r *rand.Rand, edges scene.Edges) scene.Rects {
	rects := scene.Rects{Palette: []scene.Color{scene.RGB(0x112233), scene.RGB(0x445566), scene.RGB(0x778899)}, Edges: edges}
	for row := range 3 {
		bottom := float32(40*row) + 37.3
		for x := 0; x < tileWidth; x += 1 + r.IntN(3) {
			y := bottom
			for range r.IntN(4) {
				h := r.Float32() * 9
				y -= h
				rects.Add(float64(x)*8, float64(x+1)*8, y, h, uint8(r.IntN(3)))
			}
		}
	}
	return rects
}

func encodeLayers(grain int32, at section, layers ...scene.Layer) []byte {
	w := newTileWriter(nil)
	w.grain = grain
	for i := range layers {
		w.layer(&layers[i], &at)
	}
	return w.bytes()
}

func mustDecode(t testing.TB, data []byte) decodedTile {
	t.Helper()
	d, err := decodeTile(data)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

var wholeTile = section{Min: 0, Max: 8 * tileWidth, X1: tileWidth, Right: tileWidth}

// covered paints rectangles on a raster of the finest units: the colour at each
// place of one column, 0 for none.
func covered(g *decodedRects, x int64) map[int64]int64 {
	out := map[int64]int64{}
	for i := range g.X0 {
		if g.X0[i] <= x && x < g.X1[i] {
			for y := g.Y[i]; y < g.Y[i]+g.H[i]; y++ {
				out[y] = 1 + g.Color[i]
			}
		}
	}
	return out
}

// Edges lie within half a unit of where they were, what was stacked is stacked,
// and nothing that was apart by a unit overlaps.
func TestRectanglesAreQuantised(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 1))
		rects := randomRects(r, scene.Abut)
		tile := mustDecode(t, encodeLayers(1, wholeTile, scene.Layer{Name: "shares", Rects: []scene.Rects{rects}}))
		g := &tile.Layers[0].Rects[0]
		for k := 0; k < 40; k++ {
			column := r.IntN(tileWidth)
			got := covered(g, int64(column)*xUnits+xUnits/2)
			want := map[int64]bool{}
			for i := range rects.X0 {
				if rects.X0[i] != float64(column)*8 {
					continue
				}
				top, bottom := float64(rects.Y[i])*yUnits, float64(rects.Y[i]+rects.H[i])*yUnits
				// Everything but the units at the edges is certain.
				for y := int64(math.Floor(top)) + 1; y+1 < int64(math.Ceil(bottom)); y++ {
					want[y] = true
					if hex := got[y] - 1; hex < 0 || g.Colors[hex] != rgbaOf(rects.Palette[rects.Color[i]]) {
						t.Fatalf("seed %d column %d unit %d: found colour %d of share %d", seed, column, y, hex, i)
					}
				}
			}
			if len(want) == 0 && len(got) > 8 {
				t.Fatalf("seed %d column %d: found %d units where nothing was", seed, column, len(got))
			}
			gapless(t, seed, got)
		}
	}
}

// gapless checks that the shares of each row stand on each other.
func gapless(t *testing.T, seed uint64, got map[int64]int64) {
	t.Helper()
	for row := range int64(3) {
		bottom := int64(math.Round((40*float64(row) + 37.3) * yUnits))
		y := bottom - 1
		for got[y] != 0 {
			y--
		}
		for rest := y; rest > bottom-36*yUnits; rest-- {
			if got[rest] != 0 {
				t.Fatalf("seed %d row %d: a gap at unit %d below unit %d", seed, row, y, rest)
			}
		}
	}
}

func rgbaOf(c scene.Color) rgba {
	r, g, b, a := c.Parts()
	return rgba{int(r), int(g), int(b), int(a)}
}

// The sums of heights of a stack are those of the shares, to the rounding of
// its two ends.
func TestHeightsOfStacksAddUp(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for range 200 {
		rects := scene.Rects{Palette: []scene.Color{scene.Ink}, Edges: scene.Abut}
		y, sum := float32(1000), 0.0
		for range 1 + r.IntN(60) {
			h := r.Float32() * r.Float32() * 4
			y -= h
			sum += float64(h)
			rects.Add(8, 16, y, h, 0)
		}
		tile := mustDecode(t, encodeLayers(1, wholeTile, scene.Layer{Rects: []scene.Rects{rects}}))
		total := int64(0)
		for _, l := range tile.Layers {
			for _, h := range l.Rects[0].H {
				total += h
			}
		}
		if math.Abs(float64(total)/yUnits-sum) > 1.0/yUnits+1e-3 {
			t.Fatalf("found heights of %v px, want %v", float64(total)/yUnits, sum)
		}
	}
}

// Neighbours that look the same are one rectangle; joining changes no pixel.
func TestNeighboursAreJoined(t *testing.T) {
	rects := scene.Rects{Palette: []scene.Color{scene.Ink, scene.Soft}, Edges: scene.Crisp}
	for x := range 100 {
		rects.Add(float64(x), float64(x+1), 10, 5, uint8(x/50))
		rects.Add(float64(x), float64(x+1), 2, 8, 1)
	}
	tile := mustDecode(t, encodeLayers(1, wholeTile, scene.Layer{Rects: []scene.Rects{rects}}))
	if n := len(tile.Layers[0].Rects[0].X0); n != 3 {
		t.Errorf("found %d rectangles, want 3", n)
	}
	rects.Edges = scene.Blend // those may lie over each other
	tile = mustDecode(t, encodeLayers(1, wholeTile, scene.Layer{Rects: []scene.Rects{rects}}))
	if n := len(tile.Layers[0].Rects[0].X0); n != 200 {
		t.Errorf("found %d rectangles that blend, want 200", n)
	}
}

// Coarser heights give fewer rectangles and move no edge by more than half the
// grain.
func TestGrain(t *testing.T) {
	rects := randomRects(rand.New(rand.NewPCG(9, 1)), scene.Abut)
	layer := scene.Layer{Rects: []scene.Rects{rects}}
	fine := mustDecode(t, encodeLayers(1, wholeTile, layer)).Layers[0].Rects[0]
	coarse := mustDecode(t, encodeLayers(8, wholeTile, layer)).Layers[0].Rects[0]
	if len(coarse.X0) > len(fine.X0) {
		t.Errorf("found %d rectangles at a grain of 8, want at most %d", len(coarse.X0), len(fine.X0))
	}
	for i := range coarse.Y {
		if coarse.Y[i]%8 != 0 || coarse.H[i]%8 != 0 {
			t.Fatalf("found y %d h %d, want multiples of 8", coarse.Y[i], coarse.H[i])
		}
	}
}

// What cannot be seen is not sent; what is narrow by itself but widened by the
// painter is, on both sides of an edge.
func TestOnlyWhatIsSeen(t *testing.T) {
	rects := scene.Rects{Palette: []scene.Color{scene.Ink}, MinWidth: 1}
	for _, x := range []float64{-80, -3, 0, 1000, 2047, 2051, 2100} {
		rects.Add(x, x, 0, 5, 0)
	}
	tile := mustDecode(t, encodeLayers(1, wholeTile, scene.Layer{Rects: []scene.Rects{rects}}))
	if got := len(tile.Layers[0].Rects[0].X0); got != 5 {
		t.Errorf("found %d outliers, want the 5 near or in the tile", got)
	}
	tile = mustDecode(t, encodeLayers(1, wholeTile, scene.Layer{Name: "none", Lines: []scene.Line{{X: []float64{3}, Y: []float32{3}}}}))
	if len(tile.Layers) != 0 || len(tile.Strings) != 0 {
		t.Errorf("found %+v, want an empty tile", tile)
	}
}

// A curve keeps its shape: at every one of its points inside the tile the
// decoded curve has the same value.
func TestCurvesKeepTheirShape(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 5))
		l := scene.Line{Color: scene.Ink, Width: 1.4, Step: seed%2 == 0, Dash: []float32{3, 3}}
		x := -500.0
		for range 300 {
			x += float64(1 + r.IntN(20))
			y := float32(r.IntN(4) * 10)
			l.X, l.Y = append(l.X, x), append(l.Y, y)
		}
		tile := mustDecode(t, encodeLayers(1, wholeTile, scene.Layer{Lines: []scene.Line{l}}))
		got := tile.Layers[0].Lines[0]
		for i, x := range l.X {
			if x < 0 || x >= wholeTile.Max {
				continue
			}
			at := int64(math.Round(x / 8 * xUnits))
			k, ok := slices.BinarySearch(got.X, at)
			for ok && k+1 < len(got.X) && got.X[k+1] == at {
				k++
			}
			if !ok { // inside a level stretch
				if k == 0 || k == len(got.X) || got.Y[k-1] != int64(l.Y[i])*yUnits || !l.Step && got.Y[k] != got.Y[k-1] {
					t.Fatalf("seed %d: no point at %v, and the curve is not level there", seed, x)
				}
			} else if got.Y[k] != int64(l.Y[i])*yUnits {
				t.Fatalf("seed %d: found height %d at %v, want %v", seed, got.Y[k], x, l.Y[i]*yUnits)
			}
		}
	}
}

func TestTextsAreKept(t *testing.T) {
	text := scene.Text{X: 80, Y: 12, S: "GEMM \xff", Size: 10.5, Color: scene.Ink, On: scene.White, Bold: true, Anchor: scene.End,
		Halo: true, Room: 800, Rotate: -90}
	got := mustDecode(t, encodeLayers(1, wholeTile, scene.Layer{Name: "kinds", Texts: []scene.Text{text}})).Layers[0].Texts[0]
	want := decodedText{X: 10 * xUnits, Y: 12 * yUnits, S: "GEMM \ufffd", Size: 168, Color: rgbaOf(scene.Ink), On: rgbaOf(scene.White),
		Bold: true, Anchor: 2, Halo: true, Room: 100 * xUnits, Rotate: -90}
	if got != want {
		t.Errorf("found %+v, want %+v", got, want)
	}
}

// Whatever a panel draws, the tile can be read, and holds no more than was
// drawn.
func FuzzTile(f *testing.F) {
	f.Add(int64(1), 10.0, 20.0, float32(3), float32(4), "text")
	f.Add(int64(2), math.Inf(1), math.NaN(), float32(math.Inf(-1)), float32(1e30), "\xff")
	f.Fuzz(func(t *testing.T, seed int64, x0, x1 float64, y, h float32, s string) {
		budget.Watch(t)
		r := rand.New(rand.NewPCG(uint64(seed), 0))
		at := section{Min: x0 - 1, Max: x0 - 1 + math.Abs(x1) + 1, X1: tileWidth, Right: tileWidth}
		rects := scene.Rects{Palette: []scene.Color{1, 2}, MinWidth: float32(seed % 3), Edges: scene.Edges(uint64(seed) % 3)}
		line := scene.Line{Dash: []float32{y, h}, Width: h, Step: seed%2 == 0}
		area := scene.Area{}
		arrows := scene.Arrows{Head: y}
		for range r.IntN(20) {
			rects.Add(x0*r.Float64(), x1*r.Float64(), y*r.Float32(), h, uint8(r.IntN(2)))
			line.X, line.Y = append(line.X, x0+r.Float64()), append(line.Y, y)
			area.X, area.Y0, area.Y1 = append(area.X, x1*r.Float64()), append(area.Y0, y), append(area.Y1, h)
			arrows.X0, arrows.X1 = append(arrows.X0, x0), append(arrows.X1, x1)
			arrows.Y0, arrows.Y1 = append(arrows.Y0, y), append(arrows.Y1, h)
		}
		layer := scene.Layer{Name: s, Rects: []scene.Rects{rects}, Lines: []scene.Line{line}, Areas: []scene.Area{area},
			Arrows: []scene.Arrows{arrows}, Texts: []scene.Text{{X: x0, Y: y, S: s, Size: h, Room: x1}}}
		tile := mustDecode(t, encodeLayers(1, at, layer))
		for _, l := range tile.Layers {
			for _, g := range l.Rects {
				if len(g.X0) > rects.Len() {
					t.Fatalf("found %d rectangles of %d", len(g.X0), rects.Len())
				}
			}
		}
	})
}

// A rectangle that stands on the one before, but for the rounding of sums,
// stands on it in the tile too.
func TestStacksWithRoundedSumsHaveNoGap(t *testing.T) {
	for name, second := range map[string][2]float32{"below": {5, 5.0315}, "above": {15.0345, 3}} {
		r := scene.Rects{Palette: []scene.Color{scene.RGB(1), scene.RGB(2)}}
		r.Add(0, 10, 10.031, 5, 0)
		r.Add(0, 10, second[0], second[1], 1)
		c := rectColumns{grain: 1}
		c.quantise(&r, scene.OnAxis, &section{Max: 10, X1: 10, Right: 10})
		if len(c.y) != 2 || name == "below" && c.y[1]+c.h[1] != c.y[0] || name == "above" && c.y[0]+c.h[0] != c.y[1] {
			t.Errorf("%s: from %v, %v high", name, c.y, c.h)
		}
	}
}
