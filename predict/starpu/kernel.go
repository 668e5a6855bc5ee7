package starpu

import (
	"errors"
	"iter"
	"math"
)

// resolution is how close two dates are that count as one, in seconds.
const resolution = 1e-9

// kernel runs actors in virtual time.
type kernel struct {
	now     float64 // s
	ready   turns
	due     *actor   // whose round is over: it is resumed next
	asleep  []*actor // gone to sleep in this instant, in order
	begun   []*actor // computations begun in this instant, in order
	dates   calendar
	net     network
	advance gate // opened whenever time advances
	actors  []*actor
	current *actor   // whose turn it is
	events  int64    // wake-ups, for the record
	limit   float64  // s: dates from here on are not reached
	lands   []memory // of the engine
	stopped bool
	past    *past   // dates that others may ask for, nil where there are none
	nudge   float64 // s: next date elsewhere, while actors wait for time to advance
}

// actor is a coroutine of the kernel.
type actor struct {
	// What each operation needs comes first, close together.
	k     *kernel
	tick  int64  // operations since the instant began
	round patrol // on which the kernel leads it, if any
	standing
	behind  *actor  // waits for the same lock, the last before the first
	worker  *worker // nil for what is not a worker
	date    float64 // when it wakes
	resume  func() (struct{}, bool)
	yield   func(struct{}) bool
	stop    func()
	number  int
	name    string
	touches [3]stop
}

// errDeadEnd says that nothing happens any more and the program has not ended.
var errDeadEnd = errors.New("simulate: nothing happens any more, and the program has not ended")

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
	k.ready.join(a)
	return a
}

// run lets actors take turns until one calls halt.
func (k *kernel) run() error {
	defer k.stopAll()
	if k.runBefore(math.Inf(1)); !k.stopped {
		return errDeadEnd
	}
	return nil
}

// runBefore lets actors take turns until nothing happens any more before a
// date, or one calls halt.
func (k *kernel) runBefore(date float64) {
	k.limit = date
	for !k.stopped {
		if k.pass(nil); k.due == nil {
			return
		}
		a := k.due
		k.due = nil
		a.resume()
	}
}

// next is the date at which something happens next, +Inf if nothing does.
func (k *kernel) next() float64 {
	switch {
	case k.stopped:
		return math.Inf(1)
	case k.ready.first != nil:
		return k.now
	}
	return min(k.dates.first(), k.net.next())
}

// pass goes on until an actor is due that has to be resumed. It returns true if
// that is me, who then goes on without: rounds of others and the passing of time
// need no coroutine.
func (k *kernel) pass(me *actor) bool {
	for k.due == nil {
		a := k.ready.first
		if a == nil {
			if !k.forward() {
				return false
			}
			continue
		}
		k.current = a
		if a.round.stops == nil || a.proceed() {
			if a == me {
				return true
			}
			k.due = a
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

// forward moves to the next date at which something happens.
func (k *kernel) forward() bool {
	k.settle()
	next := min(k.dates.first(), k.net.next())
	if k.past != nil && !k.advance.empty() {
		if k.nudge <= k.now {
			return false
		}
		next = min(next, k.nudge)
	}
	if next >= k.limit {
		return false
	}
	k.now += next - k.now
	k.events++
	k.past.add(k.now)
	k.advance.openAll(k)
	k.nudge = 0
	for !k.dates.empty() && math.Abs(k.dates.first()-k.now) < resolution {
		if date, a := k.dates.pop(); date == a.date {
			k.appear(a)
		}
	}
	k.net.proceed(k)
	return true
}

// settle enters into the calendar what began in this instant. Of those that
// went to sleep, the last comes first: this is the order in which they wake at
// equal dates.
func (k *kernel) settle() {
	for i := len(k.asleep) - 1; i >= 0; i-- {
		k.dates.push(k.asleep[i])
	}
	for _, a := range k.begun {
		k.dates.push(a)
	}
	k.asleep, k.begun = k.asleep[:0], k.begun[:0]
	k.net.share(k.now)
}

// appear makes an actor ready at the beginning of an instant.
func (k *kernel) appear(a *actor) {
	a.tick = 0
	k.ready.join(a)
}

// alone says that no other actor is ready in this instant.
func (k *kernel) alone() bool { return k.ready.count == 1 }

// quiet says that nothing else began in this instant, so that an actor may
// move time itself.
func (k *kernel) quiet() bool {
	return k.ready.count == 1 && len(k.asleep) == 0 && len(k.begun) == 0 && !k.net.changed && k.advance.empty()
}

// step counts operations of the actor, and gives way to those that have done
// fewer.
func (a *actor) step(operations int64) {
	if a.k.ready.count == 1 {
		a.tick += operations
		return
	}
	a.takeTurns(operations)
}

func (a *actor) takeTurns(operations int64) {
	for ; operations > 0; operations-- {
		if !a.k.ready.pass(a) {
			a.giveWay()
		}
	}
}

// skip counts operations of an actor that is alone.
func (a *actor) skip(operations int64) { a.tick += operations }

// giveWay returns when it is the actor's turn again.
func (a *actor) giveWay() {
	if !a.k.stopped && a.k.pass(a) {
		return
	}
	if !a.yield(struct{}{}) {
		panic(errStopped)
	}
}

// block takes the actor out of those that are ready, and returns when another
// has woken it.
func (a *actor) block() {
	a.leave()
	a.giveWay()
}

// wake makes b ready: it takes its next turn just before a.
func (a *actor) wake(b *actor) {
	b.tick = a.tick + 1
	a.k.ready.joinBefore(b, a)
}

// putAhead lets an actor that has just been made begin just before a.
func (a *actor) putAhead(b *actor) {
	b.leave()
	a.wake(b)
}

// sleep lets time pass, in seconds.
func (a *actor) sleep(duration float64) {
	if !a.doze(duration) {
		a.giveWay()
	}
}

// doze puts an actor to sleep. It returns true if time has passed because
// nothing else happens meanwhile.
func (a *actor) doze(duration float64) bool {
	k := a.k
	if k.quiet() {
		date := k.now + duration
		if min(k.dates.first(), k.net.next()) > date+2*resolution && date < k.limit {
			k.now += date - k.now
			k.events++
			k.past.add(k.now)
			a.tick = 0
			return true
		}
	}
	a.date = k.now + duration
	k.asleep = append(k.asleep, a)
	a.leave()
	return false
}

// compute lets time pass that a kernel takes, in seconds.
func (a *actor) compute(duration float64) {
	a.date = a.k.now + duration
	a.k.begun = append(a.k.begun, a)
	a.block()
}
