package panel

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"dagscope/internal/words"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// baseRuns are runs of all sorts: with suspended and internal tasks, without
// tasks, with enough of them for several chunks.
func baseRuns() []*trace.Run {
	runs := []*trace.Run{{}, tracetest.Tiny()}
	for seed := range uint64(12) {
		runs = append(runs, tracetest.Random(seed, 150))
	}
	return append(runs, tracetest.Cholesky(tracetest.Options{Tiles: 9}),
		tracetest.CholeskyTasks(150_000, tracetest.Options{CPUs: 5, GPUs: 2, Without: tracetest.Bare}))
}

func TestBaseIsWhatWasStored(t *testing.T) {
	for i, run := range baseRuns() {
		want, err := NewBase(run)
		if err != nil {
			t.Fatal(err)
		}
		data := want.Encode()
		got, err := DecodeBase(run, data)
		if err != nil {
			t.Fatalf("run %d: %v", i, err)
		}
		if !slices.Equal(got.Outlier, want.Outlier) || !reflect.DeepEqual(got.Lanes, want.Lanes) ||
			!slices.Equal(got.class, want.class) || !reflect.DeepEqual(got.count, want.count) {
			t.Errorf("run %d: what is read differs", i)
		}
		if !bytes.Equal(got.Encode(), data) {
			t.Errorf("run %d: it is stored differently again", i)
		}
		if n := len(run.Task.Start); n > 1000 && len(data) > 3*n {
			t.Errorf("run %d: %d bytes for %d tasks", i, len(data), n)
		}
	}
}

// Whatever the bytes, there is an error or the layout that is right.
func TestHostileBase(t *testing.T) {
	for i, run := range baseRuns()[:10] {
		base, err := NewBase(run)
		if err != nil {
			t.Fatal(err)
		}
		whole := base.Encode()
		check := func(data []byte) {
			t.Helper()
			got, err := DecodeBase(run, data)
			if err == nil && (!reflect.DeepEqual(got.Lanes, base.Lanes) || len(got.Outlier) != len(run.Task.Start)) {
				t.Fatalf("run %d: wrong layout of %q", i, data)
			}
		}
		for n := range whole {
			check(whole[:n])
		}
		check(append(slices.Clone(whole), 0))
		r := rand.New(rand.NewPCG(uint64(i), 4))
		for range 600 {
			data := slices.Clone(whole)
			for range 1 + r.IntN(4) {
				data[r.IntN(len(data))] = byte(r.IntN(256))
			}
			check(data)
		}
	}
}

// The index of one run is none of another.
func TestBaseOfAnotherRun(t *testing.T) {
	a, b := tracetest.Cholesky(tracetest.Options{Tiles: 9}), tracetest.Cholesky(tracetest.Options{Tiles: 9, Seed: 5})
	base, err := NewBase(a)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := DecodeBase(b, base.Encode()); err == nil {
		t.Error("the order of another run is taken for right")
	}
}

func BenchmarkNewBase(b *testing.B) {
	run := tracetest.CholeskyTasks(1_000_000, tracetest.Options{CPUs: 28, GPUs: 4, Without: tracetest.Bare})
	for b.Loop() {
		if _, err := NewBase(run); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeBase(b *testing.B) {
	run := tracetest.CholeskyTasks(1_000_000, tracetest.Options{CPUs: 28, GPUs: 4, Without: tracetest.Bare})
	base, err := NewBase(run)
	if err != nil {
		b.Fatal(err)
	}
	data := base.Encode()
	for b.Loop() {
		if _, err := DecodeBase(run, data); err != nil {
			b.Fatal(err)
		}
	}
}

// Windows of 256 and 1500 columns of any length of a run of 1e6 tasks.
func BenchmarkDrawWindow(b *testing.B) {
	run := tracetest.CholeskyTasks(1_000_000, tracetest.Options{CPUs: 28, GPUs: 4, Without: tracetest.Bare})
	v, err := openSpaceTime(run, &Options{})
	if err != nil {
		b.Fatal(err)
	}
	t0, t1, _ := Extent(run)
	for _, width := range []int{256, 1500} {
		b.Run(columnsName(width), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 1))
			for b.Loop() {
				length := (t1 - t0) >> r.IntN(24)
				from := t0 + r.Int64N(t1-t0-length+1)
				v.Draw(Query{T0: from, T1: from + length, Width: width, Height: 800, Body: true})
			}
		})
	}
}

func columnsName(width int) string { return words.PluralThin(width, "column", "columns") }
