package depend

import (
	"slices"
	"testing"

	"dagscope/trace"

	"pgregory.net/rapid"
)

// naive finds last dependencies by linking through everything that did not
// run, again and again.
type naive struct{ run *trace.Run }

func (n naive) ran(v int32) bool {
	return !n.run.Task.Internal[v] && n.run.Task.Start[v] != trace.NoTime
}

// behind returns all nodes that task v depends on once the tasks that did not
// run are contracted.
func (n naive) behind(v int32) (nodes []int32) {
	d := &n.run.Dep
	for e := range d.To {
		if d.To[e] != v {
			continue
		}
		senders := []int32{d.From[e]}
		if x := d.Via[e]; x >= 0 {
			if n.run.Transfer.End[x] != trace.NoTime {
				nodes = append(nodes, int32(len(n.run.Task.Start))+x)
				continue
			}
			senders = append(senders, n.run.Transfer.SendTask[x])
		}
		for _, u := range senders {
			nodes = append(nodes, n.standIns(u)...)
		}
	}
	return nodes
}

func (n naive) standIns(u int32) []int32 {
	switch {
	case u < 0:
		return nil
	case n.ran(u):
		return []int32{u}
	}
	return n.behind(u)
}

func (n naive) behindTransfer(x int32) []int32 {
	nodes := n.standIns(n.run.Transfer.SendTask[x])
	for e, via := range n.run.Dep.Via {
		if via == x {
			nodes = append(nodes, n.standIns(n.run.Dep.From[e])...)
		}
	}
	return nodes
}

func (n naive) last(node int32) int32 {
	tasks := int32(len(n.run.Task.Start))
	end := func(v int32) int64 {
		if v >= tasks {
			return n.run.Transfer.End[v-tasks]
		}
		return n.run.Task.End[v]
	}
	var nodes []int32
	if node < tasks {
		nodes = n.behind(node)
	} else {
		nodes = n.behindTransfer(node - tasks)
	}
	slices.Sort(nodes)
	best := trace.None
	for _, u := range nodes {
		if best == trace.None || end(u) > end(best) {
			best = u
		}
	}
	return best
}

func TestFindAgainstContraction(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := drawRun(t)
		l, n := Find(run), naive{run}
		for v := range l.Of {
			if want := n.last(int32(v)); l.Of[v] != want {
				t.Fatalf("last dependency of %s is node %d, want %d", l.Key(int32(v)), l.Of[v], want)
			}
		}
	})
}

func TestChainsFollowLastDependencies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := Find(drawRun(t))
		node := rapid.Int32Range(0, int32(len(l.Of))-1).Draw(t, "node")
		whole := l.Chain(node, ToSource)
		levels := rapid.IntRange(0, 5).Draw(t, "levels")
		if got := l.Chain(node, levels); !slices.Equal(got, whole[:min(len(whole), levels+1)]) {
			t.Fatalf("%d levels of %v: %v", levels, whole, got)
		}
		for i, v := range whole[1:] {
			if l.Of[whole[i]] != v {
				t.Fatalf("chain %v: %d does not follow %d", whole, v, whole[i])
			}
		}
		if end := whole[len(whole)-1]; len(whole) <= len(l.Of) && l.Of[end] != trace.None {
			t.Fatalf("chain %v stops early", whole)
		}
	})
}

func TestMergeAgainstSingleChains(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := Find(drawRun(t))
		nodes := rapid.SliceOfN(rapid.Int32Range(0, int32(len(l.Of))-1), 0, 5).Draw(t, "nodes")
		levels := rapid.IntRange(-1, 4).Draw(t, "levels")
		links, group := l.Merge(nodes, levels)
		want, reach := map[[2]int32]bool{}, make([]map[int32]bool, len(nodes))
		for i, v := range nodes {
			chain := l.Chain(v, levels)
			reach[i] = map[int32]bool{}
			for k, u := range chain {
				reach[i][u] = true
				if k > 0 {
					want[[2]int32{chain[k-1], u}] = true
				}
			}
		}
		got := map[[2]int32]int32{}
		for i := range links.Node {
			got[[2]int32{links.Node[i], links.Last[i]}] = links.Group[i]
		}
		if len(got) != len(links.Node) || len(got) != len(want) {
			t.Fatalf("links %+v, want %v", links, want)
		}
		for i := range nodes {
			for j := range nodes {
				if meet(reach[i], reach[j]) && group[i] != group[j] {
					t.Fatalf("chains of %d and %d meet but are in groups %v", nodes[i], nodes[j], group)
				}
			}
			for link, g := range got {
				if !want[link] || reach[i][link[0]] && g != group[i] {
					t.Fatalf("link %v in group %d, chain of %d in group %d", link, g, nodes[i], group[i])
				}
			}
		}
	})
}

func meet(a, b map[int32]bool) bool {
	for v := range a {
		if b[v] {
			return true
		}
	}
	return false
}

func TestLastPathOfAMessage(t *testing.T) {
	// a on one node sends to c on another; b is the runtime's own receive.
	run := &trace.Run{}
	for _, row := range []struct {
		key        string
		start, end int64
		internal   bool
	}{{"a", 0, 10, false}, {"b", trace.NoTime, trace.NoTime, true}, {"c", 25, 30, false}, {"d", 2, 4, false}} {
		run.Task.Key.AppendString(row.key)
		run.Task.Start, run.Task.End = append(run.Task.Start, row.start), append(run.Task.End, row.end)
		run.Task.Internal, run.Task.Generation = append(run.Task.Internal, row.internal), append(run.Task.Generation, false)
	}
	run.Transfer.Key.AppendString("mpicom_7")
	run.Transfer.Start, run.Transfer.End = []int64{12}, []int64{20}
	run.Dep.From, run.Dep.To, run.Dep.Via = []int32{0, 1, 3}, []int32{1, 2, 2}, []int32{0, -1, -1}
	l := Find(run)
	var keys []string
	for _, v := range l.LastPath() {
		keys = append(keys, l.Key(v))
	}
	if want := []string{"c", "mpicom_7", "a"}; !slices.Equal(keys, want) {
		t.Fatalf("last path %v, want %v", keys, want)
	}
	if r := l.Release(2); r != 5 {
		t.Fatalf("release delay %d, want 5", r)
	}
	if r := l.Release(0); r != trace.NoTime {
		t.Fatalf("release delay of a source is %d", r)
	}
}
