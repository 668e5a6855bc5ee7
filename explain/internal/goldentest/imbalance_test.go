package goldentest

import (
	"math"
	"strings"
	"testing"

	"dagscope/explain/internal/golden"
	"dagscope/explain/kind"
	"dagscope/explain/schedule"
	"dagscope/explain/utilization"
	"dagscope/internal/interval"
	"dagscope/trace"
)

// imbalanceSlices are the slices and options with which the reference was made.
func imbalanceSlices(t *testing.T, name string, run *trace.Run) (interval.Slices, utilization.SliceOptions) {
	s := interval.Slices{From: 0, To: schedule.Makespan(run), Step: settingsOf(t, name).Step * ms}
	return s, utilization.SliceOptions{StarVZ: true, Generation: name == "lu_trace"}
}

// compareMetrics checks a table of metrics. Of several rows for a slice one must
// agree (StarVZ repeats slices in which several workers are used most, defect
// B16); an empty cell means that there is no value.
func compareMetrics(t *testing.T, want golden.Table, got *utilization.Metrics, tolerance float64) {
	t.Helper()
	columns := map[string][]float64{"IP": got.Percent, "IT": got.Time, "STD": got.SD, "AVG": got.Mean}
	agrees, slices := map[string]bool{}, 0
	for i := range want.Len() {
		k := int(want.Number(i, "Step"))
		slices = max(slices, k+1)
		key := want.Text(i, "Step") + " " + want.Text(i, "metric")
		v, cell := columns[want.Text(i, "metric")][k], want.Text(i, "value")
		ok := math.IsNaN(v) && (cell == "" || cell == "NA" || cell == "NaN")
		if cell != "" && cell != "NA" && cell != "NaN" {
			ok = math.Abs(v-want.Number(i, "value")) <= tolerance
		}
		if agrees[key] = agrees[key] || ok; !agrees[key] {
			t.Logf("%s: %.12g, want %s", key, v, cell)
		}
	}
	for key, ok := range agrees {
		if !ok {
			t.Errorf("%s differs", key)
		}
	}
	if slices != len(got.Mean) {
		t.Errorf("%d slices, want %d", len(got.Mean), slices)
	}
}

func TestUtilizationPerStep(t *testing.T) {
	each(t, func(t *testing.T, name string, run *trace.Run) {
		s, o := imbalanceSlices(t, name, run)
		u := utilization.BySlice(run, s, o)
		compareUse(t, csv(t, name, "utilization_per_step"), run, u)
	})
}

func compareUse(t *testing.T, want golden.Table, run *trace.Run, u *utilization.Shares) {
	t.Helper()
	value := map[string]float64{}
	for i, w := range u.Worker {
		for k, share := range u.Share[i] {
			value[run.Resource.Name.At(int(w))+" "+itoa(k)] = share
		}
	}
	compare(t, want, value, "Utilization", "ResourceId", "Step")
}

func TestImbalance(t *testing.T) {
	each(t, func(t *testing.T, name string, run *trace.Run) {
		s, o := imbalanceSlices(t, name, run)
		compareMetrics(t, csv(t, name, "imbalance"), utilization.BySlice(run, s, o).Plain(), 1e-9)
	})
}

// In lu_trace two workers ran tasks before zero only: they have a power, but no
// utilisation, and StarVZ multiplies columns of different length. There the
// reference is no reference.
func TestPowerImbalance(t *testing.T) {
	each(t, func(t *testing.T, name string, run *trace.Run) {
		s, o := imbalanceSlices(t, name, run)
		var settings struct {
			Task string `json:"power_task"`
		}
		golden.JSON(t, &settings, "starvz", name, "golden.json")
		index := int32(-1)
		for k, n := range run.Task.Kind.Dict {
			if kindOf(n) == settings.Task {
				index = int32(k)
			}
		}
		u := utilization.BySlice(run, s, o)
		compareMetrics(t, csv(t, name, "power_imbalance"), u.Weighted(utilization.Powers(run, u.Worker, index, o)), 1e-9)
	}, "lu_trace")
}

// Area metrics agree on one node, to 1e-5: StarVZ's program has the counts of a
// kind on each node as rows of their own, so that on several nodes they stand
// beside the wrong kinds. There the reference is no reference.
func TestAreaImbalance(t *testing.T) {
	each(t, func(t *testing.T, name string, run *trace.Run) {
		s, o := imbalanceSlices(t, name, run)
		u := utilization.BySliceForAreas(run, s, o)
		want := csv(t, name, "hete_abe_per_step")
		compareUse(t, want, run, u)
		areas, err := u.Areas(run, o)
		if err != nil {
			t.Fatal(err)
		}
		if nodes := schedule.GroupTypes(run, kind.Workers(run)).Type; nodes[0].Node != nodes[len(nodes)-1].Node {
			return // its areas are of several nodes
		}
		for i := range want.Len() {
			k := int(want.Number(i, "Step"))
			for column, got := range map[string]float64{"ABE": areas.All[k], "nmABE": areas.Without[k]} {
				if v := want.Number(i, column) * ms; math.Abs(got-v) > 1e-5*v {
					t.Fatalf("step %d: %s %.9g, want %.9g", k, column, got, v)
				}
			}
		}
		compareMetrics(t, csv(t, name, "hete_imbalance"), u.Area(areas, o), 1e-5)
	}, large)
}

func TestIdlenessMaxPerNodeAndType(t *testing.T) {
	each(t, func(t *testing.T, name string, run *trace.Run) {
		want := csv(t, name, "idleness_max_per_node_type")
		idlest := mostIdle(run, name == "lu_trace")
		seen := map[string]bool{}
		for i := range want.Len() {
			key := want.Text(i, "Node") + " " + strings.ToLower(want.Text(i, "ResourceType"))
			seen[key] = true
			if got := math.Round(100*100*idlest[key]) / 100; math.Abs(got-want.Number(i, "Idleness")) > 0.0101 {
				t.Errorf("%s: %.2f %%, want %s", key, got, want.Text(i, "Idleness"))
			}
		}
		if len(seen) != len(idlest) {
			t.Errorf("%d types of workers, want %d", len(idlest), len(seen))
		}
	})
}

// mostIdle is the greatest idle share of the workers of each node and
// architecture that ran a task from zero on, over the time from the first of
// these tasks to the end of the last: what StarVZ measures.
func mostIdle(run *trace.Run, generation bool) map[string]float64 {
	t, o := &run.Task, kind.Options{Generation: generation}
	busy := map[int32]int64{}
	from, to := int64(math.MaxInt64), int64(0)
	for i, start := range t.Start {
		if o.Counts(t, i) && start >= 0 {
			busy[t.Worker[i]] += t.End[i] - start
			from, to = min(from, start), max(to, t.End[i])
		}
	}
	most := map[string]float64{}
	for w, ns := range busy {
		key := itoa(int(run.Resource.Node[w])) + " " + run.Resource.Arch.At(int(w))
		most[key] = max(most[key], 1-float64(ns)/float64(to-from))
	}
	return most
}
