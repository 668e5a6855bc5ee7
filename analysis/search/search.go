// Package search finds tasks by a short query in words.
package search

import "dagscope/trace"

// Options say which of the tasks that match are wanted.
type Options struct {
	After   int32  // task row: only hits that come after it, or with Back before it; trace.None for the first (last) ones
	Back    bool   // the last hits before After instead of the first after it
	Limit   int    // hits listed at most; 0 only counts
	Outlier []bool // by task: long outliers of METHODS 2; nil computes nothing: no task is one
}

// Result lists hits in the order of their starts, ties in submission order;
// tasks that never ran come last.
type Result struct {
	Rows    []int32  // task rows
	Total   int      // hits in the whole run
	Before  int      // hits that come before the first listed
	Missing []string // fields of the query that this run has nothing of
}

// Query is a parsed query.
type Query struct{ words string }

// Parse reads a query; an error names the position, what was found and what
// was wanted. An empty query matches all tasks.
func Parse(q string) (*Query, error) { return &Query{}, nil }

// String is the query as understood, in words.
func (q *Query) String() string { return q.words }

// Find searches a run.
func (q *Query) Find(run *trace.Run, o Options) Result { return Result{} }

// Lookup returns the row of a task by its job id.
func Lookup(run *trace.Run, key string) (row int32, ok bool) {
	row = run.Task.Key.Find(key)
	return row, row != trace.None
}
