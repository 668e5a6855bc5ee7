package verdict

import (
	"strings"

	"dagscope/explain/chain"
)

// Family is what several classes of the chain have in common.
type Family string

// Families. Those without classes of their own are amounts of what executes.
const (
	Compute            Family = "compute"
	SlowerArchitecture Family = "slower-architecture"
	SlowerExecution    Family = "slower-execution"
	Memory             Family = "memory-wait"
	Transfers          Family = "transfers"
	Messages           Family = "messages"
	Exclusion          Family = "exclusion"
	Submission         Family = "submission"
	Creation           Family = "creation"
	Synchronisation    Family = "synchronisation"
	Lock               Family = "lock"
	OffCPU             Family = "off-cpu"
	Runtime            Family = "runtime"
	Unexplained        Family = "unexplained"
)

// FamilyOf is the family of a class by its name in tables.
func FamilyOf(class string) Family {
	switch {
	case strings.HasPrefix(class, "message-"):
		return Messages
	case strings.HasPrefix(class, "transfer"):
		return Transfers
	}
	return Family(class)
}

// spent say what a part of the makespan was.
var spent = map[Family]string{
	SlowerArchitecture: "is extra time of tasks on a slower architecture than the area bound's",
	SlowerExecution:    "is extra time of tasks over the mean of their kind",
	Memory:             "went into waiting for memory to be allocated or freed",
	Transfers:          "went into transfers between memories",
	Messages:           "went into messages between nodes",
	Exclusion:          "went into waiting for data that another task held (commutative access)",
	Submission:         "went into waiting for tasks to be submitted",
	Creation:           "went into creating tasks",
	Synchronisation:    "went into synchronisation (barriers, waits for tasks)",
	Lock:               "went into waiting for locks",
	OffCPU:             "passed with threads off the processor",
	Runtime:            "went into the runtime between tasks",
	Unexplained:        "is waiting that the trace does not explain",
}

// withoutStates is what the runtime's part is where its states are not known.
const withoutStates = "passed with a ready task and an idle worker (runtime, or thread off the processor)"

// Cost is what a family has of the chain.
type Cost struct {
	Family  Family
	NS      int64
	Class   Share   // that most of it is of, where the family has several
	Where   []Place // that have half of it or more, a verdict names the first
	Longest Span
}

// Place is a memory, link, node, kind, architecture or worker.
type Place struct {
	By    string  `json:"by"` // dimension of the chain's tables
	Name  string  `json:"name"`
	Share float64 `json:"share"` // of the cost
}

// Span is an unbroken part of the chain.
type Span struct {
	From, NS int64
	At       string // the link that it was on or waited for, "" for none
}

// clause is the beginning of a sentence.
func (c Cost) clause(in *Input) string {
	what := spent[c.Family]
	if c.Family == Runtime && in.NoStates {
		what = withoutStates
	}
	text := in.of(c.NS) + " " + what
	if c.Family == Unexplained && in.NoGraph {
		text += ", since it has no task graph"
	}
	if len(c.Where) > 0 {
		text += ", " + c.place()
	}
	return text
}

// place is where most of a cost is. The kind of a wait is that of the task that waits.
func (c Cost) place() string {
	p, preposition := c.Where[0], "on "
	switch p.By {
	case chain.ByMemory:
		preposition = "in "
	case chain.ByNode:
		preposition = "on node "
	case chain.ByKind:
		if preposition = "before "; c.Family == SlowerArchitecture || c.Family == SlowerExecution {
			preposition = "of "
		}
	}
	return part(preposition, p.Name, p.Share)
}
