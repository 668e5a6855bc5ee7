package trace

// DeriveReady sets the ready times of a file that has none: a task was ready
// when it had been submitted and all its predecessors had ended, and at its
// start at the latest, for the end of another task may be from another clock
// (docs/design/methods.md, Time). Meta.Derived says so. Tasks without both stay
// without a ready time. Call it before [Builder.Finish].
func (b *Builder) DeriveReady() {
	t, d := &b.Run.Task, &b.Run.Dep
	copy(t.Ready, t.Submit)
	for i, to := range d.To {
		if from := d.From[i]; from != None {
			t.Ready[to] = max(t.Ready[to], t.End[from])
		}
	}
	for i, at := range t.Ready {
		t.Ready[i] = min(at, t.Start[i])
	}
	b.Run.Derived("task.ready", "the latest of submission and ends of the tasks that it waits for")
}

// Derived notes in the run's metadata that a column was computed, and how.
func (r *Run) Derived(column, origin string) {
	if r.Meta.Derived == nil {
		r.Meta.Derived = make(map[string]string)
	}
	r.Meta.Derived[column] = origin
}
