package goldentest

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"dagscope/explain/progress"
	"dagscope/explain/schedule"
	"dagscope/internal/interval"
	"dagscope/trace"
)

func TestIterationBorders(t *testing.T) {
	each(t, func(t *testing.T, name string, run *trace.Run) {
		want := csv(t, name, "kiteration_borders")
		got := progress.Borders(run, progress.Options{Generation: name == "lu_trace"})
		if len(got.Iteration) != want.Len() {
			t.Fatalf("%d iterations, want %d", len(got.Iteration), want.Len())
		}
		for i := range want.Len() {
			if float64(got.Iteration[i]) != want.Number(i, "Iteration") || got.Start[i] != ns(want, i, "Start") ||
				got.End[i] != ns(want, i, "End") || float64(got.Tasks[i]) != want.Number(i, "n") {
				t.Errorf("row %d: iteration %d [%d,%d) of %d tasks", i, got.Iteration[i], got.Start[i], got.End[i], got.Tasks[i])
			}
		}
	})
}

// panels are the tables of sliced counters and what they show.
var panels = []struct {
	table string
	names []string
	level string   // "" for any
	of    []string // cases whose reference has the table; nil for all
}{
	{"ready", progress.ReadyMetric, trace.LevelScheduler, nil},
	{"submitted", progress.SubmittedMetric, trace.LevelScheduler, nil},
	{"usedmemory", progress.UsedMemoryMetric, "", nil},
	{"gflops", progress.GFlopsMetric, trace.LevelWorker, []string{"lu_trace", "qr_trace"}},
	{"gpubandwidth", progress.BandwidthOutMetric, trace.LevelMemoryManager, nil},
	{"mpibandwidth", progress.BandwidthOutMetric, trace.LevelComm, []string{"lu_trace", "sgmpi-np4-n20-dmdas"}},
}

// StarVZ has no row for GFlop/s where the runtime calls it that (defect B9),
// and none for messages on one node: such tables are not in the reference.
func TestSlicedCounters(t *testing.T) {
	each(t, func(t *testing.T, name string, run *trace.Run) {
		for _, p := range panels {
			if p.of != nil && !slices.Contains(p.of, name) {
				continue
			}
			for _, step := range []string{"step100", "stepg"} {
				t.Run(p.table+"_"+step, func(t *testing.T) {
					series := progress.Counters(run, p.names)
					if p.level != "" {
						series = slices.DeleteFunc(series, func(s progress.Series) bool {
							return s.Resource < 0 || run.Resource.Level.At(int(s.Resource)) != p.level
						})
					}
					compareSliced(t, name, p.table+"_"+step, run, series)
				})
			}
		}
	})
}

// single is a value as pj_dump hands it to StarVZ: kept in single precision,
// printed with six digits.
func single(v float64) float64 {
	return math.Round(float64(float32(v))*1e6) / 1e6
}

// roundings is by how much, in 1/1000 ns, the times in a slice may differ: the
// simulator prints those of messages with more digits than a nanosecond has,
// and a half is rounded up here and by the last binary digit in pj_dump.
func roundings(table string) float64 {
	if strings.HasPrefix(table, "mpibandwidth") {
		return 1000
	}
	return 0
}

// The used memory of this case has samples that go back in time at its end,
// from which StarVZ computes negative values.
func backwards(name, table string) bool {
	return name == "sgmpi-np4-n20-dmdas" && strings.HasPrefix(table, "usedmemory")
}

// compareSliced slices each series as StarVZ does: from zero to where the
// reference ends, dividing by the full step. StarVZ's smaller step is no whole number
// of ns, so times are counted in 1/1000 ns: slices do not care.
func compareSliced(t *testing.T, name, table string, run *trace.Run, series []progress.Series) {
	want := csv(t, name, table)
	byName := map[string]progress.Series{}
	for _, s := range series {
		byName[run.Resource.Name.At(int(s.Resource))] = s
	}
	places := 0
	for i := 0; i < want.Len(); {
		place := want.Text(i, "ResourceId")
		from := i
		for i < want.Len() && want.Text(i, "ResourceId") == place {
			i++
		}
		places++
		s, ok := byName[place]
		if !ok {
			t.Fatalf("no series of %s", place)
		}
		fine := progress.Series{Resource: s.Resource}
		for k, at := range s.Time {
			fine.Time, fine.Value = append(fine.Time, at*1000), append(fine.Value, single(s.Value[k]))
		}
		cut := interval.Slices{From: 0, To: exact(t, want.Text(i-1, "End")), Step: exact(t, want.Text(from, "Duration"))}
		got := progress.Slice([]progress.Series{fine}, cut, interval.FullStep)
		if len(got.Value) != i-from {
			t.Errorf("%s: %d slices to %d, want %d to %s", place, len(got.Value), cut.To, i-from, want.Text(i-1, "End"))
			continue
		}
		for k := range got.Value {
			if backwards(name, table) && got.End[k] > schedule.Makespan(run)*1000 {
				break
			}
			off := math.Abs(got.Value[k]-want.Number(from+k, "Value")) * float64(cut.Step)
			if !near(got.Value[k], want.Number(from+k, "Value")) && off > roundings(table)*slices.Max(fine.Value) {
				t.Fatalf("%s slice %d [%d,%d): %.12g, want %s", place, k, got.Start[k], got.End[k], got.Value[k], want.Text(from+k, "Value"))
			}
		}
	}
	t.Logf("%d places, %d rows", places, want.Len())
}

func TestLackOfReadyTasks(t *testing.T) {
	each(t, func(t *testing.T, name string, run *trace.Run) {
		want := csv(t, name, "lackready")
		fewest := 1e9
		workers := progress.WorkersPerNode(run)
		for node := int32(0); workers(node) > 0; node++ {
			fewest = min(fewest, workers(node)) // StarVZ has one threshold for all nodes
		}
		ends := csv(t, name, "ready_step100") // its last slice ends where the reference does
		lacking := map[string]int{}           // nodes by slice
		for _, s := range progress.Counters(run, progress.ReadyMetric) {
			cut := interval.Slices{From: 0, To: ns(ends, ends.Len()-1, "End"), Step: progress.LackStep}
			l := progress.LackReady([]progress.Series{s}, cut, interval.FullStep, func(int32) float64 { return fewest })
			for i := range l.Node {
				lacking[fmt.Sprint(l.Start[i])]++
			}
		}
		if len(lacking) != want.Len() {
			t.Errorf("%d slices, want %d", len(lacking), want.Len())
		}
		for i := range want.Len() {
			if n := lacking[fmt.Sprint(ns(want, i, "Start"))]; float64(n) != want.Number(i, "Value") {
				t.Errorf("slice at %s ms: %d nodes, want %s", want.Text(i, "Start"), n, want.Text(i, "Value"))
			}
		}
	})
}
