package proof

import (
	"errors"
	"slices"
	"strings"

	"dagscope/diagnose/finding"
	"dagscope/internal/words"
	"dagscope/predict/whatif"
)

// Repair is how the problem of a finding is taken out of a run.
type Repair struct {
	Experiment string // of package predict/whatif, made at the finding's place
	Or         string // another one, tried as well; may be empty
	What       string // is different, for the documentation
	fits       func(f *finding.Finding, c *whatif.Change) bool
	everywhere bool // the finding's place is not the experiment's
	partly     bool // it is a step, not the end of the problem: the finding's sentence says which
}

// Repairs are the experiments of each id of a finding. An id that has none keeps
// its bound.
var Repairs = map[string]Repair{
	"slow-worker":         {Experiment: whatif.SlowWorker, What: "the worker takes as long as its peers"},
	"slow-node":           {Experiment: whatif.SlowNode, What: "the node takes as long as the others"},
	"disturbance":         {Experiment: whatif.Disturbance, What: "tasks in the window take what they take at other times"},
	"slow-link":           {Experiment: whatif.Link, What: "the links of the memory, or node, are as fast as their peers"},
	"slow-network":        {Experiment: whatif.Link, Or: whatif.Transfers, What: "the network, or all links between memories, are twice as fast", fits: network, everywhere: true, partly: true},
	"transfer-waits":      {Experiment: whatif.Transfers, What: "all links between memories are twice as fast", fits: bus, everywhere: true, partly: true},
	"late-posting":        {Experiment: whatif.Posting, What: "any number of messages is under way at a time", everywhere: true},
	"repeated-messages":   {Experiment: whatif.Cache, What: "data is sent to a node once until it changes", everywhere: true},
	"distribution":        {Experiment: whatif.Distribution, What: "data is dealt to the nodes otherwise: block-cyclic, or by their power", everywhere: true},
	"memory-too-small":    {Experiment: whatif.Memory, What: "the memories are without limit"},
	"memory-wait":         {Experiment: whatif.Memory, What: "the memory is without limit"},
	"forbidden-placement": {Experiment: whatif.Placement, What: "the kind runs there, if models say how long it takes", fits: thereOnly},
	"critical-on-slow":    {Experiment: whatif.Placement, What: "the kind runs on the faster architecture only", fits: elsewhereOnly},
	"bad-priorities":      {Experiment: whatif.Priorities, What: "priorities by the longest way to the end, in time or in tasks", fits: sets("bottom-level", "depth"), everywhere: true},
	"scheduler":           {Experiment: whatif.Scheduler, What: "dmdas decides", fits: sets("scheduler=dmdas"), everywhere: true},
	"wrong-models":        {Experiment: whatif.Models, What: "the scheduler expects what tasks take", everywhere: true},
	"late-submission":     {Experiment: whatif.Submission, What: "submitting a task takes no time", everywhere: true},
	"serial-creator":      {Experiment: whatif.Submission, What: "submitting a task takes no time", everywhere: true},
	"submission-window":   {Experiment: whatif.Window, What: "any number of tasks may be submitted before others have ended", everywhere: true},
	"synchronisation":     {Experiment: whatif.Sync, What: "the program does not wait for all tasks between its phases", everywhere: true},
	"prefetch":            {Experiment: whatif.Prefetch, What: "data is fetched before tasks begin", fits: sets("options.prefetch=true"), everywhere: true},
	"pipeline":            {Experiment: whatif.Pipeline, What: "device workers take another number of tasks at a time", everywhere: true},
	"too-fine":            {Experiment: whatif.Runtime, What: "nothing that the runtime does takes time", everywhere: true},
	"fine-grain":          {Experiment: whatif.Runtime, What: "nothing that the runtime does takes time", everywhere: true},
	"outliers":            {Experiment: whatif.Outliers, What: "outliers take the median of their group"},
	"work-inflation":      {Experiment: whatif.Inflation, What: "tasks take what they take while few workers are active"},
	"lock":                {Experiment: whatif.Locks, What: "tasks do not wait for locks", everywhere: true},
}

