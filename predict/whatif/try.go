package whatif

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"dagscope/internal/parallel"
	"dagscope/predict/spec"
)

// Outcome is what a change makes of a run.
type Outcome struct {
	Change
	Makespan int64   `json:"makespan_ns"`  // of the first pair, which has no noise
	Gain     int64   `json:"gain_ns"`      // median of the pairs; negative: the run is longer
	Low      int64   `json:"gain_low_ns"`  // 10 % quantile of the pairs
	High     int64   `json:"gain_high_ns"` // 90 % quantile
	Pairs    int     `json:"pairs"`
	Pinned   bool    `json:"pinned"`           // tried on the recorded schedule
	Failed   string  `json:"failed,omitempty"` // why it could not be tried
	Share    float64 `json:"gain"`             // Gain over the base's makespan
}

// Distinct reports whether the gain is more than chance: there are pairs, and 0 is
// not in their interval.
func (o *Outcome) Distinct() bool { return o.Pairs > 1 && (o.Low > 0 || o.High < 0) }

// Most and least pairs of a change that is printed with an interval.
const (
	LeastPairs = 11
	MostPairs  = 31
)

// interest is the share of the makespan from which a change is tried in pairs.
const interest = 0.005

// Trial is how changes are tried.
type Trial struct {
	Budget time.Duration // 0: until all intervals are narrow
	Jobs   int           // simulations at a time, 0: as many as there are processors
	Pairs  int           // of each change, 0: as many as make its interval narrow
	Anyway bool          // try what needs decisions although no scheduler repeats the run
	Done   func(done, total int)
	Seen   func(Outcome) // called with each outcome as soon as it is there, and again when more pairs have changed it; one call at a time
}

// Try simulates each change once, and then, the most promising first, in pairs
// with the base. The outcomes are ordered by gain. What the budget does not reach
// keeps its single pair.
func (b *Base) Try(ctx context.Context, changes []Change, o Trial) ([]Outcome, error) {
	if o.Budget > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.Budget)
		defer cancel()
	}
	t := &trying{Base: b, o: o, tried: make([]tried, len(changes)), memo: map[pair]int64{}}
	t.first[0], t.first[1] = b.Fit.Makespan, b.Pinned.Makespan
	err := parallel.TryLimit(ctx, o.Jobs, len(changes), func(i int) error {
		t.begin(ctx, i, changes[i])
		return nil
	})
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	t.pairs(ctx)
	out := make([]Outcome, 0, len(changes))
	for i := range t.tried {
		if t.tried[i].sim == nil && t.tried[i].Failed == "" {
			t.tried[i].Change, t.tried[i].Failed = changes[i], errLate.Error()
		}
		out = append(out, t.tried[i].Outcome)
	}
	slices.SortStableFunc(out, func(x, y Outcome) int {
		return cmp.Or(cmp.Compare(x.Failed, y.Failed), -cmp.Compare(x.Gain, y.Gain))
	})
	return out, nil
}

type trying struct {
	*Base
	o     Trial
	first [2]int64 // ns, of the base without noise: free and pinned
	tried []tried

	mu   sync.Mutex
	memo map[pair]int64 // makespans of the base
	done int
}

// pair names a simulation of the base.
type pair struct {
	pinned bool
	seed   int64
}

// base is its makespan without noise for a change.
func (t *trying) base(x *tried) int64 {
	if x.Pinned {
		return t.first[1]
	}
	return t.first[0]
}

// tried is a change with its pairs.
type tried struct {
	Outcome
	sim   *spec.Simulation
	gains []int64 // with noise
}

// single is the makespan of a simulation.
func (b *Base) single(ctx context.Context, sim *spec.Simulation) (int64, error) {
	r, err := run(ctx, sim)
	if err != nil {
		return 0, err
	}
	return sim.MakespanFromStart(r), nil
}

// begin builds a change and simulates it once, unless the time is over before.
func (t *trying) begin(ctx context.Context, i int, c Change) {
	x := &t.tried[i]
	x.Change = c
	defer t.count()
	v, err := t.version(c, t.o.Anyway)
	if err == nil {
		x.sim, x.Pinned = v.sim, v.Pinned
		x.Makespan, err = v.MakespanContext(ctx, 0)
	}
	if err != nil && ctx.Err() != nil {
		x.sim = nil // not tried
		return
	}
	if err != nil {
		x.Failed = err.Error()
	} else {
		x.settle(t.base(x))
	}
	t.seen(x)
}

// seen reports an outcome.
func (t *trying) seen(x *tried) {
	if t.o.Seen == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.o.Seen(x.Outcome)
}

