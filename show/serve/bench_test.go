package serve

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// BenchmarkTile draws tiles of random windows at random zooms, none of which is
// in the cache, and reports their sizes.
func BenchmarkTile(b *testing.B) {
	for _, id := range []string{"st", "ready", "iterations"} {
		b.Run(id, func(b *testing.B) {
			s := newTest(b, Options{TileBytes: 1}, simulated)
			ready(b, s)
			getOK(b, s, "runs/0/panels/"+id+"/tile?level=21&index=0&height=400")
			r := rand.New(rand.NewPCG(1, 1))
			var sizes []int
			for b.Loop() {
				level := 8 + r.IntN(14)
				index := r.IntN(1 + int(s.runs[0].info.makespan>>(level+8)))
				path := fmt.Sprintf("runs/0/panels/%s/tile?level=%d&index=%d&height=400&top=60", id, level, index)
				sizes = append(sizes, len(body(b, get(b, s, path, "Accept-Encoding", "gzip"))))
			}
			slices.Sort(sizes)
			b.ReportMetric(float64(sizes[len(sizes)/2]), "p50-B")
			b.ReportMetric(float64(sizes[len(sizes)*99/100]), "p99-B")
		})
	}
}
