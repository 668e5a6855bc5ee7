package starpu_test

import (
	"bufio"
	"cmp"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dagscope/internal/testenv"
	"dagscope/predict/perfmodel"
	"dagscope/predict/platform"
	"dagscope/predict/starpu"
	"dagscope/predict/starpu/policy"
	"dagscope/predict/workload"
)

// reference is a row of makespans.tsv: what StarPU's own simulation took.
type reference struct {
	machine, scheduler, variant string
	n, tile                     int
	makespan                    float64 // µs
}

func (r *reference) String() string {
	return fmt.Sprintf("%s %s n%d tile%d %s", r.machine, r.scheduler, r.n, r.tile, r.variant)
}

func references(t testing.TB) []reference {
	t.Helper()
	file, err := os.Open(testenv.Reference(t, "data/starpu/reference/makespans.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var rows []reference
	for s := bufio.NewScanner(file); s.Scan(); {
		f := strings.Split(s.Text(), "\t")
		if f[0] == "machine" {
			continue
		}
		r := reference{machine: f[0], scheduler: f[1], variant: f[4]}
		r.n, _ = strconv.Atoi(f[2])
		r.tile, _ = strconv.Atoi(f[3])
		r.makespan, _ = strconv.ParseFloat(f[7], 64)
		rows = append(rows, r)
	}
	return rows
}

// settings are what a variant of the reference differs in.
func settings(n int, variant string) (platform.StarPUOptions, starpu.Options) {
	m, o := platform.StarPUOptions{CPUs: -1, GPUs: -1}, starpu.DefaultOptions()
	o.Before = 4 + 2*n
	switch variant {
	case "zerocost":
		o.Costs, o.Before = starpu.Costs{}, 2
	case "notransfer":
		o.Costs.Transfer = false
	case "noprefetch":
		o.Prefetch = false
	case "nopipeline":
		o.Pipeline = 0
	case "gpuonly":
		m.CPUs = 0
	case "cpuonly":
		m.GPUs = 0
	case "1gpu":
		m.GPUs = 1
	}
	return m, o
}

var cholesky = map[string]string{"POTRF": "chol_model_potrf", "TRSM": "chol_model_trsm", "SYRK": "chol_model_syrk", "GEMM": "chol_model_gemm"}

// scene is a program on a machine.
type scene struct {
	g *workload.Graph
	m *platform.Machine
	d starpu.Durations
}

func choleskyOn(t testing.TB, host string, n, tile int, o platform.StarPUOptions) scene {
	t.Helper()
	g, err := workload.Cholesky(workload.Tiled{Tiles: n, Tile: tile})
	if err != nil {
		t.Fatal(err)
	}
	dir := testenv.Reference(t, "data/starpu/perfmodels/sampling")
	m, err := platform.ReadStarPU(dir, host, o)
	if err != nil {
		t.Fatal(err)
	}
	models, err := perfmodel.ReadStarPU(dir, host, cholesky, perfmodel.StarPUOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return scene{g, m, durations(g, m, models)}
}

func durations(g *workload.Graph, m *platform.Machine, models *perfmodel.Set) starpu.Durations {
	d := make(starpu.Durations, len(g.Classes))
	for c := range g.Classes {
		k := &g.Classes[c]
		for _, on := range m.Types() {
			ns, ok := models.Duration(perfmodel.Task{Kind: k.Kind, Footprint: k.Footprint, Bytes: k.Bytes, GFlop: k.GFlop}, on)
			if !ok {
				ns = 0
			}
			d[c] = append(d[c], ns)
		}
	}
	return d
}

func (s scene) run(t testing.TB, scheduler string, o starpu.Options) *starpu.Result {
	t.Helper()
	p, err := policy.New(scheduler, policy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := starpu.Run(s.g, s.m, s.d, p, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestAgainstReference compares makespans with those of StarPU's own
// simulation: those of 10 tiles, or with SIM_ROWS="WORDS" those whose names
// contain the words, as in "mirage dmdas n60".
func TestAgainstReference(t *testing.T) {
	words := strings.Fields(os.Getenv("SIM_ROWS"))
	errors := map[string][]float64{}
	for _, r := range references(t) {
		known := slices.Contains(policy.Names(), r.scheduler)
		if !known || len(words) == 0 && r.n != 10 || !containsAll(r.String(), words) {
			continue
		}
		m, o := settings(r.n, r.variant)
		s := choleskyOn(t, r.machine, r.n, r.tile, m)
		got := float64(s.run(t, r.scheduler, o).Makespan) / 1e3
		e := got/r.makespan - 1
		if len(words) > 0 || math.Abs(e) > 0.01 {
			t.Logf("%-40s %12.1f %12.1f %+8.3f %%", r.String(), r.makespan, got, 100*e)
		}
		errors[r.scheduler] = append(errors[r.scheduler], math.Abs(e))
		if r.scheduler != "heteroprio" {
			errors["all"] = append(errors["all"], math.Abs(e))
		}
	}
	for _, name := range sortedKeys(errors) {
		x := errors[name]
		slices.Sort(x)
		median, nine, most := x[len(x)/2], x[min(len(x)-1, len(x)*9/10)], x[len(x)-1]
		t.Logf("%-8s %3d rows: median %.3f %%, 90 %% %.3f %%, most %.3f %%", name, len(x), 100*median, 100*nine, 100*most)
		if name != "heteroprio" && (median > 0.001 || most > 0.03) {
			t.Errorf("%s: median error %.3f %%, largest %.3f %%, want at most 0.1 and 3", name, 100*median, 100*most)
		}
	}
}

func sortedKeys(m map[string][]float64) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, cmp.Compare)
	return keys
}

func containsAll(s string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(s, w) {
			return false
		}
	}
	return true
}
