package decode

import (
	"strconv"

	"dagscope/read/assemble"
)

// taskDeps says that a task waits for another. It is an edge of the graph that
// StarPU draws unless one of the two is the library's own, and it is in the
// record of the task always.
func taskDeps(r *rank, a *args) {
	row, from := r.task(a.v[1]), r.task(a.v[0])
	t := &r.tasks
	if a.has(2) {
		t.more[row].kind = uint8(a.v[2])
	}
	if len(t.pred.row) == cap(t.pred.row) {
		r.growDeps()
	}
	t.pred.row = append(t.pred.row, row)
	t.pred.job = append(t.pred.job, r.out.Task.Job.Code[from])
	if t.more[row].inGraph() && t.more[from].inGraph() {
		t.more[from].shown = true
		r.out.Edge.From.AppendCode(r.code(&r.out.Edge.From, a.v[0]))
		r.out.Edge.To.AppendCode(r.code(&r.out.Edge.To, a.v[1]))
	}
}

// inGraph reports whether StarPU draws a task.
func (t *moreTask) inGraph() bool { return t.shown || t.kind&taskInternal == 0 }

// taskEndDep says that a task's end waits for another task.
func taskEndDep(r *rank, a *args) {
	row := r.task(a.v[1])
	t := &r.tasks
	t.endDep.row = append(t.endDep.row, row)
	t.endDep.job = append(t.endDep.job, r.code(&r.out.Task.Job, a.v[0]))
}

// edges takes those edges that have tags: tags tied to tasks stand for them.
func (r *rank) edges() *assemble.EdgeRows {
	if r.tags == nil {
		r.tags = r.out.EdgeRows()
	}
	return r.tags
}

// tagTask ties a tag to a task.
func tagTask(r *rank, a *args) {
	tag := r.tagName(a.v[0])
	r.edges().Chain([][]byte{tag, []byte(r.prefix + decimal(a.v[1])), tag})
}

// tagDeps says that what has a tag waits for what has another.
func tagDeps(r *rank, a *args) {
	r.edges().Add(r.tagName(a.v[1]), r.tagName(a.v[0]))
}

func (r *rank) tagName(tag uint64) []byte {
	return strconv.AppendUint([]byte("tag_"+r.prefix), tag, 16)
}

// finishEdges puts tasks in the place of the tags that they have.
func (r *rank) finishEdges() {
	if r.tags != nil {
		r.tags.Close()
	}
}

var depBindings = []binding{
	{"TASK_DEPS", []string{"pred", "succ", "tasktype?"}, "dep", taskDeps},
	{"TASK_END_DEP", []string{"pred", "succ"}, "dep", taskEndDep},
	{"TAG", []string{"tag", "job"}, "definition", tagTask},
	{"TAG_DEPS", []string{"succ", "pred"}, "dep", tagDeps},
}
