package decode

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"dagscope/internal/text"
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
	local int64 // time, ns since the rank's first event
	rank  int64
}

// clock puts times of a rank on the common clock. All are counted from the
// rank's first event, so that the machine's clock can be of any size: that of
// the day is larger than a float64 tells apart. The zero value leaves times as
// they are.
type clock struct {
	from, to     int64 // the barriers
	atFrom, atTo int64 // what is to be added up to the first barrier, and from the second
	base         float64
	moves        bool
	twoPoints    bool
}

// smallClock bounds the clocks, ns, that are stretched as StarPU's converter
// does: it counts from the machine's zero, which moves what lies near half a ns.
// In greater clocks, of a machine that is up for three days, that error grows.
const smallClock = 1 << 48

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
	switch {
	case !c.twoPoints || t <= c.from:
		return float64(t + c.atFrom)
	case t >= c.to:
		return float64(t + c.atTo)
	}
	x, from, to := c.base+float64(t), c.base+float64(c.from), c.base+float64(c.to)
	return x + (float64(c.atTo-c.atFrom)/(to-from)*(x-from) + (float64(c.atFrom) - c.base))
}

// mpiBarrier notes a barrier, whose end the program can have timed itself.
func mpiBarrier(r *rank, a *args) {
	r.world.meet(a.int(0), a.int(3), a.int(1))
	b := barrier{local: r.now, rank: a.int(0)}
	if a.v[2] != 0 {
		b.local = r.barrierTime(a.v[2])
	}
	most := 2
	if r.d.version.OneBarrier {
		most = 1
	}
	if len(r.barriers) < most && b.local >= 0 {
		r.barriers = append(r.barriers, b)
	}
	r.programEvent(r.barrierText(b, a.v[2] != 0), b.local)
}

// barrierTime is the end of a barrier by the machine's clock, that of the event
// where the clock cannot be.
func (r *rank) barrierTime(clock uint64) int64 {
	t := int64(clock - r.start)
	if t < 0 || t > maxTime {
		r.bad("clock %d at the end of a barrier, want one near %d: the event's was taken", clock, r.start+uint64(r.now))
		return r.now
	}
	return t
}

// setClocks finds the common clock of the ranks. Ranks that left two barriers
// have what lies between stretched so that both agree; with one they are
// shifted; without one all start at 0.
func (d *decoder) setClocks() {
	var first, last int64 // the longest time before the barriers
	for _, r := range d.ranks {
		if n := len(r.barriers); n > 0 {
			first = max(first, r.barriers[0].local)
			if n == 2 {
				last = max(last, r.barriers[1].local)
			}
		}
	}
	for _, r := range d.ranks {
		c := &r.clock
		c.moves = true
		n := len(r.barriers)
		if n == 0 {
			continue
		}
		c.from, c.atFrom = r.barriers[0].local, first-r.barriers[0].local
		// Time must not go backwards where barriers are damaged.
		if n == 2 && r.barriers[1].local > r.barriers[0].local && last > first {
			c.to, c.atTo, c.twoPoints = r.barriers[1].local, last-r.barriers[1].local, true
		}
		if r.start < smallClock {
			c.base = float64(r.start)
		}
	}
}

// What clocks may differ by without a word: ranks leave a barrier one after the
// other, and the quartz of machines is good to some 1e-5.
const (
	maxOffset = 100_000 // ns
	maxDrift  = 1e-4    // of the time between two barriers
)

// noteClocks logs clocks that differed from the others' and were put right:
// those that were ahead or behind, and those that were faster or slower. One
// such can stretch the times of all ranks.
func (d *decoder) noteClocks() {
	var firsts, lengths []int64 // by the machine's clock, since that of the first rank's; between the barriers
	var base uint64
	for _, r := range d.ranks {
		if len(r.barriers) == 0 {
			continue
		}
		if firsts == nil {
			base = r.start
		}
		firsts = append(firsts, r.barrierClock(base))
		if r.clock.twoPoints {
			lengths = append(lengths, r.clock.to-r.clock.from)
		}
	}
	first, length := lowerMedian(firsts), lowerMedian(lengths)
	for _, r := range d.ranks {
		if len(r.barriers) == 0 {
			continue
		}
		if off := r.barrierClock(base) - first; off > maxOffset || off < -maxOffset {
			r.out.Log.Add(trace.Info, r.file, 0, "clock-moved", fmt.Sprintf("the clock was %s the others' at the first barrier: times were moved so that all left it together", aheadOf(off)))
		}
		own := r.clock.to - r.clock.from
		if off := own - length; r.clock.twoPoints && max(off, -off) > maxOffset && math.Abs(float64(off)) > maxDrift*float64(length) {
			common := r.clock.to + r.clock.atTo - r.clock.from - r.clock.atFrom
			r.out.Log.Add(trace.Info, r.file, 0, "clock-drift", fmt.Sprintf("found %.3f ms between its two barriers, want about %.3f ms, the median of the ranks: its clock runs at another speed, or it left one of them late; times of all ranks were put on a clock by which it is %.3f ms",
				inMS(own), inMS(length), inMS(common)))
		}
	}
}

// barrierClock is the machine's clock at the first barrier, ns since some base.
func (r *rank) barrierClock(base uint64) int64 { return int64(r.start-base) + r.barriers[0].local }

// lowerMedian is the value in the middle, 0 of none.
func lowerMedian(values []int64) int64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[(len(sorted)-1)/2]
}

func aheadOf(ns int64) string {
	if ns < 0 {
		return fmt.Sprintf("%.3f ms behind", inMS(-ns))
	}
	return fmt.Sprintf("%.3f ms ahead of", inMS(ns))
}

func inMS(ns int64) float64 { return float64(ns) / 1e6 }

// move puts a rank's times on the common clock.
func (r *rank) move() {
	r.states.Move(r.clock.time)
	moveAll(r.clock.time, r.out.Container.Start, r.out.Container.End, r.out.Link.Start, r.out.Link.End, r.out.Sample.Time, r.out.Event.Time, r.out.Sched.Time)
	moveAll(r.clock.record, r.out.Task.Submit, r.out.Task.Ready, r.out.Task.Start, r.out.Task.End)
}

func moveAll(clock func(int64) int64, columns ...[]int64) {
	for _, times := range columns {
		for i, t := range times {
			times[i] = clock(t)
		}
	}
}
