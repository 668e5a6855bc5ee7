package selection

import (
	"fmt"
	"strconv"

	"dagscope/trace"
)

// Page chooses rows of the table of tasks.
type Page struct {
	Sort   string // one of Sorts, "" is start
	Desc   bool
	Offset int
	Limit  int // 0 is all
}

// Sorts are the orders of the table of tasks: kinds by name, keys by prefix and
// number ("a9" before "a10"), workers in the order of the run's resources. Ties
// are in the order of submission, either way up; tasks whose ready time is not
// known come last by ready_delay, either way up.
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
// the page, and how many there are in all. The error names what is wrong with
// the area or the page.
func (x *Index) Tasks(a Area, p Page) (rows []int32, total int, err error) {
	if p.Offset < 0 || p.Limit < 0 {
		return nil, 0, fmt.Errorf("list %d tasks from the %d-th: want no negative numbers", p.Limit, p.Offset)
	}
	if rows, err = x.inArea(a, p); err != nil {
		return nil, 0, err
	}
	total = len(rows)
	from := min(total, p.Offset)
	to := total
	if p.Limit > 0 {
		to = from + min(total-from, p.Limit)
	}
	if from == to {
		return nil, total, nil
	}
	return x.sorted(rows, p, to)[from:to], total, nil
}

// inArea lists the tasks that touch an area, not sorted yet.
func (x *Index) inArea(a Area, p Page) ([]int32, error) {
	if err := checkSort(p.Sort); err != nil {
		return nil, err
	}
	x.prepareTasks()
	c, err := x.choose(a)
	if err != nil {
		return nil, err
	}
	return x.rows(c), nil
}

// Page is Tasks with what the table shows of each.
func (x *Index) Page(a Area, p Page) (*TaskPage, error) {
	rows, total, err := x.Tasks(a, p)
	if err != nil {
		return nil, err
	}
	page := &TaskPage{Total: total, Offset: p.Offset, Tasks: make([]TaskRow, len(rows))}
	for i, v := range rows {
		page.Tasks[i] = x.row(v)
	}
	return page, nil
}

func (x *Index) row(v int32) TaskRow {
	t, i := &x.run.Task, int(v)
	r := TaskRow{
		Key: t.Key.At(i), Kind: t.Kind.At(i), Worker: x.run.Resource.Name.At(int(t.Worker[i])), Start: &t.Start[i], End: &t.End[i],
		Duration: x.durationOf(v), Outlier: x.isOutlier(v), Priority: known(t.Priority, i), X: known(t.X, i), Y: known(t.Y, i),
		Iteration: x.iteration(i),
	}
	if t.Tag != nil {
		r.Tag = strconv.FormatUint(t.Tag[i], 10)
	}
	return r
}

// iteration is the outer iteration of a task, nil if it has none.
func (x *Index) iteration(row int) *int32 {
	if n := known(x.run.Task.Iteration, row); n != nil && *n >= 0 {
		return n
	}
	return nil
}

func (x *Index) isOutlier(v int32) bool { return x.o.Outlier != nil && x.o.Outlier[v] }

// known is a number of a column that may be absent, nil where it is not known.
func known(column []int32, row int) *int32 {
	if column == nil || column[row] == trace.NoInt {
		return nil
	}
	return &column[row]
}
