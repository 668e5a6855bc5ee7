package policy

import (
	"cmp"
	"slices"
)

// none is no task and no worker.
const none = -1

// queue holds tasks by falling priority, those of equal priority as they came.
type queue struct {
	rows     []row
	size     int
	freeRows [][]int32 // slices of rows that are empty now
	logged   bool      // place is recorded
	place    int       // position of the last task pushed or popped, from 0
}

// row holds tasks of one priority; the first head of them have been popped.
type row struct {
	priority int32
	tasks    []int32
	head     int
}

func (q *queue) push(task, priority int32) {
	i, ok := slices.BinarySearchFunc(q.rows, priority, func(r row, p int32) int { return cmp.Compare(p, r.priority) })
	if !ok {
		q.rows = slices.Insert(q.rows, i, row{priority: priority, tasks: q.newRow()})
	}
	q.notePlace(i, len(q.rows[i].tasks))
	q.rows[i].push(task)
	q.size++
}

// notePlace records the position of the k-th task of a row.
func (q *queue) notePlace(row, k int) {
	if !q.logged {
		return
	}
	q.place = k - q.rows[row].head
	for i := range q.rows[:row] {
		q.place += len(q.rows[i].tasks) - q.rows[i].head
	}
}

// newRow is the slice of a new row.
func (q *queue) newRow() (tasks []int32) {
	if n := len(q.freeRows); n > 0 {
		tasks, q.freeRows = q.freeRows[n-1], q.freeRows[:n-1]
	}
	return tasks
}

func (r *row) push(task int32) {
	if r.head > 32 && 2*r.head > len(r.tasks) {
		r.tasks = r.tasks[:copy(r.tasks, r.tasks[r.head:])]
		r.head = 0
	}
	r.tasks = append(r.tasks, task)
}

// oldest pops the first task that the worker can run.
func (q *queue) oldest(can func(task int32) bool) int32 {
	for i := range q.rows {
		r := &q.rows[i]
		for k := r.head; k < len(r.tasks); k++ {
			if can(r.tasks[k]) {
				return q.take(i, k)
			}
		}
	}
	return none
}

// newest pops the last task of the highest priority that the worker can run.
func (q *queue) newest(can func(task int32) bool) int32 {
	if q.size == 0 {
		return none
	}
	r := &q.rows[0]
	for k := len(r.tasks) - 1; k >= r.head; k-- {
		if can(r.tasks[k]) {
			return q.take(0, k)
		}
	}
	return none
}

// take removes the k-th task of a row.
func (q *queue) take(i, k int) int32 {
	r := &q.rows[i]
	t := r.tasks[k]
	q.notePlace(i, k)
	switch {
	case k == r.head:
		r.head++
	default:
		r.tasks = slices.Delete(r.tasks, k, k+1)
	}
	q.size--
	if r.head == len(r.tasks) {
		q.freeRows = append(q.freeRows, r.tasks[:0])
		q.rows = slices.Delete(q.rows, i, i+1)
	}
	return t
}
