package whatif

import (
	"fmt"
	"slices"
	"strings"

	"dagscope/internal/words"
)

// Change is one thing that is different.
type Change struct {
	ID    string `json:"id"`    // of the experiment, such as "link"
	Title string `json:"title"` // what is different, in words
	Where Where  `json:"where"` // what of the run it is about; empty: all of it
	// Set are the keys that make the change, as KEY=VALUE: those of a spec, which
	// dagscope simulate --from RUN --set takes too, and those of [Keys].
	Set []string `json:"set,omitempty"`
	// Believed reports whether the scheduler knows: its models have changed too.
	Believed bool `json:"believed"`
	// SpeedUp is the share of their time that the kinds of Where do not take any
	// more; 0 for other changes.
	SpeedUp float64 `json:"speedup,omitempty"`

	parts []Change // that are made together
}

// Where says what of a run a change is about, by the names of workers, memories
// (RAM, CUDA1), kinds and architectures; what it says nothing of is empty. Its fields
// are those of a finding's where.
type Where struct {
	Nodes    []int32     `json:"nodes,omitempty"`
	Workers  []string    `json:"workers,omitempty"`
	Links    [][2]string `json:"links,omitempty"` // from, to: memories
	Memories []string    `json:"memories,omitempty"`
	Kinds    []string    `json:"kinds,omitempty"`
	Archs    []string    `json:"archs,omitempty"`
	Window   []int64     `json:"window_ns,omitempty"` // from, to
}

// Experiments, in the order in which they are listed.
const (
	Scheduler    = "scheduler"
	Priorities   = "priorities"
	Placement    = "placement"
	Kernel       = "kernel"
	Workers      = "workers"
	SlowWorker   = "slow-worker"
	SlowNode     = "slow-node"
	Disturbance  = "disturbance"
	Outliers     = "outliers"
	Link         = "link"
	Transfers    = "transfers"
	Contention   = "contention"
	Memory       = "memory"
	Pipeline     = "pipeline"
	Prefetch     = "prefetch"
	Submission   = "submission"
	Window       = "window"
	Sync         = "synchronisation"
	Distribution = "distribution"
	Cache        = "cache"
	Posting      = "posting"
	Models       = "models"
	Runtime      = "runtime"
	Locks        = "locks"
	Inflation    = "inflation"
	Causal       = "causal"
	Custom       = "custom"
)

// Experiment is a row of the registry.
type Experiment struct {
	ID   string
	What string // is different
	// Believed: the scheduler's models change too.
	Believed bool
	// Free: what it changes, the scheduler decides on, so that only a simulation
	// answers in which a scheduler decides. The others are tried on the recorded
	// schedule where no scheduler repeats the run.
	Free bool
	// Setting: one could do it to the next run without other hardware or code.
	Setting bool
}

