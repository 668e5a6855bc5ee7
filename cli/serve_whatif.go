package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"dagscope/explain/query"
	"dagscope/internal/words"
	"dagscope/predict/spec"
	"dagscope/predict/whatif"
	"dagscope/show/serve"
	"dagscope/trace"
	"dagscope/trace/store"
)

// triedFor is how long the changes of a run that is served are tried, and turnedFor
// how long one that was asked for.
const (
	triedFor  = 2 * time.Minute
	turnedFor = 20 * time.Second
)

// experiments are changes of a run that is served.
type experiments struct {
	*whatif.Base
	path, name string
	asked      sync.Mutex // held while somebody waits for a simulation: the table waits
}

// experimentsServed simulates a run that is served again.
func experimentsServed(_ context.Context, source serve.Source) (serve.Experiments, error) {
	e := &experiments{path: source.Name(), name: source.Name()}
	if located, ok := source.(interface{ Path() string }); ok {
		e.path = located.Path()
	}
	if n := source.Rows("task"); n > mostProved {
		return nil, fmt.Errorf("runs of more than %s tasks are not simulated here: dagscope whatif %s --budget 5m", words.Count(mostProved), words.Shell(e.path))
	}
	run, err := source.Load(recordedColumns()...)
	if err != nil {
		return nil, err
	}
	if e.Base, err = whatif.NewBase(run, whatif.Options{Quick: true}); err != nil {
		return nil, err
	}
	if !e.Valid() && !e.CanPin() {
		return nil, (&whatIf{}).invalid(e.Base)
	}
	return e, nil
}

// Replay says how well the simulation repeats the run.
func (e *experiments) Replay() serve.Replay {
	return serve.Replay{Scheduler: e.Scheduler, Known: e.Known, Recorded: e.Recorded, Makespan: e.Makespan, Placement: e.Placement, Valid: e.Valid(), Pinned: !e.Valid()}
}

// Knobs are what can be turned.
func (e *experiments) Knobs() (all []serve.Knob) {
	for _, k := range e.Base.Knobs() {
		all = append(all, serve.Knob{ID: k.ID, Title: k.Title, Choices: k.Choices, Now: k.Now, Min: k.Min, Max: k.Max, Whole: k.Whole, Unit: k.Unit})
	}
	return all
}

// key names a change among those of a run.
func key(c *whatif.Change) string { return c.ID + " " + c.Title }

func (e *experiments) outcome(o whatif.Outcome) serve.Outcome {
	out := serve.Outcome{Key: key(&o.Change), Experiment: o.ID, Title: o.Title, Makespan: o.Makespan, Gain: o.Gain, Low: o.Low, High: o.High, Share: o.Share, Pairs: o.Pairs, Pinned: o.Pinned, Failed: o.Failed}
	if len(o.Set) > 0 {
		out.Command = "dagscope whatif " + words.Shell(e.path) + setFlags("--change", o.Set)
	}
	return out
}

// Try fills the table.
func (e *experiments) Try(ctx context.Context, seen func(o serve.Outcome, done, planned int)) error {
	changes := e.Changes()
	done := map[string]bool{}
	_, err := e.Base.Try(ctx, changes, whatif.Trial{Budget: triedFor, Jobs: 1, Seen: func(o whatif.Outcome) {
		e.asked.Lock() // whoever turns a knob comes first
		defer e.asked.Unlock()
		done[key(&o.Change)] = true
		seen(e.outcome(o), len(done), len(changes))
	}})
	return err
}

// Turned is the change that knobs make.
func (e *experiments) Turned(values map[string]float64) (serve.Experiment, error) {
	c, err := e.Turn(values)
	return &experiment{e, c}, err
}

// Listed is a change of the table.
func (e *experiments) Listed(named string) (serve.Experiment, error) {
	for _, c := range e.Changes() {
		if key(&c) == named {
			return &experiment{e, c}, nil
		}
	}
	return nil, errors.New("find change: found none of that name, want one of the table")
}

// experiment is one change of a run that is served.
type experiment struct {
	of     *experiments
	change whatif.Change
}

// Once simulates the change without noise.
func (x *experiment) Once() (serve.Outcome, serve.Source, error) {
	b := x.of.Base
	v, err := b.Version(x.change)
	if err != nil {
		return serve.Outcome{}, nil, err
	}
	x.of.asked.Lock()
	defer x.of.asked.Unlock()
	sim := v.Simulation()
	r, err := sim.Run(true)
	if err != nil {
		return serve.Outcome{}, nil, err
	}
	run, err := r.Trace()
	if err != nil {
		return serve.Outcome{}, nil, err
	}
	base := b.Makespan
	if v.Pinned {
		base = b.Pinned.Makespan
	}
	o := whatif.Outcome{Change: x.change, Makespan: sim.MakespanFromStart(r), Pairs: 1, Pinned: v.Pinned}
	o.Gain = base - o.Makespan
	o.Low, o.High, o.Share = o.Gain, o.Gain, float64(o.Gain)/float64(max(base, 1))
	return x.of.outcome(o), newSimulated(x.of, x.change, sim, run), nil
}

// Pairs makes the interval of the gain narrow.
func (x *experiment) Pairs(ctx context.Context, seen func(serve.Outcome)) error {
	_, err := x.of.Base.Try(ctx, []whatif.Change{x.change}, whatif.Trial{Budget: turnedFor, Jobs: 1, Seen: func(o whatif.Outcome) { seen(x.of.outcome(o)) }})
	return err
}

// simulated is a run that was simulated for a page.
type simulated struct {
	imported
	name, path string // of the run that it was simulated of: path
	set        []string
	sim        *spec.Simulation
	sum        string
}

func newSimulated(of *experiments, c whatif.Change, sim *spec.Simulation, run *trace.Run) *simulated {
	sum := sha256.Sum256([]byte(of.Run.Meta.Generation + "\x00" + of.path + "\x00" + strings.Join(c.Set, "\x00")))
	var set []string
	for _, kv := range c.Set {
		set = append(set, "--change", kv)
	}
	return &simulated{imported: imported{query.InMemory(run), run}, name: of.name + ": " + c.Title, path: of.path, set: set, sim: sim, sum: hex.EncodeToString(sum[:])}
}

// Name is what the run is called.
func (s *simulated) Name() string { return s.name }

// Checksum identifies the change and the run.
func (s *simulated) Checksum() string { return s.sum }

// Attachment is none.
func (s *simulated) Attachment(string) ([]byte, error) { return nil, nil }

// Keep stores the run in the current directory.
func (s *simulated) Keep() (string, error) {
	file := strings.TrimSuffix(filepath.Base(s.path), ".dsr")
	for i := 1; ; i++ {
		path := fmt.Sprintf("%s-whatif-%d.dsr", file, i)
		if _, err := os.Lstat(path); err == nil {
			continue
		} else if !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
		if err := store.CheckTarget(path); err != nil {
			return "", err
		}
		kept := simulation{out: path, command: append([]string{"dagscope", "whatif", s.path}, append(s.set, "-o", path)...)}
		return path, kept.write(s.sim, s.run)
	}
}
