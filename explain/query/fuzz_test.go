package query

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"dagscope/internal/budget"
)

// FuzzStatement asks anything that a client may ask: rows or an error, JSON that
// is JSON, and an end soon after the client has gone.
//
//fuzz:class file
func FuzzStatement(f *testing.F) {
	for _, s := range []string{
		"SELECT kind, arch, count(*), median(duration) FROM tasks GROUP BY kind, arch",
		"SELECT * FROM task WHERE start BETWEEN 1 AND 1e9 AND kind IN ('a', x'00') ORDER BY worker DESC LIMIT 3",
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT sum(i) FROM n",
		"SELECT quantile(duration, 0.5) OVER (PARTITION BY kind ORDER BY start) FROM tasks",
		"PRAGMA table_info(task)", "ATTACH 'x' AS y", "SELECT 1; SELECT 2", "EXPLAIN SELECT hex(randomblob(9)), printf('%99999999d', 1)",
	} {
		f.Add(s)
	}
	db, err := Open(InMemory(smallRun()))
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { db.Close() })
	f.Fuzz(func(t *testing.T, statement string) {
		budget.Watch(t)
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		begin := time.Now()
		rows, err := db.Query(ctx, statement)
		if err != nil {
			return
		}
		defer rows.Close()
		var out strings.Builder
		err = WriteJSON(&limited{&out, 1 << 20}, rows)
		if err == nil && !json.Valid([]byte(out.String())) {
			t.Errorf("%q gives %q, want JSON", statement, out.String())
		}
		if took := time.Since(begin); took > 5*time.Second {
			t.Errorf("%q takes %v, want an end after 0.1 s", statement, took)
		}
	})
}

// limited is a client that reads no more than so many bytes.
type limited struct {
	to   io.Writer
	room int
}

func (l *limited) Write(p []byte) (int, error) {
	if l.room -= len(p); l.room < 0 {
		return 0, errors.New("enough")
	}
	return l.to.Write(p)
}
