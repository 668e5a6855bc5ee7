package starpu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// A simulation is looked at once in lookEvery turns: whether its caller still wants
// it, and whether anything comes of it. Workers that wait for data or for memory poll
// once a microsecond, so that one that waits for what never comes would go on for
// ever.
const lookEvery = 1 << 12

// watch ends a simulation that is not wanted any more, or that goes on without an
// end.
type watch struct {
	ctx    context.Context // nil: nobody interrupts
	turns  uint32          // of actors, and sleeps that passed at once
	failed error           // why the simulation was ended

	// Progress is what brings the end nearer: submissions, starts and ends of tasks.
	// Copies are not: data may be evicted and fetched again without an end.
	progress, copies                int64
	lastProgress, lastCopies        int64 // at the last look
	copiesAtProgress                int64
	lastNow                         float64
	still, idle                     int64 // turns at this date; turns without progress or copies
	mostStill, mostIdle, mostCopies int64
}

// errUseless says that actors take turns of which nothing comes.
var errUseless = errors.New("simulate: found actors that only poll")

// setWatch bounds how long nothing may come of turns. The bounds are far beyond what
// the runtime does:
//
//   - At one date, each task can be pushed once, which wakes each worker once, some ten
//     simcalls each, and each handle can be looked at in each memory node.
//   - Turns without progress, and with nothing under way: a worker that is awake polls
//     each memory node once before it sleeps; the program visits each handle at its
//     end, and polls for Before microseconds at its beginning.
//   - Copies without progress: all data of all tasks may be prefetched, and all handles
//     written back from all memory nodes.
func (e *engine) setWatch() {
	tasks, handles, accesses := int64(e.g.Tasks()), int64(len(e.g.Bytes)), int64(len(e.g.Handle))
	workers, memories := int64(len(e.workers)), int64(len(e.memories))
	const some = 1 << 20
	w := &e.watch
	w.ctx = e.o.Context
	w.mostStill = some + 64*(tasks+handles+1)*(workers+memories)
	w.mostIdle = some + int64(e.o.Before) + 16*(tasks+handles+workers*memories)
	w.mostCopies = some + 16*(accesses+handles*memories)
}

// tick counts a turn. It returns false if the simulation has to end.
func (k *kernel) tick() bool {
	k.turns++
	return k.turns%lookEvery != 0 || k.look()
}

// look ends the simulation if its caller does not want it any more, or if nothing has
// come of it for too long.
func (k *kernel) look() bool {
	w := &k.watch
	switch {
	case w.ctx != nil && w.ctx.Err() != nil:
		w.failed = context.Cause(w.ctx)
	case w.mostIdle == 0: // no engine
	case k.useless():
		w.failed = errUseless
	}
	k.stopped = k.stopped || w.failed != nil
	return w.failed == nil
}

// useless reports whether turns have brought nothing for longer than there is
// anything to do.
func (k *kernel) useless() bool {
	w := &k.watch
	if w.progress != w.lastProgress {
		w.copiesAtProgress = w.copies
	}
	if w.idle += lookEvery; w.progress != w.lastProgress || w.copies != w.lastCopies {
		w.idle = 0
	}
	if w.still += lookEvery; k.now != w.lastNow {
		w.still = 0
	}
	w.lastProgress, w.lastCopies, w.lastNow = w.progress, w.copies, k.now
	return w.still > w.mostStill || w.copies-w.copiesAtProgress > w.mostCopies ||
		w.onlyPolls() && !k.expects() && (k.elsewhere == nil || !k.elsewhere())
}

// onlyPolls reports whether nothing has come of turns for a long time: actors may
// wait for something that takes that long.
func (w *watch) onlyPolls() bool { return w.idle > w.mostIdle }

// soon is how far off, in s, the next turn of an actor that polls is at most.
const soon = 10e-6

// expects reports whether something is under way that polling actors may wait for: a
// copy, a kernel, or a sleep that is more than the pause between two polls.
func (k *kernel) expects() bool {
	return len(k.net.flows) > 0 || len(k.computing) > 0 || slices.ContainsFunc(k.actors, func(a *actor) bool {
		return !a.ready && a.date > k.now+soon && !math.IsInf(a.date, 1)
	})
}

// elsewhere reports whether messages or other nodes may end the wait of a node.
func (c *cluster) expects(n *node) bool {
	if len(c.calls) > 0 || !math.IsInf(c.net.next(), 1) {
		return true
	}
	return slices.ContainsFunc(c.nodes, func(other *node) bool {
		k := &other.e.kernel
		return other != n && k.next() < math.Inf(1) && (!k.watch.onlyPolls() || k.expects())
	})
}

// ended is the error of a simulation that was ended, nil if it was not.
func (e *engine) ended() error {
	switch {
	case e.failed == nil:
		return nil
	case errors.Is(e.failed, errUseless):
		return e.stuck(fmt.Sprintf("%s for ever, and nothing comes of it", e.polling()))
	}
	return fmt.Errorf("simulate: interrupted at %.6f s of the simulated time: %w", e.now-e.zero, e.failed)
}

// polling names actors that take turns.
func (e *engine) polling() string {
	const some = 3
	var names []string
	more := 0
	for _, a := range e.actors {
		if !a.ready && (a.date < e.now || a.date > e.now+soon) {
			continue
		}
		name := a.name
		if a.worker != nil {
			name = e.m.Workers[a.worker.id].Name
		}
		if len(names) < some {
			names = append(names, name)
		} else {
			more++
		}
	}
	verb := " polls"
	if len(names)+more > 1 {
		verb = " poll"
	}
	if more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ") + verb
}
