package spec

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dagscope/read"
	"dagscope/trace"
)

// A task graph without times takes what models say, on both engines: here the
// critical path of a diamond, potrf, trsm and gemm.
func TestGraphWithoutTimes(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{
		"g.csv": "id,kind,deps,prio\na,potrf,,3\nb,trsm,a,2\nc,trsm,a,2\nd,gemm,b c,1\n",
		"g.dot": "digraph { a [kind=potrf]; a -> {b c} -> d; b [label=\"trsm 1\"]; c [label=\"trsm 2\"]; d [kind=gemm] }",
		// The same by accesses.
		"a.csv": "id,kind,accesses\na,potrf,W1\nb,trsm,R1 W2\nc,trsm,R1 W3\nd,gemm,R2 R3\n",
	}
	load := func(path string) (*trace.Run, error) {
		if !read.IsGraph(path) {
			t.Fatalf("%s is no task graph", path)
		}
		return read.Graph(path)
	}
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, engine := range []string{"plain", "exact"} {
			spec := fmt.Sprintf("workload: {graph: %s}\nplatform: {cpus: 2}\nscheduler: prio\ncosts: zero\noptions: {engine: %s}\n", file, engine)
			b, err := parse(t, spec+"models: {durations: {potrf: 1ms, trsm: 2ms, gemm: 3ms}}").Build(load)
			if err != nil {
				t.Fatal(err)
			}
			r, err := b.Run(false)
			if err != nil {
				t.Fatal(err)
			}
			if over := r.Makespan - 6_000_000; over < 0 || over > 20_000 {
				t.Errorf("%s, %s: found a makespan of %d ns, want 6 ms", name, engine, r.Makespan)
			}
			if _, err := parse(t, spec+"models: {durations: {potrf: 1ms, trsm: 2ms}}").Build(load); err == nil || !strings.Contains(err.Error(), "found no duration of gemm") {
				t.Errorf("%s, %s: found error %v without a duration of gemm", name, engine, err)
			}
		}
		// Such a graph has no machine of its own.
		if _, err := OfRun(file).Build(load); err == nil || !strings.Contains(err.Error(), "found no machine") {
			t.Errorf("%s: found error %v without a machine", name, err)
		}
	}
}
