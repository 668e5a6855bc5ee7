package starpu_test

import (
	"bufio"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"dagscope/internal/testenv"
	"dagscope/predict/platform"
	"dagscope/predict/starpu"
	"dagscope/predict/workload"
	"dagscope/trace"
)

// recordedRuns has the fingerprint of what the engine made of each random case
// before its loops were rewritten for speed.
const recordedRuns = "testdata/identity.txt"

// TestRunsStayAsRecorded simulates random programs on random machines, with all
// that is recorded of a run, and requires every date, worker, transfer and state
// to be the one that was recorded. An engine that is only faster changes none.
// With IDENTITY_RECORD=FILE and IDENTITY_CASES=N it writes the fingerprints of
// the first N cases there instead; with IDENTITY_FROM=FILE it compares with
// those.
func TestRunsStayAsRecorded(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		testenv.Missing(t, "amd64 processor", "", "fingerprints are those of amd64: elsewhere products and sums may be rounded once instead of twice")
	}
	if to := os.Getenv("IDENTITY_RECORD"); to != "" {
		recordRuns(t, to)
		return
	}
	from := recordedRuns
	if other := os.Getenv("IDENTITY_FROM"); other != "" {
		from = other
	}
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	wrong, cases := 0, 0
	for s := bufio.NewScanner(strings.NewReader(string(text))); s.Scan(); {
		seed, want, _ := strings.Cut(s.Text(), "\t")
		n, err := strconv.ParseUint(seed, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		cases++
		if name, got := randomRun(t, n); got != want {
			t.Errorf("case %d (%s) gives %s, want %s", n, name, got, want)
			if wrong++; wrong == 10 {
				t.FailNow()
			}
		}
	}
	if cases < 200 {
		t.Errorf("found %d cases in %s, want at least 200", cases, from)
	}
}

