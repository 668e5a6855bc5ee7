package whatif

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"dagscope/internal/words"
	"dagscope/trace"
)

// Lack is something of which a run does not say what a replay of it takes.
type Lack struct {
	What    string   `json:"what"`              // is missing: one of those below
	Found   string   `json:"found"`             // what there is instead, and what follows
	Without []string `json:"without,omitempty"` // experiments that cannot be made for it
}

// What runs lack.
const (
	LackWorkers      = "workers"          // that tasks ran on
	LackDurations    = "durations"        // of tasks
	LackOrder        = "submission order" // and times
	LackDependencies = "dependencies"     // and accesses from which they would follow
	LackData         = "data"             // that tasks access, and transfers of it
	LackClock        = "one clock"        // of all nodes
)

// onData are the experiments about what is moved and kept.
var onData = []string{Link, Transfers, Contention, Memory, Prefetch, Distribution, Cache, Posting}

// Lacking is what of a run is missing for a replay.
func Lacking(run *trace.Run) (all []Lack) {
	t := &run.Task
	tasks, placed, timed, submitted, ordered := 0, 0, 0, 0, 0
	for i := range t.Worker {
		if t.Internal[i] {
			continue
		}
		tasks++
		if t.Worker[i] != trace.None {
			placed++
			if t.Start[i] != trace.NoTime && t.End[i] != trace.NoTime {
				timed++
			}
		}
		if t.Submit[i] != trace.NoTime {
			submitted++
		}
		if t.Order[i] > 0 {
			ordered++
		}
	}
	add := func(what string, without []string, format string, args ...any) {
		all = append(all, Lack{what, fmt.Sprintf(format, args...), without})
	}
	everything := func() (ids []string) {
		for _, e := range Registry {
			ids = append(ids, e.ID)
		}
		return ids
	}()
	switch {
	case tasks == 0:
		add(LackDurations, everything, "the run has no tasks")
		return all
	case placed == 0:
		add(LackWorkers, everything, "no task says on which worker it ran")
		return all
	case timed == 0:
		add(LackDurations, everything, "no task says when it started and ended")
		return all
	case timed < tasks:
		add(LackDurations, nil, "%d of %s did not run, or do not say where and when: they are left out", tasks-timed, words.Plural(tasks, "task"))
	}
	if submitted == 0 {
		found := "no task says when it was submitted: all are submitted at once, in the order of their starts"
		if ordered > 0 {
			found = "no task says when it was submitted: all are submitted at once, in their order"
		}
		add(LackOrder, []string{Submission, Window, Sync}, "%s", found)
	}
	if len(run.Dep.From) == 0 && len(run.Access.Task) == 0 && tasks > 1 {
		add(LackDependencies, []string{Scheduler, Priorities, Placement, Workers, Pipeline, Window, Sync}, "no task says what it waits for: the simulation has nothing wait")
	}
	switch moved := moves(run); {
	case len(run.Access.Task) == 0 && moved == 0:
		add(LackData, onData, "no task says what data it accesses, and nothing was moved")
	case len(run.Access.Task) == 0:
		add(LackData, onData, "no task says what data it accesses, so that none of %s can be simulated", words.Plural(moved, "transfer"))
	}
	if off := clocks(run); off > 0 {
		add(LackClock, nil, "clocks of nodes differ by %s or more: simulated times of several nodes, and gains, are off by that", words.Duration(off))
	}
	return all
}

// moves counts transfers of data.
func moves(run *trace.Run) (n int) {
	for _, bytes := range run.Transfer.Bytes {
		if bytes > 0 {
			n++
		}
	}
	return n
}

// clocks is by how much the clocks of nodes differ at least: by which a message seems
// to end before its start.
func clocks(run *trace.Run) (off int64) {
	x, re := &run.Transfer, &run.Resource
	for i := range x.Start {
		if x.Start[i] == trace.NoTime || x.End[i] == trace.NoTime || x.From[i] == trace.None || x.To[i] == trace.None || re.Node[x.From[i]] == re.Node[x.To[i]] {
			continue
		}
		off = max(off, x.Start[i]-x.End[i])
	}
	return off
}

// NotReplayed is the error of a run that cannot be simulated again.
type NotReplayed struct {
	Why   error
	Lacks []Lack
}

func (e *NotReplayed) Error() string {
	text := fmt.Sprintf("simulate the run again: %v", e.Why)
	if len(e.Lacks) > 0 {
		text += "; the run lacks " + describe(e.Lacks)
	}
	return text + "; no experiment remains: dagscope report has bounds and shares of the run, which take no simulation"
}

func (e *NotReplayed) Unwrap() error { return e.Why }

// describe says what is missing.
func describe(lacks []Lack) string {
	var parts []string
	for _, l := range lacks {
		parts = append(parts, fmt.Sprintf("%s (%s)", l.What, l.Found))
	}
	return strings.Join(parts, ", ")
}

// Missing says why an experiment cannot be made of a run.
type Missing struct {
	ID  string `json:"id"`
	Why string `json:"why"`
}

// Remaining are the experiments that can be made of a run, in the order of the
// registry, and the others with their reasons. One that a finding has to name a part
// for counts as one that can be made.
func (b *Base) Remaining() (ids []string, missing []Missing) {
	for _, e := range Registry {
		if e.ID == Custom {
			continue
		}
		if why := b.unavailable(&e); why != "" {
			missing = append(missing, Missing{e.ID, why})
		} else {
			ids = append(ids, e.ID)
		}
	}
	return ids, missing
}

// unavailable is why an experiment cannot be made, "" if it can.
func (b *Base) unavailable(e *Experiment) string {
	if why := b.lacks(e.ID); why != "" {
		return why
	}
	switch {
	case !b.Valid() && !b.CanPin():
		return "no simulation repeats the run"
	case !b.Valid() && e.Free && e.ID != Models:
		return "no simulation of the run's decisions repeats it"
	}
	_, err := b.Find(e.ID, Where{})
	var u *Unavailable
	switch {
	case err == nil || e.ID == Disturbance:
		return ""
	case errors.As(err, &u):
		return u.Why
	}
	return err.Error()
}

// lacks is what the run lacks for an experiment, "" for nothing.
func (b *Base) lacks(id string) string {
	for _, l := range b.Lacks {
		if slices.Contains(l.Without, id) {
			return "the run lacks " + l.What + ": " + l.Found
		}
	}
	return ""
}
