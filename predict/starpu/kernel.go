package starpu

import (
	"errors"
	"iter"
	"math"
)

// resolution is how close two dates are that count as one, in seconds.
const resolution = 1e-9

// kernel runs actors in virtual time, as SimGrid's does.
type kernel struct {
	now           float64 // s
	ready         readyQueue
	resumeNext    *actor   // to be resumed next: its steps stopped
	asleep        []*actor // that began to sleep in this instant, in order
	computing     []*actor // that began to compute in this instant, in order
	dates         calendar
	net           network
	advance       timeAdvance // broadcast whenever time advances
	actors        []*actor
	current       *actor   // whose turn it is
	events        int64    // dates at which something happened
	limit         float64  // s: dates from here on are not reached
	memoryNodes   []memory // of the engine
	stopped       bool
	convoys       map[uint64]*convoy // of workers that poll together, those met so far
	pollSteps     int                // of a loop, for each memory node
	eventDates    *eventDates        // of this kernel, for other nodes; nil without any
	nextElsewhere float64            // s: next event of other nodes, while actors wait for time to advance
	elsewhere     func() bool        // something may come from other nodes; nil without any
	watch
}

// actor is a coroutine of the kernel.
type actor struct {
	// Fields that each simcall needs come first, close together.
	k            *kernel
	simcallCount int64    // simcalls since the instant began
	loop         position // in the steps that the kernel runs for it, if any
	readyLinks
	nextWaiting  *actor     // that waits for the same mutex, the first after the last
	worker       *worker    // nil for what is not a worker
	waking       *wakeLoop  // of workers that it wakes, if any
	models       *modelLoop // that it reads, once it has
	date         float64    // when it wakes
	resume       func() (struct{}, bool)
	yield        func(struct{}) bool
	stop         func()
	number       int
	name         string
	scratchSteps [3]step
}

// errDeadlock says that nothing happens any more and the program has not ended.
var errDeadlock = errors.New("simulate: nothing happens any more, and the program has not ended")

// errStopped unwinds actors that are not needed any more.
var errStopped = errors.New("actor stopped")

// spawn makes an actor that becomes ready now.
func (k *kernel) spawn(name string, body func(*actor)) *actor {
	a := &actor{k: k, number: len(k.actors), name: name}
	a.resume, a.stop = iter.Pull(func(yield func(struct{}) bool) {
		a.yield = yield
		defer func() {
			if r := recover(); r != nil && r != any(errStopped) {
				panic(r)
			}
		}()
		body(a)
	})
	k.actors = append(k.actors, a)
	k.ready.pushBack(a)
	return a
}

// run lets actors take turns until one calls halt.
func (k *kernel) run(until float64) error {
	defer k.stopAll()
	if k.runBefore(until); k.failed != nil {
		return k.failed
	} else if !k.stopped {
		if k.next() < math.Inf(1) {
			return errUnending
		}
		return errDeadlock
	}
	return nil
}

// errUnending says that there was more to happen when a simulation was given up.
var errUnending = errors.New("found no end")

// runBefore lets actors take turns until nothing happens any more before a
// date, or until one calls halt.
func (k *kernel) runBefore(date float64) {
	k.limit = date
	for !k.stopped {
		if k.dispatch(nil); k.resumeNext == nil {
			return
		}
		a := k.resumeNext
		k.resumeNext = nil
		a.resume()
	}
}

// next is the date of the next event, +Inf without one.
func (k *kernel) next() float64 {
	switch {
	case k.stopped:
		return math.Inf(1)
	case k.ready.first != nil:
		return k.now
	}
	return min(k.dates.first(), k.net.next())
}

// dispatch runs steps and advances time until an actor has to be resumed. It
// returns true if that is me, which then goes on without a switch of
// coroutines.
func (k *kernel) dispatch(me *actor) bool {
	for k.resumeNext == nil && k.tick() {
		a := k.ready.first
		if a == nil {
			if !k.advanceTime() {
				return false
			}
			continue
		}
		k.current = a
		if a.loop.steps == nil || a.advance() {
			if a == me {
				return true
			}
			k.resumeNext = a
		}
	}
	return false
}

func (k *kernel) stopAll() {
	k.stopped = true
	for _, a := range k.actors {
		a.stop()
	}
}

// halt ends the simulation.
func (k *kernel) halt() { k.stopped = true }

