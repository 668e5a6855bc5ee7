package decode_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"dagscope/read/fxt/decode"
	"dagscope/read/fxt/internal/fxttest"
)

// TestNumaOfTasks compares what is written of random tasks, whose data is told
// in turns, with a naive list: the tasks' own and that of their executions.
func TestNumaOfTasks(t *testing.T) {
	texts := map[int]string{-1: "-1", 0: "", 1: "0", 2: "1", 5: "0,2"}
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 8))
		s := newScript(t, "1.4")
		s.machine(1)
		want := make([][]string, 8)
		for range 60 {
			job := rng.IntN(len(want))
			if n := len(want[job]); n > 0 && rng.IntN(2) == 0 {
				at, nodes := rng.IntN(n), []int{-1, -1, 0, 1, 2, 5}[rng.IntN(6)]
				s.add("CODELET_DATA_HANDLE_NUMA_ACCESS", job, at, nodes)
				want[job][at] = texts[nodes]
				continue
			}
			s.add("CODELET_DATA_HANDLE", job, 0xab10, 8, 1)
			want[job] = append(want[job], "-1")
		}
		for job := range want {
			s.add("START_CODELET_BODY", job, 0, 0, 0)
			s.add("CODELET_DETAILS", 0, 8, 0xff, 0, 0, 0, job)
			s.add("END_CODELET_BODY", job, 8, 0xff, 0, 100, "cpu0")
		}
		p := decodeScripts(t, s)
		for row := range p.Task.Line {
			var job int
			if _, err := fmt.Sscan(p.Task.Job.At(row), &job); err != nil {
				t.Fatal(err)
			}
			if got, want := p.Task.Numa.At(row), strings.Join(want[job], " "); got != want {
				t.Errorf("seed %d: task %d: found nodes %q, want %q", seed, job, got, want)
			}
		}
		for row := range p.Extended.Order {
			if got, want := p.Extended.Numa.At(row), strings.Join(want[row], "_"); got != want {
				t.Errorf("seed %d: execution of task %d: found nodes %q, want %q", seed, row, got, want)
			}
		}
	}
}

// TestDetailsAgainAndAgain: damage that tells of one task's data and execution
// in turns takes memory in proportion to the file.
func TestDetailsAgainAndAgain(t *testing.T) {
	for name, tell := range map[string]func(s *script){
		"layouts": func(s *script) { s.add("CODELET_DATA", 0, "M960x960x4") },
		"handles": func(s *script) { s.add("CODELET_DATA_HANDLE", 1, 0xab10, 8, 1) },
		"places": func(s *script) {
			s.add("CODELET_DATA_HANDLE", 1, 0xab10, 8, 1)
			s.add("CODELET_DATA_HANDLE_NUMA_ACCESS", 1, 0, 1)
		},
	} {
		s := newScript(t, "1.4")
		s.machine(1)
		s.add("START_CODELET_BODY", 1, 0, 0, 0)
		for range 10_000 {
			tell(s)
			s.add("CODELET_DETAILS", 0, 8, 0xff, 0, 0, 0, 1)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		decodeScripts(t, s)
		runtime.ReadMemStats(&after)
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 64<<20 {
			t.Errorf("%s: took %d MB for %d events, want some kB each at most", name, grown>>20, len(s.events))
		}
	}
}

// BenchmarkNuma measures tasks of one datum each whose place is told: ns per
// task, which must not grow with their number.
func BenchmarkNuma(b *testing.B) {
	for _, n := range []int{20_000, 200_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := newScript(b, "1.4")
			s.machine(1)
			for job := range n {
				s.add("CODELET_DATA_HANDLE", job, 0xab10, 8, 1)
				s.add("CODELET_DATA_HANDLE_NUMA_ACCESS", job, 0, 1)
			}
			paths := filesOf(b, fxttest.Form{}, s)
			for b.Loop() {
				if _, err := decode.Read(paths, decode.Options{Version: "1.4"}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/task")
		})
	}
}
