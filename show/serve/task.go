package serve

import (
	"net/http"

	"dagscope/explain/compare"
	"dagscope/explain/task"
)

// mostLinks bounds the links of a chain that are listed.
const mostLinks = 10000

// task answers with all that can be said of a task. Times are of the axis.
func (s *Server) task(r *http.Request) (*answer, error) {
	q, err := s.request(r)
	if err != nil {
		return nil, err
	}
	levels := int(q.whole("levels", -1, 1<<31-1, 10))
	budget := int(q.whole("budget", 0, mostLinks, 500))
	if q.err != nil {
		return nil, q.err
	}
	x, err := q.explanations(r.Context())
	if err != nil {
		return nil, err
	}
	row, err := q.run.taskRow(r.Context(), r.PathValue("key"))
	if err != nil {
		return nil, err
	}
	m, err := q.align(r.Context())
	if err != nil {
		return nil, err
	}
	task, err := worked(r.Context(), s.pool, func() (task.Task, error) { return x.Task(row, levels, budget) })
	if err != nil {
		return nil, err
	}
	onAxis(m, &task)
	return jsonAnswer(task)
}

// onAxis maps the times of a task to the axis.
func onAxis(m *compare.Map, t *task.Task) {
	if m == nil {
		return
	}
	refs := []*task.Ref{&t.Ref}
	for _, ref := range []*task.Ref{t.Before, t.After} {
		if ref != nil {
			refs = append(refs, ref)
		}
	}
	for i := range t.Predecessors {
		refs = append(refs, &t.Predecessors[i].Ref)
	}
	for i := range t.Successors {
		refs = append(refs, &t.Successors[i].Ref)
	}
	for i := range t.Chain.Links {
		refs = append(refs, &t.Chain.Links[i].Ref)
	}
	for _, ref := range refs {
		ref.Start, ref.End = moved(m, ref.Start), moved(m, ref.End)
	}
	if t.Delay != nil {
		delay := *t.Delay
		delay.Ready = moved(m, delay.Ready)
		t.Delay = &delay
	}
}

// moved maps a time that may be unknown. What it points to may belong to an
// index, so it is left as it is.
func moved(m *compare.Map, t *int64) *int64 {
	if t == nil || m == nil {
		return t
	}
	to := m.ToAxis(*t)
	return &to
}
