package serve

import (
	"context"
	"net/http"

	"dagscope/explain/decision"
)

// decisions are prepared at the first question about one.
func (q *request) decisions(ctx context.Context) (*decision.Index, error) {
	return q.run.indexes.decisions.get(ctx, func(ctx context.Context) (*decision.Index, error) {
		m, err := q.material(ctx, decision.Needs...)
		if err != nil {
			return nil, err
		}
		defer q.run.drop(edgeTargets)
		why, err := q.causes(ctx)
		if err != nil {
			return nil, err
		}
		return decision.New(m.data, decision.Options{Lanes: m.lanes, Last: m.last, Chain: why}), nil
	})
}

// decision answers with how a task was placed. Times are the run's own.
func (s *Server) decision(r *http.Request) (*answer, error) {
	q, err := s.request(r)
	if err != nil {
		return nil, err
	}
	if q.err != nil {
		return nil, q.err
	}
	x, err := q.decisions(r.Context())
	if err != nil {
		return nil, err
	}
	row, err := q.run.taskRow(r.Context(), r.PathValue("key"))
	if err != nil {
		return nil, err
	}
	in, err := worked(r.Context(), s.pool, func() (*decision.Inspection, error) { return x.Inspect(row) })
	if err != nil {
		return nil, err
	}
	return jsonAnswer(in)
}
