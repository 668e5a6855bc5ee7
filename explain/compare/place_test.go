package compare

import (
	"fmt"
	"slices"
	"testing"

	"dagscope/trace"
	"dagscope/trace/tracetest"

	"pgregory.net/rapid"
)

// creation is a tree of creations whose tasks carry their path as a name.
type creation struct {
	parent []int // of task i among the tasks before it, -1 for the root
	kind   []string
	path   []string
}

func drawCreation(t *rapid.T) creation {
	n := rapid.IntRange(1, 40).Draw(t, "tasks")
	c := creation{}
	rank := map[string]int{}
	for i := range n {
		parent, above := rapid.IntRange(-1, i-1).Draw(t, "parent"), ""
		if parent >= 0 {
			above = c.path[parent]
		}
		kind := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "kind")
		c.parent, c.kind = append(c.parent, parent), append(c.kind, kind)
		c.path = append(c.path, fmt.Sprintf("%s/%s%d", above, kind, rank[above+"/"+kind]))
		rank[above+"/"+kind]++
	}
	return c
}

// run executes the tree in an order that chance gives: children of one task in
// theirs, created by one of two implicit tasks at the root. It returns the path
// of each row.
func (c creation) run(t *rapid.T, label string) (*trace.Run, []string) {
	n := len(c.parent)
	run := tracetest.Random(1, n+2)
	ta := &run.Task
	ta.Kind, ta.Parent = trace.Strings{}, make([]int32, 0, n+2)
	ta.X, ta.Y, ta.Tag = nil, nil, nil
	for i := range ta.Start {
		ta.Internal[i], ta.Generation[i] = i < 2, false
		ta.Start[i], ta.End[i] = int64(i), int64(i+1)
		ta.Worker[i] = max(ta.Worker[i], ta.Worker[0])
	}
	for range 2 {
		ta.Kind.Append("implicit task")
		ta.Parent = append(ta.Parent, trace.None)
	}
	row := make([]int32, n)
	paths := []string{"", ""}
	left := make([]bool, n)
	for range n {
		// Tasks whose creator is there and whose elder siblings are.
		var able []int
		last := map[int]int{}
		for i, p := range c.parent {
			if _, elder := last[p]; !left[i] && !elder && (p < 0 || left[p]) {
				able = append(able, i)
			}
			if !left[i] {
				last[p] = i
			}
		}
		i := rapid.SampledFrom(able).Draw(t, label+" next")
		left[i], row[i] = true, int32(len(paths))
		paths = append(paths, c.path[i])
		ta.Kind.Append(c.kind[i])
		parent := rapid.Int32Range(0, 1).Draw(t, label+" member")
		if c.parent[i] >= 0 {
			parent = row[c.parent[i]]
		}
		ta.Parent = append(ta.Parent, parent)
	}
	return run, paths
}

// Tasks of a tree are matched by their place in it, in whatever order and by
// whichever thread they were created.
func TestMatchByPlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCreation(t)
		a, inA := c.run(t, "A")
		b, inB := c.run(t, "B")
		m := Match(a, b, Options{})
		if len(m.A) != len(c.path) || m.OnlyA+m.OnlyB != 0 {
			t.Fatalf("%d pairs of %d tasks, %d and %d without", len(m.A), len(c.path), m.OnlyA, m.OnlyB)
		}
		for i := range m.A {
			if inA[m.A[i]] != inB[m.B[i]] {
				t.Fatalf("%s is matched with %s (%s)", inA[m.A[i]], inB[m.B[i]], m.Levels[m.Level[i]])
			}
		}
		if !slices.Contains(m.Levels, "place in the tree of creations") {
			t.Fatalf("levels %v", m.Levels)
		}
	})
}
