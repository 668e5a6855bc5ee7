package core

// Decision are the options of the panel on how a scheduler placed a task.
type Decision struct {
	Task string // key, "" for the placing that went wrong most
	Rows int    // workers, 0 for 16
}
