package read

import (
	"dagscope/internal/text"
	"dagscope/read/format"
	"dagscope/read/taskcsv"
	"dagscope/read/taskdot"
	"dagscope/trace"
)

// IsGraph reports whether a file says which tasks there are and not when they
// ran: no run, but what can be simulated.
func IsGraph(path string) bool {
	head, err := text.Head(path, format.HeadBytes)
	return err == nil && (taskdot.Is(head) || taskcsv.IsGraph(head))
}

// Graph reads the tasks of such a file, as a run without times (trace.TaskGraph).
func Graph(path string) (*trace.Run, error) {
	head, err := text.Head(path, format.HeadBytes)
	if err != nil {
		return nil, err
	}
	if taskdot.Is(head) {
		return taskdot.Read(path)
	}
	return taskcsv.Read(path, taskcsv.Options{Graph: true})
}
