package assemble

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"dagscope/trace"
)

// TestSpellOut: only what communication threads leave undeclared is spelt out; a
// kernel or another thread's state may have such a name.
func TestSpellOut(t *testing.T) {
	var st trace.States
	for _, s := range [][2]string{{"Communication Thread State", "Sc"}, {"Worker State", "Sc"}, {"Communication Thread State", "Polling"}} {
		st.Type.Append(s[0])
		st.Kind.Append(s[1])
	}
	spellOut(&st)
	for i, want := range []string{"Scheduling", "Sc", "Polling"} {
		if got := st.Kind.At(i); got != want {
			t.Errorf("state %d is %q, wanted %q", i, got, want)
		}
	}
}

// TestStatesByResource: runs of rows pick what picking row by row does.
func TestStatesByResource(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 3))
	for range 300 {
		const containers = 5
		n := r.IntN(60)
		a := newAssembler(&Parts{})
		a.isTask, a.resource = make([]bool, n), make([]int32, containers)
		a.out.Resource.Parent = make([]int32, containers+1)
		for c, place := range r.Perm(containers) {
			a.resource[c] = int32(place + 1)
		}
		var rows []int
		for row := range n {
			c := r.Int32N(containers)
			if row > 0 && r.IntN(3) > 0 {
				c = a.in.State.Container[row-1]
			}
			a.in.State.Container = append(a.in.State.Container, c)
			if a.isTask[row] = r.IntN(4) == 0; !a.isTask[row] {
				rows = append(rows, row)
			}
		}
		slices.SortStableFunc(rows, func(x, y int) int {
			return cmp.Compare(a.resource[a.in.State.Container[x]], a.resource[a.in.State.Container[y]])
		})
		var none []int
		got := make([]int, n)
		for row := range got {
			got[row] = row
		}
		pick(a.stateRuns(), &got, &none)
		if !slices.Equal(got, rows) || none != nil {
			t.Fatalf("got rows %v and %v, want %v and none", got, none, rows)
		}
	}
}
