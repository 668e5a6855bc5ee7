package trace

// TaskGraph is the Meta.Reader of files that say which tasks there are and not
// when they ran. All their times are 0: such a run is to be simulated, with
// durations from elsewhere, and nothing else.
const TaskGraph = "task graph"

// ProcessorTime is the key of Meta.Environment under which recordings of
// programs say how much processor time all their processes used, as
// time.Duration writes it.
const ProcessorTime = "processor time"

// Keys of Meta.Environment that say what machine a recorded program had. The first
// process says it for all.
const (
	ProcessorsAllowed  = "processors"          // on which the program may run: "0-3;8"
	ProcessorsOnline   = "processors online"   // of the machine
	ProcessorModel     = "processor model"     // as the kernel names it
	ProcessorCores     = "cores"               // physical ones among those online
	ProcessorFrequency = "processor frequency" // "2000 MHz", at the beginning
	ProcessorQuota     = "processor quota"     // of the control group, in processors: "1.5"
	LoadBegin          = "load at begin"       // average over a minute, of the whole machine
	LoadEnd            = "load at end"
	EventsLost         = "events lost"     // that the recorder had no room for, in all processes
	EndedBySignal      = "ended by signal" // "terminated": a recorded process was killed
)

// EventLost is the kind of events where a thread's record has a gap: events before
// this were lost. Their value is how many, if that is known.
const EventLost = "lost"
