package trace

// Events of the counter table that are no hardware counters: by how many bytes
// the memory allocated changes as a task starts, and as it ends. Tasks without a
// row change nothing.
const (
	CounterStartBytes = "bytes at start"
	CounterEndBytes   = "bytes at end"
)
