package proof

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"dagscope/diagnose/finding"
	"dagscope/diagnose/symptom"
	"dagscope/predict/spec/spectest"
	"dagscope/predict/whatif"
	"dagscope/trace"
)

const chol = "workload: {kind: cholesky, tiles: %d}\nplatform: {file: ../../docs/examples/workstation.yaml%s}\nmodels: {durations: {potrf: 9ms, trsm: 4ms, syrk: 4ms, gemm: {cpu: 33ms, cuda: 1ms}}}\nscheduler: %s\n"

// recorded is a simulated run.
func recorded(t *testing.T, tiles int, machine, scheduler string) *trace.Run {
	t.Helper()
	return spectest.Record(t, fmt.Sprintf(chol, tiles, machine, scheduler))
}

func makespan(run *trace.Run) int64 { return slices.Max(run.Task.End) - slices.Min(run.Task.Start) }

// bound is a finding as the detectors make it.
func bound(id string, gain int64, where *symptom.Where, evidence map[string]any) finding.Finding {
	return finding.Finding{ID: id, Severity: finding.High, Gain: gain, Basis: symptom.Bound, Where: where, Evidence: evidence}
}

func of(t *testing.T, p *finding.Proofs, id string) *finding.Finding {
	t.Helper()
	for i := range p.Findings {
		if p.Findings[i].ID == id {
			return &p.Findings[i]
		}
	}
	t.Fatalf("found no %s in %+v", id, p.Findings)
	return nil
}

// Where no task says what it waits for, a simulation in which none waits proves
// nothing: findings keep their bounds, and the reason is said.
func TestUnknownDependenciesProveNothing(t *testing.T) {
	run := *recorded(t, 6, "", "lws")
	gain := makespan(&run) / 2
	found := []finding.Finding{bound("scheduler", gain, nil, map[string]any{})}
	if p := Prove(t.Context(), &run, found, Options{}); p.Replay.Failed != "" || p.Tried == 0 {
		t.Fatalf("with its graph: found %+v, want a simulation", p.Replay)
	}
	run.Dep, run.Access = trace.Deps{}, trace.Accesses{}
	p := Prove(t.Context(), &run, found, Options{})
	if f := of(t, p, "scheduler"); f.Basis != symptom.Bound || f.Gain != gain || p.Tried != 0 || p.Best != nil || !strings.Contains(p.Replay.Failed, "no task says what it waits for") {
		t.Errorf("found %+v and %+v, want the bound and why it is not simulated", f, p.Replay)
	}
}

// A scheduler that ignores speeds: the gain is the difference to the run under
// dmdas, the advice that does not fit is refuted, and the same comes out each time.
func TestSchedulerIsProved(t *testing.T) {
	slow, fast := recorded(t, 9, "", "lws"), recorded(t, 9, "", "dmdas")
	real := makespan(slow) - makespan(fast)
	found := []finding.Finding{
		bound("scheduler", makespan(slow), nil, map[string]any{"misplaced": int64(7)}),
		bound("bad-priorities", makespan(slow)/2, nil, map[string]any{}), // lws knows no priorities
		bound("too-coarse", makespan(slow)/3, nil, map[string]any{}),
	}
	prove := func() *finding.Proofs { return Prove(t.Context(), slow, found, Options{Path: "a run.dsr"}) }
	p := prove()
	f := of(t, p, "scheduler")
	if f.Basis != symptom.Simulated || f.Low == nil || f.High == nil || *f.Low > f.Gain || *f.High < f.Gain || f.Severity != finding.High {
		t.Fatalf("found %+v", f)
	}
	if off := f.Gain - real; 10*max(off, -off) > real {
		t.Errorf("found a gain of %d, the other run gains %d", f.Gain, real)
	}
	if f.Evidence["bound_ns"] != makespan(slow) || found[0].Evidence["bound_ns"] != nil || found[0].Basis != symptom.Bound {
		t.Errorf("the bound is not kept, or what was handed over is changed: %+v", f.Evidence)
	}
	if want := "dagscope whatif 'a run.dsr' --scheduler lws --change scheduler=dmdas --pairs "; !strings.HasPrefix(f.Command, want) {
		t.Errorf("found command %s, want %s", f.Command, want)
	}
	if e := f.Experiment; e.Pairs < whatif.LeastPairs || e.Makespan <= 0 || e.ReplayError != 0 || !slices.Equal(e.Set, []string{"scheduler=dmdas"}) {
		t.Errorf("found experiment %+v", e)
	}
	if f := of(t, p, "bad-priorities"); f.Refuted == "" || f.Basis != symptom.Simulated || f.Gain > makespan(slow)/100 {
		t.Errorf("priorities that nobody looks at: found %+v, want it refuted", f)
	}
	if f := of(t, p, "too-coarse"); f.Basis != symptom.Bound || !strings.Contains(f.Unproven, "no experiment") || f.Evidence["not_simulated"] == nil {
		t.Errorf("what has no experiment: found %+v", f)
	}
	if again := prove(); !reflect.DeepEqual(p, again) {
		t.Error("a second time, something else comes out")
	}
	short := finding.Shortlist(p.Findings, makespan(slow))
	if len(short) != 2 || short[0].ID != "scheduler" || short[1].ID != "too-coarse" {
		t.Errorf("found a list of %d, want the simulated finding, then the bound", len(short))
	}
}

