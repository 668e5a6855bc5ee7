package starpu_test

import (
	"strings"
	"testing"

	"dagscope/predict/platform"
	"dagscope/predict/starpu"
	"dagscope/predict/starpu/policy"
	"dagscope/predict/workload"
)

// A run that cannot go on says which task waits for which data, and which
// memories are full. Whatever fits at least is simulated.
func TestDeadlocks(t *testing.T) {
	for capacity, want := range map[string]string{
		"8MiB":  "simulate: nothing happens any more at 0.000", // no block fits
		"32MiB": "",
	} {
		m, err := platform.ParseYAML("m.yaml", []byte(strings.ReplaceAll(hybrid, "40MiB", capacity)))
		if err != nil {
			t.Fatal(err)
		}
		g, err := workload.Cholesky(workload.Tiled{Tiles: 4})
		if err != nil {
			t.Fatal(err)
		}
		d := make(starpu.Durations, len(g.Classes))
		for c := range d {
			for _, on := range m.Types() {
				d[c] = append(d[c], map[string]float64{platform.CUDA: 1e6}[on.Arch])
			}
		}
		p, err := policy.New("eager", policy.Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = starpu.Run(g, m, d, p, starpu.DefaultOptions())
		if want == "" && err != nil {
			t.Errorf("%s: %v", capacity, err)
		}
		if want != "" && (err == nil || !strings.HasPrefix(err.Error(), want) ||
			!strings.Contains(err.Error(), "waits for data of task 1 (POTRF): for 3.7 MB there is no room in CUDA") ||
			!strings.Contains(err.Error(), "20 of 20 tasks are not over") || !strings.Contains(err.Error(), "CUDA0 has 0.0 of 8.4 MB in use")) {
			t.Errorf("%s: %v", capacity, err)
		}
	}
}

// Room is what the engine allocates: pieces share blocks of 32 MiB on GPUs and
// in RAM that CUDA copies from.
func TestAllocatedBytes(t *testing.T) {
	m, err := platform.ParseYAML("m.yaml", []byte(hybrid))
	if err != nil {
		t.Fatal(err)
	}
	plain := platform.Plain(2)
	for _, c := range []struct {
		m      *platform.Machine
		memory int32
		small  int64
		large  int64
		want   int64
	}{{m, 1, 1, 0, 32 << 20}, {m, 1, 33 << 20, 5, 64<<20 + 5}, {m, 1, 0, 9, 9}, {m, 0, 7, 0, 32 << 20}, {plain, 0, 7, 2, 9}} {
		if got := starpu.AllocatedBytes(c.m, c.memory, c.small, c.large); got != c.want {
			t.Errorf("%+v: found %d", c, got)
		}
	}
}
