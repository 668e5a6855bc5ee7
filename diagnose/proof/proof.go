// Package proof answers: is a finding true, and what would repairing it gain? A
// finding of the detectors rests on figures of the run; here the run is simulated
// with the problem repaired, and the difference is the gain.
//
// The approach: each id names the experiment of package predict/whatif that repairs
// it at its place ([Repairs]). Of several the one that gains most in one simulation
// is tried in pairs with the unchanged run, both under the same perturbations,
// until the interval of the gain is narrow. The medians and quantiles go into the
// finding; one whose repair gains nothing is refuted. Then causes are separated from
// appearances by experiment: with a finding repaired, each later one is repaired on
// top, and what gains nothing any more was seen of the same cause.
//
// A simulation that misses the run's makespan by more than whatif.MaxError, but places
// tasks as the run did, proves what gains more than it misses: its error widens
// intervals, and it refutes weak findings only. Where the run cannot be simulated again that well, or
// no experiment exists, the finding keeps its bound and the reason.
//
// What it does not do: find anything (diagnose/symptom, diagnose/finding), or put
// gains together.
package proof

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"dagscope/diagnose/finding"
	"dagscope/diagnose/symptom"
	"dagscope/internal/parallel"
	"dagscope/internal/words"
	"dagscope/predict/whatif"
	"dagscope/trace"
)

// Options say how much is tried.
type Options struct {
	Path   string        // of the run, for the commands that repeat proofs
	Budget time.Duration // 0: until all intervals are narrow
	Jobs   int           // simulations at a time, 0: as many as there are processors
	// Gap is the share of the makespan above its bound: where it is large and no
	// finding remains, what else could be done is tried.
	Gap float64
	// Seen is called after each finding with what is known by then, and after each
	// simulation with nil; with how many simulations are done of those that are
	// planned so far. Calls do not overlap. May be nil.
	Seen func(p *finding.Proofs, done, planned int)
}

// Thresholds: shares of the makespan and of a finding's own gain.
const (
	least = 0.01 // gains below are not worth the time
	same  = 0.25 // of its own gain: what remains of a finding when another is repaired
)

// Prove tries findings on a run, which has all columns but states. The findings
// are not changed.
func Prove(ctx context.Context, run *trace.Run, found []finding.Finding, o Options) *finding.Proofs {
	r := &finding.Proofs{Findings: slices.Clone(found)}
	if o.Jobs <= 0 {
		o.Jobs = runtime.GOMAXPROCS(0)
	}
	p := &proving{o: o, r: r, run: run}
	if o.Budget > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.Budget)
		defer cancel()
	}
	p.ctx = ctx
	if p.begin() {
		p.candidates()
		p.pairs()
		p.fold()
		p.others()
	}
	p.reasons()
	return r
}

// proving is a run of [Prove].
type proving struct {
	ctx  context.Context
	o    Options
	r    *finding.Proofs
	run  *trace.Run
	base *whatif.Base
	free *whatif.Version // the base; pinned where the recorded schedule is repeated
	pin  *whatif.Version
	off  float64 // error of the free base where it is not valid

	trials  []*trial // one for each finding that has an experiment
	done    int
	planned int
}

// trial is a finding, or nothing found, with the change that repairs it.
type trial struct {
	at      int // index of the finding, -1 for none
	change  whatif.Change
	version *whatif.Version
	gains   []int64
	single  int64 // gain without perturbation
	failed  string
}

// Worthwhile reports whether there is something to simulate: a finding that can be
// repaired, or room above the bound, a share of the makespan.
func Worthwhile(found []finding.Finding, gap float64) bool {
	return gap >= worthTrying || slices.ContainsFunc(found, func(f finding.Finding) bool {
		_, repairable := Repairs[f.ID]
		return repairable
	})
}

