package starpu

import (
	"math"
	"testing"
)

// Kernels that run on a core at the same time have equal shares of it.
func TestCoreIsShared(t *testing.T) {
	k := &kernel{}
	var c core
	var ends [3]float64
	for i, kernel := range []struct{ begin, duration float64 }{{0, 4}, {1, 1}, {5.5, 2}} {
		k.spawn("kernel", func(a *actor) {
			a.sleep(kernel.begin)
			a.computeOn(&c, kernel.duration)
			ends[i] = k.now
			a.sleep(100)
		})
	}
	k.spawn("program", func(a *actor) {
		a.sleep(50)
		k.halt()
		a.sleep(1)
	})
	if err := k.run(math.Inf(1)); err != nil {
		t.Fatal(err)
	}
	// The second has half of the core from 1 to 3, the third all of it.
	for i, want := range []float64{5, 3, 7.5} {
		if math.Abs(ends[i]-want) > 1e-9 {
			t.Errorf("kernel %d ends at %g s, want %g", i, ends[i], want)
		}
	}
}
