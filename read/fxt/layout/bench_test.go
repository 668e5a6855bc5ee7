package layout

import "testing"

// BenchmarkSeen is what finding the version costs per event.
func BenchmarkSeen(b *testing.B) {
	v, err := Named("1.4")
	if err != nil {
		b.Fatal(err)
	}
	var codes []uint32
	var args [][]uint64
	for i := range v.Events {
		codes = append(codes, v.Events[i].Code)
		args = append(args, make([]uint64, max(v.Events[i].Min, len(v.Events[i].Params))))
	}
	var s Seen
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		k := i % len(codes)
		s.Add(codes[k], args[k])
	}
}
