package starpu_test

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"dagscope/internal/testenv"
	"dagscope/predict/perfmodel"
	"dagscope/predict/platform"
	"dagscope/predict/starpu"
	"dagscope/predict/starpu/policy"
	"dagscope/predict/workload"
)

// recordedCluster is a run of StarPU-MPI's Cholesky under SMPI, in the shared
// data.
type recordedCluster struct {
	dir                string
	nodes, tiles, tile int
	makespan           float64 // ms, as the program printed it
}

var recordedClusters = []recordedCluster{
	{"sgmpi-np2-n8-dmdas", 2, 8, 960, 218.89},
	{"sgmpi-np4-n20-dmdas", 4, 20, 960, 906.51},
	{"sgmpi-np8-n40-dmdas", 8, 40, 960, 2818.94},
	{"sgmpi-np30-n50-t640-dmdas", 30, 50, 640, 1141.24},
}

// choleskyOnNodes is StarPU-MPI's Cholesky on equal nodes of a cluster.
func choleskyOnNodes(t testing.TB, host string, nodes, tiles, tile int) scene {
	t.Helper()
	const cpus = 8 // of 12 cores, 3 drive devices and one the network
	one := choleskyOn(t, host, tiles, tile, platform.StarPUOptions{CPUs: cpus, GPUs: -1})
	g, err := workload.Cholesky(workload.Tiled{Tiles: tiles, Tile: tile, Distributed: true})
	if err != nil {
		t.Fatal(err)
	}
	p, q := workload.Grid(nodes)
	owner, err := workload.BlockCyclic(g, p, q)
	if err != nil {
		t.Fatal(err)
	}
	return scene{g, one.m, one.d}.on(t, owner, nodes)
}

// luOnNodes is StarPU-MPI's LU, which deals tiles by columns of nodes, p to a
// column.
func luOnNodes(t testing.TB, host string, p, q, tiles, tile int) scene {
	t.Helper()
	const cpus = 8
	g, err := workload.LU(workload.Tiled{Tiles: tiles, Tile: tile, Distributed: true}, false)
	if err != nil {
		t.Fatal(err)
	}
	dir := testenv.Reference(t, "data/starpu/perfmodels/sampling")
	m, err := platform.ReadStarPU(dir, host, platform.StarPUOptions{CPUs: cpus, GPUs: -1})
	if err != nil {
		t.Fatal(err)
	}
	symbols := make(map[string]string)
	for _, c := range g.Classes {
		symbols[c.Kind] = "starpu_slu_lu_model_" + strings.ToLower(c.Kind)
	}
	models, err := perfmodel.ReadStarPU(dir, host, symbols, perfmodel.StarPUOptions{})
	if err != nil {
		t.Fatal(err)
	}
	owner := make([]int32, len(g.Bytes))
	for h := range owner {
		owner[h] = g.HandleY[h]%int32(q)*int32(p) + g.HandleX[h]%int32(p)
	}
	return scene{g, m, durations(g, m, models)}.on(t, owner, p*q)
}

// on puts a scene on several nodes.
func (s scene) on(t testing.TB, owner []int32, nodes int) scene {
	t.Helper()
	if err := workload.Distribute(s.g, owner, nodes); err != nil {
		t.Fatal(err)
	}
	net := platform.Network{Bandwidth: 4e9, Latency: 1e-6, Backbone: 288e9, BackboneLatency: 1e-6}
	m, err := platform.Cluster(s.m, nodes, net)
	if err != nil {
		t.Fatal(err)
	}
	d := make(starpu.Durations, len(s.d))
	for c := range d {
		for range nodes {
			d[c] = append(d[c], s.d[c]...)
		}
	}
	return scene{s.g, m, d}
}

func policies(name string) func() (starpu.Policy, error) {
	return func() (starpu.Policy, error) { return policy.New(name, policy.Options{}) }
}

// Messages between nodes are those that StarPU-MPI sent, one by one, and the
// makespan is that of SMPI within 5 %.
func TestClustersAsRecorded(t *testing.T) {
	for _, c := range recordedClusters {
		t.Run(c.dir, func(t *testing.T) {
			if c.nodes > 4 {
				testenv.Slow(t)
			}
			s := choleskyOnNodes(t, "mirage", c.nodes, c.tiles, c.tile)
			r, err := starpu.RunNodes(s.g, s.m, s.d, policies("dmdas"), starpu.DefaultOptions())
			if err != nil {
				t.Fatal(err)
			}
			ms := float64(r.Makespan) / 1e6
			t.Logf("%.2f ms, want %.2f (%+.2f %%)", ms, c.makespan, 100*(ms/c.makespan-1))
			if math.Abs(ms/c.makespan-1) > 0.05 {
				t.Errorf("found a makespan of %.2f ms, want %.2f", ms, c.makespan)
			}
			compareMessages(t, r, c)
		})
	}
}