// schedule is what decides in the simulation of a change: the scheduler if that
// repeats the run, else the recorded schedule if it answers the change.
func (b *Base) schedule(c *Change) (scheduler string, valid bool) {
	switch {
	case b.Valid():
		return b.Scheduler, true
	case slices.Contains(c.Set, rightExpectations) && b.CanPin(): // what the scheduler decides, against what it decided
		return b.Scheduler, true
	case b.CanPin() && c.LeavesDecisions():
		return recordedSchedule, true
	}
	return b.Scheduler, false
}

func (t *trying) count() {
	if t.o.Done == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done++
	t.o.Done(t.done, len(t.tried))
}

// settle computes the gain from the pairs there are.
func (x *tried) settle(base int64) {
	x.Gain = base - x.Makespan
	x.Low, x.High, x.Pairs = x.Gain, x.Gain, 1
	if len(x.gains) > 0 {
		x.Gain, x.Low, x.High = Interval(x.gains)
		x.Pairs = len(x.gains)
	}
	x.Share = float64(x.Gain) / float64(max(base, 1))
}

// Narrow reports whether the interval of a gain is as narrow as it needs to be: a
// quarter of the gain, or half a percent of the makespan.
func Narrow(gain, low, high, makespan int64) bool {
	width := float64(high - low)
	return width < math.Abs(float64(gain))/4 || width < 0.005*float64(makespan)
}

// enough reports whether a change needs no more pairs.
func (t *trying) enough(x *tried) bool {
	if n := t.o.Pairs; n > 0 {
		return len(x.gains) >= n
	}
	return len(x.gains) >= MostPairs || len(x.gains) >= LeastPairs && Narrow(x.Gain, x.Low, x.High, t.base(x))
}

// pairs simulates base and change with the same seeds, a round of some seeds for
// every change that promises something, until all are narrow.
func (t *trying) pairs(ctx context.Context) {
	const round = 5
	rest := false // the turn of changes that seem to do nothing
	for {
		type one struct {
			x    *tried
			seed int64
		}
		var todo []one
		for i := range t.tried {
			x := &t.tried[i]
			if x.Failed != "" || x.sim == nil || t.enough(x) {
				continue
			}
			if !rest && math.Abs(x.Share) < interest && x.ID != Custom && t.o.Pairs == 0 {
				continue // nothing, as it seems: later, to see whether that is chance
			}
			n := round
			if t.o.Pairs > 0 {
				n = min(n, t.o.Pairs-len(x.gains))
			}
			for s := range n {
				todo = append(todo, one{x, int64(len(x.gains) + s + 1)})
			}
		}
		switch {
		case ctx.Err() != nil || len(todo) == 0 && rest:
			return
		case len(todo) == 0:
			rest = true
			continue
		}
		slices.SortStableFunc(todo, func(p, q one) int { return -cmp.Compare(p.x.Gain, q.x.Gain) })
		gains := make([]int64, len(todo))
		done, errs := make([]bool, len(todo)), make([]error, len(todo))
		_ = parallel.TryLimit(ctx, t.o.Jobs, len(todo), func(i int) error { // stops when the time is over
			base, err := t.baseAt(ctx, pair{todo[i].x.Pinned, todo[i].seed})
			if err == nil {
				var changed int64
				changed, err = t.single(ctx, todo[i].x.sim.Noisy(t.Noise, todo[i].seed))
				gains[i] = base - changed
			}
			if err != nil && ctx.Err() != nil {
				return nil // the time is over
			}
			done[i], errs[i] = true, err
			return nil
		})
		changed := map[*tried]bool{}
		for i, p := range todo {
			changed[p.x] = changed[p.x] || done[i]
			switch {
			case errs[i] != nil: // what cannot be perturbed has no interval, and would be tried for ever
				p.x.Failed = errs[i].Error()
			case done[i]:
				p.x.gains = append(p.x.gains, gains[i])
				p.x.settle(t.base(p.x))
			}
		}
		for i := range t.tried {
			if changed[&t.tried[i]] {
				t.seen(&t.tried[i])
			}
		}
	}
}

// baseAt is the makespan of the base with a seed.
func (t *trying) baseAt(ctx context.Context, p pair) (int64, error) {
	t.mu.Lock()
	ns, known := t.memo[p]
	t.mu.Unlock()
	if known {
		return ns, nil
	}
	sim := t.sim
	if p.pinned {
		sim = t.pinned
	}
	ns, err := t.single(ctx, sim.Noisy(t.Noise, p.seed))
	if err == nil {
		t.mu.Lock()
		t.memo[p] = ns
		t.mu.Unlock()
	}
	return ns, err
}

// Simulation is the base with a change, to be kept as a run.
func (b *Base) Simulation(c Change) (*spec.Simulation, error) {
	scheduler, _ := b.schedule(&c)
	return b.changed(scheduler, c.Set)
}
