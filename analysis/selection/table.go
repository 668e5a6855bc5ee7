package selection

import "io"

// Page chooses rows of the table of tasks.
type Page struct {
	Sort   string // one of Sorts, "" is start
	Desc   bool
	Offset int
	Limit  int // 0 is all
}

// Sorts are the orders of the table of tasks. Ties are in the order of
// submission; tasks whose ready time is not known come last.
var Sorts = []string{"start", "end", "duration", "kind", "worker", "key", "ready_delay"}

// TaskPage is a part of the table of tasks.
type TaskPage struct {
	Total  int       `json:"total"`
	Offset int       `json:"offset"`
	Tasks  []TaskRow `json:"tasks"`
}

// TaskRow is a row of the table of tasks. Times are ns; nil is unknown.
type TaskRow struct {
	Key       string `json:"key"`
	Kind      string `json:"kind"`
	Worker    string `json:"worker"`
	Start     *int64 `json:"start"`
	End       *int64 `json:"end"`
	Duration  int64  `json:"duration_ns"`
	Outlier   bool   `json:"outlier"`
	Priority  *int32 `json:"priority"`
	Tag       string `json:"tag"`
	X         *int32 `json:"x"`
	Y         *int32 `json:"y"`
	Iteration *int32 `json:"iteration"`
}

// Tasks lists the tasks that touch an area, by row of the run's table: those of
// the page, and how many there are in all.
func (x *Index) Tasks(a Area, p Page) (rows []int32, total int, err error) { return nil, 0, nil }

// Page is Tasks with what the table shows of each.
func (x *Index) Page(a Area, p Page) (*TaskPage, error) { return &TaskPage{}, nil }

// WriteCSV writes the tasks that touch an area, a line each, in the order of
// the page; all of them, whatever its offset and limit.
func (x *Index) WriteCSV(w io.Writer, a Area, p Page) error { return nil }
