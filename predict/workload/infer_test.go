package workload

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawGraph draws a program of a few tasks on a few pieces of data.
func drawGraph(t *rapid.T) *Graph {
	handles := rapid.Int32Range(1, 4).Draw(t, "handles")
	g := &Graph{AccessAt: []int32{0}, Bytes: make([]int64, handles)}
	modes := []Mode{Read, Write, ReadWrite, ReadWrite | Commute, Scratch}
	tasks := rapid.Int32Range(0, 14).Draw(t, "tasks")
	for i := range tasks {
		for range rapid.IntRange(0, 3).Draw(t, "accesses") {
			g.Handle = append(g.Handle, rapid.Int32Range(0, handles-1).Draw(t, "handle"))
			g.Mode = append(g.Mode, rapid.SampledFrom(modes).Draw(t, "mode"))
		}
		g.Class = append(g.Class, 0)
		g.AccessAt = append(g.AccessAt, int32(len(g.Handle)))
		if i > 0 && rapid.IntRange(0, 5).Draw(t, "explicit") == 0 {
			g.From = append(g.From, rapid.Int32Range(0, i-1).Draw(t, "from"))
			g.To = append(g.To, i)
		}
		if rapid.IntRange(0, 3).Draw(t, "hint") == 0 {
			g.Hints = append(g.Hints, Hint{i + 1, rapid.Int32Range(0, handles-1).Draw(t, "hinted"), WontUse})
		}
	}
	return g
}

// action is a task or a hint: what it uses, in the order of submission.
type action struct {
	task int // None for a hint
	uses []use
}

// program is a graph as it is submitted; hints read.
func program(g *Graph) (all []action) {
	hint := 0
	hints := func(before int) {
		for ; hint < len(g.Hints) && int(g.Hints[hint].After) <= before; hint++ {
			all = append(all, action{int(None), []use{read(g.Hints[hint].Handle)}})
		}
	}
	for i := range g.Tasks() {
		hints(i)
		a := action{task: i}
		for at := g.AccessAt[i]; at < g.AccessAt[i+1]; at++ {
			a.uses = append(a.uses, use{g.Handle[at], g.Mode[at]})
		}
		all = append(all, a)
	}
	return all
}

// conflict tells whether a later action must wait for an earlier one.
func conflict(a, b action) bool {
	for _, u := range a.uses {
		for _, v := range b.uses {
			both, either := u.mode&v.mode, u.mode|v.mode
			switch {
			case u.handle != v.handle || either&Scratch != 0 || either&Write == 0:
			case both&Write != 0 && both&Commute != 0:
			default:
				return true
			}
		}
	}
	return false
}

// naiveReach is the transitive closure of the conflicts and explicit
// dependencies, by pair of actions, of which it returns those between tasks.
func naiveReach(g *Graph) [][]bool {
	all := program(g)
	place := make([]int, g.Tasks())
	for i, a := range all {
		if a.task >= 0 {
			place[a.task] = i
		}
	}
	reach := make([][]bool, len(all))
	for i := range all {
		reach[i] = make([]bool, len(all))
		for j := i + 1; j < len(all); j++ {
			reach[i][j] = conflict(all[i], all[j])
		}
	}
	for i, from := range g.From {
		reach[place[from]][place[g.To[i]]] = true
	}
	for k := range all {
		for i := range all {
			for j := range all {
				reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
			}
		}
	}
	tasks := make([][]bool, g.Tasks())
	for i := range tasks {
		for _, p := range place {
			tasks[i] = append(tasks[i], reach[place[i]][p])
		}
	}
	return tasks
}

// reach follows successors from a node to tasks.
func (d *Deps) reach(node int32, seen []bool) {
	for _, s := range d.Succs(node) {
		if !seen[s] {
			seen[s] = true
			d.reach(s, seen)
		}
	}
}

func TestInferReachesWhatConflictsReach(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		d, err := Infer(g)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range naiveReach(g) {
			seen := make([]bool, d.Nodes())
			d.reach(int32(i), seen)
			if got := seen[:g.Tasks()]; !slices.Equal(got, want) {
				t.Fatalf("task %d reaches %v, want %v\n%+v\n%+v", i, got, want, g, d)
			}
		}
	})
}

