package cli

import (
	"context"
	"errors"
	"sync"
	"time"

	"dagscope/query"
	"dagscope/serve"
)

// sqlTime is how long one query of the live view may take.
const sqlTime = 30 * time.Second

// sqlRuns answers SQL of the live view: a database for each run, opened at its
// first query.
type sqlRuns struct {
	mu      sync.Mutex
	sources []*served
	open    map[int]*query.DB
	closed  bool
}

func newSQL(sources []*served) *sqlRuns {
	return &sqlRuns{sources: sources, open: map[int]*query.DB{}}
}

func (s *sqlRuns) database(run int) (*query.DB, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if db, ok := s.open[run]; ok {
		return db, nil
	}
	if s.closed || run < 0 || run >= len(s.sources) {
		return nil, errors.New("there is no such run")
	}
	db, err := query.Open(s.sources[run])
	if err == nil {
		s.open[run] = db
	}
	return db, err
}

func (s *sqlRuns) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, db := range s.open {
		db.Close()
	}
	clear(s.open)
}

// answer runs one SELECT. Queries on one run follow each other.
func (s *sqlRuns) answer(ctx context.Context, run int, statement string, limit int) (*serve.SQLResult, error) {
	ctx, cancel := context.WithTimeout(ctx, sqlTime)
	defer cancel()
	db, err := s.database(run)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	rows, err := db.Query(ctx, statement)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := &serve.SQLResult{}
	for _, c := range rows.Columns() {
		out.Columns = append(out.Columns, c.Name)
	}
	for rows.Next() {
		if len(out.Rows) == limit {
			out.Truncated = true
			break
		}
		out.Rows = append(out.Rows, append([]any(nil), rows.Values()...))
	}
	out.Elapsed = float64(time.Since(began).Microseconds()) / 1e3
	return out, rows.Err()
}
