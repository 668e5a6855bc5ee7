package sim

import (
	"errors"
	"iter"
	"math"
	"slices"
)

// resolution is how close two dates are that count as one, in seconds.
const resolution = 1e-9

// kernel runs actors in virtual time.
type kernel struct {
	now     float64  // s
	ready   []*actor // in the order in which they take turns
	asleep  []*actor // gone to sleep in this instant, in order
	begun   []*actor // computations begun in this instant, in order
	dates   calendar
	net     network
	advance gate // opened whenever time advances
	actors  []*actor
	current *actor // whose turn it is
	events  int64  // wake-ups, for the record
	stopped bool
}

// actor is a coroutine of the kernel.
type actor struct {
	k       *kernel
	number  int
	name    string
	worker  *worker // nil for what is not a worker
	date    float64 // when it wakes
	tick    int64   // operations since the instant began
	round   patrol  // on which the kernel leads it, if any
	touches [3]stop
	resume  func() (struct{}, bool)
	stop    func()
	yield   func(struct{}) bool
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
	k.ready = append(k.ready, a)
	return a
}

// run lets actors take turns until one calls halt.
func (k *kernel) run() error {
	defer k.stopAll()
	for !k.stopped {
		if len(k.ready) > 0 {
			a := k.first()
			k.current = a
			if a.round.stops == nil || a.proceed() {
				a.resume()
			}
			continue
		}
		if !k.forward() {
			return errDeadEnd
		}
	}
	return nil
}

func (k *kernel) stopAll() {
	for _, a := range k.actors {
		a.stop()
	}
}

// halt ends the simulation.
func (k *kernel) halt() { k.stopped = true }

// first is the actor whose turn it is.
func (k *kernel) first() *actor {
	best := k.ready[0]
	for _, a := range k.ready[1:] {
		if a.tick < best.tick {
			best = a
		}
	}
	return best
}

// forward moves to the next date at which something happens.
func (k *kernel) forward() bool {
	k.settle()
	next := min(k.dates.first(), k.net.next())
	if math.IsInf(next, 1) {
		return false
	}
	k.now += next - k.now
	k.events++
	k.advance.openAll(k)
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
	k.ready = append(k.ready, a)
}

// alone says that no other actor is ready in this instant.
func (k *kernel) alone() bool { return len(k.ready) == 1 }

// quiet says that nothing else began in this instant, so that an actor may
// move time itself.
func (k *kernel) quiet() bool {
	return len(k.ready) == 1 && len(k.asleep) == 0 && len(k.begun) == 0 && !k.net.changed && k.advance.empty()
}

// step counts operations of the actor, and gives way to those that have done
// fewer.
func (a *actor) step(operations int64) {
	if len(a.k.ready) == 1 {
		a.tick += operations
		return
	}
	a.takeTurns(operations)
}

func (a *actor) takeTurns(operations int64) {
	for ; operations > 0; operations-- {
		a.tick++
		if !a.leads() {
			a.giveWay()
		}
	}
}

// skip counts operations of an actor that is alone.
func (a *actor) skip(operations int64) { a.tick += operations }

// leads says that it is the actor's turn.
func (a *actor) leads() bool {
	before := true
	for _, b := range a.k.ready {
		if b == a {
			before = false
		} else if b.tick < a.tick || before && b.tick == a.tick {
			return false
		}
	}
	return true
}

func (a *actor) giveWay() {
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
	a.k.ready = slices.Insert(a.k.ready, slices.Index(a.k.ready, a), b)
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
		if min(k.dates.first(), k.net.next()) > date+2*resolution {
			k.now += date - k.now
			k.events++
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
