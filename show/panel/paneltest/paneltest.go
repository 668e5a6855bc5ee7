package paneltest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"dagscope/show/panel/core"
	"dagscope/trace"
	"dagscope/trace/tracetest"

	"pgregory.net/rapid"
)

// Open opens a panel on one run of several that are looked at together. Colours
// are those of the options, else those of the kinds of all runs, so that
// the runs agree. The error is a [panels.Missing] where there is nothing to draw.
func Open(id string, run *trace.Run, together []*trace.Run, o core.Options) (core.View, error) {
	p, err := core.Find(id)
	if err != nil {
		return nil, err
	}
	if err := o.Check(); err != nil {
		return nil, err
	}
	if o.Colors == nil {
		o.Colors = core.TaskColors(together, false)
	}
	return p.View(run, &o)
}

// Set sets an option that a panel declares.
func Set(t *testing.T, o *core.Options, id, name string, value any) {
	t.Helper()
	p, err := core.Find(id)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(p.Settings, func(s core.Setting) bool { return s.Name == name })
	if at < 0 {
		t.Fatalf("panel %s has no setting %s", id, name)
	}
	p.Settings[at].Set(o, value)
}

// RandomWindow is a window about [t0, t1), often a small part of it.
func RandomWindow(r *rand.Rand, t0, t1 int64) core.Query {
	span := t1 - t0 + 40
	from := t0 - 20 + r.Int64N(span)
	length := 1 + r.Int64N(1+r.Int64N(1+r.Int64N(span)))
	return core.Query{T0: from, T1: from + length, Width: 1 + r.IntN(300), Height: float64(40 + r.IntN(400))}
}

// RandomViews opens a panel on random runs.
func RandomViews(t *testing.T, id string, o core.Options, check func(t *testing.T, run *trace.Run, v core.View)) {
	opened := 0
	for seed := range uint64(12) {
		run := tracetest.Random(seed, 150)
		v, err := Open(id, run, []*trace.Run{run}, o)
		if err != nil {
			continue
		}
		opened++
		t.Run(fmt.Sprint(seed), func(t *testing.T) { check(t, run, v) })
	}
	if opened == 0 {
		t.Fatalf("panel %s opens on no run", id)
	}
}

// NestedStates makes properly nested states on two resources, in the order of
// the model.
func NestedStates(t *rapid.T) *trace.Run {
	run := &trace.Run{}
	s := &run.State
	var nest func(r int32, from, to int64, depth int32)
	nest = func(r int32, from, to int64, depth int32) {
		for at := from; at < to && depth < 4; {
			start := at + rapid.Int64Range(0, 6).Draw(t, "gap")
			end := start + rapid.Int64Range(0, 20).Draw(t, "length")
			if end > to {
				return
			}
			s.Resource = append(s.Resource, r)
			s.Type.Append("state")
			s.Kind.Append(rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "kind"))
			s.Start, s.End, s.Depth = append(s.Start, start), append(s.End, end), append(s.Depth, depth)
			nest(r, start, end, depth+1)
			at = end + 1
		}
	}
	nest(0, 0, 64, 0)
	nest(1, 0, 64, 0)
	return run
}