func recordRuns(t *testing.T, to string) {
	cases, err := strconv.ParseUint(os.Getenv("IDENTITY_CASES"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	for seed := range cases {
		name, print := randomRun(t, seed)
		fmt.Fprintf(&lines, "%d\t%s\n", seed, print)
		t.Log(seed, name, print)
	}
	if err := os.WriteFile(filepath.Clean(to), []byte(lines.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// recordedSchedulers are those of the recorded cases, in their order.
var recordedSchedulers = []string{"dm", "dmda", "dmdap", "dmdar", "dmdas", "dmdasd", "eager", "heft", "lws", "modular-heft", "prio", "random", "ws"}

// randomRun simulates the case of a seed: what it is, and the fingerprint of
// the result, or of the refusal.
func randomRun(t *testing.T, seed uint64) (name, print string) {
	draw := rand.New(rand.NewPCG(seed, 19))
	s, nodes := randomScene(t, draw)
	o := randomOptions(draw)
	scheduler := recordedSchedulers[draw.IntN(len(recordedSchedulers))]
	if nodes > 1 && scheduler == "heft" {
		scheduler = "lws"
	}
	name = fmt.Sprintf("%s, %d tasks on %d workers, %d memories, %d nodes", scheduler, s.g.Tasks(), len(s.m.Workers), len(s.m.Memories), nodes)
	r, err := starpu.RunNodes(s.g, s.m, s.d, policies(scheduler), o)
	if err != nil {
		return name, "refused: " + strings.ReplaceAll(err.Error(), "\n", " ")
	}
	h := fnv.New64a()
	fmt.Fprint(h, r.Makespan, r.Events, r.Worker, r.Begin, r.End, r.Pairs, r.Peak, r.Messages)
	run, err := r.Trace()
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(h, run.Resource, recordedTasks(run.Task), run.Transfer, run.State, run.Sample, run.Event, run.Access, run.Decision, run.Dep)
	return name, fmt.Sprintf("%d ns, %d events, %016x", r.Makespan, r.Events, h.Sum64())
}

// recordedTasks are tasks as they were when fingerprints were recorded: without
// the last column.
type recordedTasks trace.Tasks

func (t recordedTasks) String() string {
	type all recordedTasks
	text, ok := strings.CutSuffix(fmt.Sprint(all(t)), fmt.Sprint(" ", t.Factor)+"}")
	if !ok {
		panic("the last column of tasks is not Factor")
	}
	return text + "}"
}

// randomScene draws a program, a machine and durations.
func randomScene(t *testing.T, draw *rand.Rand) (s scene, nodes int) {
	nodes = 1
	if draw.IntN(5) == 0 {
		nodes = 2 + draw.IntN(5)
	}
	cpus := []int{1, 2, 3, 4, 7, 12, 16, 33, 64, 130}[draw.IntN(10)]
	gpus := max(0, draw.IntN(7)-3)
	if nodes > 1 {
		cpus = min(cpus, 12)
	}
	node := randomNode(t, draw, cpus, gpus)
	if nodes > 1 && draw.IntN(2) == 0 {
		s = scattered(t, draw, node, nodes)
		return s, nodes
	}
	g := randomGraph(t, draw)
	s = scene{g, node, nil}
	if nodes > 1 {
		p, q := workload.Grid(nodes)
		owner, err := workload.BlockCyclic(g, p, q)
		if err != nil {
			nodes = 1
		} else {
			s = scene{g, node, nil}.on(t, owner, nodes)
		}
	}
	s.d = randomLengths(draw, s.g, s.m)
	return s, nodes
}

// randomNode has CPUs, and GPUs whose memory is limited now and then.
func randomNode(t *testing.T, draw *rand.Rand, cpus, gpus int) *platform.Machine {
	if gpus == 0 && draw.IntN(4) > 0 {
		return platform.Plain(cpus)
	}
	var text strings.Builder
	text.WriteString("name: drawn\nmemories:\n")
	limited, peer := draw.IntN(3) == 0, draw.IntN(2) == 0
	for i := range gpus {
		fmt.Fprintf(&text, "- {name: CUDA%d, kind: gpu, arch: cuda, device: %d, link: {bandwidth: %dGBps, latency: %dus}", i, i, 2+draw.IntN(12), 1+draw.IntN(12))
		if limited {
			fmt.Fprintf(&text, ", capacity: %dMiB", 64+draw.IntN(200))
		}
		if peer {
			text.WriteString(", peer: true")
		}
		text.WriteString("}\n")
	}
	disk := draw.IntN(12) == 0
	if disk {
		text.WriteString("- {name: disk, kind: disk, link: {bandwidth: 500MBps, latency: 100us}}\n")
	}
	if limited && disk {
		text.WriteString("- {name: RAM, kind: ram, capacity: 400MiB}\n")
	}
	text.WriteString("workers:\n")
	for i := range gpus {
		fmt.Fprintf(&text, "- {arch: cuda, memory: CUDA%d}\n", i)
	}
	if cpus > 1 || gpus == 0 || draw.IntN(2) == 0 {
		fmt.Fprintf(&text, "- {arch: cpu, count: %d}\n", cpus)
	}
	m, err := platform.ParseYAML("drawn.yaml", []byte(text.String()))
	if err != nil {
		t.Fatalf("%v\n%s", err, text.String())
	}
	return m
}

func randomGraph(t *testing.T, draw *rand.Rand) *workload.Graph {
	tiled := workload.Tiled{Tiles: 2 + draw.IntN(9), Tile: []int{480, 960}[draw.IntN(2)]}
	var g *workload.Graph
	var err error
	switch draw.IntN(9) {
	case 0:
		g, err = workload.Cholesky(tiled)
	case 1:
		g, err = workload.LU(tiled, draw.IntN(2) == 0)
	case 2:
		g, err = workload.QR(tiled, 96)
	case 3:
		g, err = workload.Gemm(tiled, draw.IntN(2) == 0)
	case 4:
		g, err = workload.Chain(workload.Shape{Tasks: 1 + draw.IntN(60)})
	case 5:
		g, err = workload.Independent(workload.Shape{Tasks: 1 + draw.IntN(200)})
	case 6:
		g, err = workload.ForkJoin(workload.Shape{Stages: 1 + draw.IntN(12), Width: 1 + draw.IntN(40)})
	default:
		g = program(draw, 20+draw.IntN(300), 3+draw.IntN(40))
	}
	if err != nil {
		t.Fatal(err)
	}
	if g.Priority == nil && draw.IntN(2) == 0 {
		for range g.Class {
			g.Priority = append(g.Priority, int32(draw.IntN(4)))
		}
	}
	if draw.IntN(6) == 0 { // tasks of one class differ
		for range g.Class {
			g.Factor = append(g.Factor, 0.5+draw.Float64())
		}
	}
	return g
}

// randomLengths draws durations from microseconds to milliseconds, round ones
// with many ties or not; some classes run on one type of workers only.
func randomLengths(draw *rand.Rand, g *workload.Graph, m *platform.Machine) starpu.Durations {
	scale := []float64{2e3, 20e3, 300e3, 5e6}[draw.IntN(4)]
	round, types := draw.IntN(2) == 0, len(m.Types())
	d := make(starpu.Durations, len(g.Classes))
	for c := range d {
		only := none(draw, types)
		for k := range types {
			ns := scale * (0.2 + 2*draw.Float64())
			if round {
				ns = scale * float64(1+draw.IntN(4))
			}
			if only >= 0 && k != only {
				ns = 0
			}
			d[c] = append(d[c], ns)
		}
	}
	return d
}

// none is -1 most of the time, else one of n.
func none(draw *rand.Rand, n int) int {
	if draw.IntN(8) > 0 {
		return -1
	}
	return draw.IntN(n)
}

func randomOptions(draw *rand.Rand) starpu.Options {
	o := starpu.DefaultOptions()
	o.Record, o.Seed, o.Prefetch, o.Pipeline = true, int64(draw.IntN(100)), draw.IntN(4) > 0, draw.IntN(starpu.MaxPipeline+1)
	o.Before = 2 + draw.IntN(60)
	switch draw.IntN(5) {
	case 0:
		o.Costs = starpu.Costs{}
	case 1:
		o.Costs.Transfer = false
	case 2:
		o.Costs.Push, o.Costs.Submit = float64(draw.IntN(5000)), float64(draw.IntN(5000))
	}
	if draw.IntN(4) == 0 {
		o.Decisions = &starpu.Decisions{}
	}
	return o
}
