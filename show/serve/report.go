package serve

import (
	"context"
	"encoding/json"
	"net/http"

	"dagscope/diagnose/report"
	"dagscope/internal/words"
)

// findings answers with the report of a run, the document of `dagscope report
// --json`, and the tables of `--full`: where its makespan went, how short it could
// be, what to look at.
// Times are the run's own. It is computed once; options do not change it.
func (s *Server) findings(r *http.Request) (*answer, error) {
	q, err := s.request(r)
	if err != nil {
		return nil, err
	}
	s.openRuns()
	if err := q.run.wait(r.Context()); err != nil {
		return nil, err
	}
	body, err := s.reported.get(r.Context(), q.run.id, func(ctx context.Context) ([]byte, error) { return s.reportOf(ctx, q.run) })
	if err != nil {
		return nil, err
	}
	return &answer{kind: "application/json", body: body}, nil
}

// reportOf computes a report beside the workers of the pool: it takes long. Of
// the run only the report is kept: most of its columns are needed for nothing
// else.
func (s *Server) reportOf(ctx context.Context, r *run) ([]byte, error) {
	select {
	case s.opening <- struct{}{}:
		defer func() { <-s.opening }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	data, err := r.src.Load(report.Needs...)
	if err != nil {
		return nil, err
	}
	o := report.Options{Window: report.Window{Extent: report.ToEnd}, Stop: ctx.Err}
	computed := report.Compute(r.src.Name(), data, o)
	if err := ctx.Err(); err != nil {
		return nil, err // it may lack sections
	}
	body, err := json.Marshal(struct {
		*report.Report
		Rest []report.Block `json:"rest"` // tables below the first screen
		Rows [][]string     `json:"rows"` // of each finding, the workers that it is about
	}{computed, computed.Rest(), allRows(data, computed.Findings)})
	body = words.InJSON(body)
	return append(body, '\n'), err
}
