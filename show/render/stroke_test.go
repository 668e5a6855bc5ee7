package render

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"dagscope/show/scene"
)

// The quadrangles of a line that turns gently cover its length times its width:
// joints neither overlap nor gape.
func TestStrokeHasNoKnots(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := []scene.Point{{X: 0, Y: 0}}
		length, angle := 0.0, rapid.Float64Range(-3, 3).Draw(t, "angle")
		for range rapid.IntRange(1, 12).Draw(t, "segments") {
			d := rapid.Float64Range(3, 20).Draw(t, "length")
			length += d
			last := line[len(line)-1]
			line = append(line, scene.Point{X: last.X + d*math.Cos(angle), Y: last.Y + d*math.Sin(angle)})
			angle += rapid.Float64Range(-1, 1).Draw(t, "turn")
		}
		sum := 0.0
		for _, q := range appendStroke(nil, line, 0.7) {
			area := 0.0
			for i, p := range q {
				next := q[(i+1)%len(q)]
				area += p.X*next.Y - p.Y*next.X
			}
			sum += math.Abs(area) / 2
		}
		if want := length * 1.4; math.Abs(sum-want) > 1e-9*want {
			t.Fatalf("the line covers %g, want %g", sum, want)
		}
	})
}
