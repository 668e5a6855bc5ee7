package starpu

import (
	"context"
	"errors"
	"strings"
	"testing"

	"dagscope/predict/platform"
	"dagscope/predict/workload"
)

// firstComeFirstServed is the simplest policy. With lost it loses all tasks.
type firstComeFirstServed struct {
	r     Runtime
	lost  bool
	tasks []int32
}

func (p *firstComeFirstServed) Start(r Runtime) { p.r = r }

func (p *firstComeFirstServed) Push(task int32) {
	p.tasks = append(p.tasks, task)
	p.r.WakeAll()
}

func (p *firstComeFirstServed) Pop(int32) int32 {
	if len(p.tasks) == 0 || p.lost {
		return none
	}
	t := p.tasks[0]
	p.tasks = p.tasks[1:]
	return t
}

func watched(t *testing.T, tiles int, p Policy, o Options) *engine {
	t.Helper()
	g, err := workload.Cholesky(workload.Tiled{Tiles: tiles})
	if err != nil {
		t.Fatal(err)
	}
	d := make(Durations, len(g.Classes))
	for c := range d {
		d[c] = []float64{1e6}
	}
	e, err := newEngine(g, platform.Plain(3), d, p, o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// finish runs an engine as Run does.
func finish(e *engine) error {
	e.launchAll()
	err := e.run(e.o.until())
	if ended := e.ended(); ended != nil {
		return ended
	}
	return err
}

// Actors that poll for what never comes end the simulation with an error that
// names them, whether time advances meanwhile or not.
func TestPollingForEver(t *testing.T) {
	for name, loop := range map[string]func(*actor){
		"a microsecond at a time": func(a *actor) { a.sleep(microsecond) },
		"without time":            func(a *actor) { a.simcalls(1) },
	} {
		t.Run(name, func(t *testing.T) {
			e := watched(t, 4, &firstComeFirstServed{lost: true}, DefaultOptions())
			for _, who := range []string{"this one", "that one"} {
				e.spawn(who, func(a *actor) {
					for {
						loop(a)
					}
				})
			}
			err := finish(e)
			if err == nil || !strings.HasPrefix(err.Error(), "simulate: this one, that one") || !strings.Contains(err.Error(), " poll for ever, and nothing comes of it at ") ||
				!strings.Contains(err.Error(), "20 of 20 tasks are not over") {
				t.Errorf("found error %v, want one that names who polls", err)
			}
		})
	}
}

// Polling for something that takes long is no reason to end: here a task of half a
// minute, 30 million polls.
func TestPollingForAWhile(t *testing.T) {
	e := watched(t, 1, &firstComeFirstServed{}, DefaultOptions())
	e.durations[0] = 30e6 // µs
	e.spawn("poller", func(a *actor) {
		for !e.stopped {
			a.sleep(microsecond)
		}
	})
	if err := finish(e); err != nil {
		t.Errorf("found error %v, want none", err)
	}
	if e.watch.idle < e.watch.mostIdle {
		t.Errorf("found %d turns without progress, want more than %d: nothing was tested", e.watch.idle, e.watch.mostIdle)
	}
}

// Copies alone are no progress: data may be evicted and fetched again for ever.
func TestCopyingForEver(t *testing.T) {
	e := watched(t, 4, &firstComeFirstServed{lost: true}, DefaultOptions())
	e.spawn("copier", func(a *actor) {
		for {
			e.copies++
			a.sleep(microsecond)
		}
	})
	if err := finish(e); err == nil || !strings.Contains(err.Error(), "copier polls for ever") {
		t.Errorf("found error %v, want one that names the copier", err)
	}
}

// A context ends a simulation with its cause, wherever it is.
func TestInterrupted(t *testing.T) {
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	o := DefaultOptions()
	o.Context = ctx
	ended := 0
	o.Ended = func() {
		if ended++; ended == 100 {
			cancel(cause)
		}
	}
	e := watched(t, 40, &firstComeFirstServed{}, o)
	err := finish(e)
	if !errors.Is(err, cause) || !strings.HasPrefix(err.Error(), "simulate: interrupted at ") {
		t.Errorf("found error %v, want one of the cause", err)
	}
	if ended > 5000 {
		t.Errorf("found %d tasks that ended after the cause, want an end at once", ended-100)
	}
}
