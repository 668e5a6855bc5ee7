package chart

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"dagscope/show/render"
	"dagscope/show/scene"
)

// randomTree makes a tree whose fronts grow towards the root, its lower part
// pruned.
func randomTree(n int, seed uint64) []Front {
	random := rand.New(rand.NewPCG(seed, 1))
	nodes := make([]Front, n)
	size := make([]int, n)
	for v := range nodes {
		size[v]++
		nodes[v].Parent = -1
		if v < n-1 {
			p := min(n-1, v+1+random.IntN(1+n/20))
			nodes[v].Parent = int32(p)
			size[p] += size[v]
		}
		nodes[v].Work = math.Pow(float64(size[v]), 2) * (0.5 + random.Float64())
	}
	for v := n - 2; v >= 0; v-- {
		switch parent := nodes[nodes[v].Parent]; {
		case parent.State != Cut:
			nodes[v].State = Inside
		case size[v] < n/50:
			nodes[v].State = Task
		case size[v] < n/20:
			nodes[v].Layer = true
		}
	}
	return nodes
}

func TestElimTree(t *testing.T) {
	for _, n := range []int{0, 1, 2, 10, 300, 20000} {
		nodes := randomTree(n, 7)
		page, err := (&ElimTree{Fronts: nodes, Unit: "GFlop", Facts: []string{"facts"}}).Draw(Options{Title: "tree"})
		if err != nil {
			t.Fatalf("%d nodes: %v", n, err)
		}
		var file bytes.Buffer
		if err := render.Write(&file, "svg", page, render.Options{}); err != nil {
			t.Fatal(err)
		}
		if n > 0 && !strings.Contains(file.String(), "GFlop") {
			t.Errorf("%d nodes: nothing is labelled", n)
		}
		if hidden := strings.Contains(file.String(), "inside of subtrees are not drawn"); hidden != (n == 20000) {
			t.Errorf("%d nodes: some are hidden: %v", n, hidden)
		}
		if page.H > 900 {
			t.Errorf("%d nodes: the page is %v pixels high", n, page.H)
		}
	}
}

// TestTreeLayout wants parents above their children, all inside of the body, and
// subtrees side by side.
func TestTreeLayout(t *testing.T) {
	const width = 800
	for seed := range uint64(40) {
		nodes := randomTree(1+rand.New(rand.NewPCG(seed, 2)).IntN(700), seed)
		l, err := layOut(nodes, width)
		if err != nil {
			t.Fatal(err)
		}
		low, high := make([]float64, len(nodes)), make([]float64, len(nodes))
		for v := range nodes {
			low[v], high[v] = l.x[v], l.x[v]
		}
		last := make(map[int32]float64) // right end of the subtree before, by parent
		for v := len(l.order) - 1; v >= 0; v-- {
			v := l.order[v]
			if l.x[v] < 0 || l.x[v] > width || l.y[v] < 0 || l.y[v] > l.height {
				t.Fatalf("seed %d: node %d is at %v, %v", seed, v, l.x[v], l.y[v])
			}
			if p := nodes[v].Parent; p >= 0 {
				if l.y[p] >= l.y[v] {
					t.Fatalf("seed %d: node %d is above its parent", seed, v)
				}
				low[p], high[p] = min(low[p], low[v]), max(high[p], high[v])
			}
		}
		for _, v := range l.order {
			p := nodes[v].Parent
			if end, ok := last[p]; ok && low[v] < end-1e-6 {
				t.Fatalf("seed %d: the subtree of node %d begins at %v, left of %v", seed, v, low[v], end)
			}
			last[p] = high[v]
		}
	}
}

func TestFrontLabelsDoNotOverlap(t *testing.T) {
	l, err := layOut(randomTree(500, 3), 800)
	if err != nil {
		t.Fatal(err)
	}
	texts := l.names(800, "s")
	if len(texts) < 5 {
		t.Fatalf("%d labels, want some", len(texts))
	}
	boxes := make([]scene.Rectangle, 0, len(texts))
	for _, text := range texts {
		wide, from := scene.TextWidth(text.S, text.Size, false), text.X
		if text.Anchor == scene.End {
			from -= wide
		}
		box := scene.Rectangle{X0: from, X1: from + wide, Y0: float64(text.Y) - labelFont/2, Y1: float64(text.Y) + labelFont/2}
		for _, other := range boxes {
			if overlap(box, other) {
				t.Errorf("label %q covers another", text.S)
			}
		}
		light := scene.Rectangle{X0: box.X0 - 2, X1: box.X1 + 2, Y0: box.Y0, Y1: box.Y1} // as it is painted
		for _, v := range l.order {
			s := l.side[v] / 2
			if overlap(light, scene.Rectangle{X0: l.x[v] - s, X1: l.x[v] + s, Y0: l.y[v] - s, Y1: l.y[v] + s}) {
				t.Errorf("label %q covers node %d", text.S, v)
			}
		}
		if box.X0 < 0 || box.X1 > 800 {
			t.Errorf("label %q leaves the body", text.S)
		}
		boxes = append(boxes, box)
	}
}

func TestWriteWork(t *testing.T) {
	for work, want := range map[float64]string{0.0012345: "0.00123 s", 5: "5 s", 999: "999 s", 1000: "1 000 s", 34482.4: "34 482 s", 1234567: "1 234 567 s"} {
		if got := writeWork(work, "s"); got != want {
			t.Errorf("found %q of %v, want %q", got, work, want)
		}
	}
}

func TestTreesThatCannotBe(t *testing.T) {
	for _, c := range []struct {
		nodes []Front
		want  string
	}{
		{[]Front{{Parent: 1}, {Parent: 0}}, "2 nodes below no root"},
		{[]Front{{Parent: 0}}, "1 nodes below no root"},
		{[]Front{{Parent: 5}}, "parent 5 of node 0"},
		{[]Front{{Parent: -2}}, "parent -2"},
		{[]Front{{Parent: -1, Work: math.NaN()}}, "work NaN"},
		{[]Front{{Parent: -1, Work: -1}}, "work -1"},
	} {
		if _, err := (&ElimTree{Fronts: c.nodes}).Draw(Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}
