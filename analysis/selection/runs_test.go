package selection

import (
	"math/rand/v2"
	"slices"
	"testing"

	"dagscope/ingest"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// smallRuns are runs of a few hundred to a few thousand ns, so that oracles can
// go through them instant by instant.
func smallRuns(t *testing.T) map[string]*trace.Run {
	runs := map[string]*trace.Run{"tiny": tracetest.Tiny(), "chain": tracetest.Chain(4), "fork": tracetest.Fork(5, 3)}
	for seed := range uint64(4) {
		random := tracetest.Random(seed, 12)
		shrink(random, 5)
		runs["random"+string(rune('0'+seed))] = random
		cut := tracetest.Random(seed, 14)
		shrink(cut, 5)
		suspend(cut, seed)
		runs["suspended"+string(rune('0'+seed))] = cut
	}
	cholesky := tracetest.Cholesky(tracetest.Options{Tiles: 3, Nodes: 2, CPUs: 1, GPUs: 1})
	shrink(cholesky, 20_000)
	runs["cholesky"] = cholesky
	real := bundled(t, "native-chol-tiny")
	shrink(real, 20_000)
	runs["native"] = real
	return runs
}

// shrink divides all times.
func shrink(run *trace.Run, by int64) {
	for _, table := range run.Tables() {
		for _, c := range table.Columns {
			if times, is := c.Data.(*[]int64); is && c.Unit == "ns" {
				for i, t := range *times {
					if t != trace.NoTime {
						(*times)[i] = t / by
					}
				}
			}
		}
	}
}

// suspend cuts tasks in two with a pause between, and lets some help each other
// on a second worker. It makes others the runtime's own, or of the input.
func suspend(run *trace.Run, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	t, s := &run.Task, &run.Segment
	add := func(i int, worker int32, start, end int64) {
		s.Task, s.Worker = append(s.Task, int32(i)), append(s.Worker, worker)
		s.Start, s.End = append(s.Start, start), append(s.End, end)
	}
	for i, start := range t.Start {
		third := (t.End[i] - start) / 3
		switch rng.IntN(5) {
		case 0, 1:
			add(i, t.Worker[i], start, start+third)
			add(i, t.Worker[i], t.End[i]-third, t.End[i])
		case 2:
			add(i, t.Worker[i], start, t.End[i])
			add(i, t.Worker[(i+1)%len(t.Worker)], start, t.End[i]-third)
			if s.Worker[len(s.Worker)-1] == t.Worker[i] {
				s.Task, s.Worker = s.Task[:len(s.Task)-1], s.Worker[:len(s.Worker)-1]
				s.Start, s.End = s.Start[:len(s.Start)-1], s.End[:len(s.End)-1]
			}
		case 3:
			t.Generation[i] = rng.IntN(2) == 0
			t.Ready[i] = trace.NoTime
		}
	}
}

// bundled reads a run that comes with the sources, and without runtime knowledge of others.
func bundled(t testing.TB, name string) *trace.Run {
	t.Helper()
	run, err := ingest.Read("../../testdata/starpu/"+name, ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

var bundledRuns = []string{"native-chol-tiny", "native-chol-n10-dmdas", "sg-mirage-n12-dmdas", "nativempi-np2-n8-lws"}

// areas are windows inside, across the edges of, and outside a run of some
// length on some of its workers.
func areas(workers []int32, length int64, kinds []string, rng *rand.Rand) []Area {
	all := []Area{{T0: 0, T1: length}, {T0: -20, T1: length + 20}, {T0: length + 5, T1: length + 25}, {T0: -30, T1: -10}, {T0: 7, T1: 7}}
	for range 4 {
		from := rng.Int64N(length + 1)
		a := Area{T0: from, T1: from + rng.Int64N(length-from+1)}
		all = append(all, a)
		a.Kinds = []string{kinds[rng.IntN(len(kinds))]}
		all = append(all, a)
		a.Kinds, a.Min, a.Max = nil, rng.Int64N(length/4+1), length/2+1
		all = append(all, a)
	}
	for i := range all {
		all[i].Workers = slices.Clone(workers)
		if rng.IntN(3) > 0 {
			all[i].Workers = all[i].Workers[rng.IntN(len(workers)):]
		}
	}
	return all
}
