package trace

// ProcessorTime is the key of Meta.Environment under which recordings of
// programs say how much processor time all their processes used, as
// time.Duration writes it.
const ProcessorTime = "processor time"
