// Package search answers: which tasks are these? It finds tasks by a short
// query in words, as one types it into a search box.
//
// A query is a list of terms, separated by spaces; a task must match all of
// them. A "-" before a term asks for the tasks that do not match it; commas
// separate alternatives; what holds spaces, commas or colons is put in double
// quotes. Upper and lower case are the same, except in job ids.
//
//	gemm              a free word: part of the kind, the whole job id or what
//	                  follows its "_", the tag (decimal or 0x…), or the whole
//	                  name of the worker
//	kind:*gemm        the whole kind; * stands for any text, ? for a character
//	worker:CUDA*      the whole name of the worker; also arch: and node:
//	id:0_5051         job id, or what follows its "_"
//	tag:0x10          tag, decimal or hexadecimal
//	xy:3,4            both coordinates of the block it writes
//	x:3 y>=2          numbers: x, y, iteration, subiteration, priority, order,
//	                  gflop, bytes; with :, =, <, <=, > or >=
//	dur>10ms start<2s times, with a unit (ns, us, µs, ms or s): dur, start, end,
//	                  submit, ready, delay (from ready to start)
//	outlier           takes unusually long (docs/design/methods.md, Outliers)
//	generation        prepares the input; internal: is the runtime's own;
//	                  unrun: never ran
//
// Names and numbers are compared with dictionaries once; tasks are looked
// through in bulk, column by column.
package search

import "dagscope/trace"

// Needs names the columns that any query may read; [More] those that are
// looked at where a run has them.
var (
	Needs = []string{
		"resource.parent", "resource.name", "resource.arch", "resource.node",
		"task.key", "task.kind", "task.worker", "task.start", "task.end", "task.generation", "task.internal",
	}
	More = []string{
		"task.submit", "task.ready", "task.order", "task.priority", "task.iteration", "task.subiteration", "task.node", "task.tag",
		"task.gflop", "task.bytes", "task.x", "task.y", "segment.task", "segment.start", "segment.end",
	}
)

// Options say which of the tasks that match are wanted.
type Options struct {
	After   int32  // task row: only hits that come after it, or with Back before it; trace.None for the first (last) ones
	Back    bool   // the last hits before After instead of the first after it
	Limit   int    // hits listed at most; 0 only counts
	Outlier []bool // by task: long outliers of docs/design/methods.md, Outliers; nil if not known
}

// Result lists hits in the order of their starts, ties in submission order;
// tasks that never ran come last.
type Result struct {
	Rows    []int32  // task rows
	Total   int      // hits in the whole run
	Before  int      // hits that come before the first listed (or before where it would be)
	Missing []string // fields of the query that this run has nothing of: nothing matches them
}

// Lookup returns the row of a task by its job id; ok is false if there is none.
func Lookup(run *trace.Run, key string) (row int32, ok bool) {
	if key == "" {
		return trace.None, false
	}
	row = run.Task.Key.Find(key)
	return row, row != trace.None
}
