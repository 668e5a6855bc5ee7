package decode

// userEvent is a number that the program traces (starpu_fxt_trace_user_event):
// of the thread, if it drives a worker.
func userEvent(r *rank, a *args) {
	at := r.program
	if t := r.thread(a.v[1]); t != nil && t.worker >= 0 {
		at = t.container
	}
	r.event(eventUser, at, r.traffic.value.number(a.v[0]))
}

// programText is a text that the program or StarPU traces.
func programText(r *rank, a *args) {
	r.event(eventProgram, r.program, r.traffic.value.text(a.text()))
}

// threadText is a text that a thread traces; of the program if nothing else is
// known of the thread.
func threadText(r *rank, a *args) {
	at := r.program
	if t := r.thread(a.v[0]); t != nil {
		at = t.container
	}
	r.event(eventThread, at, r.traffic.value.text(a.text()))
}

// programTells returns the function of an event of the whole program.
func programTells(typ int32, text string) func(*rank, *args) {
	return func(r *rank, _ *args) { r.event(typ, r.program, r.traffic.value.text([]byte(text))) }
}

var userBindings = []binding{
	{"USER_EVENT", []string{"code", "thread"}, "event", userEvent},
	{"EVENT", nil, "event", programText},
	{"THREAD_EVENT", []string{"thread"}, "event", threadText},
	{"MPI_CHECKPOINT_BEGIN", nil, "event", programTells(eventCheckpointBegin, "0")},
	{"MPI_CHECKPOINT_END", nil, "event", programTells(eventCheckpointEnd, "0")},
	{"FUT_START_FLUSH", nil, "event", programTells(eventProgram, "fxt_start_flush")},
	{"FUT_STOP_FLUSH", nil, "event", programTells(eventProgram, "fxt_stop_flush")},
}