// decisions are experiments that leave machine, program and durations as they are:
// what is tried when no finding remains.
var decisions = []string{whatif.Scheduler, whatif.Priorities, whatif.Placement, whatif.Pipeline, whatif.Prefetch}

// ProgramChange is why a finding without a repair has none.
const ProgramChange = "no experiment repairs it: another program would be another task graph"

// repairsOf are the changes that repair a finding, or why there are none.
func repairsOf(b *whatif.Base, f *finding.Finding) (list []whatif.Change, why string) {
	r, known := Repairs[f.ID]
	if !known {
		return nil, ProgramChange
	}
	var at whatif.Where
	if !r.everywhere {
		at = place(f)
	}
	all, err := b.Find(r.Experiment, at)
	if r.Or != "" {
		if more, other := b.Find(r.Or, at); other == nil {
			all, err = append(all, more...), nil
		}
	}
	if err != nil {
		var unavailable *whatif.Unavailable
		if errors.As(err, &unavailable) {
			return nil, unavailable.Why
		}
		return nil, words.OneLine(err.Error())
	}
	for _, c := range all {
		if r.fits == nil || r.fits(f, &c) {
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		return nil, "experiment " + r.Experiment + " has nothing for it in this run"
	}
	return list, ""
}

// place is where a finding is, as experiments name it.
func place(f *finding.Finding) whatif.Where {
	var at whatif.Where
	if f.Where != nil {
		w := f.Where
		at = whatif.Where{Nodes: w.Nodes, Workers: w.Workers, Links: w.Links, Memories: w.Memories, Kinds: w.Kinds, Archs: w.Archs, Window: w.Window}
	}
	text := func(key string) []string {
		if s, ok := f.Evidence[key].(string); ok && s != "" {
			return []string{s}
		}
		return nil
	}
	if at.Memories == nil {
		at.Memories = text("memory")
	}
	if at.Kinds == nil {
		at.Kinds = text("kind")
	}
	if at.Archs == nil {
		at.Archs = text("arch")
	}
	if f.ID == "slow-worker" {
		at.Nodes = nil // the worker's name has it
	}
	return at
}

// sets accepts changes whose keys have one of some texts.
func sets(texts ...string) func(*finding.Finding, *whatif.Change) bool {
	return func(_ *finding.Finding, c *whatif.Change) bool {
		return slices.ContainsFunc(c.Set, func(set string) bool {
			return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(set, text) })
		})
	}
}

// networkTwice is the key by which messages take half as long.
const networkTwice = "platform.links.*network*={scale: 2}"

// bus accepts the links between memories twice as fast.
func bus(_ *finding.Finding, c *whatif.Change) bool {
	return c.ID == whatif.Transfers && strings.Contains(c.Set[0], "scale: 2}")
}

// network accepts what a finding is about: the network where it is about messages, else
// the links between memories.
func network(f *finding.Finding, c *whatif.Change) bool {
	if _, messages := f.Evidence["messages"]; messages {
		return slices.Equal(c.Set, []string{networkTwice})
	}
	return bus(f, c)
}

// thereOnly accepts the placement on the architecture of the finding.
func thereOnly(f *finding.Finding, c *whatif.Change) bool { return only(f, c, true) }

// elsewhereOnly accepts the placement on the other architecture.
func elsewhereOnly(f *finding.Finding, c *whatif.Change) bool { return only(f, c, false) }

func only(f *finding.Finding, c *whatif.Change, there bool) bool {
	at := place(f)
	if len(at.Kinds) != 1 || len(at.Archs) != 1 {
		return false
	}
	key := "options.only_gpu="
	if (at.Archs[0] == "cpu") == there {
		key = "options.only_cpu="
	}
	return strings.HasPrefix(c.Set[0], key)
}