// begin simulates the run as it was; it fails where there is nothing to simulate
// for.
func (p *proving) begin() bool {
	if !Worthwhile(p.r.Findings, p.o.Gap) {
		return false
	}
	if lacks := whatif.Lacking(p.run); slices.ContainsFunc(lacks, func(l whatif.Lack) bool { return l.What == whatif.LackDependencies }) {
		// A simulation in which nothing waits for anything proves nothing of a run in
		// which tasks may have.
		p.r.Replay.Failed = "the run cannot be simulated again: no task says what it waits for"
		return false
	}
	type answer struct {
		base *whatif.Base
		err  error
	}
	c := make(chan answer, 1)
	go func() { // the base is simulated to its end
		b, err := whatif.NewBase(p.run, whatif.Options{Quick: true})
		c <- answer{b, err}
	}()
	select {
	case <-p.ctx.Done():
		p.r.Replay.Failed = "not simulated: " + p.over()
		p.r.Stopped = p.over()
		return false
	case a := <-c:
		if a.err != nil {
			p.r.Replay.Failed = "the run cannot be simulated again: " + words.OneLine(a.err.Error())
			return false
		}
		p.base = a.base
	}
	b := p.base
	p.r.Replay = finding.Replay{Scheduler: b.Scheduler, Makespan: b.Makespan, Error: b.Error, Placement: b.Placement, Noise: b.Noise, Valid: b.Valid(), Near: b.Approximate(), Pinned: !b.Valid() && b.CanPin()}
	switch {
	case b.Valid():
	case b.CanPin():
		p.off = b.Error
		p.r.Replay.Makespan, p.r.Replay.Error = b.Pinned.Makespan, b.Pinned.Error
		p.pin = b.Unchanged(true)
	case b.Approximate():
		p.off = b.Error
	default:
		p.r.Replay.Failed = fmt.Sprintf("no simulation repeats the run (the best, under %s: %+.1f %%, %s of the work in its place)", b.Scheduler, 100*b.Error, words.Percent(b.Placement))
		return false
	}
	p.free = b.Unchanged(false)
	return true
}

// over says why it ended early.
func (p *proving) over() string {
	if p.o.Budget > 0 && p.ctx.Err() == context.DeadlineExceeded {
		return fmt.Sprintf("the budget of %s is used up", p.o.Budget)
	}
	return "interrupted"
}

// version is the run with a change. Where the base nearly repeats the run and the
// change needs its decisions, it is of that base, and the interval of its gain is wider by
// the base's error.
func (p *proving) version(c whatif.Change) (*whatif.Version, error) {
	v, err := p.base.Version(c)
	if errors.Is(err, whatif.ErrDecisions) && p.base.Approximate() {
		return p.base.Anyway(c)
	}
	return v, err
}

// near reports whether a version is of a base that only nearly repeats the run.
func (p *proving) near(v *whatif.Version) bool { return !v.Pinned && !p.base.Valid() }

// unchanged is the base that a version is compared with.
func (p *proving) unchanged(v *whatif.Version) *whatif.Version {
	if v.Pinned {
		return p.pin
	}
	return p.free
}

// simulate calls for each, as many at a time as there may be. What do returns is
// called once all are done, in order. It fails when the time is over before: a
// simulation cannot be interrupted, so that it is left behind, and what it finds is
// not looked at.
func (p *proving) simulate(n int, do func(i int) (take func())) bool {
	p.planned += n
	takes := make([]func(), n)
	over := make(chan struct{})
	var mu sync.Mutex
	left := false
	go func() {
		defer close(over)
		_ = parallel.TryLimit(p.ctx, p.o.Jobs, n, func(i int) error { // its error is that of the context
			takes[i] = do(i)
			mu.Lock()
			defer mu.Unlock()
			if p.o.Seen != nil && !left {
				p.done++
				p.o.Seen(nil, p.done, p.planned)
			}
			return nil
		})
	}()
	select {
	case <-over:
	case <-p.ctx.Done():
	}
	mu.Lock()
	defer mu.Unlock()
	if left = p.ctx.Err() != nil; left {
		return false
	}
	for _, take := range takes {
		take()
	}
	return true
}

// seen hands the findings over as far as they are known.
func (p *proving) seen() {
	if p.o.Seen != nil {
		now := *p.r
		now.Findings = slices.Clone(now.Findings)
		p.o.Seen(&now, p.done, p.planned)
	}
}

