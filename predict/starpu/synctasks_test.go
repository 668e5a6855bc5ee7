package starpu_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"dagscope/predict/starpu"
	"dagscope/predict/workload"
)

// withSync marks every fifth task or so as one without work, and makes the graph
// say who waits for whom.
func withSync(draw *rand.Rand, g *workload.Graph) {
	g.Sync = make([]bool, len(g.Class))
	for i := range g.Sync {
		g.Sync[i] = draw.IntN(5) == 0
	}
	for i, before := range predecessors(g) {
		slices.Sort(before)
		for _, p := range slices.Compact(before) {
			g.From, g.To = append(g.From, p), append(g.To, int32(i))
		}
	}
	for x := range g.Mode {
		if g.Mode[x] == workload.ReadWrite && draw.IntN(4) == 0 { // now its order counts no more, only that of From and To
			g.Mode[x] |= workload.Commute
		}
	}
	for i := range g.Class {
		if draw.IntN(6) == 0 {
			g.Hints = append(g.Hints, workload.Hint{After: int32(i), Handle: int32(draw.IntN(len(g.Bytes))), Kind: workload.WontUse})
		}
	}
	g.Explicit = true
}

// Tasks without work may access data, also where accesses order nothing. They
// never run, and all others do.
func TestSyncTasksWithData(t *testing.T) {
	for seed := range uint64(300) {
		draw := rand.New(rand.NewPCG(seed, 5))
		node := randomNode(t, draw, 1+draw.IntN(4), draw.IntN(3))
		g := program(draw, 20+draw.IntN(100), 3+draw.IntN(20))
		withSync(draw, g)
		s := scene{g, node, lengths(draw, g, node)}
		scheduler := recordedSchedulers[draw.IntN(len(recordedSchedulers))]
		r, err := starpu.RunNodes(s.g, s.m, s.d, policies(scheduler), randomOptions(draw))
		if err != nil {
			t.Errorf("seed %d, %s: %v", seed, scheduler, err)
			continue
		}
		for i, sync := range g.Sync {
			if ran := r.Worker[i] >= 0; ran == sync {
				t.Fatalf("seed %d: task %d without work: %t, ran: %t", seed, i, sync, ran)
			}
		}
		for k := range g.From {
			if from, to := g.From[k], g.To[k]; !g.Sync[from] && !g.Sync[to] && r.End[from] > r.Begin[to] {
				t.Fatalf("seed %d: task %d ends at %d, task %d that waits for it begins at %d", seed, from, r.End[from], to, r.Begin[to])
			}
		}
	}
}
