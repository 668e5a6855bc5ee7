package compare

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"dagscope/explain/efficiency"
	"dagscope/explain/kind"
	"dagscope/explain/schedule"
	"dagscope/explain/utilization"
	"dagscope/internal/words"
	"dagscope/trace"
)

// EfficiencyNeeds names the columns that [SideBySide] reads.
var EfficiencyNeeds = slices.Concat(utilization.WorkerNeeds, efficiency.Needs, efficiency.StateNeeds, MatchNeeds)

// SideBySide are the efficiencies of several runs. The first is the reference that
// the computation of the others is compared with, itself included.
type SideBySide struct {
	Runs []EfficiencyOf `json:"runs"`

	o         Options
	reference *Side
}

// EfficiencyOf is a run among others: its efficiencies (as `report --json` has
// them) and, against the reference, how much slower the same computation became.
type EfficiencyOf struct {
	Summary
	Efficiency             *efficiency.Summary `json:"efficiency,omitempty"`
	ComputationScalability *float64            `json:"computation_scalability,omitempty"`
	GlobalEfficiency       *float64            `json:"global_efficiency,omitempty"` // parallel efficiency × computation scalability
	Kinds                  []KindTime          `json:"kinds"`
	Notes                  []string            `json:"notes"`

	result *efficiency.Result // nil without efficiencies
	host   string             // or the workers, where it is not known
}

// KindTime is what a kind on an architecture takes in a run. Its computation
// scalability is the time per unit of work in the reference over that here; absent
// where the reference has no such tasks.
type KindTime struct {
	Kind                   string   `json:"kind"`
	Arch                   string   `json:"arch"`
	Tasks                  int64    `json:"tasks"`
	Useful                 int64    `json:"useful_ns"`
	ComputationScalability *float64 `json:"computation_scalability,omitempty"`
}

// NewSideBySide begins with the reference. [SideBySide.Finish] follows the last
// run.
func NewSideBySide(reference Side, o Options) (*SideBySide, error) {
	s := &SideBySide{o: o, reference: &reference}
	return s, s.Add(reference)
}

// Add adds a run, which has the columns of [EfficiencyNeeds]; nothing of it is
// kept. Its kinds are matched with those of the reference by name, as in
// [Compute]. The error is a run without any task of the application that ran.
func (s *SideBySide) Add(side Side) error {
	e, run := newEfficiencyOf(side.Run, Summary{}), side.Run
	if len(s.Runs) > 0 {
		var note string
		if run, note = rename(s.reference.Run, run, Letter(len(s.Runs))); note != "" {
			e.Notes = append(e.Notes, note)
		}
	}
	lanes := schedule.Build(run, nil)
	idle := utilization.ByWorker(run, utilization.WorkerOptions{Generation: s.o.Generation, Lanes: lanes, States: []string{}})
	e.Summary = Summary{Name: side.Name, Makespan: idle.To - idle.From, Workers: len(idle.Worker), IdleShare: idle.Total()}
	counted := kind.Options{Generation: s.o.Generation}
	for i := range run.Task.Start {
		if counted.Counts(&run.Task, i) {
			e.Tasks++
		}
	}
	if e.Tasks == 0 {
		return fmt.Errorf("compare runs: run %s (%s) has no task of the application that ran", Letter(len(s.Runs)), side.Name)
	}
	r, err := efficiency.Compute(run, efficiency.Options{Generation: s.o.Generation, Lanes: lanes})
	s.add(e, r, err)
	return nil
}

// add adds a run whose efficiencies were computed.
func (s *SideBySide) add(e EfficiencyOf, r *efficiency.Result, err error) {
	switch {
	case errors.Is(err, efficiency.ErrNothing):
		e.Notes = append(e.Notes, "no efficiencies: its tasks took no time")
	case err != nil:
		e.Notes = append(e.Notes, "no efficiencies: "+err.Error())
	default:
		e.result = r
	}
	s.Runs = append(s.Runs, e)
}

// efficiencies sets those of the two runs side by side.
func (c *comparison) efficiencies() {
	c.r.Efficiency = new(SideBySide)
	for _, m := range []*measured{c.a, c.b} {
		c.r.Efficiency.add(newEfficiencyOf(m.Run, m.summary()), m.efficiency, m.inefficient)
	}
	c.r.Efficiency.Finish()
}

func newEfficiencyOf(run *trace.Run, s Summary) EfficiencyOf {
	e := EfficiencyOf{Summary: s, Notes: []string{}, Kinds: []KindTime{}}
	if p := run.Meta.Platform; p != nil && p.Host != "" {
		e.host = "host " + p.Host
		return e
	}
	types := schedule.GroupTypes(run, kind.Workers(run))
	e.host = fmt.Sprint(types.Type, types.Size)
	return e
}

// Finish compares the runs. What one of them shows to be possible was possible in
// all: each borrows the durations of kinds on architectures on which they never ran
// from the first run in which they did, so that runs that do the same on the same
// machine have one bound.
func (s *SideBySide) Finish() {
	for i := range s.Runs {
		e := &s.Runs[i]
		if e.result == nil {
			continue
		}
		for j := range s.Runs {
			if from := &s.Runs[j]; from.result != nil && from.host == e.host {
				taken, err := e.result.Borrow(from.result)
				e.problem(err)
				if len(taken) > 0 {
					e.Notes = append(e.Notes, fmt.Sprintf("durations of %s are those in %s: they never ran there", words.List(taken, 5), Letter(j)))
				}
			}
		}
		e.Efficiency = e.result.Summary()
	}
	for i := range s.Runs {
		if e := &s.Runs[i]; e.result != nil {
			e.against(s.Runs[0].result)
		}
	}
}

func (e *EfficiencyOf) problem(err error) {
	if err != nil {
		e.Notes = append(e.Notes, err.Error())
	}
}

// against compares a run with the reference, nil where that has no efficiencies.
func (e *EfficiencyOf) against(reference *efficiency.Result) {
	scaling := &efficiency.Scaling{Computation: math.NaN()}
	if reference != nil {
		found, err := e.result.Against(reference)
		if e.problem(err); err == nil {
			scaling = found
		}
	}
	e.Notes = append(e.Notes, scaling.Notes...)
	e.ComputationScalability, e.GlobalEfficiency = number(scaling.Computation), number(scaling.Global(e.result))
	for i, k := range e.result.Kinds {
		t := KindTime{Kind: k.Kind, Arch: k.Arch, Tasks: int64(math.Round(k.Tasks)), Useful: k.Useful}
		if len(scaling.Kinds) > 0 {
			t.ComputationScalability = number(scaling.Kinds[i])
		}
		e.Kinds = append(e.Kinds, t)
	}
}

// number is nil for what is not known.
func number(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}

// Letter calls the runs of a comparison A, B, C, …, and after Z A2, B2, ….
func Letter(i int) string {
	letter := string(rune('A' + i%26))
	if i >= 26 {
		letter += fmt.Sprint(1 + i/26)
	}
	return letter
}
