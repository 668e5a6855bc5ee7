package serve

import (
	"context"
	"net/http"
	"strconv"

	"dagscope/explain/compare"
	"dagscope/explain/search"
	"dagscope/explain/selection"
	"dagscope/trace"
)

// SearchResult lists the hits of a search.
type SearchResult struct {
	Query  string              `json:"query"`
	Total  int                 `json:"total"`
	Before int                 `json:"before"`
	Hits   []selection.TaskRow `json:"hits"`
}

// longestSearch bounds the text of a search, bytes.
const longestSearch = 1000

// search answers with the tasks that match a query.
func (s *Server) search(r *http.Request) (*answer, error) {
	q, err := s.request(r)
	if err != nil {
		return nil, err
	}
	text := q.text("q")
	if len(text) > longestSearch {
		q.fail("q", text, "a shorter search")
	}
	o := search.Options{After: trace.None, Back: q.word("back", "0", "1") == "1", Limit: int(q.whole("limit", 0, mostRows, 20))}
	if q.err != nil {
		return nil, q.err
	}
	query, err := search.Parse(text)
	if err != nil {
		return nil, wrong("%w", err)
	}
	run, base, err := q.searched(r.Context())
	if err != nil {
		return nil, err
	}
	if key := q.text("after"); key != "" {
		if o.After, err = q.run.taskRow(r.Context(), key); err != nil {
			return nil, err
		}
	}
	m, err := q.align(r.Context())
	if err != nil {
		return nil, err
	}
	o.Outlier = base.Outlier
	out, err := worked(r.Context(), s.pool, sure(func() SearchResult {
		out := SearchResult{Query: query.String()}
		found := query.Find(run, o)
		out.Total, out.Before = found.Total, found.Before
		for _, row := range found.Rows {
			out.Hits = append(out.Hits, rowOfTask(run, row, base.Outlier, m))
		}
		for _, field := range found.Missing {
			out.Query += "; this run has no " + field
		}
		return out
	}))
	if err != nil {
		return nil, err
	}
	return jsonAnswer(out)
}

// rowOfTask describes a task as tables do.
func rowOfTask(run *trace.Run, row int32, outlier []bool, m *compare.Map) selection.TaskRow {
	t, i := &run.Task, int(row)
	out := selection.TaskRow{Key: t.Key.At(i), Kind: t.Kind.At(i)}
	if i < len(t.Tag) {
		out.Tag = strconv.FormatUint(t.Tag[i], 10)
	}
	if w := t.Worker[i]; w >= 0 {
		out.Worker = run.Resource.Name.At(int(w))
	}
	out.Start, out.End = moved(m, known(t.Start, i, trace.NoTime)), moved(m, known(t.End, i, trace.NoTime))
	if t.Start[i] != trace.NoTime && t.End[i] != trace.NoTime {
		out.Duration = t.End[i] - t.Start[i]
	}
	out.Outlier = i < len(outlier) && outlier[i]
	out.Priority = known(t.Priority, i, trace.NoInt)
	out.X, out.Y = known(t.X, i, trace.NoInt), known(t.Y, i, trace.NoInt)
	if n := known(t.Iteration, i, trace.NoInt); n != nil && *n >= 0 {
		out.Iteration = n
	}
	return out
}

// known is a value of a column, nil where it is not known or the run does not
// have the column.
func known[T comparable](column []T, i int, none T) *T {
	if i >= len(column) || column[i] == none {
		return nil
	}
	v := column[i]
	return &v
}

// compare answers with what changed from one run to another.
func (s *Server) compare(r *http.Request) (*answer, error) {
	p := readParameters(r)
	if p.err != nil {
		return nil, p.err
	}
	var sides [2]compare.Side
	s.openRuns()
	key := ""
	var of [2]*run
	for i, name := range []string{"a", "b"} {
		side, err := s.find(p.text(name))
		if err != nil {
			return nil, wrong("found %s=%s, want the number of a run", name, shortened(p.text(name)))
		}
		of[i], key = side, key+" "+p.text(name)
	}
	result, err := s.compared.get(r.Context(), key, func(ctx context.Context) (*compare.Result, error) {
		for i, side := range of {
			if err := side.wait(ctx); err != nil {
				return nil, err
			}
			data, err := side.load(ctx, compare.Needs...)
			if err != nil {
				return nil, err
			}
			sides[i] = compare.Side{Name: side.src.Name(), Run: data}
		}
		return s.compareRuns(ctx, sides)
	})
	if err != nil {
		return nil, err
	}
	return jsonAnswer(result)
}

// compareRuns compares beside the workers of the pool: it takes long.
func (s *Server) compareRuns(ctx context.Context, sides [2]compare.Side) (*compare.Result, error) {
	select {
	case s.opening <- struct{}{}:
		defer func() { <-s.opening }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	out, err := compare.Compute(sides[0], sides[1], compare.Options{Stop: ctx.Err})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, failure(http.StatusUnprocessableEntity, "%w", err)
	}
	return out, nil
}