// advanceTime moves to the date of the next event.
func (k *kernel) advanceTime() bool {
	k.schedulePending()
	next := min(k.dates.first(), k.net.next())
	if k.eventDates != nil && !k.advance.empty() {
		if k.nextElsewhere <= k.now {
			return false
		}
		next = min(next, k.nextElsewhere)
	}
	if next >= k.limit {
		return false
	}
	k.now += next - k.now
	k.events++
	k.eventDates.add(k.now)
	k.advance.broadcast(k)
	k.nextElsewhere = 0
	for !k.dates.empty() && math.Abs(k.dates.first()-k.now) < resolution {
		if date, a := k.dates.pop(); date == a.date {
			k.makeReady(a)
		}
	}
	k.net.proceed(k)
	k.pollTogether()
	return true
}

// schedulePending enters into the calendar what began in this instant. Of the
// actors that began to sleep, the last comes first: this is the order in which
// they wake at equal dates.
func (k *kernel) schedulePending() {
	for i := len(k.asleep) - 1; i >= 0; i-- {
		k.dates.push(k.asleep[i])
	}
	for _, a := range k.computing {
		k.dates.push(a)
	}
	k.asleep, k.computing = k.asleep[:0], k.computing[:0]
	k.net.share(k.now)
}

// makeReady makes an actor ready at the beginning of an instant. It is ready
// already where the calendar has two entries of one date for it: those of a
// delivery that another came before, and that was entered again after it.
func (k *kernel) makeReady(a *actor) {
	if a.ready {
		return
	}
	a.simcallCount = 0
	k.ready.pushBack(a)
}

// alone says that no other actor is ready in this instant.
func (k *kernel) alone() bool { return k.ready.count == 1 }

// canAdvanceTime says that nothing else began in this instant, so that the only
// ready actor may advance time itself.
func (k *kernel) canAdvanceTime() bool {
	return k.ready.count == 1 && len(k.asleep) == 0 && len(k.computing) == 0 && !k.net.changed && k.advance.empty()
}

// simcalls counts n simcalls of the actor, and lets those actors go first that
// have made fewer.
func (a *actor) simcalls(n int64) {
	if a.k.ready.count == 1 {
		a.simcallCount += n
		return
	}
	a.simcallsInTurn(n)
}

func (a *actor) simcallsInTurn(n int64) {
	for ; n > 0; n-- {
		if !a.k.ready.simcall(a) {
			a.yieldTurn()
		}
	}
}

// countSimcalls counts n simcalls of an actor that is alone in its instant.
func (a *actor) countSimcalls(n int64) { a.simcallCount += n }

// yieldTurn returns when it is the actor's turn again.
func (a *actor) yieldTurn() {
	if !a.k.stopped && a.k.dispatch(a) {
		return
	}
	if !a.yield(struct{}{}) {
		panic(errStopped)
	}
}

// block takes the actor out of those that are ready, and returns when another
// has woken it.
func (a *actor) block() {
	a.suspend()
	a.yieldTurn()
}

// wake makes b ready: b takes its next turn just before a.
func (a *actor) wake(b *actor) {
	b.simcallCount = a.simcallCount + 1
	a.k.ready.insertBefore(b, a)
}

// scheduleBefore lets b, which has just been created, begin just before a.
func (a *actor) scheduleBefore(b *actor) {
	b.suspend()
	a.wake(b)
}

// sleep lets time pass, in seconds.
func (a *actor) sleep(duration float64) {
	if !a.startSleep(duration) {
		a.yieldTurn()
	}
}

// startSleep puts an actor to sleep. It returns true if the time has passed at
// once, because nothing else happens meanwhile.
func (a *actor) startSleep(duration float64) bool {
	k := a.k
	if k.canAdvanceTime() {
		date := k.now + duration
		if min(k.dates.first(), k.net.next()) > date+2*resolution && date < k.limit && k.tick() {
			k.now += date - k.now
			k.events++
			k.eventDates.add(k.now)
			a.simcallCount = 0
			return true
		}
	}
	a.date = k.now + duration
	k.asleep = append(k.asleep, a)
	a.suspend()
	return false
}

// compute lets the time pass that a task's kernel takes, in seconds.
func (a *actor) compute(duration float64) {
	a.date = a.k.now + duration
	a.k.computing = append(a.k.computing, a)
	a.block()
}
