package serve

import (
	"context"
	"math"
	"slices"

	"dagscope/explain/compare"
	"dagscope/show/panel/core"
	"dagscope/show/panel/layout"
	"dagscope/show/scene"
)

// beyond is how many pixels more than a tile shows are drawn on either side, so
// that what is wider than its place (lines, least widths) is whole at the edges.
const beyond = 4

// part is a section of a drawing with the part of the run's own time that it
// shows.
type part struct {
	section
	t0, t1 int64
	width  int
}

// parts divides a window of the axis, width pixels wide, at the knots of the
// alignment: between them the run's own time is in proportion to that of the
// axis.
func parts(m *compare.Map, w Window, width int) []part {
	if m == nil {
		m = &compare.Map{}
	}
	if shift, same := m.Shift(); same {
		own := Window{w.T0 - shift, w.T1 - shift}
		return []part{whole(own, width)}
	}
	var out []part
	for _, p := range m.Pieces(w.T0, w.T1) {
		out = append(out, between(p, w, width))
	}
	return out
}

// whole draws a window in one part, with a little more on either side where
// pixels are whole numbers of ns.
func whole(own Window, width int) part {
	p := part{t0: own.T0, t1: own.T1, width: width}
	p.X1, p.Right = float64(width), float64(width)
	if length := own.T1 - own.T0; length%int64(width) == 0 {
		pixel := length / int64(width)
		p.t0, p.t1, p.width = own.T0-beyond*pixel, own.T1+beyond*pixel, width+2*beyond
		p.X0, p.X1 = -beyond, float64(width)+beyond
	}
	p.Min, p.Max = float64(p.t0), float64(p.t1)
	return p
}

// between draws one piece of the axis.
func between(piece compare.Piece, w Window, width int) (p part) {
	p.t0, p.t1 = piece.Own0, piece.Own1
	scale := float64(width) / float64(w.T1-w.T0)
	p.X0, p.X1 = float64(piece.Axis0-w.T0)*scale, float64(piece.Axis1-w.T0)*scale
	p.Left, p.Right = p.X0, p.X1
	p.Min, p.Max = float64(p.t0), float64(p.t1)
	p.width = max(1, int(math.Round(p.X1-p.X0)))
	return p
}

// align returns how the run's time maps to the axis, nil where it is the same.
func (q *request) align(ctx context.Context) (*compare.Map, error) {
	if q.mode == "" {
		return nil, nil
	}
	return q.server.mapOf(ctx, q.ref, q.run, q.mode)
}

// own is a window of the axis in the run's own time.
func own(m *compare.Map, w Window) Window {
	if m == nil {
		return w
	}
	w = Window{m.ToOwn(w.T0), m.ToOwn(w.T1)}
	w.T1 = max(w.T1, w.T0+1)
	return w
}

// drawBody draws the layers of a body for a window of the axis, part by part,
// and packs them. Where there are several parts, texts are drawn once for the
// whole: what they name may lie in two of them.
func drawBody(ctx context.Context, v *view, paint *paint, m *compare.Map, w Window, width int, height, top float64) ([]byte, error) {
	all := parts(m, w, width)
	drawn := make([][]scene.Layer, len(all))
	for i := range all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p := &all[i]
		drawn[i] = v.Draw(core.Query{T0: p.t0, T1: p.t1, Width: p.width, Height: height, Top: top, Steady: true, Body: true}).Layers
	}
	if len(all) > 1 {
		withoutTexts(drawn)
		mine := own(m, w)
		texts := v.Draw(core.Query{T0: mine.T0, T1: mine.T1, Width: width, Height: height, Top: top, Steady: true, Body: true}).Layers
		drawn = append(drawn, onlyTexts(texts, m))
		all = append(all, part{section: section{Min: float64(w.T0), Max: float64(w.T1), X1: float64(width), Right: float64(width)}})
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return packed(func(grain int32) []byte {
		w := newTileWriter(paint)
		w.grain = grain
		for i := range all {
			for k := range drawn[i] {
				w.layer(&drawn[i][k], &all[i].section)
			}
		}
		return w.bytes()
	}), nil
}

// withoutTexts leaves the texts on the axis out.
func withoutTexts(drawn [][]scene.Layer) {
	for k := range drawn {
		drawn[k] = slices.Clone(drawn[k]) // the view's own stay as they are
		for i := range drawn[k] {
			if drawn[k][i].Unit == scene.OnAxis {
				drawn[k][i].Texts = nil
			}
		}
	}
}

// onlyTexts are those texts, on the axis.
func onlyTexts(layers []scene.Layer, m *compare.Map) (out []scene.Layer) {
	for _, l := range layers {
		if l.Unit == scene.OnAxis && len(l.Texts) > 0 {
			out = append(out, scene.Layer{Name: l.Name, Texts: layout.WarpTexts(l.Texts, m)})
		}
	}
	return out
}

// mostPacked is the size in bytes that a packed tile should not exceed.
const mostPacked = 64 << 10

// packed packs a tile. Where it gets too large, the heights of shares are
// rounded more coarsely, at most to half a pixel: neighbours that differ by less
// then become one.
func packed(encode func(grain int32) []byte) (out []byte) {
	for grain := int32(1); grain <= yUnits/2; grain *= 2 {
		if out = pack(encode(grain)); len(out) <= mostPacked {
			break
		}
	}
	return out
}

// drawScene draws the body of a panel with an axis of its own, and packs it.
func drawScene(v *view, paint *paint, q core.Query) []byte {
	drawn := v.Draw(q)
	at := section{Min: float64(q.T0), Max: float64(q.T1), X1: float64(q.Width), Right: float64(q.Width)}
	if drawn.X != nil {
		at.Min, at.Max = drawn.X.Min, drawn.X.Max
	}
	if at.Max <= at.Min {
		at.Max = at.Min + 1
	}
	return packed(func(grain int32) []byte {
		w := newTileWriter(paint)
		w.grain = grain
		for k := range drawn.Layers {
			w.layer(&drawn.Layers[k], &at)
		}
		return w.bytes()
	})
}

// roundedUp is the least of a row of round numbers that is not below v; the
// scales of tiles must not change with every window.
func roundedUp(v float64) float64 {
	if !(v > 0) || math.IsInf(v, 0) {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, f := range []float64{1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 12} {
		if f*power >= v*(1-1e-12) {
			return f * power
		}
	}
	return 20 * power
}

// anchorNames are those of the client.
var anchorNames = [...]string{scene.Start: "start", scene.Middle: "middle", scene.End: "end"}
