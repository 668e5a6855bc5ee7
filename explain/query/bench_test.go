package query

import (
	"context"
	"io"
	"testing"

	"dagscope/trace"
)

// bigRun is a run of n tasks in chains of dependencies over 32 workers.
func bigRun(n int) *trace.Run {
	r := smallRun()
	for len(r.Resource.Name.Index) < 34 {
		i := len(r.Resource.Name.Index)
		r.Resource.Parent = append(r.Resource.Parent, 0)
		r.Resource.Level.Append(trace.LevelWorker)
		r.Resource.Name.Append("CPU" + string(rune('A'+i)))
		r.Resource.Arch.Append("cpu")
		r.Resource.Node = append(r.Resource.Node, 0)
		r.Resource.Index = append(r.Resource.Index, int32(i))
		r.Resource.Start = append(r.Resource.Start, 0)
		r.Resource.End = append(r.Resource.End, trace.NoTime)
	}
	r.Task, r.Dep = trace.Tasks{}, trace.Deps{}
	ta := &r.Task
	kinds := []string{"potrf", "trsm", "syrk", "gemm"}
	for i := range n {
		ta.Key.Append([]byte{'0', '_'})
		ta.Key.Code[i] = ta.Key.Code[0] &^ (1<<40 - 1)
		ta.Key.Code[i] += int64(i)
		ta.Kind.Append(kinds[i*7%4])
		ta.Worker = append(ta.Worker, int32(1+i%32))
		ta.Start = append(ta.Start, int64(i)*100)
		ta.End = append(ta.End, int64(i)*100+int64(i*31%977))
		ta.Submit = append(ta.Submit, int64(i))
		ta.Ready = append(ta.Ready, int64(i)*50)
		ta.Order = append(ta.Order, int32(i))
		ta.Priority = append(ta.Priority, 0)
		ta.Iteration = append(ta.Iteration, int32(i/1000))
		ta.Generation = append(ta.Generation, false)
		ta.Internal = append(ta.Internal, false)
		if i > 0 {
			r.Dep.From = append(r.Dep.From, int32(i/2))
			r.Dep.To = append(r.Dep.To, int32(i))
			r.Dep.Kind.Append(trace.DepTask)
		}
	}
	return r
}

// The queries people ask, on a million tasks: how long SQL over the columns
// takes (BenchmarkCopy measures the alternative).
func BenchmarkQuery(b *testing.B) {
	db := open(b, InMemory(bigRun(1e6)))
	for _, c := range []struct{ name, sql string }{
		{"count", `SELECT count(*) FROM task`},
		{"sum", `SELECT sum("end" - start) FROM task`},
		{"by-kind", `SELECT kind, count(*), avg("end" - start) FROM task GROUP BY kind`},
		{"by-worker-view", `SELECT worker, count(*), sum(duration) FROM tasks GROUP BY worker`},
		{"window", `SELECT count(*) FROM task WHERE start BETWEEN 1000000 AND 2000000 AND kind = 'gemm'`},
		{"key", `SELECT start FROM task WHERE key = '0_777777'`},
		{"median", `SELECT kind, median("end" - start) FROM task GROUP BY kind`},
		{"deps-view", `SELECT sum(gap) FROM deps`},
		{"successors", `SELECT count(*) FROM dep d JOIN task t ON t.id = d."to" WHERE d."from" < 1000`},
		{"all-rows", `SELECT id, kind, worker, start, "end" FROM task`},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				rows, err := db.Query(context.Background(), c.sql)
				if err != nil {
					b.Fatal(err)
				}
				if err := WriteCSV(io.Discard, rows); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkCopy is the alternative that virtual tables replace: the five
// columns that "all-rows" reads, copied into a table of SQLite's own.
func BenchmarkCopy(b *testing.B) {
	src := InMemory(bigRun(1e6))
	for b.Loop() {
		db := open(b, src)
		db.guard.on = false
		if err := db.exec(context.Background(), `CREATE TEMP TABLE copy AS SELECT id, kind, worker, start, "end" FROM task`); err != nil {
			b.Fatal(err)
		}
	}
}
