package decode

import (
	"math"
	"strconv"

	"dagscope/ingest/text"
	"dagscope/trace"
)

// Each rank has a clock of its own. Within a rank, times are counted from its
// first event. A run of one file keeps them; several files are put on one clock
// after they were decoded, as StarPU's converter does: by one or two barriers
// that all ranks left at the same time.

// atZero is, in a rank that is to be put on the common clock, the beginning of
// that clock.
const atZero = trace.NoTime + 1

// barrier is the end of a barrier of all ranks.
type barrier struct {
	local uint64 // time on the rank's clock, ns
	key   int64  // a random number, the same in all ranks of a run
	rank  int64
}

// clock puts times of a rank on the common clock. The zero value leaves them as
// they are.
type clock struct {
	start     float64 // of the rank's first event on its own clock
	from, to  float64 // the barriers, on its own clock
	atFrom    float64 // what is to be added at from, and before it
	atTo      float64 // at to, and after it
	moves     bool
	twoPoints bool
}

// time puts one time on the common clock. It is rounded to thousandths of ns
// first, halves away from zero: so is a time that StarPU's converter writes into
// a Pajé trace, with that many decimals, and dagscope reads.
func (c *clock) time(t int64) int64 {
	if t == trace.NoTime || !c.moves {
		return t
	}
	if t == atZero {
		return 0
	}
	return int64(math.Round(math.Round(c.exact(t)*1000) / 1000))
}

// record is time for records, which the converter writes in whole ns.
func (c *clock) record(t int64) int64 {
	if t == trace.NoTime || !c.moves {
		return t
	}
	ns := c.exact(t)
	whole, part := math.Modf(ns)
	if math.Abs(math.Abs(part)-0.5) > 1e-3 {
		return int64(math.Round(ns))
	}
	// Halves are rounded as a number of ms with six decimals is printed.
	var digits [32]byte
	if v, ok := text.Millis(strconv.AppendFloat(digits[:0], ns/1e6, 'f', 6, 64)); ok {
		return v
	}
	return int64(whole)
}

// exact is a time on the common clock before it is rounded.
func (c *clock) exact(t int64) float64 {
	x := c.start + float64(t)
	add := c.atFrom
	if c.twoPoints && x > c.from {
		add = c.atTo
		if x < c.to {
			add = (c.atTo-c.atFrom)/(c.to-c.from)*(x-c.from) + c.atFrom
		}
	}
	return x + add
}

// mpiBarrier notes a barrier.
func mpiBarrier(r *rank, a *args) {
	b := barrier{local: r.start + uint64(r.now), key: a.int(1), rank: a.int(0)}
	if t := a.v[2]; t != 0 {
		b.local = t
	}
	most := 2
	if r.d.version.OneBarrier {
		most = 1
	}
	if len(r.barriers) < most && int64(b.local-r.start) >= 0 && int64(b.local-r.start) <= maxTime {
		r.barriers = append(r.barriers, b)
	}
	r.programEvent(r.barrierText(b, a.v[2] != 0), int64(b.local-r.start))
}

// setClocks finds the common clock of the ranks. Ranks that left two barriers
// have what lies between stretched so that both agree; with one they are
// shifted; without one all start at 0.
func (d *decoder) setClocks() {
	var first, last uint64 // the longest time before the barriers
	for _, r := range d.ranks {
		if n := len(r.barriers); n > 0 {
			first = max(first, r.barriers[0].local-r.start)
			if n == 2 {
				last = max(last, r.barriers[1].local-r.start)
			}
		}
	}
	for _, r := range d.ranks {
		c := &r.clock
		c.moves, c.start, c.atFrom = true, float64(r.start), -float64(r.start)
		n := len(r.barriers)
		if n == 0 {
			continue
		}
		// The sums are made as integers: clocks are larger than what a float64
		// tells apart.
		c.from, c.atFrom = float64(r.barriers[0].local), float64(int64(first-r.barriers[0].local))
		// Time must not go backwards where barriers are damaged.
		if n == 2 && r.barriers[1].local > r.barriers[0].local && last > first {
			c.to, c.atTo, c.twoPoints = float64(r.barriers[1].local), float64(int64(last-r.barriers[1].local)), true
		}
	}
}

// move puts a rank's times on the common clock.
func (r *rank) move() {
	r.states.Move(r.clock.time)
	moveAll(r.clock.time, r.Container.Start, r.Container.End, r.Link.Start, r.Link.End, r.Sample.Time, r.Event.Time, r.Sched.Time)
	moveAll(r.clock.record, r.Task.Submit, r.Task.Ready, r.Task.Start, r.Task.End)
}

func moveAll(clock func(int64) int64, columns ...[]int64) {
	for _, times := range columns {
		for i, t := range times {
			times[i] = clock(t)
		}
	}
}
