package spec

import (
	"math"
	"strings"
	"testing"
)

// What takes longer than time can be told is an error, whatever makes it so.
func TestRunsTooLongForTime(t *testing.T) {
	for _, changes := range [][]string{
		{"models.scale.gemm=1e14"},
		{"models.scale.gemm=1e11"}, // a task can be told, the run cannot
		{"models.scale.gemm=1e300"},
		{"platform.nodes=1", "models.scale.gemm=1e14"},
		{"platform.node_overrides.0.speed=1e-300"},
		{"platform.network.latency=1e10s"},
		{"platform.network.bandwidth=1e-9Bps"},
		{"platform={cpus: 4}", "options.engine=plain", "scheduler=prio", "models.scale.gemm=1e14"},
		{"platform={cpus: 1}", "workload.tiles=20", "options.engine=plain", "scheduler=prio", "models.scale.gemm=1.1e9"},
	} {
		b, err := set(t, three, changes...)
		if err == nil {
			_, err = b.Run(false)
		}
		if err == nil || !strings.Contains(err.Error(), "want") {
			t.Errorf("%v: found error %v, want one that says what is too long", changes, err)
		}
	}
}

// Slow networks are as slow as they are said to be.
func TestNetworkOfBytesPerSecond(t *testing.T) {
	var is [2]float64
	for i, rate := range []string{"2.5Bps", "0.5Bps"} {
		r, err := mustSet(t, three, "platform.network.backbone={bandwidth: 10GBps, latency: 1us}", "platform.network.bandwidth="+rate, "options.mpi.factors=false").Run(false)
		if err != nil {
			t.Fatal(err)
		}
		is[i] = float64(r.Makespan)
	}
	if ratio := is[1] / is[0]; math.Abs(ratio-5) > 0.05 {
		t.Errorf("found a run %.3f times as long with a fifth of the bandwidth, want 5", ratio)
	}
}
