package serve

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
)

// Limits of SQL.
const (
	longestSQL  = 64 << 10 // bytes
	mostResults = 100000   // rows
)

// ErrSlow is the error of SQL that takes longer than it may.
var ErrSlow = errors.New("it takes too long: narrow it")

// sqlRequest is the body of a query.
type sqlRequest struct {
	Run   json.RawMessage `json:"run"` // "0" or 0
	SQL   string          `json:"sql"`
	Limit int             `json:"limit"`
}

// sql answers one SELECT.
func (s *Server) sql(r *http.Request) (*answer, error) {
	if s.options.SQL == nil {
		return nil, failure(http.StatusNotImplemented, "there is no SQL here")
	}
	var q sqlRequest
	if err := jsonBody(r, &q); err != nil {
		return nil, err
	}
	run, err := s.find(strings.Trim(string(q.Run), `"`))
	switch {
	case err != nil:
		return nil, err
	case run.of != nil:
		return nil, failure(http.StatusUnprocessableEntity, "%s is in memory only, where SQL does not reach: keep it, and serve that", run.src.Name())
	case strings.TrimSpace(q.SQL) == "":
		return nil, wrong("found no SQL, want one SELECT")
	case len(q.SQL) > longestSQL:
		return nil, failure(http.StatusRequestEntityTooLarge, "found SQL of %d bytes, want at most %d", len(q.SQL), longestSQL)
	case q.Limit < 0 || q.Limit > mostResults:
		return nil, wrong("found limit %d, want 1 to %d", q.Limit, mostResults)
	case q.Limit == 0:
		q.Limit = mostRows
	}
	result, err := s.options.SQL(r.Context(), run.id, q.SQL, q.Limit)
	switch {
	case r.Context().Err() != nil:
		return nil, r.Context().Err()
	case errors.Is(err, ErrSlow):
		return nil, failure(http.StatusUnprocessableEntity, "%w", err)
	case err != nil:
		return nil, wrong("%w", err)
	}
	for _, row := range result.Rows {
		for i, v := range row {
			if b, ok := v.([]byte); ok {
				row[i] = string(b)
			}
		}
	}
	return jsonAnswer(result)
}
