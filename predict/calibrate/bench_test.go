package calibrate

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// BenchmarkReadCSV reads task tables of 100 000 lines.
func BenchmarkReadCSV(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	var text strings.Builder
	text.WriteString("id,kind,MB,NB,BK,flops,worker,start,end,cpu,deps\n")
	for i := range 100_000 {
		fmt.Fprintf(&text, "%d,Update,%d,128,%d,1000000,%d,%.6f,%.6f,0.001,%d\n", i, 200+rng.IntN(9000), 1+rng.IntN(20), i%4, float64(i)/4, float64(i)/4+0.001, i)
	}
	file := written(b, "tasks.csv", text.String())
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		if _, err := ReadCSV(file, CSVOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFit fits 100 000 measurements with errors as shares.
func BenchmarkFit(b *testing.B) {
	s := panels(rand.New(rand.NewPCG(1, 1)), 100_000, 0.1, nil)
	for b.Loop() {
		if _, err := FitKernels([]*Samples{s}, Options{Weights: Relative}); err != nil {
			b.Fatal(err)
		}
	}
}