// compareMessages compares how many messages of which size went between each
// pair of nodes.
func compareMessages(t *testing.T, r *starpu.Result, c recordedCluster) {
	t.Helper()
	type pair struct{ from, to int32 }
	mine, recorded := make(map[pair]starpu.Pair), make(map[pair]starpu.Pair)
	for _, m := range r.Messages {
		p := mine[pair{m.From, m.To}]
		mine[pair{m.From, m.To}] = starpu.Pair{Count: p.Count + 1, Bytes: p.Bytes + m.Bytes}
	}
	for _, m := range communications(t, testenv.Reference(t, "data/starpu", c.dir, "comms.rec")) {
		p := recorded[pair{m.from, m.to}]
		recorded[pair{m.from, m.to}] = starpu.Pair{Count: p.Count + 1, Bytes: p.Bytes + m.bytes}
	}
	for p, want := range recorded {
		if mine[p] != want {
			t.Errorf("found %+v from node %d to node %d, want %+v", mine[p], p.from, p.to, want)
		}
	}
	if len(mine) != len(recorded) {
		t.Errorf("found messages between %d pairs of nodes, want %d", len(mine), len(recorded))
	}
}

type communication struct {
	from, to   int32
	bytes      int64
	begin, end float64 // ms
}

// communications are the messages of a recorded run, from its comms.rec.
func communications(t testing.TB, path string) (all []communication) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	in := io.Reader(file)
	if strings.HasSuffix(file.Name(), ".zst") {
		z, err := zstd.NewReader(file)
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		in = z
	}
	var c communication
	for s := bufio.NewScanner(in); s.Scan(); {
		key, value, _ := strings.Cut(s.Text(), ": ")
		number, _ := strconv.ParseFloat(value, 64)
		switch key {
		case "Src":
			c.from = int32(number)
		case "Dst":
			c.to = int32(number)
		case "Size":
			c.bytes = int64(number)
		case "SendTime":
			c.begin = number
		case "RecvTime":
			c.end = number
		case "Type":
			all = append(all, c)
		}
	}
	return all
}

// measured is what StarPU-MPI 1.4.10's own programs took under SMPI 3.32, with
// the performance models of the shared data and the network of cluster32.xml.
type measured struct {
	program, host, scheduler string
	p, q, tiles, tile        int
	ms                       float64
}

var measuredClusters = []measured{
	{"cholesky", "mirage", "dmda", 1, 2, 12, 960, 367.96},
	{"cholesky", "mirage", "lws", 1, 2, 12, 960, 1427.35},
	{"cholesky", "mirage", "prio", 1, 2, 12, 960, 791.42},
	{"cholesky", "mirage", "eager", 1, 2, 12, 960, 773.12},
	{"cholesky", "mirage", "dm", 1, 2, 12, 960, 409.58},
	{"cholesky", "mirage", "dmdas", 1, 3, 12, 960, 313.99},
	{"cholesky", "mirage", "lws", 1, 3, 12, 960, 1381.29},
	{"cholesky", "mirage", "dmdas", 2, 3, 16, 960, 506.17},
	{"cholesky", "mirage", "lws", 2, 2, 16, 960, 2387.71},
	{"cholesky", "mirage", "dmdas", 2, 2, 16, 320, 97.00},
	{"cholesky", "mirage", "dmdar", 2, 2, 16, 960, 655.43},
	{"cholesky", "attila", "dmdas", 1, 2, 12, 960, 743.41},
	{"cholesky", "attila", "prio", 1, 2, 12, 960, 1003.94},
	{"cholesky", "attila", "dmdas", 2, 2, 16, 960, 1159.00},
	{"cholesky", "attila", "lws", 2, 2, 16, 960, 2341.91},
	{"cholesky", "mirage", "prio", 1, 3, 16, 640, 496.32},
	{"cholesky", "mirage", "dmdasd", 2, 2, 16, 960, 636.26},
	{"cholesky", "mirage", "ws", 2, 2, 12, 960, 1596.00},
	{"cholesky", "mirage", "eager", 2, 2, 12, 960, 753.28},
	{"cholesky", "mirage", "prio", 2, 2, 12, 960, 813.01},
	{"cholesky", "mirage", "lws", 1, 5, 20, 320, 163.73},
	{"cholesky", "mirage", "eager", 1, 5, 20, 320, 157.08},
	{"cholesky", "mirage", "dmdas", 3, 3, 24, 960, 1034.85},
	{"cholesky", "mirage", "lws", 3, 3, 24, 960, 3542.78},
	{"cholesky", "mirage", "prio", 3, 3, 24, 960, 1806.50},
	{"cholesky", "attila", "lws", 1, 2, 12, 960, 1687.00},
	{"cholesky", "attila", "dm", 2, 2, 16, 960, 1192.40},
	{"cholesky", "attila", "prio", 2, 2, 16, 960, 1539.22},
	{"cholesky", "attila", "eager", 2, 2, 16, 960, 1512.97},
	{"lu", "mirage", "eager", 3, 2, 12, 960, 1711.98},
	{"lu", "mirage", "lws", 2, 1, 12, 960, 2800.66},
	{"lu", "attila", "dmdas", 2, 1, 10, 960, 748.51},
	{"lu", "mirage", "dmdas", 2, 2, 12, 960, 1037.07},
	{"lu", "mirage", "lws", 2, 2, 12, 960, 2635.07},
	{"lu", "mirage", "prio", 2, 2, 12, 960, 1457.64},
	{"lu", "attila", "lws", 2, 2, 12, 960, 1978.43},
	{"lu", "mirage", "dmdas", 3, 2, 12, 960, 1023.58},
}

