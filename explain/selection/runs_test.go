package selection

import (
	"math/rand/v2"
	"slices"
	"testing"

	"dagscope/explain/kind"
	"dagscope/explain/schedule"
	"dagscope/internal/testenv"
	"dagscope/read"
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
	driven := tracetest.Random(10, 12)
	shrink(driven, 5)
	drive(driven, 1)
	runs["driven"] = driven
	cholesky := tracetest.Cholesky(tracetest.Options{Tiles: 3, Nodes: 2, CPUs: 1, GPUs: 1})
	shrink(cholesky, 20_000)
	runs["cholesky"] = cholesky
	native := bundled(t, "native-chol-tiny")
	shrink(native, 20_000)
	runs["native"] = native
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
// on a second worker. Others it makes generate the input, or take no time.
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
			switch helper := t.Worker[(i+1)%len(t.Worker)]; {
			case helper == t.Worker[i]: // it has no help
			case rng.IntN(2) == 0:
				add(i, helper, start, t.End[i])
			default:
				add(i, helper, start, start+third*rng.Int64N(2))
				add(i, helper, start+third, t.End[i]-third*rng.Int64N(2))
			}
		case 3:
			t.Generation[i] = rng.IntN(2) == 0
			t.Ready[i] = trace.NoTime
		case 4:
			t.End[i] = start
		}
	}
}

// drive adds a thread that drives the first two workers, and its states. Rows of
// states then end with those of the thread.
func drive(run *trace.Run, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 2))
	re, s, thread := &run.Resource, &run.State, int32(len(run.Resource.Parent))
	workers := kind.Workers(run)
	re.Parent, re.Node, re.Index = append(re.Parent, 1), append(re.Node, 0), append(re.Index, 0)
	re.Start, re.End = append(re.Start, 0), append(re.End, trace.NoTime)
	re.Level.Append(trace.LevelThread)
	re.Name.Append("thread")
	re.Arch.Append("")
	re.Parent[workers[0]], re.Parent[workers[1]] = thread, thread
	for at := int64(-5); at < 300; {
		at += rng.Int64N(20)
		s.Resource, s.Start, s.End = append(s.Resource, thread), append(s.Start, at), append(s.End, at+rng.Int64N(30))
		s.Type.Append("Thread State")
		s.Kind.Append([]string{"Scheduling", "Sleeping", "Callback"}[rng.IntN(3)])
		s.Depth = append(s.Depth, 0)
	}
}

// bundled reads a run that comes with the sources.
func bundled(t testing.TB, name string) *trace.Run {
	t.Helper()
	run, err := read.Read(testenv.Repo("testdata/starpu", name), read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

var bundledRuns = []string{"native-chol-tiny", "native-chol-n10-dmdas", "sg-mirage-n12-dmdas", "nativempi-np2-n8-lws"}

// areas are windows inside, across the edges of, and outside a run, on some of
// its workers, and of some of its tasks.
func areas(run *trace.Run, rng *rand.Rand) []Area {
	length, workers, kinds, durations := schedule.Makespan(run), kind.Workers(run), run.Task.Kind.Dict, kind.Durations(run)
	all := []Area{{T0: 0, T1: length}, {T0: -20, T1: length + 20}, {T0: length + 5, T1: length + 25}, {T0: -30, T1: -10}, {T0: 7, T1: 7}}
	for i := range 6 {
		from := rng.Int64N(length + 1)
		if i%2 == 0 {
			from = max(0, run.Task.Start[rng.IntN(len(run.Task.Start))])
		}
		a := Area{T0: from, T1: from + rng.Int64N(length-from+1)}
		all = append(all, a)
		a.Kinds = []string{kinds[rng.IntN(len(kinds))]}
		all = append(all, a)
		some := []int64{durations[rng.IntN(len(durations))], durations[rng.IntN(len(durations))]}
		a.Kinds, a.Min, a.Max = nil, slices.Min(some), slices.Max(some)
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
