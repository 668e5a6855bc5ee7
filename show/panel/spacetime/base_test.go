package spacetime

import (
	"math/rand/v2"
	"testing"

	"dagscope/explain/index"
	"dagscope/explain/numbers/panels"
	"dagscope/internal/words"
	"dagscope/show/panel/core"
	"dagscope/trace/tracetest"
)

func BenchmarkNewBase(b *testing.B) {
	run := tracetest.CholeskyTasks(1_000_000, tracetest.Options{CPUs: 28, GPUs: 4, Without: tracetest.Bare})
	for b.Loop() {
		core.NewBase(run, index.New(run))
	}
}

func BenchmarkStoredBase(b *testing.B) {
	run := tracetest.CholeskyTasks(1_000_000, tracetest.Options{CPUs: 28, GPUs: 4, Without: tracetest.Bare})
	data := index.Encode(run)
	for b.Loop() {
		x, err := index.Decode(run, data)
		if err != nil {
			b.Fatal(err)
		}
		core.NewBase(run, x)
	}
}

// Windows of 256 and 1500 columns of any length of a run of 1e6 tasks.
func BenchmarkDrawWindow(b *testing.B) {
	run := tracetest.CholeskyTasks(1_000_000, tracetest.Options{CPUs: 28, GPUs: 4, Without: tracetest.Bare})
	v, err := openSpaceTime(run, &core.Options{})
	if err != nil {
		b.Fatal(err)
	}
	t0, t1, _ := panels.Extent(run)
	for _, width := range []int{256, 1500} {
		b.Run(columnsName(width), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 1))
			for b.Loop() {
				length := (t1 - t0) >> r.IntN(24)
				from := t0 + r.Int64N(t1-t0-length+1)
				v.Draw(core.Query{T0: from, T1: from + length, Width: width, Height: 800, Body: true})
			}
		})
	}
}

func columnsName(width int) string { return words.PluralThin(width, "column", "columns") }
