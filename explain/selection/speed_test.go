package selection

import (
	"fmt"
	"io"
	"runtime"
	"testing"

	"dagscope/explain/schedule"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// bench makes a hybrid run of about n tasks on two nodes and an index of it,
// once per size.
func bench(b *testing.B, n int) (*trace.Run, *Index) {
	if benched[n] == nil {
		run := tracetest.CholeskyTasks(n, tracetest.Options{Nodes: 2, CPUs: 28, GPUs: 4})
		x, err := New(run, Options{Lanes: schedule.Build(run, nil), Outlier: make([]bool, len(run.Task.Start))})
		if err != nil {
			b.Fatal(err)
		}
		benched[n] = x
	}
	return benched[n].run, benched[n]
}

var benched = map[int]*Index{}

// middle is an area of about a tenth of the tasks.
func middle(run *trace.Run) Area {
	span := schedule.Makespan(run)
	return Area{T0: span * 45 / 100, T1: span * 55 / 100}
}

func BenchmarkPrepare(b *testing.B) {
	for _, n := range []int{1e6, 1e7} {
		b.Run(fmt.Sprintf("%.0e", float64(n)), func(b *testing.B) {
			run, x := bench(b, n)
			for b.Loop() {
				before := heap()
				y, err := New(run, x.o)
				if err == nil {
					err = y.Prepare()
				}
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(heap()-before)/float64(len(run.Task.Start)), "held-B/task")
				runtime.KeepAlive(y)
			}
		})
	}
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func BenchmarkCompute(b *testing.B) {
	for _, n := range []int{1e6, 1e7} {
		run, x := bench(b, n)
		if err := x.Prepare(); err != nil {
			b.Fatal(err)
		}
		for name, a := range map[string]Area{"tenth": middle(run), "all": {T1: schedule.Makespan(run)}} {
			b.Run(fmt.Sprintf("%.0e/%s", float64(n), name), func(b *testing.B) {
				for b.Loop() {
					s, err := x.Compute(a)
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(s.Tasks), "tasks")
				}
			})
		}
	}
}

func BenchmarkTasks(b *testing.B) {
	for _, n := range []int{1e6, 1e7} {
		run, x := bench(b, n)
		for _, sort := range Sorts {
			b.Run(fmt.Sprintf("%.0e/%s", float64(n), sort), func(b *testing.B) {
				for b.Loop() {
					if _, err := x.Page(middle(run), Page{Sort: sort, Desc: true, Offset: 1000, Limit: 200}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkCSV(b *testing.B) {
	run, x := bench(b, 1e6)
	for b.Loop() {
		if err := x.WriteCSV(io.Discard, Area{T1: schedule.Makespan(run)}, Page{}); err != nil {
			b.Fatal(err)
		}
	}
}
