package goldentest

import (
	"testing"

	"dagscope/explain/aggregate"
	"dagscope/explain/internal/golden"
	"dagscope/explain/schedule"
	"dagscope/internal/interval"
	"dagscope/trace"
)

const ms = 1_000_000

// settings are those with which the reference values were made.
type settings struct {
	Step    int64 `json:"imbalance_step"`
	Dynamic struct {
		Kinds     string `json:"states"`
		Threshold int64  `json:"min_time_pure"`
	} `json:"agg_dynamic"`
}

func settingsOf(t *testing.T, name string) (s settings) {
	golden.JSON(t, &s, "starvz", name, "golden.json")
	return s
}

// outliers are StarVZ's own, so that only the grouping is compared.
func outliers(t *testing.T, name string, run *trace.Run) []bool {
	table := csv(t, name, "outliers")
	mark, rows := make([]bool, len(run.Task.Start)), run.Task.Key.Rows()
	for i := range table.Len() {
		code, ok := run.Task.Key.Lookup(table.Text(i, "JobId"))
		if !ok {
			t.Fatalf("outlier %s is no task", table.Text(i, "JobId"))
		}
		mark[rows[code]] = true
	}
	return mark
}

// kindsOf are the kinds of the run that StarVZ gives a name to.
func kindsOf(run *trace.Run, name string) (kinds []string) {
	for _, k := range run.Task.Kind.Dict {
		if kindOf(k) == name {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

func TestDynamicAggregation(t *testing.T) {
	each(t, func(t *testing.T, name string, run *trace.Run) {
		want, s := csv(t, name, "st_agg_dynamic"), settingsOf(t, name)
		g := aggregate.Dynamic(run, aggregate.Options{
			Threshold: s.Dynamic.Threshold * ms, Kinds: kindsOf(run, s.Dynamic.Kinds),
			Outlier: outliers(t, name, run), Generation: name == "lu_trace",
		})
		at := map[string]int{} // row of a golden chunk by worker, chunk and kind
		for i := range want.Len() {
			at[want.Text(i, "ResourceId")+" "+want.Text(i, "Chunk")+" "+kindOf(want.Text(i, "Value"))] = i
		}
		chunk, seen := 0, 0
		for i := range g.Len() {
			if i == 0 || g.Worker[i] != g.Worker[i-1] {
				chunk = 0
				if g.Pure[i] {
					chunk = 1 // StarVZ counts from 0 when the first group is not pure
				}
			} else {
				chunk++
			}
			for k := g.At[i]; k < g.At[i+1]; k++ {
				key := run.Resource.Name.At(int(g.Worker[i])) + " " + itoa(chunk) + " " + kindOf(run.Task.Kind.Dict[g.Share.Kind[k]])
				row, ok := at[key]
				if !ok {
					t.Fatalf("group %s is not in the reference", key)
				}
				seen++
				if g.Start[i] != ns(want, row, "Start") || g.End[i] != ns(want, row, "End") ||
					g.Share.Busy[k] != ns(want, row, "Duration") || float64(g.Share.Tasks[k]) != want.Number(row, "Number") ||
					!near(g.Height(i, int(k)), want.Number(row, "Activity")) {
					t.Errorf("group %s: [%d,%d) busy %d tasks %d", key, g.Start[i], g.End[i], g.Share.Busy[k], g.Share.Tasks[k])
				}
			}
		}
		if seen != want.Len() {
			t.Errorf("%d rows, want %d", seen, want.Len())
		}
	})
}

func staticOf(t *testing.T, name string, run *trace.Run) *aggregate.Static {
	s := interval.Slices{From: 0, To: schedule.Makespan(run), Step: settingsOf(t, name).Step * ms}
	return aggregate.FixedSlices(run, s, true)
}

func TestStaticAggregation(t *testing.T) {
	each(t, func(t *testing.T, name string, run *trace.Run) {
		want, got := csv(t, name, "st_agg_static"), staticOf(t, name, run)
		value := map[string]float64{}
		for i := range got.Busy {
			from, _ := got.Slices.Bounds(int(got.Slice[i]))
			key := run.Resource.Name.At(int(got.Worker[i])) + " " + kindOf(run.Task.Kind.Dict[got.Kind[i]]) + " " + itoa(int(from/ms))
			value[key] += got.Share(i, interval.FullStep)
		}
		compare(t, want, value, "Value", "ResourceId", "Task", "Slice")
	})
}

func TestNodeAggregation(t *testing.T) {
	each(t, func(t *testing.T, name string, run *trace.Run) {
		want := csv(t, name, "st_agg_node")
		got := staticOf(t, name, run).ByNode(run)
		value := map[string]float64{}
		for i := range got.Busy {
			ty := got.Types.Type[got.Type[i]]
			from, _ := got.Slices.Bounds(int(got.Slice[i]))
			key := itoa(int(ty.Node)) + " " + upper(ty.Arch) + " " + kindOf(run.Task.Kind.Dict[got.Kind[i]]) + " " + itoa(int(from/ms))
			// StarVZ divides by the workers that ran something.
			value[key] = got.Share(i, interval.FullStep) * float64(got.Workers[i])
		}
		scaled := func(row int) float64 { return want.Number(row, "Activity") * want.Number(row, "N") }
		compareWith(t, want, value, scaled, "Node", "ResourceType", "Task", "Slice")
	})
}