// candidates simulates each repair of each finding once and keeps the best of
// each finding.
func (p *proving) candidates() {
	var all []*trial
	for i := range p.r.Findings {
		f := &p.r.Findings[i]
		if f.Severity == finding.Note {
			continue
		}
		p.rename(f)
		repairs, why := repairsOf(p.base, f)
		for _, c := range repairs {
			all = append(all, &trial{at: i, change: c})
		}
		f.Unproven = why
	}
	p.once(all)
	for i := range p.r.Findings {
		var best *trial
		for _, t := range all {
			if t.at == i && (best == nil || t.failed == "" && (best.failed != "" || t.single > best.single)) {
				best = t
			}
		}
		switch {
		case best == nil:
		case best.failed != "":
			p.r.Findings[i].Unproven = best.failed
		case best.version != nil:
			p.trials = append(p.trials, best)
		}
	}
}

// unaware are schedulers that do not ask models.
var unaware = []string{"eager", "prio", "lws", "ws", "random", "graph_test", "peager", "heteroprio"}

// rename says of tasks that ran where they are slower what only the simulation
// knows: under a scheduler that asks no models it is not the models that are wrong.
func (p *proving) rename(f *finding.Finding) {
	if f.ID != "wrong-models" || !p.base.Valid() || !slices.Contains(unaware, p.base.Scheduler) || f.Where == nil {
		return
	}
	s := symptom.Symptom{ID: "scheduler", Where: symptom.Where{Archs: f.Where.Archs}, Evidence: f.Evidence}
	f.ID, f.Where = s.ID, &s.Where
	f.Title, f.Advice, f.Panel = s.Words()
}

// once simulates changes without perturbation.
func (p *proving) once(all []*trial) {
	p.simulate(len(all), func(i int) func() {
		t := all[i]
		v, err := p.version(t.change)
		var ns, base int64
		if err == nil {
			ns, err = v.MakespanContext(p.ctx, 0)
		}
		if err == nil {
			base, err = p.unchanged(v).MakespanContext(p.ctx, 0)
		}
		return func() {
			if err != nil {
				t.failed = words.OneLine(err.Error())
				return
			}
			t.version, t.single = v, base-ns
			p.r.Tried++
		}
	})
}

// round is how many pairs are added to a trial whose interval is too wide.
const round = 5

// pairs measures the trials, what promises most first, so that the budget is spent
// on it.
func (p *proving) pairs() {
	order := slices.Clone(p.trials)
	slices.SortStableFunc(order, func(a, b *trial) int { return cmp.Compare(b.single, a.single) })
	for _, t := range order {
		p.measure(t, func(seed int64) (int64, error) { return p.unchanged(t.version).MakespanContext(p.ctx, seed) })
		p.settle(t)
		p.seen()
	}
}

// measure adds pairs to a trial until its interval is narrow; before is what it is
// compared with.
func (p *proving) measure(t *trial, before func(seed int64) (int64, error)) {
	for {
		want := whatif.LeastPairs
		if n := len(t.gains); n >= whatif.LeastPairs {
			median, low, high := whatif.Interval(t.gains)
			if n >= whatif.MostPairs || whatif.Narrow(median, low, high, p.r.Replay.Makespan) {
				return
			}
			want = min(n+round, whatif.MostPairs)
		}
		first := len(t.gains)
		ok := p.simulate(want-first, func(i int) func() {
			seed := int64(first + i + 1)
			base, err := before(seed)
			var changed int64
			if err == nil {
				changed, err = t.version.MakespanContext(p.ctx, seed)
			}
			return func() {
				if err != nil {
					t.failed = words.OneLine(err.Error())
					return
				}
				t.gains = append(t.gains, base-changed)
			}
		})
		if !ok || t.failed != "" {
			return
		}
	}
}

