package starpu

import "slices"

// core is what kernels run on: kernels that run there at the same time have
// equal shares of it.
type core struct {
	since   float64 // s: date of the last change of shares
	kernels []computation
}

// computation is a kernel on a core.
type computation struct {
	actor *actor
	left  float64 // s of computation left, alone on the core
}

// computeOn lets the time pass that a kernel takes, in seconds.
func (a *actor) computeOn(c *core, duration float64) {
	if len(c.kernels) == 0 {
		c.since = a.k.now
		c.kernels = append(c.kernels, computation{a, duration})
		a.compute(duration)
	} else {
		c.account(a.k)
		c.kernels = append(c.kernels, computation{a, duration})
		c.reschedule(a.k)
		a.block()
	}
	c.end(a)
}

// end takes a kernel off the core: the others speed up.
func (c *core) end(a *actor) {
	c.account(a.k)
	c.kernels = slices.DeleteFunc(c.kernels, func(x computation) bool { return x.actor == a })
	c.reschedule(a.k)
}

// account subtracts what has been computed since the last change.
func (c *core) account(k *kernel) {
	for i := range c.kernels {
		c.kernels[i].left -= (k.now - c.since) / float64(len(c.kernels))
	}
	c.since = k.now
}

// reschedule sets the dates at which all kernels end.
func (c *core) reschedule(k *kernel) {
	for _, x := range c.kernels {
		x.actor.date = k.now + max(x.left, 0)*float64(len(c.kernels))
		k.computing = append(k.computing, x.actor)
	}
}
