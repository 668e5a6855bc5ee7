package serve

import (
	"net/http"
	"strings"

	"dagscope/internal/words"
	"dagscope/show/panel/core"
)

// hover answers with the values of panels at an instant. A panel without values,
// or without anything to draw, is left out.
func (s *Server) hover(r *http.Request) (*answer, error) {
	q, err := s.request(r)
	if err != nil {
		return nil, err
	}
	t := q.must("t", -mostTime, mostTime)
	ids := q.list("panels")
	if len(ids) > 64 {
		q.fail("panels", q.text("panels"), "at most 64")
	}
	if q.err != nil {
		return nil, q.err
	}
	m, err := q.align(r.Context())
	if err != nil {
		return nil, err
	}
	if m != nil {
		t = m.ToOwn(t)
	}
	out := Hover{Panels: map[string][]Reading{}}
	for _, id := range ids {
		if q.panel, err = core.Find(id); err != nil {
			return nil, failure(http.StatusNotFound, "%w", err)
		}
		v, err := q.open(r.Context())
		if err != nil {
			return nil, err
		}
		reader, ok := v.View.(core.Reader)
		if v.missing != "" || !ok {
			continue
		}
		out.Panels[id], err = worked(r.Context(), s.pool, sure(func() []Reading { return readingsOf(reader.At(t), q.themed(v)) }))
		if err != nil {
			return nil, err
		}
	}
	return jsonAnswer(out)
}

func readingsOf(all []core.Reading, paint *paint) []Reading {
	var out []Reading
	for _, r := range all {
		out = append(out, Reading{r.Label, r.Value, r.Unit, css(paint.of(r.Color))})
	}
	return out
}

// pick answers with what is drawn at a place.
func (s *Server) pick(r *http.Request) (*answer, error) {
	q, err := s.request(r)
	if err != nil {
		return nil, err
	}
	t := q.must("t", -mostTime, mostTime)
	y, height := q.number("y", 0, mostHeight, 0), q.number("height", 0, mostHeight, 0)
	reach := q.whole("reach", 0, mostTime, 0)
	if q.err != nil {
		return nil, q.err
	}
	v, m, err := q.ready(r.Context())
	if err != nil {
		return nil, err
	}
	picker, ok := v.View.(core.Picker)
	if v.missing != "" || !ok {
		return jsonAnswer(Pick{})
	}
	if m != nil {
		left, right := m.ToOwn(t-reach), m.ToOwn(t+reach)
		t, reach = m.ToOwn(t), max(0, (right-left)/2)
	}
	out, err := worked(r.Context(), s.pool, sure(func() (out Pick) {
		around := core.Query{T0: t - 8*reach - 8, T1: t + 8*reach + 8, Width: 16, Height: height}
		if hit, ok := picker.Pick(around, t, y, reach); ok {
			out.Hit = hitOf(v, hit)
		}
		return out
	}))
	if err != nil {
		return nil, err
	}
	if out.Hit != nil && m != nil {
		out.Hit.Start, out.Hit.End = m.ToAxis(out.Hit.Start), m.ToAxis(out.Hit.End)
		if s := out.Hit.Step; s != nil {
			s.T0, s.T1 = m.ToAxis(s.T0), m.ToAxis(s.T1)
		}
	}
	return jsonAnswer(out)
}

func hitOf(v *view, hit core.Hit) *Hit {
	worker := v.run.Resource.Name.At(int(hit.Resource))
	out := &Hit{Table: hit.Table, Index: hit.Row, Label: hit.Label, Start: hit.Start, End: hit.End, Worker: worker, Row: hit.RowName,
		Info: hit.Label + " · " + words.Duration(float64(hit.End-hit.Start)) + " · " + worker}
	if hit.Table == core.HitTask {
		out.Key = v.run.Task.Key.At(int(hit.Row))
		out.Info = hit.Label + " " + out.Key + strings.TrimPrefix(out.Info, hit.Label)
	}
	if s := hit.Step; s != nil {
		out.Step = &Step{s.Label, s.From, s.To}
		out.Info = "critical chain: " + s.Label + " · " + words.Duration(float64(hit.End-hit.Start)) + " · of " + hit.Label + " " + out.Key + " on " + worker
	}
	return out
}
