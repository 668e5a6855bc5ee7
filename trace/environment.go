package trace

// TaskGraph is the Meta.Reader of files that say which tasks there are and not
// when they ran. All their times are 0: such a run is to be simulated, with
// durations from elsewhere, and nothing else.
const TaskGraph = "task graph"

// ProcessorTime is the key of Meta.Environment under which recordings of
// programs say how much processor time all their processes used, as
// time.Duration writes it.
const ProcessorTime = "processor time"
