package serve

import (
	"context"
	"fmt"
	"net/http"

	"dagscope/explain/compare"
)

// mapOf maps the time of a run to that of another, computed once.
func (s *Server) mapOf(ctx context.Context, axis, other *run, mode compare.Mode) (*compare.Map, error) {
	key := fmt.Sprint(axis.id, " ", other.id, " ", mode)
	return s.maps.get(ctx, key, func(ctx context.Context) (*compare.Map, error) {
		s.openRuns()
		if err := firstOf(axis.wait(ctx), other.wait(ctx)); err != nil {
			return nil, err
		}
		a, err := axis.load(ctx, compare.AlignNeeds...)
		if err != nil {
			return nil, err
		}
		b, err := other.load(ctx, compare.AlignNeeds...)
		if err != nil {
			return nil, err
		}
		m, err := compare.Align(a, b, mode)
		if err != nil {
			return nil, failure(http.StatusUnprocessableEntity, "align run %s with %s: %w", other.src.Name(), axis.src.Name(), err)
		}
		return m, nil
	})
}

// alignment answers with the map itself.
func (s *Server) alignment(r *http.Request) (*answer, error) {
	q, err := s.request(r)
	if err != nil {
		return nil, err
	}
	m, err := q.align(r.Context())
	if err != nil {
		return nil, err
	}
	if m == nil {
		return jsonAnswer(Alignment{Knots: []Knot{{0, 0}}, Words: "The run's own time."})
	}
	out := Alignment{Words: m.Words}
	for i := range m.Own {
		out.Knots = append(out.Knots, Knot{m.Own[i], m.Axis[i]})
	}
	return jsonAnswer(out)
}
