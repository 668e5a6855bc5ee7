package openmp

import (
	"cmp"
	"errors"
	"slices"

	"dagscope/internal/parallel"
	"dagscope/trace"
)

// What limits a number of threads.
const (
	LimitWork      = "work"      // nothing else: the work is divided evenly
	LimitSpan      = "span"      // the longest chain of work
	LimitLocks     = "locks"     // threads wait for locks
	LimitCreation  = "creation"  // tasks are created too slowly
	LimitRuntime   = "runtime"   // handing out tasks, forking and barriers cost too much
	LimitImbalance = "imbalance" // loops and tasks divide badly
)

// Row is what a number of threads would do.
type Row struct {
	Result
	SpeedUp float64 `json:"speedup"` // over one thread, simulated
	Limit   string  `json:"limit"`
	Loss    int64   `json:"limit_ns"` // what the makespan is longer because of the limit
	// The makespan with one thing removed, each alone.
	NoLocks    int64 `json:"without_locks_ns"`
	NoCreation int64 `json:"without_creation_ns"`
	NoRuntime  int64 `json:"without_runtime_ns"` // creation too
	Balanced   int64 `json:"balanced_ns"`        // loops handed out iteration by iteration, at no cost
}

// Scaling is how a program would scale.
type Scaling struct {
	Threads  int      `json:"recorded_threads"`
	Recorded int64    `json:"recorded_ns"`
	Replay   int64    `json:"replay_ns"` // on as many threads as were recorded
	Error    float64  `json:"error"`
	Valid    bool     `json:"valid"`
	Tasks    int      `json:"tasks"`
	Work     int64    `json:"work_ns"`
	Span     int64    `json:"span_ns"`
	Runtime  string   `json:"runtime"`
	Costs    Costs    `json:"costs"`
	Rows     []Row    `json:"rows"`
	Warnings []string `json:"warnings,omitempty"`
}

// MaxError is the error of a replay up to which its predictions are taken as valid,
// as those of dagscope whatif.
const MaxError = 0.03

// DefaultThreads are what [Scale] tries.
var DefaultThreads = []int{1, 2, 4, 8, 16, 32, 64, 128, 256}

// Ask is what [Scale] and [Try] are asked.
type Ask struct {
	Threads []int // of Scale; nil for DefaultThreads
	Runtime string
	Costs   *Costs // nil: fitted on the run
	Seed    uint64
	Changes []Change
}

// Scale simulates a recorded run on numbers of threads.
func Scale(run *trace.Run, ask Ask) (*Scaling, error) {
	p, err := Read(run)
	if err != nil {
		return nil, err
	}
	o := Options{Runtime: ask.Runtime, Costs: Fit(run, p), Seed: ask.Seed}
	if ask.Costs != nil {
		o.Costs = *ask.Costs
	}
	if o.Runtime == "" {
		o.Runtime = LLVM
	}
	s := &Scaling{Threads: p.Threads, Recorded: p.Recorded, Tasks: p.Tasks(), Runtime: o.Runtime, Costs: o.Costs, Warnings: p.Warnings}
	o.Threads = p.Threads
	again, err := Simulate(p, o)
	if err != nil {
		return nil, err
	}
	s.Replay = again.Makespan
	s.Error = float64(s.Replay-s.Recorded) / float64(s.Recorded)
	s.Valid = s.Error <= MaxError && s.Error >= -MaxError
	if p, err = p.With(ask.Changes, &o); err != nil {
		return nil, err
	}
	s.Work, s.Span = p.Work(), p.Span()
	threads := ask.Threads
	if threads == nil {
		threads = DefaultThreads
	}
	if o.Threads = 1; len(threads) == 0 {
		return nil, errors.New("find how a program scales: found no number of threads")
	}
	one, err := Simulate(p, o)
	if err != nil {
		return nil, err
	}
	s.Rows = make([]Row, len(threads))
	errs := make([]error, len(threads))
	variants := newVariants(p, o)
	parallel.For(len(threads), func(i int) {
		s.Rows[i], errs[i] = variants.row(threads[i])
		if errs[i] == nil {
			s.Rows[i].SpeedUp = float64(one.Makespan) / float64(s.Rows[i].Makespan)
			s.Rows[i].limit(s.Span)
		}
	})
	return s, errors.Join(errs...)
}

// variant is a program with one thing removed.
type variant struct {
	program *Program
	o       Options
}

// variants are the program and what it would be without locks, the cost of creation,
// any cost of the runtime, and with loops that divide evenly; nil where that is the
// same.
type variants [5]*variant

func newVariants(p *Program, o Options) (v variants) {
	v[0] = &variant{p, o}
	if p.locks > 0 {
		v[1] = &variant{p.withoutLocks(), o}
	}
	free := o
	free.Costs.Create, free.Costs.Depend, free.Costs.Creation = 0, 0, 0
	cheap := p
	if o.Costs.Creation > 0 {
		cheap = p.cheaperCreation(o.Costs.Creation)
	}
	v[2] = &variant{cheap, free}
	none := o
	none.Costs = Costs{}
	v[3] = &variant{cheap, none}
	if len(p.loops) > 0 {
		v[4] = &variant{p.balanced(), o}
	}
	return v
}

func (v *variants) row(threads int) (Row, error) {
	var r [5]Result
	for i, x := range v {
		if x == nil {
			r[i] = r[0]
			continue
		}
		o := x.o
		o.Threads = threads
		var err error
		if r[i], err = Simulate(x.program, o); err != nil {
			return Row{}, err
		}
	}
	return Row{Result: r[0], NoLocks: r[1].Makespan, NoCreation: r[2].Makespan, NoRuntime: r[3].Makespan, Balanced: r[4].Makespan}, nil
}

// worth is the share of the makespan from which on something is a limit.
const worth = 0.05

// limit names what the makespan is longest for.
func (r *Row) limit(span int64) {
	even := r.Work / int64(r.Threads)
	r.Limit, r.Loss = LimitWork, 0
	type candidate struct {
		limit string
		loss  int64
	}
	all := []candidate{{LimitLocks, r.Makespan - r.NoLocks}, {LimitCreation, r.Makespan - r.NoCreation},
		{LimitRuntime, r.NoCreation - r.NoRuntime}, {LimitImbalance, r.Makespan - r.Balanced}}
	// What none of these explains is the chain as far as it exceeds an even share, and
	// else tasks that are too few or too unequal.
	rest := r.Makespan - even
	for _, c := range all {
		rest -= max(c.loss, 0)
	}
	chain := min(max(span-even, 0), max(rest, 0))
	all = append(all, candidate{LimitSpan, chain}, candidate{LimitImbalance, rest - chain})
	best := slices.MaxFunc(all, func(a, b candidate) int { return cmp.Compare(a.loss, b.loss) })
	if float64(best.loss) > worth*float64(r.Makespan) {
		r.Limit, r.Loss = best.limit, best.loss
	}
}
