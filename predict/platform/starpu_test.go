package platform

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dagscope/internal/testenv"
)

var defaults = StarPUOptions{CPUs: -1, GPUs: -1}

// sampling is StarPU's own sampling directory, not part of the project.
func sampling(t *testing.T) string {
	t.Helper()
	return testenv.Reference(t, "data/starpu/perfmodels/sampling")
}

// Times that StarPU's simulation shows for 3686400 bytes, less the 10 µs that
// queueing takes.
func TestTransferTimesOfMirage(t *testing.T) {
	m, err := ReadStarPU(sampling(t), "mirage", defaults)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		from, to int32
		us       float64
	}{
		{0, 1, 3686400/6010.679672232608 + 10},
		{1, 0, 3686400/6517.450307894588 + 11},
		{1, 2, 3686400/3078.938822428410 + 24},
		{2, 1, 3686400/(6517.450307894589/2) + 25}, // Host twice, slower than the link's own
		{2, 3, 3686400/5296.219864637116 + 16},
	} {
		if got := 1e6 * m.Uncontended(c.from, c.to, 3686400); math.Abs(got-c.us) > 1e-6 {
			t.Errorf("%s to %s: %.3f µs, want %.3f", m.Memories[c.from].Name, m.Memories[c.to].Name, got, c.us)
		}
	}
	if got, want := m.Memories[1].Capacity, int64(4837<<20); got != want {
		t.Errorf("capacity %d, want %d", got, want)
	}
	if got := m.Bandwidth[m.Pair(2, 1)]; got != 3834.443072e6 {
		t.Errorf("believed bandwidth of CUDA1 to CUDA0 %g", got)
	}
}

func names(m *Machine) string {
	var s []string
	for _, w := range m.Workers {
		s = append(s, w.Name)
	}
	return strings.Join(s, " ")
}

// What StarPU 1.4.10 prints of these hosts.
func TestWorkersOfHosts(t *testing.T) {
	dir := sampling(t)
	for name, c := range map[string]struct {
		host string
		o    StarPUOptions
		want string
	}{
		"mirage":        {"mirage", defaults, "CUDA0_0 CUDA1_0 CUDA2_0 CPU0 CPU1 CPU2 CPU3 CPU4 CPU5 CPU6 CPU7 CPU8"},
		"one GPU":       {"mirage", StarPUOptions{CPUs: -1, GPUs: 1}, "CUDA0_0 OpenCL1 OpenCL2 CPU0 CPU1 CPU2 CPU3 CPU4 CPU5 CPU6 CPU7 CPU8"},
		"CPUs":          {"mirage", StarPUOptions{CPUs: -1, GPUs: 0}, "OpenCL0 OpenCL1 OpenCL2 CPU0 CPU1 CPU2 CPU3 CPU4 CPU5 CPU6 CPU7 CPU8"},
		"without":       {"mirage", StarPUOptions{CPUs: -1, GPUs: 2, NoOpenCL: true}, "CUDA0_0 CUDA1_0 CPU0 CPU1 CPU2 CPU3 CPU4 CPU5 CPU6 CPU7 CPU8 CPU9"},
		"GPUs":          {"attila", StarPUOptions{CPUs: 0, GPUs: -1}, "CUDA0_0 CUDA1_0 CUDA2_0"},
		"hannibal":      {"hannibal", defaults, "CUDA0_0 CUDA1_0 CUDA2_0 CPU0 CPU1 CPU2 CPU3 CPU4"},
		"hannibal less": {"hannibal", StarPUOptions{CPUs: -1, GPUs: 2}, "CUDA0_0 CUDA1_0 OpenCL2 CPU0 CPU1 CPU2 CPU3 CPU4"},
		"hannibal two":  {"hannibal-pitch", StarPUOptions{CPUs: 2, GPUs: 2, NoOpenCL: true}, "CUDA0_0 CUDA1_0 CPU0 CPU1"},
	} {
		m, err := ReadStarPU(dir, c.host, c.o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := names(m); got != c.want {
			t.Errorf("%s: workers %s, want %s", name, got, c.want)
		}
	}
}

func TestDiskAndLimits(t *testing.T) {
	m, err := ReadStarPU(sampling(t), "mirage", StarPUOptions{CPUs: -1, GPUs: -1, Disk: 20000 << 20, GPUMemory: 500 << 20, RAMMemory: 600 << 20})
	if err != nil {
		t.Fatal(err)
	}
	d := int32(len(m.Memories) - 1)
	if m.Memories[d].Kind != Disk || m.Memories[d].Capacity != 20000<<20 || m.Memories[0].Capacity != 600<<20 || m.Memories[1].Capacity != 500<<20 {
		t.Errorf("memories %+v", m.Memories)
	}
	if got, want := m.Uncontended(0, d, 400e6), 1.002; math.Abs(got-want) > 1e-12 {
		t.Errorf("RAM to disk takes %v s, want %v", got, want)
	}
	if p := m.Pair(0, d); !math.IsInf(m.Bandwidth[p], 1) || m.Latency[p] != 0 {
		t.Errorf("RAM to disk is believed to be %g B/s, %g s", m.Bandwidth[p], m.Latency[p])
	}
	if p := m.Pair(d, 1); m.Bandwidth[p] != 6030.996807e6 || m.Routes[p] != nil {
		t.Errorf("disk to GPU is believed to be %g B/s over %v", m.Bandwidth[p], m.Routes[p])
	}
}

// Version 3 and 4 of a host's platform say the same.
func TestBothVersions(t *testing.T) {
	dir := sampling(t)
	for _, host := range []string{"mirage", "attila", "hannibal", "hannibal-pitch"} {
		four, err := ReadStarPU(dir, host, defaults)
		if err != nil {
			t.Fatal(err)
		}
		old := t.TempDir()
		if err := os.Mkdir(filepath.Join(old, "bus"), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, ending := range []string{"platform.xml", "bandwidth", "latency", "config"} {
			text, err := os.ReadFile(filepath.Join(dir, "bus", host+"."+ending))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(old, "bus", host+"."+ending), text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		three, err := ReadStarPU(old, host, defaults)
		if err != nil {
			t.Fatal(err)
		}
		for i, link := range three.Links {
			if other := four.Links[i]; link != other {
				t.Errorf("%s: link %+v, of version 4 %+v", host, link, other)
			}
		}
		if len(three.Links) != len(four.Links) || names(three) != names(four) {
			t.Errorf("%s: %d links and %s, of version 4 %d and %s", host, len(three.Links), names(three), len(four.Links), names(four))
		}
	}
}
