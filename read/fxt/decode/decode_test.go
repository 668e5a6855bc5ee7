package decode_test

import (
	"syscall"
	"testing"

	"dagscope/internal/testenv"
	"dagscope/read/fxt/decode"
)

// BenchmarkRead measures decoding: ns per event.
func BenchmarkRead(b *testing.B) {
	path := testenv.Setting(b, "DAGSCOPE_FXT", "a trace")
	var events int64
	before := cpuTime()
	for b.Loop() {
		p, err := decode.Read([]string{path}, decode.Options{})
		if err != nil {
			b.Fatal(err)
		}
		for _, n := range p.Account.Lines {
			events += n
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
	b.ReportMetric(float64(cpuTime()-before)/float64(events), "cpu-ns/event")
}

// cpuTime is what the process has used of the processors, ns.
func cpuTime() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return u.Utime.Nano() + u.Stime.Nano()
}
