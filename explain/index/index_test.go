package index

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// runsOfAllSorts are runs of all sorts: with suspended and internal tasks, without
// tasks, with enough of them for several chunks.
func runsOfAllSorts() []*trace.Run {
	runs := []*trace.Run{{}, tracetest.Tiny()}
	for seed := range uint64(12) {
		runs = append(runs, tracetest.Random(seed, 150))
	}
	return append(runs, tracetest.Cholesky(tracetest.Options{Tiles: 9}),
		tracetest.CholeskyTasks(150_000, tracetest.Options{CPUs: 5, GPUs: 2, Without: tracetest.Bare}))
}

func TestIndexIsWhatWasStored(t *testing.T) {
	for i, run := range runsOfAllSorts() {
		want, data := New(run), Encode(run)
		got, err := Decode(run, data)
		if err != nil {
			t.Fatalf("run %d: %v", i, err)
		}
		if !slices.Equal(got.Outlier, want.Outlier) || !reflect.DeepEqual(got.Lanes, want.Lanes) {
			t.Errorf("run %d: what is read differs", i)
		}
		if !bytes.Equal(got.encode(run), data) {
			t.Errorf("run %d: it is stored differently the second time", i)
		}
		if n := len(run.Task.Start); n > 1000 && len(data) > 3*n {
			t.Errorf("run %d: %d bytes for %d tasks", i, len(data), n)
		}
	}
}

// Whatever the bytes, there is an error or the layout that is right.
func TestHostileIndex(t *testing.T) {
	for i, run := range runsOfAllSorts()[:10] {
		want, whole := New(run), Encode(run)
		check := func(data []byte) {
			t.Helper()
			got, err := Decode(run, data)
			if err == nil && (!reflect.DeepEqual(got.Lanes, want.Lanes) || len(got.Outlier) != len(run.Task.Start)) {
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
func TestIndexOfAnotherRun(t *testing.T) {
	a, b := tracetest.Cholesky(tracetest.Options{Tiles: 9}), tracetest.Cholesky(tracetest.Options{Tiles: 9, Seed: 5})
	if _, err := Decode(b, Encode(a)); err == nil {
		t.Error("the order of another run is taken for right")
	}
}

func BenchmarkDecode(b *testing.B) {
	run := tracetest.CholeskyTasks(1_000_000, tracetest.Options{CPUs: 28, GPUs: 4, Without: tracetest.Bare})
	data := Encode(run)
	for b.Loop() {
		if _, err := Decode(run, data); err != nil {
			b.Fatal(err)
		}
	}
}
