package selection

// Area is a part of a run: what [T0, T1) holds of some workers.
type Area struct {
	T0, T1  int64    // ns
	Workers []int32  // resource rows, nil for all workers
	Kinds   []string // only tasks of these kinds, nil for all
	// Min and Max bound the whole duration of tasks, ns, both included; Max 0 is
	// no bound. They and Kinds choose among tasks; idle time, its causes, the
	// breakdown and the states are those of the workers, whatever is chosen.
	Min, Max int64
}
