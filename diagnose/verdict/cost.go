package verdict

import (
	"fmt"
	"slices"
	"strings"

	"dagscope/explain/chain"
	"dagscope/internal/words"
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
	SlowerArchitecture: "is extra time of critical-chain tasks on an architecture that is slower for them",
	SlowerExecution:    "is extra time of critical-chain tasks over the mean of their kind",
	Memory:             "went into waiting for memory on the critical chain (allocation, eviction, write-back)",
	Transfers:          "went into transfers between memories on the critical chain",
	Messages:           "went into messages between nodes on the critical chain",
	Exclusion:          "went into waiting for data that another task held (commutative access)",
	Submission:         "went into waiting for tasks to be submitted",
	Creation:           "went into the creation of tasks on the critical chain",
	Synchronisation:    "went into synchronisation on the critical chain (barrier, taskwait, wait for all tasks)",
	Lock:               "went into waiting for locks on the critical chain",
	OffCPU:             "passed while threads of the critical chain were off the processor",
	Runtime:            "went into the runtime between tasks of the critical chain",
	Unexplained:        "is waiting on the critical chain that the trace does not explain",
}

// short name the families in half a sentence.
var short = map[Family]string{
	SlowerArchitecture: "extra time on a slower architecture", SlowerExecution: "extra time over the mean of the kind", Memory: "waiting for memory",
	Transfers: "transfers between memories", Messages: "messages between nodes", Exclusion: "commutative access", Submission: "submission",
	Creation: "the creation of tasks", Synchronisation: "synchronisation", Lock: "locks", OffCPU: "threads off the processor",
	Runtime: "the runtime", Unexplained: "waits that the trace does not explain",
}

func (f Family) words() string { return short[f] }

// Cost is what a family has of the chain.
type Cost struct {
	Family  Family
	NS      int64
	Class   Share   // that most of it is of, where the family has several
	Where   []Place // that have half of it or more, the first is named
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
	text := fmt.Sprintf("%s of the makespan (%s of %s) %s", words.PercentOf(c.NS, in.Makespan),
		words.Duration(c.NS), words.Duration(in.Makespan), spent[c.Family])
	if c.Family == Unexplained && in.NoGraph {
		text += ", since it has no task graph"
	}
	var where []string
	for _, p := range c.Where[:min(2, len(c.Where))] {
		where = append(where, p.words())
	}
	if c.Class.Name != "" && c.Class.Share >= Mostly {
		name := c.Class.Name
		if name == chain.TransferContention.String() {
			name = "beyond what the links need alone"
		}
		where = append([]string{part(name, c.Class.Share)}, where...)
	}
	if len(where) > 0 {
		text += ", " + strings.Join(where, ", ")
	}
	if c.Longest.NS*2 >= c.NS && float64(c.Longest.NS) >= Large*float64(in.Makespan) {
		text += fmt.Sprintf(", %s of it at once", words.Duration(c.Longest.NS))
		if named := slices.ContainsFunc(c.Where, func(p Place) bool { return p.Name == c.Longest.At }); c.Longest.At != "" && !named {
			text += " on " + c.Longest.At
		}
	}
	return text
}

func (p Place) words() string {
	name := p.Name
	switch p.By {
	case chain.ByMemory:
		name = "in " + name
	case chain.ByNode:
		name = "on node " + name
	case chain.ByKind:
		name = "in " + name
	default:
		name = "on " + name
	}
	return part(name, p.Share)
}
