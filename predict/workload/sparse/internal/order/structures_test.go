package order

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestHeap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	h, want := newHeap(30), map[int32]int64{}
	for range 5000 {
		v, gain := int32(r.IntN(30)), int64(r.IntN(20)-10)
		switch _, in := want[v]; {
		case !in:
			want[v] = gain
			h.push(v, gain)
		case r.IntN(3) == 0:
			delete(want, v)
			h.remove(v)
		default:
			want[v] += gain
			h.add(v, gain)
		}
		if len(want) != len(h.item) {
			t.Fatalf("%d vertices, want %d", len(h.item), len(want))
		}
		for v, gain := range want {
			if h.gain[v] != gain || gain > h.gain[h.item[0]] {
				t.Fatalf("vertex %d gains %d, want %d; first gains %d", v, h.gain[v], gain, h.gain[h.item[0]])
			}
		}
	}
}

func TestListsAreKeptWhenTheyMoveTogether(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	l := lists{at: make([]int, 20), size: make([]int32, 20), item: make([]int32, 0, 150)}
	want := make([][]int32, 20)
	for range 2000 {
		k, n := int32(r.IntN(20)), r.IntN(8)
		l.size[k], want[k] = 0, nil
		l.makeRoom(n)
		for range n {
			l.add(int32(r.IntN(1000)))
		}
		want[k] = slices.Clone(l.added())
		l.keep(k, n)
		for k, w := range want {
			if got := l.of(int32(k)); !slices.Equal(got, w) {
				t.Fatalf("list %d is %v, want %v", k, got, w)
			}
		}
	}
	if cap(l.item) != 150 {
		t.Errorf("lists take %d, want 150", cap(l.item))
	}
}

// Quotient graphs that begin with cliques are those that begin with edges, but
// that degrees are bounds: fill may differ a little.
func TestLongRowsAsCliques(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	edges, cliques := 0, 0
	for range 60 {
		p := randomPattern(r, 30, 25, 90)
		rows := rowsOf(p)
		for _, most := range []int32{0, 3, 30} {
			g, long := columnGraph(p, &rows, most), longRows(&rows, most)
			perm := newQuotient(&g, &long, repeat(1, p.Cols), newMembers(p.Cols), oneGroup(p.Cols)).minimumDegree()
			if !isPermutation(perm, p.Cols) {
				t.Fatalf("no permutation: %v", perm)
			}
			if most == 30 {
				edges += entriesOfR(p, perm)
			} else {
				cliques += entriesOfR(p, perm)
			}
		}
	}
	if ratio := float64(cliques) / float64(2*edges); ratio > 1.1 || ratio < 0.95 {
		t.Errorf("%.3f times the fill of edges", ratio)
	}
}

// Groups come one after the other, whatever their variables' degrees.
func TestGroupsKeepTheirOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for range 100 {
		p := randomPattern(r, 40, 30, 100)
		rows := rowsOf(p)
		g, none := columnGraph(p, &rows, 1000), graph{at: []int{0}}
		sets := make([][]int32, 4)
		of := make([]int, p.Cols)
		for v := range p.Cols {
			of[v] = r.IntN(4)
			sets[of[v]] = append(sets[of[v]], int32(v))
		}
		perm := newQuotient(&g, &none, repeat(1, p.Cols), newMembers(p.Cols), groupsOf(p.Cols, sets)).minimumDegree()
		if !isPermutation(perm, p.Cols) || !slices.IsSortedFunc(perm, func(a, b int32) int { return of[a] - of[b] }) {
			t.Fatalf("order %v of groups %v", perm, sets)
		}
	}
}
