package plain

import (
	"testing"

	"dagscope/predict/workload"
)

// fronts is the program of a QR factorization of fronts one after another, each
// of some block columns, of which the first third is eliminated; the rest is
// assembled into the next front.
func fronts(n, columns int) *workload.Graph {
	g := &workload.Graph{Name: "fronts", AccessAt: []int32{0}, Classes: []workload.Class{{Kind: "Panel"}, {Kind: "Update"}, {Kind: "Assemble"}}}
	handle := func() int32 {
		g.Bytes = append(g.Bytes, 0)
		return int32(len(g.Bytes) - 1)
	}
	add := func(class, priority int32, ns int64, access ...int32) {
		g.Class, g.Priority, g.Duration = append(g.Class, class), append(g.Priority, priority), append(g.Duration, ns)
		for k := 0; k < len(access); k += 2 {
			g.Handle, g.Mode = append(g.Handle, access[k]), append(g.Mode, workload.Mode(access[k+1]))
		}
		g.AccessAt = append(g.AccessAt, int32(len(g.Handle)))
	}
	const read, update, commute = int32(workload.Read), int32(workload.ReadWrite), int32(workload.ReadWrite | workload.Commute)
	var before []int32
	for f := range n {
		base := int32(4 * (n - f))
		blocks, copies := make([]int32, columns), make([]int32, columns)
		for j := range columns {
			blocks[j], copies[j] = handle(), handle()
		}
		for j := columns / 3; j < len(before); j++ {
			add(2, base, 1000, before[j], read, blocks[j/2], commute, blocks[j/3], commute)
		}
		for k := range columns / 3 {
			add(0, base+3, 200_000, blocks[k], update, copies[k], update)
			for j := k + 1; j < columns; j++ {
				add(1, base+2, int64(100_000+j*k%977), copies[k], read, blocks[j], update)
			}
		}
		before = blocks
	}
	return g
}

// A factorization of about a million tasks: inference, then all.
func BenchmarkInfer(b *testing.B) {
	g := fronts(120, 180)
	for b.Loop() {
		if _, err := Infer(g); err != nil {
			b.Fatal(err)
		}
	}
	perTask(b, g)
}

func BenchmarkRun(b *testing.B) {
	for _, policy := range []string{"prio", "eager", "lws", earliestFinishPrioName} {
		b.Run(policy, func(b *testing.B) {
			g := fronts(120, 180)
			for b.Loop() {
				if _, err := Run(g, nil, Options{Policy: policy, Workers: make([]int32, 40), Overhead: 12_000}); err != nil {
					b.Fatal(err)
				}
			}
			perTask(b, g)
		})
	}
}

func perTask(b *testing.B, g *workload.Graph) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(g.Tasks()), "ns/task")
	b.ReportMetric(float64(g.Tasks()), "tasks")
}
