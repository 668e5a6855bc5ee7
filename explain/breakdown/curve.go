package breakdown

import (
	"math"
	"slices"

	"dagscope/explain/kind"
	"dagscope/explain/schedule"
	"dagscope/internal/interval"
	"dagscope/trace"
)

// Curve is the breakdown over time of the workers of one architecture: how many
// of them were there, worked, and were held up. The rest of those there was
// idle. The integrals over an interval are the sums that [Compute] gives for it,
// so that any number of windows can be had for one pass over the run.
type Curve struct {
	Arch           string
	Workers        int
	Present        interval.Steps // empty when all workers count throughout
	Work, Overhead interval.Steps
	Implicit       interval.Steps // of Work: only tasks of the runtime's own
}

// Curves breaks the time of the workers down, by architecture in the order of
// their names; unknown is as in [Result]. Of the options From, To and Step make
// no difference.
func Curves(run *trace.Run, o Options, by Scope) (curves []Curve, unknown int64) {
	w, lanes := findWaits(run, o), schedule.Select(run, o.Lanes, works(run, o.Generation))
	archs, members := byArch(run)
	cover := coverGlobal(run, w)
	if by != Global {
		types := schedule.GroupTypes(run, kind.Workers(run))
		cover = coverArchs(run, w, types, findCanRun(run, archs, o.CanRun))
	}
	for _, arch := range archs {
		c := Curve{Arch: arch, Workers: len(members[arch])}
		var work, implicit, present interval.Spans
		for _, r := range members[arch] {
			did, alone := workOf(run, lanes, r)
			if o.Lifetimes || run.Meta.Lifetimes {
				from, to := Lifetime(run, r)
				present.Add(from, to)
				did, alone = interval.Clip(did, from, to), interval.Clip(alone, from, to)
			}
			work.Start, work.End = append(work.Start, did.Start...), append(work.End, did.End...)
			implicit.Start, implicit.End = append(implicit.Start, alone.Start...), append(implicit.End, alone.End...)
		}
		c.Work, c.Implicit = interval.Concurrency(work), interval.Concurrency(implicit)
		there := interval.Steps{Time: []int64{trace.NoTime}, Value: []float64{float64(c.Workers)}}
		if o.Lifetimes || run.Meta.Lifetimes {
			if c.Present = interval.Concurrency(present); present.Len() == 0 { // nobody ever lived
				c.Present = interval.Steps{Time: []int64{trace.NoTime}, Value: []float64{0}}
			}
			there = c.Present
		}
		ready := cover.ready[cover.of[members[arch][0]]]
		c.Overhead = heldUp(c.Work, ready.Spans(), there)
		curves = append(curves, c)
	}
	return curves, w.unknown
}

// byArch groups the workers; archs are sorted by name.
func byArch(run *trace.Run) (archs []string, members map[string][]int32) {
	members = map[string][]int32{}
	for _, r := range kind.Workers(run) {
		arch := run.Resource.Arch.At(int(r))
		if members[arch] == nil {
			archs = append(archs, arch)
		}
		members[arch] = append(members[arch], r)
	}
	slices.Sort(archs)
	return archs, members
}

// heldUp is the number of workers that are there without work at the times when
// one could be.
func heldUp(work interval.Steps, ready interval.Spans, present interval.Steps) interval.Steps {
	var f interval.Steps
	set := func(at int64, v float64) {
		n := len(f.Value)
		if n > 0 && f.Time[n-1] == at {
			f.Value[n-1] = v
		} else if n == 0 || f.Value[n-1] != v {
			f.Time, f.Value = append(f.Time, at), append(f.Value, v)
		}
	}
	busy, there := follower{of: work}, follower{of: present}
	for i, start := range ready.Start {
		set(start, there.at(start)-busy.at(start))
		for {
			t := min(busy.next(), there.next())
			if t >= ready.End[i] {
				break
			}
			set(t, there.at(t)-busy.at(t))
		}
		set(ready.End[i], 0)
	}
	return f
}

// follower goes along a step function.
type follower struct {
	of    interval.Steps
	i     int // first step that is not reached
	value float64
}

// at moves on to a time and gives the value there.
func (f *follower) at(t int64) float64 {
	for ; f.i < len(f.of.Time) && f.of.Time[f.i] <= t; f.i++ {
		f.value = f.of.Value[f.i]
	}
	return f.value
}

// next is when the value changes.
func (f *follower) next() int64 {
	if f.i < len(f.of.Time) {
		return f.of.Time[f.i]
	}
	return math.MaxInt64
}
