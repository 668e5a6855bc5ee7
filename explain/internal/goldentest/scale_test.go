package goldentest

import (
	"os"
	"strconv"
	"testing"

	"dagscope/explain/aggregate"
	"dagscope/explain/breakdown"
	"dagscope/explain/chain"
	"dagscope/explain/depend"
	"dagscope/explain/progress"
	"dagscope/explain/schedule"
	"dagscope/internal/dag"
	"dagscope/internal/interval"
	"dagscope/trace/tracetest"
)

// benchmarkTasks is the size of the benchmark: 1e6 unless DAGSCOPE_TASKS says.
func benchmarkTasks(b *testing.B) int {
	s := os.Getenv("DAGSCOPE_TASKS")
	if s == "" {
		return 1_000_000
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		b.Fatal(err)
	}
	return n
}

// BenchmarkAnalyses times each question on a factorisation with transfers and
// states: go test -bench Analyses -benchtime 1x ./explain/internal/goldentest
func BenchmarkAnalyses(b *testing.B) {
	run := tracetest.CholeskyTasks(benchmarkTasks(b), tracetest.Options{Without: tracetest.Counters})
	b.Logf("%d tasks, %d edges, %d transfers, %d states", len(run.Task.Start), len(run.Dep.To), len(run.Transfer.Start), len(run.State.Start))
	makespan := schedule.Makespan(run)
	window := interval.Slices{From: 0, To: makespan, Step: makespan / 1000}
	var last *depend.Last
	for _, question := range []struct {
		name string
		ask  func()
	}{
		{"Order", func() {
			if _, err := dag.Build(len(run.Task.Start), run.Dep.From, run.Dep.To).Topological(); err != nil {
				b.Fatal(err)
			}
		}},
		{"LastDependencies", func() { last = depend.Find(run) }},
		{"Delays", func() { chain.New(run, chain.Options{}).Delays() }},
		{"Merge", func() {
			all := make([]int32, len(run.Task.Start))
			for i := range all {
				all[i] = int32(i)
			}
			last.Merge(all, 10)
		}},
		{"Breakdown", func() { breakdown.Compute(run, breakdown.Options{Step: makespan / 1000}) }},
		{"Dynamic", func() { aggregate.Dynamic(run, aggregate.Options{Threshold: 100 * ms, Kinds: []string{"GEMM"}}) }},
		{"FixedSlices", func() { aggregate.FixedSlices(run, window, false).ByNode(run) }},
		{"Iterations", func() { progress.Borders(run, progress.Options{}) }},
		{"Ready", func() { progress.Slice(progress.Ready(run), window, interval.ExistingPart) }},
		{"GFlops", func() { progress.Slice(progress.GFlops(run, false), window, interval.ExistingPart) }},
	} {
		b.Run(question.name, func(b *testing.B) {
			for b.Loop() {
				question.ask()
			}
		})
	}
}
