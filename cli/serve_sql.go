package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"dagscope/explain/query"
	"dagscope/show/serve"
)

// sqlTime is how long one query of the live view may take, and sqlBytes about
// how long its result may be. What a query that took sqlLong or longer held is
// given back to the machine.
const (
	sqlTime  = 30 * time.Second
	sqlBytes = 32 << 20
	sqlLong  = 100 * time.Millisecond
)

// sqlRuns answers SQL of the live view: a database for each run, opened at its
// first query.
type sqlRuns struct {
	mu      sync.Mutex
	sources []*served
	open    map[int]*query.DB
	closed  bool
	turn    chan struct{} // holds the query that runs
	time    time.Duration
	bytes   int
}

func newSQL(sources []*served) *sqlRuns {
	return &sqlRuns{sources: sources, open: map[int]*query.DB{}, turn: make(chan struct{}, 1), time: sqlTime, bytes: sqlBytes}
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
	db, err := query.Open(s.sources[run], computed(s.sources[run])...)
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

// answer runs one SELECT. Queries follow each other, also those on several runs:
// what one of them may hold is then what all of them hold. One whose client has
// gone stops, or is not begun.
func (s *sqlRuns) answer(asked context.Context, run int, statement string, limit int) (*serve.SQLResult, error) {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-asked.Done():
		return nil, asked.Err()
	}
	defer func(began time.Time) {
		if time.Since(began) >= sqlLong {
			debug.FreeOSMemory()
		}
	}(time.Now())
	ctx, cancel := context.WithTimeout(asked, s.time)
	defer cancel()
	out, err := s.result(ctx, run, statement, limit)
	if ctx.Err() != nil && asked.Err() == nil {
		return nil, fmt.Errorf("stop the query after %v: %w", s.time, serve.ErrSlow)
	}
	return out, err
}

// result collects rows until there are enough of them, or of their bytes.
func (s *sqlRuns) result(ctx context.Context, run int, statement string, limit int) (*serve.SQLResult, error) {
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
	room := s.bytes
	for rows.Next() {
		if len(out.Rows) == limit || room <= 0 {
			out.Truncated = true
			break
		}
		row := append([]any(nil), rows.Values()...)
		room -= bytesOf(row)
		out.Rows = append(out.Rows, row)
	}
	out.Elapsed = float64(time.Since(began).Microseconds()) / 1e3
	return out, rows.Err()
}

// bytesOf is about what a row takes in memory.
func bytesOf(row []any) int {
	n := 24 + 16*len(row)
	for _, v := range row {
		switch v := v.(type) {
		case string:
			n += len(v)
		case []byte:
			n += len(v)
		}
	}
	return n
}
