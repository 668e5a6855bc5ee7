package chain

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"dagscope/explain/kind"
	"dagscope/internal/interval"
	"dagscope/trace/store"
)

func TestZZ(t *testing.T) {
	files, _ := filepath.Glob(os.Getenv("ZZ"))
	for _, f := range files {
		r, err := store.Open(f)
		if err != nil {
			t.Fatal(err)
		}
		run, err := r.Load()
		if err != nil {
			t.Fatal(err)
		}
		t0 := time.Now()
		x := New(run, Options{})
		t1 := time.Now()
		var sums [classes]int64
		n := 0
		last := x.Last()
		worst := Part{}
		x.Walk(last, 0, func(p Part) {
			sums[p.Class] += p.To - p.From
			n++
			if p.Class == Unexplained && p.To-p.From > worst.To-worst.From {
				worst = p
			}
			if os.Getenv("ZV") != "" {
				name := ""
				if p.Piece >= 0 {
					v := x.lanes.Task[p.Piece]
					name = run.Task.Key.At(int(v)) + " " + run.Task.Kind.At(int(v))
				}
				if p.Transfer >= 0 {
					name += " " + run.Transfer.Key.At(int(p.Transfer)) + " " + run.Transfer.Kind.At(int(p.Transfer))
				}
				res := ""
				if p.Resource >= 0 {
					res = run.Resource.Name.At(int(p.Resource))
				}
				fmt.Printf("%12.3f %12.3f %10.3f %-20s %-14s %s\n", float64(p.From)/1e6, float64(p.To)/1e6, float64(p.To-p.From)/1e6, p.Class, res, name)
			}
		})
		fmt.Printf("== %s makespan %.3f parts %d  index %v walk %v tasks %d\n", filepath.Base(f), float64(x.makespan)/1e6, n, t1.Sub(t0), time.Since(t1), len(run.Task.Start))
		var sum int64
		for c, ns := range sums {
			sum += ns
			if ns > 0 {
				fmt.Printf("   %-22s %10.3f ms %5.1f %%\n", Class(c), float64(ns)/1e6, 100*float64(ns)/float64(x.makespan))
			}
		}
		if sum != x.makespan {
			t.Errorf("sum %d, want %d", sum, x.makespan)
		}
		t2 := time.Now()
		var idle [classes]int64
		workers := int64(0)
		busy := int64(0)
		for _, w := range kind.Workers(run) {
			workers++
			x.Idle(w, func(p Part) { idle[p.Class] += p.To - p.From })
			u := interval.Clip(interval.Union(x.lanes.Work(w)), 0, x.makespan)
			busy += u.Length()
		}
		sum = 0
		for c, ns := range idle {
			sum += ns
			if ns > 0 {
				fmt.Printf("   idle %-22s %10.3f ms %5.1f %%\n", Class(c), float64(ns)/1e6, 100*float64(ns)/float64(x.makespan*workers))
			}
		}
		late := x.LatePushes(1e6)
		fmt.Printf("   idle took %v; late pushes %d\n", time.Since(t2), len(late))
		if sum != workers*x.makespan-busy {
			t.Errorf("idle sum %d, want %d", sum, workers*x.makespan-busy)
		}
		fmt.Printf("   worst unexplained %+v\n", worst)
	}
}
