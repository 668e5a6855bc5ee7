package workload

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Nodes that are left out leave who comes after whom as it was, with a bounded
// number of edges.
func TestThroughKeepsWhoFollowsWhom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(t, "nodes")
		ran := make([]bool, n)
		share := rapid.IntRange(1, 4).Draw(t, "share")
		for i := range ran {
			ran[i] = i%share == 0
		}
		var from, to []int32
		for v := 1; v < n; v++ {
			for range rapid.IntRange(0, 20).Draw(t, "degree") {
				from, to = append(from, int32(rapid.IntRange(0, v-1).Draw(t, "from"))), append(to, int32(v))
			}
		}
		th, err := newThrough(ran, from, to)
		if err != nil {
			t.Fatal(err)
		}
		var f2, t2 []int32
		for v := range int32(n) {
			if !th.keep[v] {
				continue
			}
			for _, p := range th.preds(v) {
				f2, t2 = append(f2, p), append(t2, v)
			}
		}
		want, got := closure(n, from, to), closure(n, f2, t2)
		for i := range n {
			for j := range n {
				if ran[i] && ran[j] && want[i][j] != got[i][j] {
					t.Fatalf("node %d before %d: found %v, want %v", i, j, got[i][j], want[i][j])
				}
			}
			if ran[i] && !th.keep[i] {
				t.Fatalf("node %d ran and was left out", i)
			}
		}
	})
}

func closure(n int, from, to []int32) [][]bool {
	reach := make([][]bool, n)
	for i := range reach {
		reach[i] = make([]bool, n)
	}
	for i, u := range from {
		reach[u][to[i]] = true
	}
	for k := range n {
		for i := range n {
			for j := range n {
				reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
			}
		}
	}
	return reach
}

// A barrier between many tasks is kept: no edge for each pair.
func TestThroughKeepsBarriers(t *testing.T) {
	const wing = 500
	ran := slices.Repeat([]bool{true}, 2*wing+1)
	ran[wing] = false
	var from, to []int32
	for i := range int32(wing) {
		from, to = append(from, i, wing), append(to, wing, wing+1+i)
	}
	th, err := newThrough(ran, from, to)
	if err != nil {
		t.Fatal(err)
	}
	edges := 0
	for v := range int32(len(ran)) {
		edges += len(th.preds(v))
	}
	if !th.keep[wing] || edges != 2*wing {
		t.Errorf("found %d edges, the barrier kept: %v; want %d edges through it", edges, th.keep[wing], 2*wing)
	}
}

func TestThroughReportsCycles(t *testing.T) {
	if _, err := newThrough([]bool{true, true}, []int32{0, 1}, []int32{1, 0}); err == nil {
		t.Error("found no error for two tasks that wait for each other")
	}
}