// settle writes what a trial says into its finding.
func (p *proving) settle(t *trial) {
	f := &p.r.Findings[t.at]
	if len(t.gains) < whatif.LeastPairs || t.failed != "" {
		switch {
		case t.failed != "":
			f.Unproven = t.failed
		default:
			f.Unproven = fmt.Sprintf("%s after %s of simulations, want %d", p.over(), words.Plural(len(t.gains), "pair"), whatif.LeastPairs)
			p.r.Stopped = p.over()
		}
		return
	}
	median, low, high := whatif.Interval(t.gains)
	off := p.r.Replay.Error
	if p.near(t.version) {
		off = p.off
		wrong := int64(math.Abs(off) * float64(p.makespan()))
		low, high = low-wrong, high+wrong
		if float64(low) < least*float64(p.makespan()) { // which is no contradiction either
			f.Unproven = fmt.Sprintf("simulated, the gain is %s (%s to %s with the %.1f %% by which the simulation misses the run)", words.Duration(median), words.Duration(low), words.Duration(high), 100*math.Abs(off))
			if f.Weak && float64(median) < least*float64(p.makespan()) {
				f.Refuted = "tried: gains less than 1 %, of which the evidence was weak"
			}
			return
		}
	}
	if t.version.Pinned && float64(low) < least*float64(p.makespan()) {
		// The recorded schedule does not react to the repair: that it gains little is no
		// contradiction.
		f.Unproven = fmt.Sprintf("with the recorded schedule it gains %s; what a scheduler would make of it is not known", words.Duration(max(0, median)))
		return
	}
	matters := least * float64(p.makespan())
	if low <= 0 && median > 0 && float64(high) >= matters && (!f.Weak || float64(median) >= matters) {
		// The interval holds both nothing and what matters, and most pairs gain: neither
		// proof nor contradiction.
		f.Unproven = fmt.Sprintf("simulated, the gain is %s (%s to %s): not distinguishable from chance", words.Duration(median), words.Duration(low), words.Duration(high))
		return
	}
	bound := f.Gain
	f.Evidence = with(f.Evidence, "bound_ns", bound)
	f.Gain, f.Low, f.High, f.Basis, f.Unproven = median, &low, &high, symptom.Simulated, ""
	makespan, _ := t.version.Makespan(0) // was simulated
	f.Experiment = &finding.Experiment{
		Title: t.change.Title, Set: t.change.Set, Makespan: makespan, Pairs: len(t.gains), ReplayError: off, Pinned: t.version.Pinned,
	}
	if !t.version.Pinned {
		f.Experiment.Scheduler = p.base.Scheduler
	}
	f.Command = p.command(t)
	if Repairs[f.ID].partly {
		f.Title += " (simulated: " + t.change.Title + ")"
	}
	if f.ID == "bad-priorities" && slices.Contains(t.change.Set, "workload.priorities=depth") {
		f.Evidence = with(f.Evidence, "priorities_by", "tasks")
		s := symptom.Symptom{ID: f.ID, Evidence: f.Evidence}
		_, f.Advice, _ = s.Words()
	}
	p.r.Proved++
	if f.Severity = finding.SeverityOf(low, p.makespan()); f.Weak {
		f.Severity = finding.Low
	}
	switch {
	case float64(median) >= matters:
	case low <= 0 && (median <= 0 || float64(high) < matters):
		f.Refuted = "tried: gains nothing"
	case low <= 0:
		f.Refuted = "tried: not distinguishable from chance, and the evidence was weak"
	default:
		f.Refuted = "tried: gains less than 1 %"
	}
}

// makespan is what that shares refer to.
func (p *proving) makespan() int64 { return p.r.Replay.Makespan }

// with is a copy of evidence with one figure more.
func with(evidence map[string]any, key string, value any) map[string]any {
	out := map[string]any{}
	for k, v := range evidence {
		out[k] = v
	}
	out[key] = value
	return out
}

// fold repairs each finding on top of each that ranks before it: what then gains
// little was seen of the same cause.
func (p *proving) fold() {
	standing := slices.DeleteFunc(slices.Clone(p.trials), func(t *trial) bool {
		f := &p.r.Findings[t.at]
		return f.Basis != symptom.Simulated || f.Refuted != ""
	})
	slices.SortStableFunc(standing, func(a, b *trial) int {
		f, g := &p.r.Findings[a.at], &p.r.Findings[b.at]
		if f.Weak != g.Weak { // what a test of significance has found is the cause
			if f.Weak {
				return 1
			}
			return -1
		}
		return cmp.Compare(*g.Low, *f.Low)
	})
	folded := map[*trial]bool{}
	for i, first := range standing {
		if folded[first] {
			continue
		}
		for _, t := range standing[i+1:] {
			if !folded[t] && p.sameCause(first, t) {
				folded[t] = true
				cause, seen := &p.r.Findings[first.at], &p.r.Findings[t.at]
				if !slices.Contains(cause.AlsoSeen, seen.ID) {
					cause.AlsoSeen = append(slices.Clone(cause.AlsoSeen), seen.ID)
				}
				seen.Refuted = "tried on top of " + cause.ID + ": gains nothing more"
			}
			if p.ctx.Err() != nil {
				p.r.Stopped = p.over()
				return
			}
		}
		p.seen()
	}
}

