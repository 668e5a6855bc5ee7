package symptom

import (
	"testing"

	"dagscope/trace/tracetest"
)

// About 39 000 and 10⁶ tasks, with states, transfers and accesses.
func BenchmarkFind(b *testing.B) {
	for _, c := range []struct {
		name  string
		tiles int
	}{{"4e4", 60}, {"1e6", tracetest.TilesFor(1e6)}} {
		b.Run(c.name, func(b *testing.B) {
			run := tracetest.Cholesky(tracetest.Options{Tiles: c.tiles})
			b.ReportAllocs()
			for b.Loop() {
				Find(run, Options{})
			}
		})
	}
}