// The gain of a proof is that of whatif with the keys, scheduler and pairs of its
// command.
func TestCommandRepeatsTheGain(t *testing.T) {
	run := recorded(t, 7, "", "eager")
	p := Prove(t.Context(), run, []finding.Finding{bound("scheduler", makespan(run), nil, map[string]any{})}, Options{Path: "x.dsr"})
	f := of(t, p, "scheduler")
	b, err := whatif.NewBase(run, whatif.Options{Scheduler: "eager"})
	if err != nil {
		t.Fatal(err)
	}
	out, err := b.Try(t.Context(), []whatif.Change{whatif.Own(f.Experiment.Set)}, whatif.Trial{Pairs: f.Experiment.Pairs})
	if err != nil {
		t.Fatal(err)
	}
	if o := out[0]; o.Gain != f.Gain || o.Low != *f.Low || o.High != *f.High || o.Makespan != f.Experiment.Makespan || o.Pairs != f.Experiment.Pairs {
		t.Errorf("found %d [%d, %d] of %d pairs, the proof has %d [%d, %d] of %d", o.Gain, o.Low, o.High, o.Pairs, f.Gain, *f.Low, *f.High, f.Experiment.Pairs)
	}
}

// Two findings of one cause are one: repaired on top of the other the second gains
// nothing more.
func TestSameCauseIsFolded(t *testing.T) {
	run := recorded(t, 9, "", "lws")
	p := Prove(t.Context(), run, []finding.Finding{
		bound("scheduler", makespan(run), nil, map[string]any{}),
		bound("critical-on-slow", makespan(run), &symptom.Where{Kinds: []string{"GEMM"}, Archs: []string{"cpu"}}, map[string]any{}),
	}, Options{Path: "x.dsr"})
	kept, folded := of(t, p, "scheduler"), of(t, p, "critical-on-slow")
	if kept.Low == nil || folded.Low == nil || *folded.Low < makespan(run)/10 {
		t.Fatalf("found %+v and %+v, want both to gain much by themselves", kept, folded)
	}
	if kept.Refuted != "" {
		kept, folded = folded, kept
	}
	if !slices.Equal(kept.AlsoSeen, []string{folded.ID}) || !strings.Contains(folded.Refuted, "on top of "+kept.ID) {
		t.Fatalf("found %+v and %+v, want one folded into the other", kept, folded)
	}
	if short := finding.Shortlist(p.Findings, makespan(run)); len(short) != 1 || short[0].ID != kept.ID {
		t.Errorf("found %d findings in the list, want one", len(short))
	}
}

// Without time, or stopped, findings stay as they were and say so.
func TestBudget(t *testing.T) {
	run := recorded(t, 9, "", "lws")
	found := []finding.Finding{bound("scheduler", makespan(run), nil, map[string]any{})}
	check := func(p *finding.Proofs, why string) {
		t.Helper()
		f := of(t, p, "scheduler")
		if f.Basis != symptom.Bound || f.Gain != makespan(run) || !strings.Contains(f.Unproven, why) || !strings.Contains(p.Stopped, why) {
			t.Errorf("found %+v, %q; want %q", f, p.Stopped, why)
		}
	}
	check(Prove(t.Context(), run, found, Options{Budget: 1}), "budget of 1ns")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	check(Prove(ctx, run, found, Options{Budget: time.Hour}), "interrupted")
	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	steps := 0
	check(Prove(ctx, run, found, Options{Seen: func(*finding.Proofs, int, int) {
		if steps++; steps == 5 {
			cancel()
		}
	}}), "interrupted")
}

// With nothing found and room above the bound, other decisions are tried.
func TestNothingFound(t *testing.T) {
	slow := recorded(t, 9, "", "lws")
	p := Prove(t.Context(), slow, nil, Options{Path: "x.dsr", Gap: 0.5})
	if p.Tried < 5 || p.Best == nil || p.Best.Low <= 0 || !strings.Contains(p.Best.Command, "--scheduler lws --change ") {
		t.Errorf("found %+v and %+v, want another decision", p, p.Best)
	}
	if p := Prove(t.Context(), slow, nil, Options{Gap: 0.01}); p.Tried != 0 || p.Replay.Makespan != 0 {
		t.Errorf("near the bound: found %+v, want nothing tried", p)
	}
}

// Every repair is of an experiment that there is.
func TestRepairsExist(t *testing.T) {
	for id, r := range Repairs {
		if r.What == "" || !slices.ContainsFunc(whatif.Registry, func(e whatif.Experiment) bool { return e.ID == r.Experiment }) {
			t.Errorf("%s: found %+v, want an experiment and what it changes", id, r)
		}
		if r.Or != "" && !slices.ContainsFunc(whatif.Registry, func(e whatif.Experiment) bool { return e.ID == r.Or }) {
			t.Errorf("%s: found no experiment %s", id, r.Or)
		}
	}
}
