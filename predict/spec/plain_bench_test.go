package spec

import (
	"fmt"
	"testing"

	"dagscope/internal/testenv"
)

// A prediction of TF17 on 40 workers, but for the analysis of the matrix, which
// is made before: program, durations of all tasks, simulation.
func BenchmarkSparse(b *testing.B) {
	for _, nb := range []int{128, 32} {
		b.Run(fmt.Sprintf("nb=%d", nb), func(b *testing.B) {
			s, err := Read(testenv.Repo("docs/examples/sparse-qr.yaml"))
			if err != nil {
				b.Fatal(err)
			}
			for _, set := range []string{"workload.matrix=tf 17", "platform.cpus=40", fmt.Sprintf("workload.nb=%d", nb)} {
				if err := s.Set(set); err != nil {
					b.Fatal(err)
				}
			}
			if _, err := s.Build(nil); err != nil {
				b.Fatal(err)
			}
			tasks := 0
			for b.Loop() {
				x, err := s.Build(nil)
				if err == nil {
					_, err = x.Run(false)
				}
				if err != nil {
					b.Fatal(err)
				}
				tasks = x.Graph.Tasks()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(tasks), "ns/task")
			b.ReportMetric(float64(tasks), "tasks")
		})
	}
}
