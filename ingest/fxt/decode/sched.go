package decode

// pushed is a task that became ready and went to the scheduler.
func pushed(r *rank, a *args) {
	t := &r.traffic
	t.ready++
	r.sample(metricReady, r.scheduler, r.now, float64(t.ready))
	r.event(eventPush, r.program, t.value.number(a.v[0]))
}

// popped is a task that the scheduler gave to a worker.
func popped(r *rank, a *args) {
	t := &r.traffic
	t.ready--
	t.submitted--
	r.sample(metricReady, r.scheduler, r.now, float64(t.ready))
	r.sample(metricSubmitted, r.scheduler, r.now, float64(t.submitted))
	r.event(eventPop, r.program, t.value.number(a.v[0]))
}

// counted is the submission of a task.
func counted(r *rank, _ *args) {
	r.traffic.submitted++
	r.sample(metricSubmitted, r.scheduler, r.now, float64(r.traffic.submitted))
}

var schedBindings = []binding{
	{"JOB_PUSH", []string{"job"}, "event", pushed},
	{"JOB_POP", []string{"job"}, "event", popped},
	{"UPDATE_TASK_CNT", nil, "sample", counted},
}