func TestInferIsConsistent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		d, err := Infer(g)
		if err != nil {
			t.Fatal(err)
		}
		type edge struct{ from, to int32 }
		var preds, succs []edge
		for v := range int32(d.Nodes()) {
			for _, p := range d.Preds(v) {
				preds = append(preds, edge{p, v})
			}
			for _, s := range d.Succs(v) {
				succs = append(succs, edge{v, s})
			}
			if !slices.IsSortedFunc(d.Succs(v), func(a, b int32) int { return int(d.submission(a) - d.submission(b)) }) {
				t.Fatalf("successors of %d are not in order of submission: %v of %+v", v, d.Succs(v), d)
			}
		}
		less := func(a, b edge) int { return int(a.from-b.from)*1000 + int(a.to-b.to) }
		slices.SortFunc(preds, less)
		slices.SortFunc(succs, less)
		if !slices.Equal(preds, succs) || len(slices.Compact(preds)) != len(succs) {
			t.Fatalf("predecessors and successors differ or repeat: %+v", d)
		}
		if !slices.IsSorted(d.Before) {
			t.Fatalf("runtime tasks are not in order: %v", d.Before)
		}
	})
}

// submission orders nodes by their submission.
func (d *Deps) submission(node int32) int32 {
	if own := node - int32(d.Tasks); own >= 0 {
		return 1000*d.Before[own] + own - 999
	}
	return 1000 * node
}

// Waiting for many readers takes one task more, not readers × writers edges.
func TestInferIsLinear(t *testing.T) {
	const group = 1000
	g := &Graph{AccessAt: []int32{0}, Bytes: []int64{8}}
	add := func(m Mode) {
		g.Class, g.Handle, g.Mode = append(g.Class, 0), append(g.Handle, 0), append(g.Mode, m)
		g.AccessAt = append(g.AccessAt, int32(len(g.Handle)))
	}
	for range group {
		add(Read)
	}
	for range group {
		add(ReadWrite | Commute)
	}
	d, err := Infer(g)
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Succ) != 2*group || d.Nodes() != 2*group+1 {
		t.Errorf("found %d edges and %d nodes, want %d and %d", len(d.Succ), d.Nodes(), 2*group, 2*group+1)
	}
}

func TestInferReports(t *testing.T) {
	good := func() *Graph {
		return &Graph{Class: []int32{0, 0}, AccessAt: []int32{0, 1, 2}, Handle: []int32{0, 0}, Mode: []Mode{Read, Write}, Bytes: []int64{8}}
	}
	for name, spoil := range map[string]func(g *Graph){
		"handle":     func(g *Graph) { g.Handle[1] = 1 },
		"negative":   func(g *Graph) { g.Handle[1] = -1 },
		"mode":       func(g *Graph) { g.Mode = g.Mode[:1] },
		"offsets":    func(g *Graph) { g.AccessAt = g.AccessAt[:2] },
		"decreasing": func(g *Graph) { g.AccessAt[1] = 3 },
		"explicit":   func(g *Graph) { g.From, g.To = []int32{0}, []int32{2} },
		"loop":       func(g *Graph) { g.From, g.To = []int32{1}, []int32{1} },
		"unsorted":   func(g *Graph) { g.From, g.To = []int32{0, 1}, []int32{1, 0} },
		"hint":       func(g *Graph) { g.Hints = []Hint{{After: 3}} },
		"hinted":     func(g *Graph) { g.Hints = []Hint{{After: 1, Handle: 1}} },
	} {
		g := good()
		if _, err := Infer(g); err != nil {
			t.Fatal(err)
		}
		spoil(g)
		if _, err := Infer(g); err == nil {
			t.Errorf("%s: found no error", name)
		}
	}
}

func BenchmarkInfer(b *testing.B) {
	g, err := Cholesky(Tiled{Tiles: 100})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Infer(g); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(g.Tasks()), "ns/task")
}

func BenchmarkCholesky(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Cholesky(Tiled{Tiles: 100}); err != nil {
			b.Fatal(err)
		}
	}
}
