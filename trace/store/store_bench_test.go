package store

import (
	"path/filepath"
	"testing"
)

const benchTasks = 2_000_000

// BenchmarkWrite writes the core columns of tasks plus two optional ones.
func BenchmarkWrite(b *testing.B) {
	run := benchRun(benchTasks)
	path := filepath.Join(b.TempDir(), "r.dsr")
	for b.Loop() {
		mustWrite(b, path, run)
	}
	b.ReportMetric(float64(benchTasks)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
	entry, _ := mustOpen(b, path).Manifest().Table("task")
	b.ReportMetric(float64(entry.Bytes)/benchTasks, "B/row")
}

func BenchmarkLoad(b *testing.B) {
	path := filepath.Join(b.TempDir(), "r.dsr")
	mustWrite(b, path, benchRun(benchTasks))
	d := mustOpen(b, path)
	for _, want := range []string{"task.start", "task.ready", "task.worker", "task.kind", "task.key", "task.gflop", "task.internal", "task"} {
		b.Run(want, func(b *testing.B) {
			for b.Loop() {
				if _, err := d.Load(want); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(benchTasks)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
		})
	}
}

func BenchmarkVerify(b *testing.B) {
	path := filepath.Join(b.TempDir(), "r.dsr")
	mustWrite(b, path, benchRun(benchTasks))
	d := mustOpen(b, path)
	for b.Loop() {
		if err := d.Verify(); err != nil {
			b.Fatal(err)
		}
	}
}