// onNodes is the program of a measurement.
func (c measured) onNodes(t *testing.T) scene {
	if c.program == "lu" {
		return luOnNodes(t, c.host, c.p, c.q, c.tiles, c.tile)
	}
	return choleskyOnNodes(t, c.host, c.p*c.q, c.tiles, c.tile)
}

// error of a simulation, relative.
func (c measured) error(t *testing.T, s scene) float64 {
	t.Helper()
	r, err := starpu.RunNodes(s.g, s.m, s.d, policies(c.scheduler), starpu.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	return float64(r.Makespan)/1e6/c.ms - 1
}

// Rows that are far off turn on who is first at a tie: where durations are perturbed by
// 10 ppm, less than the digits of a performance model, makespans spread on both sides of
// the one under SMPI, so that it is no more right than they are.
func TestFarClustersTurnOnTies(t *testing.T) {
	testenv.Slow(t)
	const perturbation, seeds = 1e-5, 24
	for _, name := range []string{"cholesky attila lws 4", "cholesky mirage lws 5", "cholesky mirage lws 9", "cholesky mirage eager 5", "lu mirage eager 6"} {
		i := slices.IndexFunc(measuredClusters, func(c measured) bool { return c.name() == name && near(c) > exact })
		if i < 0 {
			t.Fatalf("found no row of %s that is off", name)
		}
		c := measuredClusters[i]
		s := c.onNodes(t)
		low, high := math.Inf(1), math.Inf(-1)
		for seed := range uint64(seeds) {
			draw := rand.New(rand.NewPCG(seed, 3))
			s.g.Factor = make([]float64, s.g.Tasks())
			for i := range s.g.Factor {
				s.g.Factor[i] = 1 + perturbation*draw.NormFloat64()
			}
			off := c.error(t, s)
			low, high = min(low, off), max(high, off)
		}
		t.Logf("%s: %+.2f to %+.2f %%", name, 100*low, 100*high)
		if low > 0 || high < 0 {
			t.Errorf("%s: found errors of %+.2f to %+.2f %%, want both signs", name, 100*low, 100*high)
		}
	}
}

// Other programs, machines, schedulers and numbers of nodes take what they take
// under SMPI.
func TestClustersAsMeasured(t *testing.T) {
	for _, c := range measuredClusters {
		t.Run(fmt.Sprintf("%s %s %s %dx%d n%d t%d", c.program, c.host, c.scheduler, c.p, c.q, c.tiles, c.tile), func(t *testing.T) {
			off := c.error(t, c.onNodes(t))
			t.Logf("%.2f ms, want %.2f (%+.2f %%)", (1+off)*c.ms, c.ms, 100*off)
			if math.Abs(off) > near(c) {
				t.Errorf("found a makespan of %.2f ms, want %.2f", (1+off)*c.ms, c.ms)
			}
		})
	}
}

// exact is how close predictions are that go the same way.
const exact = 0.001

func (c measured) name() string {
	return fmt.Sprintf("%s %s %s %d", c.program, c.host, c.scheduler, c.p*c.q)
}

// near is how close a prediction has to be: all take what they take under SMPI but for
// these. Most of them turn on ties (TestFarClustersTurnOnTies); of dmdas on 4 and 9
// nodes, and dmdasd on 4, it is not known where they go another way.
func near(c measured) float64 {
	switch c.name() {
	case "lu mirage eager 6":
		return 0.15
	case "cholesky attila lws 4":
		return 0.06
	case "cholesky mirage dmdas 9", "cholesky mirage dmdasd 4", "cholesky mirage eager 5":
		return 0.03
	case "cholesky mirage lws 5", "cholesky mirage lws 9":
		return 0.01
	case "cholesky mirage dmdas 4":
		return 0.005
	}
	return exact
}
