package spec

import (
	"math/rand/v2"
	"testing"

	"dagscope/predict/workload"
	"dagscope/trace/tracetest"
)

// Means of durations are those that adding all tasks of a class and a kind of
// worker gives, whatever the classes.
func TestMeansOfOwnDurations(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	for seed := range uint64(10) {
		run := tracetest.Random(seed, 300)
		g, rows, err := workload.FromRun(run)
		if err != nil {
			t.Fatal(err)
		}
		g.Classes = make([]workload.Class, 1+rng.IntN(300))
		for i := range g.Class {
			g.Class[i] = rng.Int32N(int32(len(g.Classes)))
			g.Duration[i] = rng.Int64N(1000)
		}
		tab, from := &table{g: g}, &recording{run: run, rows: rows}
		type place struct {
			class int32
			at    measured
		}
		want := make(map[place]*mean)
		for i, row := range rows {
			at := from.worker(row)
			for _, p := range []place{{g.Class[i], at}, {g.Class[i], measured{at.arch, anyDevice}}} {
				if want[p] == nil {
					want[p] = &mean{}
				}
				if g.HasWork(i) {
					want[p].add(g.Duration[i])
				}
			}
		}
		got := tab.means(from, 0)
		for p, m := range want {
			if ns := got.ns(p.class, p.at); ns != m.ns() {
				t.Fatalf("seed %d: found %d ns of %+v, want %d", seed, ns, p, m.ns())
			}
		}
		for class := range int32(len(g.Classes)) {
			for at := range got.kinds {
				if want[place{class, at}] == nil && got.ns(class, at) != 0 || got.ns(class, measured{"none", 3}) != 0 {
					t.Fatalf("seed %d: found a mean of class %d on %+v, which ran none", seed, class, at)
				}
			}
		}
	}
}
