package panel_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"dagscope/show/panel/core"
	"dagscope/show/panel/layout"
	"dagscope/show/scene"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// culprit is the node of made-up runs that begins late, works most and has slow
// messages.
func culprit(nodes int) int { return nodes * 5 / 8 }

// runWithCulprit is a run on so many nodes, of which node 0 begins first and one is
// worse than all others.
func runWithCulprit(nodes int) *trace.Run {
	var resources, tasks, states, transfers strings.Builder
	row := 1
	comm := func(n int) int { return 1 + 3*((n+nodes)%nodes) + 1 }
	for n := range nodes {
		fmt.Fprintf(&resources, "0 node n%d - %d 0\n%d comm %d_mpict - %d 0\n%d worker %d_CPU0 cpu %d 0\n", n, n, row, n, n, row, n, n)
		begin, long, busy, delay := 1000+n%7, 10000+n%5, 500, 40+n%3
		switch n {
		case 0:
			begin = 0
		case culprit(nodes):
			begin, busy, delay = 4000, 6000, 3000
		}
		fmt.Fprintf(&tasks, "%d K %d %d %d\n", n, row+2, begin, begin+long)
		fmt.Fprintf(&states, "%d C Polling 0 %d 0\n%d C Processing %d %d 0\n", row+1, 2000, row+1, 2000, 2000+busy)
		if (n+1)%nodes == culprit(nodes) {
			delay = 2900
		}
		fmt.Fprintf(&transfers, "m%d mpi %d %d %d %d 100\n", n, comm(n), comm(n+1), 2000, 2000+delay)
		row += 3
	}
	return tracetest.MustParse("table resource\nparent level name arch node index\n- cluster root - - -\n" + resources.String() +
		"\ntable task\nkey kind worker start end\n" + tasks.String() +
		"\ntable state\nresource type kind start end depth\n" + states.String() +
		"\ntable transfer\nkey kind from to start end bytes\n" + transfers.String())
}

// The node that is worse than all others is named, however many there are and
// however small the figure: by a row of its own where others share rows or have no
// labels; and no label meets another.
func TestCulpritsAreNamed(t *testing.T) {
	for _, nodes := range []int{8, 64, 1000} {
		run, bad := runWithCulprit(nodes), culprit(nodes)
		name := fmt.Sprintf("node %d", bad)
		q := core.Query{T0: 0, T1: 14000, Width: 500}
		for id, why := range map[string]string{"nodes": "begins last", "mpistates": "works most, begins last"} {
			p := open(t, id, run, core.Options{}).Draw(q)
			if !strings.Contains(p.Note, fmt.Sprintf("to 4.000 µs (%s)", name)) || !strings.Contains(p.Note, "from 0 ns (node 0)") {
				t.Errorf("%d nodes, %s: %q does not say who begins first and last", nodes, id, p.Note)
			}
			labels := labelsOf(p.Left)
			if id == "nodes" && nodes > 24 {
				texts := labelsOf(p.Layers)
				labels[0] += ", " + texts[0] // of the first row
				labels[1] += ", " + texts[1]
			}
			if !slices.ContainsFunc(labels, func(s string) bool { return s == name || strings.HasPrefix(s, name+", ") }) {
				t.Errorf("%d nodes, %s: %s is not named among %d labels", nodes, id, name, len(labels))
			}
			if nodes > 24 && !slices.ContainsFunc(labels, func(s string) bool { return strings.HasPrefix(s, name+", "+why) }) {
				t.Errorf("%d nodes, %s: no row says that %s %s: %q", nodes, id, name, why, labels[:4])
			}
		}
		p := open(t, "commatrix", run, core.Options{}).Draw(q)
		if want := fmt.Sprintf("the longest delay is 3.000 µs, from %d to %d", bad, bad+1); !strings.Contains(p.Note, want) {
			t.Errorf("%d nodes: %q, want %q", nodes, p.Note, want)
		}
		if nodes > 8 && !strings.Contains(p.Note, "those from and to node "+fmt.Sprint(bad)) {
			t.Errorf("%d nodes: %q does not name node %d", nodes, p.Note, bad)
		}
		for _, width := range []int{480, 1000} {
			f, err := layout.Figure([]layout.Source{{Name: "run", Run: run}},
				layout.Spec{Width: width, Panels: []string{"nodes", "mpistates", "commatrix"}}, core.Options{})
			if err != nil {
				t.Fatal(err)
			}
			checkLabels(t, compose(t, f))
		}
	}
}

func labelsOf(layers []scene.Layer) (labels []string) {
	for _, l := range layers {
		for _, text := range l.Texts {
			labels = append(labels, strings.TrimSpace(text.S))
		}
	}
	return labels
}

// Where nodes differ little nobody stands out, and no row is drawn twice.
func TestEqualNodesDoNotStandOut(t *testing.T) {
	run := tracetest.Cholesky(tracetest.Options{Tiles: 4, Nodes: 40, CPUs: 1})
	for i := range run.Task.Start { // all at once
		if run.Task.Worker[i] >= 0 {
			run.Task.Start[i], run.Task.End[i] = 0, 1000
		}
	}
	p := open(t, "nodes", run, core.Options{}).Draw(core.Query{T1: 1000, Width: 500})
	for _, label := range labelsOf(p.Left) {
		if strings.Contains(label, "begins") || strings.Contains(label, "ends") {
			t.Errorf("row %q, though all nodes begin and end at once", label)
		}
	}
}

// The marks of mpistates are the first start and the last end of each node's
// tasks, of several nodes the least, the median and the greatest.
func TestMarksOfFirstAndLastTasks(t *testing.T) {
	for _, nodes := range []int{8, 1000} {
		run := runWithCulprit(nodes)
		v := open(t, "mpistates", run, core.Options{})
		p := v.Draw(core.Query{T0: 0, T1: 14000, Width: 500})
		var marks *scene.Layer
		for i := range p.Layers {
			if p.Layers[i].Name == "first and last tasks" {
				marks = &p.Layers[i]
			}
		}
		if marks == nil {
			t.Fatal("no marks")
		}
		drawn := map[string]bool{}
		for k, r := range marks.Rects {
			for i := range r.X0 {
				drawn[fmt.Sprint(k, " ", r.X0[i], " ", r.X1[i], " ", r.Y[i] < 1e9)] = true
			}
		}
		for _, row := range v.(core.Rowed).Rows(0) {
			var start, end []int64
			for _, c := range row.Resources {
				for i, w := range run.Task.Worker {
					if run.Resource.Node[w] == run.Resource.Node[c] {
						start, end = append(start, run.Task.Start[i]), append(end, run.Task.End[i])
					}
				}
			}
			for _, at := range [][]int64{start, end} {
				slices.Sort(at)
				low, median, high := at[0], at[len(at)/2], at[len(at)-1]
				if !drawn[fmt.Sprint(1, " ", float64(median), " ", float64(median), " ", true)] {
					t.Errorf("%d nodes: no mark at %d on row %s", nodes, median, row.Label)
				}
				if low < high && !drawn[fmt.Sprint(0, " ", float64(low), " ", float64(high), " ", true)] {
					t.Errorf("%d nodes: no range from %d to %d on row %s", nodes, low, high, row.Label)
				}
			}
		}
	}
}