// sameCause reports whether repairing t gains little when first is repaired.
func (p *proving) sameCause(first, t *trial) bool {
	if whatif.Alternatives(first.change, t.change) {
		return true // two values of one setting: another way to repair the same
	}
	both := whatif.Together(first.change, t.change)
	v, err := p.version(both)
	if err != nil || v.Pinned != first.version.Pinned {
		return false
	}
	var gains []int64
	ok := p.simulate(whatif.LeastPairs, func(i int) func() {
		seed := int64(i + 1)
		before, err := first.version.MakespanContext(p.ctx, seed)
		var after int64
		if err == nil {
			after, err = v.MakespanContext(p.ctx, seed)
		}
		return func() {
			if err == nil {
				gains = append(gains, before-after)
			}
		}
	})
	if !ok || len(gains) < whatif.LeastPairs {
		return false
	}
	median, _, _ := whatif.Interval(gains)
	own := p.r.Findings[t.at].Gain
	return float64(median) < least*float64(p.makespan()) || float64(median) < same*float64(own)
}

// worthTrying is the gap above the bound from which changes of no finding are
// tried.
const worthTrying = 0.02

// others tries, where no finding remains and the bound leaves room, what else could
// be decided: schedulers, priorities, placements, pipelines.
func (p *proving) others() {
	if p.o.Gap < worthTrying || !p.base.Valid() && !p.base.CanPin() || slices.ContainsFunc(p.r.Findings, func(f finding.Finding) bool {
		return f.Refuted == "" && f.Severity != finding.Note && !(f.Weak && f.Basis != symptom.Simulated)
	}) {
		return
	}
	var all []*trial
	for _, c := range p.base.Changes() {
		if slices.Contains(decisions, c.ID) && !slices.ContainsFunc(p.trials, func(t *trial) bool { return t.change.Title == c.Title }) {
			all = append(all, &trial{at: -1, change: c})
		}
	}
	p.once(all)
	var best *trial
	for _, t := range all {
		if t.version != nil && (best == nil || t.single > best.single) {
			best = t
		}
	}
	if p.ctx.Err() != nil {
		p.r.Stopped = p.over()
	}
	if best == nil || float64(best.single) < least*float64(p.makespan()) {
		return
	}
	p.measure(best, func(seed int64) (int64, error) { return p.unchanged(best.version).MakespanContext(p.ctx, seed) })
	if len(best.gains) < whatif.LeastPairs {
		p.r.Stopped = p.over()
		return
	}
	if median, low, high := whatif.Interval(best.gains); float64(low) >= least*float64(p.makespan()) {
		p.r.Best = &finding.Trial{Title: best.change.Title, Gain: median, Low: low, High: high, Command: p.command(best)}
	}
}

// reasons says of each finding that has no simulated gain why.
func (p *proving) reasons() {
	why := p.r.Replay.Failed
	if why == "" && p.ctx.Err() != nil {
		why, p.r.Stopped = "not simulated: "+p.over(), p.over()
	}
	for i := range p.r.Findings {
		f := &p.r.Findings[i]
		if f.Basis != symptom.Bound || f.Severity == finding.Note {
			continue
		}
		if f.Unproven == "" {
			f.Unproven = why
			if _, known := Repairs[f.ID]; !known {
				f.Unproven = ProgramChange
			}
		}
		if f.Unproven != "" {
			f.Evidence = with(f.Evidence, "not_simulated", f.Unproven)
		}
	}
}

// command repeats a proof: the same scheduler, the same seeds, as many pairs.
func (p *proving) command(t *trial) string {
	var b strings.Builder
	fmt.Fprintf(&b, "dagscope whatif %s --scheduler %s", words.Shell(p.o.Path), p.base.Scheduler)
	for _, s := range t.change.Set {
		b.WriteString(" --change " + words.Shell(s))
	}
	fmt.Fprintf(&b, " --pairs %d --budget 0", len(t.gains))
	if p.near(t.version) {
		b.WriteString(" --anyway")
	}
	return b.String()
}