// Registry are all experiments.
var Registry = []Experiment{
	{Scheduler, "another scheduler decides", false, true, true},
	{Priorities, "no priorities, or the longest way to the end in time or in tasks, under a scheduler that heeds them", false, true, true},
	{Placement, "a kind only on devices, or only on CPUs, of those that ran on both; or also where the run never had it, if --set models=… knows how long it takes there", false, true, true},
	{Kernel, "a kind takes half as long on an architecture, of kinds with 1 % of the work", true, false, false},
	{Workers, "a GPU more or less, a quarter of the CPUs more or fewer (of each node); a node more or less", true, true, false},
	{SlowWorker, "a worker whose durations exceed its peers' medians by 5 % in three quarters of the groups takes as long as they do", true, false, false},
	{SlowNode, "the same of a node", true, false, false},
	{Disturbance, "tasks that began in a window take what their group takes outside of it", false, false, false},
	{Outliers, "tasks that took more than 1.2 times their group's median, and more than its quartiles allow, take the median", false, false, false},
	{Link, "a link with less than 0.8 of its peers' bandwidth has the median of theirs; the links of a device, or the network, twice as fast", true, false, false},
	{Transfers, "all links between memories twice as fast; transfers and messages take no time", true, false, false},
	{Contention, "transfers do not share links: each has the bandwidth to itself", false, false, false},
	{Memory, "a memory, or all of them, without limit", true, true, false},
	{Pipeline, "device workers take 1, 3 or 4 tasks at a time instead of 2", false, true, true},
	{Prefetch, "data is not fetched before tasks begin; or is, where the run has no prefetch", false, true, true},
	{Submission, "submitting a task takes no time", false, false, false},
	{Window, "any number of tasks may be submitted before others have ended", false, true, true},
	{Sync, "the program does not wait for all tasks between its phases", false, true, false},
	{Distribution, "data is dealt to the nodes by coordinates: two-dimensional block-cyclic, or by the power of nodes", false, true, true},
	{Cache, "data is sent to a node once until it changes", false, false, true},
	{Posting, "any number of messages is under way at a time", false, false, true},
	{Models, "the scheduler expects what tasks take, where with that it does not decide as it did: against the recorded schedule", true, true, false},
	{Runtime, "nothing that the runtime does takes time", false, false, false},
	{Locks, "tasks take what they take without waiting for locks", true, false, false},
	{Inflation, "tasks take what their group takes while few workers are active", true, false, false},
	{Causal, "a kind faster on an architecture by 2, 5, 10, 25, 50, 99.9 %", true, false, false},
	{Custom, "keys of --change", false, true, false},
}

// experiment is the row of an experiment.
func experiment(id string) (Experiment, bool) {
	i := slices.IndexFunc(Registry, func(e Experiment) bool { return e.ID == id })
	if i < 0 {
		return Experiment{}, false
	}
	return Registry[i], true
}

// LeavesDecisions reports whether a change can be tried on the recorded schedule:
// who runs what, in which order, stays as it was.
func (c *Change) LeavesDecisions() bool {
	if c.parts != nil {
		return !slices.ContainsFunc(c.parts, func(p Change) bool { return !p.LeavesDecisions() })
	}
	if c.ID == Custom {
		return len(c.Set) > 0 && !slices.ContainsFunc(c.Set, decides)
	}
	e, known := experiment(c.ID)
	return known && !e.Free
}

// decides reports whether a key is about what a scheduler decides on.
func decides(assignment string) bool {
	key, _, _ := strings.Cut(assignment, "=")
	if own, _, _ := strings.Cut(key, "."); own == "run" {
		return false
	}
	for _, leaves := range []string{"models.scale", "platform.links", "costs", "options.mpi", "options.overhead_us", "machine.contention"} {
		if key == leaves || strings.HasPrefix(key, leaves+".") {
			return false
		}
	}
	return true
}

// Own is a change of keys that the user names.
func Own(set []string) Change {
	return Change{ID: Custom, Title: strings.Join(set, ", "), Set: set}
}

// Together is several changes made at once.
func Together(changes ...Change) Change {
	if len(changes) == 1 {
		return changes[0]
	}
	c := Change{ID: Custom, Believed: true}
	var titles []string
	for _, one := range changes {
		c.Set = append(c.Set, one.Set...)
		titles = append(titles, one.Title)
		c.Believed = c.Believed && one.Believed
	}
	c.Title = strings.Join(titles, " + ")
	return c
}

// Unavailable is why an experiment cannot be made of a run.
type Unavailable struct{ ID, Why string }

func (u *Unavailable) Error() string { return fmt.Sprintf("%s is not available: %s", u.ID, u.Why) }

func unavailable(id, format string, args ...any) error {
	return &Unavailable{id, fmt.Sprintf(format, args...)}
}

// names is a list in a title.
func names(all []string) string { return words.List(all, 4) }

// Settings are those of some changes that could be made to the next run.
func Settings(changes []Change) []Change {
	return slices.DeleteFunc(slices.Clone(changes), func(c Change) bool {
		e, known := experiment(c.ID)
		return !known || !e.Setting
	})
}
