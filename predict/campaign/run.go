package campaign

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"dagscope/internal/parallel"
	"dagscope/predict/spec"
	"dagscope/predict/starpu"
	"dagscope/trace"
)

// Options say how a campaign is run.
type Options struct {
	Jobs   int   // runs at the same time, 0 for the number of processors
	Memory int64 // bytes that they may take together, 0 for [UsableMemory]
	Retry  bool  // simulate again what failed
	Load   spec.Loader
	// Keep writes a run's directory; nil: runs are not kept. It is called from
	// several goroutines.
	Keep func(dir string, b *spec.Simulation, r *starpu.Result) error
	// Done is told after each run how many there are of how many; may be nil.
	Done func(done, total int)
}

// Run simulates what the campaign lacks. When ctx ends, what is under way comes
// to its end and is kept; the error is then that of ctx.
func (c *Campaign) Run(ctx context.Context, o Options) error {
	if err := c.Plan.read(); err != nil {
		return err
	}
	pending := c.Pending(o.Retry)
	rows, err := c.runAll(ctx, pending, c.path(resultsFile), c.whole, o)
	c.Table.add(rows)
	return errors.Join(err, c.saveTable())
}

// runAll simulates points into a table's file, from its first whole bytes on.
func (c *Campaign) runAll(ctx context.Context, pending [][]string, file string, whole int64, o Options) (rows []Row, err error) {
	j, err := openJournal(file, c.Plan.Keys, whole)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, j.close()) }()
	r := newRunner(c, o)
	var ended sync.Mutex
	err = parallel.TryLimit(ctx, o.Jobs, len(pending), func(i int) error {
		row, err := r.row(pending[i])
		if err != nil {
			return err
		}
		ended.Lock()
		defer ended.Unlock()
		if err := j.append(&row); err != nil {
			return err
		}
		rows = append(rows, row)
		if o.Done != nil {
			o.Done(len(rows), len(pending))
		}
		return nil
	})
	return rows, err
}

// runner simulates points.
type runner struct {
	c    *Campaign
	o    Options
	gate *gate
}

func newRunner(c *Campaign, o Options) *runner {
	if o.Memory <= 0 {
		o.Memory = UsableMemory()
	}
	o.Load = shared(o.Load)
	return &runner{c: c, o: o, gate: newGate(o.Memory)}
}

// row simulates a point, whatever happens. The error is that its run could not be
// written, which is no matter of the point.
func (r *runner) row(values []string) (row Row, err error) {
	defer func() {
		if p := recover(); p != nil {
			if inLoop, ok := p.(*parallel.Panic); ok {
				p = inLoop.Value // a table has no room for a stack
			}
			row = Row{Values: values, Metrics: Failure(fmt.Errorf("simulate: found a mistake of the simulator: %v", p))}
		}
	}()
	m, err := r.simulate(values)
	if unkept := (notKept{}); errors.As(err, &unkept) {
		return Row{}, unkept
	}
	if err != nil {
		m = Failure(err)
	}
	return Row{Values: values, Metrics: m}, nil
}

// notKept is that a run could not be written.
type notKept struct{ error }

func (e notKept) Unwrap() error { return e.error }

func (r *runner) simulate(values []string) (Metrics, error) {
	start := time.Now()
	spec, err := r.c.Plan.spec(values)
	if err != nil {
		return Metrics{}, err
	}
	keep := r.o.Keep != nil
	spec.Within(FreeMemory(), keep)
	b, err := spec.Build(r.o.Load)
	if err != nil {
		return Metrics{}, err
	}
	bytes := need(b, keep)
	r.gate.enter(bytes)
	defer r.gate.leave(bytes)
	result, err := b.Run(keep)
	if err != nil {
		return Metrics{}, err
	}
	m := measure(b, result)
	l, err := limitsOf(b)
	if err != nil {
		return Metrics{}, err
	}
	m.bounds(l)
	m.Seconds = time.Since(start).Seconds()
	if keep {
		if m.Run, err = r.keep(values, b, result); err != nil {
			return Metrics{}, notKept{fmt.Errorf("keep run: %w", err)}
		}
	}
	return m, nil
}

// keep writes the run of a point under a name that tells the point.
func (r *runner) keep(values []string, b *spec.Simulation, result *starpu.Result) (string, error) {
	name := filepath.Join(runsDir, runName(r.c.Plan.Keys, values)+".dsr")
	if err := os.MkdirAll(r.c.path(runsDir), 0o777); err != nil {
		return "", err
	}
	if err := r.o.Keep(r.c.path(name), b, result); err != nil {
		return "", err
	}
	return filepath.ToSlash(name), nil
}

// shared opens each run once for all points.
func shared(load spec.Loader) spec.Loader {
	if load == nil {
		return nil
	}
	type opened struct {
		once sync.Once
		run  *trace.Run
		err  error
	}
	var mu sync.Mutex
	all := make(map[string]*opened)
	return func(path string) (*trace.Run, error) {
		mu.Lock()
		o, known := all[path]
		if !known {
			o = new(opened)
			all[path] = o
		}
		mu.Unlock()
		o.once.Do(func() { o.run, o.err = load(path) })
		return o.run, o.err
	}
}
