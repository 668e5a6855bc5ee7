package decode_test

import (
	"os"
	"testing"

	"dagscope/ingest/fxt/decode"
)

// BenchmarkRead measures decoding: ns per event.
func BenchmarkRead(b *testing.B) {
	path := os.Getenv("DAGSCOPE_FXT")
	if path == "" {
		b.Skip("set DAGSCOPE_FXT to a trace")
	}
	var events int64
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
}
