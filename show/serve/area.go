package serve

import (
	"io"
	"net/http"
	"strings"

	"dagscope/explain/compare"
	"dagscope/explain/selection"
	"dagscope/trace"
)

// area reads the parameters of an area of a run, in the run's own time.
func (q *request) area(run *trace.Run, m *compare.Map) (selection.Area, error) {
	w := own(m, q.window())
	a := selection.Area{T0: w.T0, T1: w.T1, Kinds: q.list("kinds"), Min: q.whole("min", 0, mostTime, 0), Max: q.whole("max", 0, mostTime, 0)}
	if names := q.list("workers"); names != nil && q.err == nil {
		a.Workers = []int32{}
		for _, name := range names {
			row := workerNamed(run, name)
			if row == trace.None {
				return a, wrong("found no worker %s in this run", shortened(name))
			}
			a.Workers = append(a.Workers, row)
		}
	}
	return a, q.err
}

// workerNamed is the resource of a name, a worker before all others.
func workerNamed(run *trace.Run, name string) int32 {
	re, found := &run.Resource, trace.None
	for i := range re.Name.Index {
		if re.Name.At(i) != name {
			continue
		}
		if re.Level.At(i) == trace.LevelWorker {
			return int32(i)
		}
		found = int32(i)
	}
	return found
}

// prepared returns what questions about an area are answered from.
func (q *request) prepared(r *http.Request) (*selection.Index, selection.Area, *compare.Map, error) {
	var none selection.Area
	x, err := q.areas(r.Context())
	if err != nil {
		return nil, none, nil, err
	}
	m, err := q.align(r.Context())
	if err != nil {
		return nil, none, nil, err
	}
	a, err := q.area(q.run.data.Load(), m)
	return x, a, m, err
}

// selection answers what happened in an area.
func (s *Server) selection(r *http.Request) (*answer, error) {
	q, err := s.request(r)
	if err != nil {
		return nil, err
	}
	if q.window(); q.err != nil {
		return nil, q.err
	}
	x, a, m, err := q.prepared(r)
	if err != nil {
		return nil, err
	}
	stats, err := worked(r.Context(), s.pool, func() (*selection.Stats, error) { return asked(x.Compute(a)) })
	if err != nil {
		return nil, err
	}
	if m != nil {
		stats.T0, stats.T1 = m.ToAxis(stats.T0), m.ToAxis(stats.T1)
	}
	return jsonAnswer(stats)
}

// asked makes an error the fault of who asked.
func asked[V any](v V, err error) (V, error) {
	if err != nil {
		err = wrong("%w", err)
	}
	return v, err
}

// mostRows is how many rows of a table are in one answer.
const mostRows = 1000

// selectionTasks answers with the tasks of an area, a page of them or all as a
// file.
func (s *Server) selectionTasks(r *http.Request) (*answer, error) {
	q, err := s.request(r)
	if err != nil {
		return nil, err
	}
	q.window()
	page := selection.Page{Sort: q.word("sort", selection.Sorts...), Desc: q.word("desc", "0", "1") == "1",
		Offset: int(q.whole("offset", 0, 1<<31-1, 0)), Limit: int(q.whole("limit", 1, mostRows, 100))}
	file := q.word("format", "json", "csv") == "csv"
	if q.err != nil {
		return nil, q.err
	}
	x, a, m, err := q.prepared(r)
	if err != nil {
		return nil, err
	}
	if file {
		page.Limit = 1 // of what is looked at to see that nothing is wrong
	}
	rows, err := worked(r.Context(), s.pool, func() (*selection.TaskPage, error) { return asked(x.Page(a, page)) })
	if err != nil {
		return nil, err
	}
	if file {
		page.Limit = 0
		return &answer{kind: csvKind, filename: fileName(q.run.src.Name()) + "-tasks.csv",
			stream: func(w io.Writer) error { return x.WriteCSV(w, a, page) }}, nil
	}
	for i := range rows.Tasks {
		t := &rows.Tasks[i]
		t.Start, t.End = moved(m, t.Start), moved(m, t.End)
	}
	return jsonAnswer(rows)
}

// fileName makes a text fit for the name of a file on any system.
func fileName(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '-' || r == '_' || r == '.' {
			return r
		}
		return '_'
	}, s)
}
