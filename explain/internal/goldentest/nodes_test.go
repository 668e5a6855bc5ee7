package goldentest

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"dagscope/explain/bound"
	"dagscope/explain/progression"
	"dagscope/explain/utilization"
	"dagscope/trace"
)

// progressLike computes the progression as StarVZ does: with the workers that
// ran a kind, each with its mean. StarVZ counts every task of the application.
func progressLike(t *testing.T, name string) *progression.Result {
	t.Helper()
	r, err := progression.Compute(load(t, name), progression.Options{Weights: progression.ByWorker, UsedWorkers: true, Generation: name == "lu_trace"})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestProgressOfNodes(t *testing.T) {
	each(t, func(t *testing.T, name string, _ *trace.Run) {
		want, got := csv(t, name, "progress_node_het"), progressLike(t, name)
		columns := timesOf(t, name)
		for row := range want.Len() {
			i := slices.Index(got.Node, int32(want.Number(row, "Node")))
			if i < 0 {
				t.Fatalf("no node %s", want.Text(row, "Node"))
			}
			for s, column := range columns {
				if !near(got.Progress[s][i], want.Number(row, column)) {
					t.Errorf("node %d at %s ms: %.12g, want %.12g", got.Node[i], column, got.Progress[s][i], want.Number(row, column))
				}
			}
		}
		if want.Len() != len(got.Node) || len(columns) != len(got.Time) {
			t.Errorf("%d nodes at %d instants, want %d at %d", len(got.Node), len(got.Time), want.Len(), len(columns))
		}
	}, large)
}

// timesOf are the columns of a table of progress: the instants, rounded to
// 1e-3 ms. progress_global has them in full.
func timesOf(t *testing.T, name string) (columns []string) {
	global := csv(t, name, "progress_global")
	for i := range global.Len() {
		columns = append(columns, strconv.FormatFloat(math.Round(global.Number(i, "t")*1000)/1000, 'f', -1, 64))
	}
	return columns
}

// The bounds of steps agree to 1e-5, the tolerance of StarVZ's program with its
// constant of 1e10 for what never ran.
func TestProgressOfTheRun(t *testing.T) {
	each(t, func(t *testing.T, name string, _ *trace.Run) {
		want, got := csv(t, name, "progress_global"), progressLike(t, name)
		for s := range want.Len() {
			if math.Abs(float64(got.Time[s])-want.Number(s, "t")*ms) > 1.5 || !near(got.Global[s], want.Number(s, "global")) {
				t.Errorf("at %d: progress %.12g, want %.12g at %s", got.Time[s], got.Global[s], want.Number(s, "global"), want.Text(s, "t"))
			}
			if s == 0 {
				continue
			}
			if abe := want.Number(s, "abe") * ms; math.Abs(got.StepABE[s-1]-abe) > 1e-5*abe {
				t.Errorf("step %d: bound %.9g, want %.9g", s, got.StepABE[s-1], abe)
			}
		}
	}, large)
}

// The row "Makespan" of the reference is what the makespan of a node is longer
// than its area bound: StarVZ stacks the two.
func TestNodeSummary(t *testing.T) {
	each(t, func(t *testing.T, name string, run *trace.Run) {
		want := csv(t, name, "node_summary")
		got, err := utilization.ByNode(run, utilization.NodeOptions{Generation: name == "lu_trace", Bound: bound.Options{UsedWorkers: true, LocalPairs: true}})
		if err != nil {
			t.Fatal(err)
		}
		for i := range want.Len() {
			n := slices.Index(got.Node, int32(want.Number(i, "Node")))
			v := got.ABE[n]
			if want.Text(i, "Metric") == "Makespan" {
				v = float64(got.End[n]) - got.ABE[n]
			}
			if ref := want.Number(i, "Value") * ms; math.Abs(v-ref) > 1e-5*ref {
				t.Errorf("node %s: %s %.9g, want %.9g", want.Text(i, "Node"), want.Text(i, "Metric"), v, ref)
			}
		}
		if want.Len() != 2*got.Len() {
			t.Errorf("%d nodes, want %d", got.Len(), want.Len()/2)
		}
	})
}

// Value of the reference is a percentage of one worker, Value1 one of all that
// ran something.
func TestResourceUsageByKind(t *testing.T) {
	each(t, func(t *testing.T, name string, run *trace.Run) {
		want := csv(t, name, "resource_usage_task")
		static := staticOf(t, name, run)
		ran := map[int32]bool{}
		for i, w := range run.Task.Worker {
			if run.Task.Counted(i) || name == "lu_trace" && w >= 0 && run.Task.Generation[i] {
				ran[w] = true
			}
		}
		got := static.ByKind(len(ran))
		value := map[string]float64{}
		for i, busy := range got.Busy {
			from, _ := static.Slices.Bounds(int(got.Slice[i]))
			value[kindOf(run.Task.Kind.Dict[got.Kind[i]])+" "+itoa(int(from/ms))] += 100 * float64(busy) / float64(static.Slices.Step) / float64(got.Workers)
		}
		compare(t, want, value, "Value1", "Task", "Slice")
	})
}
