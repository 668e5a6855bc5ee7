package scene

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

var someLine = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Point {
	coordinate := rapid.OneOf(rapid.Float64Range(-50, 150), rapid.Float64Range(-1e5, 1e5))
	return Point{coordinate.Draw(t, "x"), coordinate.Draw(t, "y")}
}), 2, 8)

// onStroke says whether a place so far along dashes is on a stroke; clear is
// false where it is too close to an end of one to say.
func onStroke(dash []float64, at float64) (on, clear bool) {
	at = math.Mod(at, period(dash))
	for i := range 2 * len(dash) {
		d := dash[i%len(dash)]
		if at < d {
			return i%2 == 0, at > 1e-3 && d-at > 1e-3
		}
		at -= d
	}
	return false, false
}

// Every place of a dashed line inside the box is in a piece, on a stroke if it
// was on one.
func TestCutKeepsDashesWhereTheyAre(t *testing.T) {
	box := Rectangle{0, 0, 100, 100}
	rapid.Check(t, func(t *rapid.T) {
		line := someLine.Draw(t, "line")
		dash := rapid.SliceOfN(rapid.Float64Range(1, 9), 1, 4).Draw(t, "dash")
		phase := rapid.Float64Range(0, period(dash)).Draw(t, "phase")
		pieces := (&Path{Points: line, Stroke: Ink, Width: 1, Dash: dash, Phase: phase}).Cut(box)
		for _, p := range pieces {
			for _, pt := range p.Points {
				if !box.Grown(1e-6).holds(pt) {
					t.Fatalf("%v is outside", pt)
				}
			}
		}
		before := phase
		for i := range len(line) - 1 {
			a, b := line[i], line[i+1]
			length := math.Hypot(b.X-a.X, b.Y-a.Y)
			for range 20 {
				share := rapid.Float64Range(0, 1).Draw(t, "share")
				at := Point{a.X + (b.X-a.X)*share, a.Y + (b.Y-a.Y)*share}
				want, clear := onStroke(dash, before+share*length)
				if !clear || !box.Grown(-1e-3).holds(at) {
					continue
				}
				if !strokes(pieces, at, want) {
					t.Fatalf("%v is on no piece where strokes are %v", at, want)
				}
			}
			before += length
		}
	})
}

// strokes reports whether a piece has a stroke, or a gap, at a place.
func strokes(pieces []*Path, at Point, want bool) bool {
	for _, p := range pieces {
		far := p.Phase
		for i := range len(p.Points) - 1 {
			a, b := p.Points[i], p.Points[i+1]
			length := math.Hypot(b.X-a.X, b.Y-a.Y)
			if length == 0 {
				continue
			}
			along := ((at.X-a.X)*(b.X-a.X) + (at.Y-a.Y)*(b.Y-a.Y)) / length
			across := ((at.X-a.X)*(b.Y-a.Y) - (at.Y-a.Y)*(b.X-a.X)) / length
			if math.Abs(across) < 1e-4 && along > -1e-4 && along < length+1e-4 {
				if on, _ := onStroke(p.Dash, far+along); on == want {
					return true
				}
			}
			far += length
		}
	}
	return false
}

// A polygon covers the same places of the box before and after.
func TestCutKeepsAreas(t *testing.T) {
	box := Rectangle{0, 0, 100, 100}
	rapid.Check(t, func(t *rapid.T) {
		polygon := someLine.Draw(t, "polygon")
		cut := (&Path{Points: polygon, Closed: true, Fill: Ink}).Cut(box)
		for range 30 {
			at := Point{rapid.Float64Range(0.001, 99.999).Draw(t, "x"), rapid.Float64Range(0.001, 99.999).Draw(t, "y")}
			got := 0
			for _, p := range cut {
				for _, line := range p.Lines() {
					got += turns(line, at)
				}
			}
			if want := turns(polygon, at); got != want {
				t.Fatalf("the polygon turns about %v %d times, want %d", at, got, want)
			}
		}
	})
}

// turns is the winding number of a polygon about a place.
func turns(polygon []Point, at Point) (n int) {
	for i, a := range polygon {
		b := polygon[(i+1)%len(polygon)]
		left := (b.X-a.X)*(at.Y-a.Y)-(b.Y-a.Y)*(at.X-a.X) > 0
		switch {
		case a.Y <= at.Y && b.Y > at.Y && left:
			n++
		case a.Y > at.Y && b.Y <= at.Y && !left:
			n--
		}
	}
	return n
}

// What is inside stays the path that it is.
func TestCutLeavesWhatIsInside(t *testing.T) {
	p := &Path{Points: []Point{{1, 2}, {3, 4}}, Stroke: Ink, Fill: Soft, Closed: true, Dash: []float64{1}}
	if got := p.Cut(Rectangle{0, 0, 10, 10}); len(got) != 1 || got[0] != p {
		t.Errorf("a path inside became %v", got)
	}
	if got := p.Cut(Rectangle{10, 10, 20, 20}); len(got) != 0 {
		t.Errorf("of a path outside there is %v", got)
	}
}
