package spec

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"dagscope/internal/testenv"
	"dagscope/predict/platform"
	"dagscope/predict/starpu"
	"dagscope/predict/workload"
	"dagscope/trace"
)

// three are three nodes of workers in one memory.
const three = `workload: {kind: lu, tiles: 6}
platform: {cpus: 4, nodes: 3, network: {bandwidth: 10GBps, latency: 1us}}
models: {durations: {getrf: 1ms, trsm_ll: 2ms, trsm_ru: 2ms, gemm: 4ms}}
scheduler: lws
`

// set builds a spec with some keys changed.
func set(t *testing.T, text string, assignments ...string) (*Simulation, error) {
	t.Helper()
	s := parse(t, text)
	for _, a := range assignments {
		if err := s.Set(a); err != nil {
			return nil, err
		}
	}
	return s.Build(load)
}

func mustSet(t *testing.T, text string, assignments ...string) *Simulation {
	t.Helper()
	b, err := set(t, text, assignments...)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func workersOf(m *platform.Machine) []int {
	count := make([]int, m.Nodes())
	for _, w := range m.Workers {
		count[w.Node]++
	}
	return count
}

func linkOf(t *testing.T, m *platform.Machine, name string) platform.Link {
	t.Helper()
	i := slices.IndexFunc(m.Links, func(l platform.Link) bool { return l.Name == name })
	if i < 0 {
		t.Fatalf("found no link %s", name)
	}
	return m.Links[i]
}

func TestNodesAreSimulated(t *testing.T) {
	b := mustSet(t, three)
	if b.Machine.Nodes() != 3 || len(b.Graph.Owner) != 36 || slices.Max(b.Graph.Node) != 2 {
		t.Fatalf("found %d nodes, owners %v", b.Machine.Nodes(), b.Graph.Owner)
	}
	r, err := b.Run(false)
	if err != nil {
		t.Fatal(err)
	}
	for task, w := range r.Worker {
		if b.Machine.Workers[w].Node != b.Graph.Node[task] {
			t.Fatalf("task %d ran on node %d, want %d", task, b.Machine.Workers[w].Node, b.Graph.Node[task])
		}
	}
	one, err := mustSet(t, three, "platform.nodes=1").Run(false)
	if err != nil || one.Makespan <= r.Makespan {
		t.Errorf("found %d ns on one node and %d on three (%v), want more on one", one.Makespan, r.Makespan, err)
	}
}

// Cholesky of several nodes is StarPU-MPI's program.
func TestDistributedCholesky(t *testing.T) {
	b := mustSet(t, three, "workload.kind=cholesky", "models.durations={potrf: 1ms, trsm: 1ms, syrk: 1ms, gemm: 1ms}")
	if !slices.Contains(b.Graph.Mode, workload.ReadWrite|workload.Commute) {
		t.Error("found no updates in any order, want those of mpi_cholesky")
	}
	b = mustSet(t, three, "workload.kind=cholesky", "models.durations={potrf: 1ms, trsm: 1ms, syrk: 1ms, gemm: 1ms}", "platform.nodes=1")
	if !slices.Contains(b.Graph.Mode, workload.ReadWrite|workload.Commute) || b.Graph.Owner == nil {
		t.Error("found another program on one node with a network, want that of several")
	}
	b = mustSet(t, three, "workload.kind=cholesky", "models.durations={potrf: 1ms, trsm: 1ms, syrk: 1ms, gemm: 1ms}", "platform.nodes=1", "platform.network={}")
	if slices.Contains(b.Graph.Mode, workload.ReadWrite|workload.Commute) || b.Graph.Owner != nil {
		t.Error("found updates in any order, want those of cholesky_implicit")
	}
}

// One node with a network takes what StarPU-MPI's program takes on one node.
func TestOneNodeOfACluster(t *testing.T) {
	perfmodels := testenv.Reference(t, "data/starpu/perfmodels")
	b := mustSet(t, fmt.Sprintf(`workload: {kind: cholesky, tiles: 10, tile: 960}
platform: {starpu: %[1]s/sampling, host: mirage, nodes: 1, network: %[1]s/cluster32.xml}
scheduler: dmdas
`, perfmodels))
	r, err := b.Run(false)
	if err != nil {
		t.Fatal(err)
	}
	const smpi = 291.82 // ms
	if ms := float64(r.Makespan) / 1e6; math.Abs(ms/smpi-1) > 0.01 {
		t.Errorf("found %.2f ms on %d workers, want %.2f", ms, len(b.Machine.Workers), smpi)
	}
}

func TestOverrides(t *testing.T) {
	b := mustSet(t, three, "platform.node_overrides.1.cpus=2", "platform.node_overrides={0-1: {cpus: 7}, 2: {speed: 0.5}}",
		"platform.node_overrides.0.network={bandwidth: 1Gbps}", "platform.node_overrides.1.cpus=3")
	if got := workersOf(b.Machine); !slices.Equal(got, []int{7, 3, 4}) {
		t.Errorf("found %v workers, want 7, 3, 4", got)
	}
	types := b.Machine.Types()
	for k, on := range types {
		want := 4e6
		if on.Node == 2 {
			want = 8e6
		}
		if got := b.Durations[3][k]; got != want {
			t.Errorf("found %g ns of GEMM on node %d, want %g", got, on.Node, want)
		}
	}
	for name, want := range map[string]float64{"0_network up": 1.25e8, "1_network up": 1e10, "0_network down": 1.25e8} {
		if got := linkOf(t, b.Machine, name); got.Bandwidth != want || got.Latency != 1e-6 {
			t.Errorf("found %+v, want %g B/s and a microsecond", got, want)
		}
	}
}

func TestLinksAreChanged(t *testing.T) {
	b := mustSet(t, three, "platform.links={network *: {scale: 0.5}}", "platform.links.2_network up={bandwidth: 1GBps, latency: 5us}")
	for name, want := range map[string]platform.Link{
		"0_network down": {Name: "0_network down", Bandwidth: 5e9, Latency: 1e-6},
		"2_network up":   {Name: "2_network up", Bandwidth: 5e8, Latency: 5e-6},
	} {
		if got := linkOf(t, b.Machine, name); got.Bandwidth != want.Bandwidth || math.Abs(got.Latency-want.Latency) > 1e-12 {
			t.Errorf("found %+v, want %+v", got, want)
		}
	}
}

func TestScale(t *testing.T) {
	b := mustSet(t, three, "models.scale.gemm=0.8", "models.scale.TRSM_ll.cpu=2", "models.scale.*=10")
	for c, want := range map[int]float64{0: 10e6, 1: 40e6, 2: 20e6, 3: 32e6} {
		if got := b.Durations[c][0]; math.Abs(got/want-1) > 1e-12 {
			t.Errorf("found %g ns of %s, want %g", got, b.Graph.Classes[c].Kind, want)
		}
	}
}

func TestDistributions(t *testing.T) {
	tiles := func(b *Simulation) []int {
		count := make([]int, b.Machine.Nodes())
		for _, o := range b.Graph.Owner {
			count[o]++
		}
		return count
	}
	for _, c := range []struct {
		set  []string
		want []int
	}{
		{nil, []int{12, 12, 12}},
		{[]string{"platform.nodes=4"}, []int{9, 9, 9, 9}},
		{[]string{"platform.nodes=4", "workload.distribution.p=1"}, []int{12, 12, 6, 6}},
		{[]string{"workload.distribution={p: 1, q: 2}"}, []int{18, 18, 0}},
		{[]string{"workload.distribution={kind: 1d1d, p: 1, q: 3, powers: [2, 1, 3]}"}, []int{12, 6, 18}},
		{[]string{"workload.distribution={kind: 1d1d, p: 1, q: 3, powers: {0: 2, 1: 1, 2: 3}}", "workload.distribution.powers.1=4", "workload.distribution.powers.0=2"}, []int{6, 18, 12}},
		{[]string{"workload.distribution={kind: 1d1d, p: 1, q: 3, load: {0: 4}}"}, []int{24, 6, 6}},
		{[]string{"workload.distribution={kind: 1d1d, p: 1, q: 3}", "platform.node_overrides.2.cpus=16"}, []int{6, 6, 24}},
		{[]string{"workload.distribution={kind: 1d1d, p: 1, q: 3}", "platform.node_overrides.0-1.speed=0.25"}, []int{6, 6, 24}},
		{[]string{"workload.distribution.pattern=[[0, 1], [2, 2]]"}, []int{9, 9, 18}},
	} {
		b := mustSet(t, three, c.set...)
		if got := tiles(b); !slices.Equal(got, c.want) {
			t.Errorf("found %v tiles on nodes with %v, want %v", got, c.set, c.want)
		}
	}
}

func TestMoreGPUs(t *testing.T) {
	text := "workload: {kind: independent, tasks: 20}\nplatform: {file: ../../docs/examples/workstation.yaml}\nscheduler: lws\n"
	b := mustSet(t, text, "platform.gpus=6", "platform.cpus=128")
	gpus := 0
	for _, w := range b.Machine.Workers {
		if w.Arch == platform.CUDA {
			gpus++
		}
	}
	if gpus != 6 || len(b.Machine.Workers) != 134 || len(b.Warnings) != 1 || !strings.Contains(b.Warnings[0], "are copies of device 0") {
		t.Errorf("found %d GPUs of %d workers, warned %v", gpus, len(b.Machine.Workers), b.Warnings)
	}
	if _, err := b.Run(false); err != nil {
		t.Error(err)
	}
}

func TestMPIOptions(t *testing.T) {
	usual := mustSet(t, three).Options.MPI
	b := mustSet(t, three, "options.mpi={eager_limit: 1MB, max_requests: 3, priorities: false}", "options.mpi.cache=false")
	want := usual
	want.EagerLimit, want.MaxRequests, want.Priorities, want.Cache = 1e6, 3, false, false
	if !reflect.DeepEqual(b.Options.MPI, want) {
		t.Errorf("found %+v, want %+v", b.Options.MPI, want)
	}
}

func TestErrorsOfNodes(t *testing.T) {
	for assignment, want := range map[string]string{
		"platform.nodes=5000":                                      "read f.yaml:2: build cluster: found 5000 nodes",
		"platform.nodes=99999999":                                  "read --set platform.nodes=99999999: found 99999999 nodes",
		"platform.network=nowhere.xml":                             "read --set platform.network=nowhere.xml: ",
		"platform.network={latency: 1us}":                          "read --set platform.network={latency: 1us}: found a network without bandwidth",
		"platform.network.bandwidth=25":                            "read --set platform.network.bandwidth=25:1: found \"25\", want a bandwidth with a unit",
		"platform.network.bandwith=25Gbps":                         `found unknown key "bandwith", want one of backbone, bandwidth, file, latency`,
		"platform.network.latency=3":                               `found "3", want a latency with a unit`,
		"platform.node_overrides.3.cpus=1":                         "read --set platform.node_overrides.3.cpus=1: found node 3, want 0 to 2",
		"platform.node_overrides.2.cpus=-1":                        "read --set platform.node_overrides.2.cpus=-1: node 2: found -1 CPUs",
		"platform.node_overrides.2.gpus=1":                         "read --set platform.node_overrides.2.gpus=1: node 2: found 1 GPUs of no known machine",
		"platform.node_overrides.2-1.cpus=1":                       `found node "2-1", want a number from 0, or a range such as 0-5`,
		"platform.node_overrides.2.cpu=1":                          `found unknown key "cpu", want one of cpus, file,`,
		"platform.node_overrides.2.speed=0":                        `found "0", want a number above 0`,
		"platform.node_overrides.2.speed.cuda=2":                   "node 2: found architecture \"cuda\", want one of the node: cpu",
		"platform.node_overrides.2.file=nowhere.yaml":              "read --set platform.node_overrides.2.file=nowhere.yaml: node 2: read",
		"platform.node_overrides=3":                                "found no keys, want nodes with what differs",
		"platform.links.bus.scale=2":                               `read --set platform.links.bus.scale=2: found no link "bus", want one of 0_network up`,
		"platform.links.bus.size=2":                                `found unknown key "size"`,
		"models.scale.gems=2":                                      `read --set models.scale.gems=2: found kind "gems", want one of`,
		"models.scale.gemm=-1":                                     `gemm: found "-1", want a number above 0`,
		"models.scale.gemm.cuda=2":                                 `read --set models.scale.gemm.cuda=2: found architecture "cuda", want one of the machine: cpu`,
		"options.mpi.max_requests=-1":                              "read --set options.mpi.max_requests=-1: found -1 requests",
		"options.mpi.eager=1":                                      `found unknown key "eager", want one of cache,`,
		"workload.distribution.kind=cyclic":                        `read --set workload.distribution.kind=cyclic: found distribution "cyclic", want block-cyclic or 1d1d`,
		"workload.distribution={p: 2}":                             "read --set workload.distribution={p: 2}: found 2 rows of nodes in the grid, want a divisor of 3",
		"workload.distribution={p: 2, q: 2}":                       "read --set workload.distribution={p: 2, q: 2}: found a grid of 2 × 2 nodes, want 3 nodes at most",
		"workload.distribution={load: {0: 2}}":                     "found powers or load of a block-cyclic distribution, want kind: 1d1d",
		"workload.distribution={kind: 1d1d, powers: [1, 2, 3, 4]}": "found node 3, want 0 to 2",
		"workload.distribution={kind: 1d1d, powers: [1, 2]}":       "find powers: found none of node 2, want a number for each of 3 nodes",
		"workload.distribution={kind: 1d1d, powers: {1: 2}}":       "find powers: found none of node 0",
		"platform.network.backbone={latency: 1ms}":                 "read --set platform.network.backbone={latency: 1ms}: found a backbone without bandwidth",
		"workload.distribution={p: 3, file: x.csv}":                "found several of kind",
		"workload.distribution={file: x.csv}":                      "read --set workload.distribution={file: x.csv}: read ",
		"workload.distribution={pattern: [[0, 5]]}":                "(0, 1) on node 5, want 0 to 2",
		"workload.distribution.powers=[1, x]":                      `found "x" of node 1, want a number above 0`,
	} {
		_, err := set(t, three, assignment)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\n%v, want\n%s", assignment, err, want)
		}
	}
	text := strings.Replace(three, "getrf", "getrf_pivot", 1)
	if _, err := set(t, text, "workload.pivot=true", "models.durations.pivot=1ms"); err == nil || !strings.Contains(err.Error(), "want tasks of several nodes to exchange data (pivot: false)") {
		t.Error(err)
	}
	gpus := "workload: {kind: lu, tiles: 6}\nplatform: {file: ../../docs/examples/workstation.yaml, nodes: 2, network: {bandwidth: 1GBps}}\nmodels: {durations: {getrf: 1ms, trsm_ll: 2ms, trsm_ru: 2ms, gemm: {cuda: 4ms}}}\n"
	if _, err := set(t, gpus, "platform.node_overrides.1.gpus=0"); err == nil || !strings.Contains(err.Error(), "found GEMM on node 1, none of whose workers can run it") {
		t.Error(err)
	}
}

// What is written down of unequal nodes is enough to have them again.
func TestUnequalNodesAreKept(t *testing.T) {
	b := mustSet(t, three, "platform.node_overrides={0: {cpus: 2, network: {bandwidth: 1GBps}}, 2: {speed: 0.5}}", "platform.links={1_network down: {scale: 0.1}}")
	text, err := b.Machine.YAML()
	if err != nil {
		t.Fatal(err)
	}
	m, err := platform.ParseYAML("m.yaml", text)
	if err != nil || !reflect.DeepEqual(m, b.Machine) {
		t.Errorf("found another machine (%v) of\n%s", err, text)
	}
	kernels, err := b.Kernels()
	if err != nil {
		t.Fatal(err)
	}
	if ns, ok := kernels.Duration(task(&b.Graph.Classes[3]), m.Types()[2]); !ok || ns != 4e6 {
		t.Errorf("found %g ns of GEMM in the models, want 4 ms: the machine knows that node 2 is slow", ns)
	}
}

// A recorded run of several nodes is simulated again with its data where it was,
// or on fewer nodes.
func TestRecordedNodes(t *testing.T) {
	text := "workload: {graph: nativempi-np2-n8-lws}\nplatform: {cpus: 3, nodes: 2, network: {bandwidth: 10GBps, latency: 1us}}\nscheduler: lws\n"
	b := mustSet(t, text)
	r, err := b.Run(false)
	if err != nil {
		t.Fatal(err)
	}
	messages := len(r.Messages)
	if tasks := b.Graph.Tasks(); tasks != 120 || messages == 0 || len(b.Graph.Bytes) != 36 {
		t.Errorf("found %d tasks, %d messages and %d pieces of data, want 120, some, 36", tasks, messages, len(b.Graph.Bytes))
	}
	b = mustSet(t, text, "platform.nodes=1")
	if r, err = b.Run(false); err != nil || len(r.Messages) > 0 || slices.Max(b.Graph.Node) > 0 {
		t.Errorf("found %d messages on one node, error %v", len(r.Messages), err)
	}
	b = mustSet(t, text, "platform.nodes=4", "workload.distribution.q=2")
	if slices.Max(b.Graph.Node) != 3 {
		t.Errorf("found tasks up to node %d, want 3", slices.Max(b.Graph.Node))
	}
	if _, err = b.Run(false); err != nil {
		t.Error(err)
	}
}

// A simulated run of several nodes comes out the same when it is simulated again.
func TestNodesAgain(t *testing.T) {
	durations := "models.durations={potrf: 9ms, trsm: 4ms, syrk: 4ms, gemm: {cpu: 33ms, cuda: 1ms}}"
	for _, keys := range [][]string{
		{"workload.tiles=9"},
		{"workload.tiles=9", "scheduler=dmdas", "workload.distribution={p: 3, q: 1}"},
		{"workload.tiles=9", "workload.kind=cholesky", "scheduler=dmdas", durations, "platform={file: ../../docs/examples/workstation.yaml, nodes: 4, network: {bandwidth: 1GBps, latency: 5us}}"},
	} {
		b := mustSet(t, three, keys...)
		first, run := recordedRun(t, b)
		s := OfRun("run")
		again, err := s.Build(func(string) (*trace.Run, error) { return run, nil })
		if err != nil {
			t.Fatal(err)
		}
		second, err := again.Run(false)
		if err != nil {
			t.Fatal(err)
		}
		if first.Makespan != second.Makespan || !slices.Equal(first.Begin, second.Begin) || len(first.Messages) != len(second.Messages) {
			t.Errorf("%v: found %d ns and %d messages, want %d and %d", keys, second.Makespan, len(second.Messages), first.Makespan, len(first.Messages))
		}
	}
}

// recordedRun simulates and keeps the run.
func recordedRun(t *testing.T, b *Simulation) (*starpu.Result, *trace.Run) {
	t.Helper()
	r, err := b.Run(true)
	if err != nil {
		t.Fatal(err)
	}
	run, err := r.Trace()
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Keep(run); err != nil {
		t.Fatal(err)
	}
	return r, run
}

// A machine of several nodes, such as that of a run, is changed as that of a
// spec would be.
func TestNodesAreChanged(t *testing.T) {
	whole := mustSet(t, three, "platform.network.backbone={bandwidth: 12GBps}")
	_, run := recordedRun(t, whole)
	for _, keys := range [][]string{
		{"platform.nodes=2"},
		{"platform.nodes=5"},
		{"platform.network.bandwidth=1GBps"},
		{"platform.network.backbone={bandwidth: 1GBps}"},
		{"platform.cpus=2"},
		{"platform.node_overrides={1: {cpus: 2, speed: 0.5, network: {bandwidth: 1GBps}}}"},
	} {
		want := mustSet(t, three, append([]string{"platform.network.backbone={bandwidth: 12GBps}"}, keys...)...)
		s := OfRun("run")
		for _, k := range keys {
			if err := s.Set(k); err != nil {
				t.Fatal(err)
			}
		}
		got, err := s.Build(func(string) (*trace.Run, error) { return run, nil })
		if err != nil {
			t.Errorf("%v: %v", keys, err)
			continue
		}
		if w, g := want.Machine, got.Machine; !slices.Equal(workersOf(w), workersOf(g)) || !slices.Equal(w.Links, g.Links) {
			t.Errorf("%v: found %v and %+v, want %v and %+v", keys, workersOf(g), g.Links, workersOf(w), w.Links)
		}
		if !slices.Equal(want.Graph.Node, got.Graph.Node) {
			t.Errorf("%v: found tasks on %v, want %v", keys, got.Graph.Node, want.Graph.Node)
		}
	}
	s := OfRun("run")
	if err := s.Set("platform.node_overrides={3: {cpus: 1}}"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Build(func(string) (*trace.Run, error) { return run, nil }); err == nil || !strings.Contains(err.Error(), "found node 3, want 0 to 2") {
		t.Error(err)
	}
}

// Of a recorded run of several nodes, which does not keep its machine, the nodes
// follow from its resources and the network from its messages.
func TestMachineOfNodes(t *testing.T) {
	b := mustSet(t, three, "workload.tiles=12")
	first, run := recordedRun(t, b)
	run.Meta.Platform = nil
	found, guess, err := machineOfRun(run)
	if err != nil {
		t.Fatal(err)
	}
	if found.Nodes() != 3 || len(found.Workers) != len(b.Machine.Workers) || !strings.Contains(guess, "the network has") {
		t.Fatalf("found %d nodes with %d workers (%s), want 3 with %d", found.Nodes(), len(found.Workers), guess, len(b.Machine.Workers))
	}
	for i, w := range found.Workers {
		if want := b.Machine.Workers[i]; w.Name != want.Name || w.Arch != want.Arch {
			t.Errorf("worker %d: found %s (%s), want %s (%s)", i, w.Name, w.Arch, want.Name, want.Arch)
		}
	}
	_, net, err := found.Apart()
	if err != nil {
		t.Fatal(err)
	}
	_, want, err := b.Machine.Apart()
	if err != nil {
		t.Fatal(err)
	}
	if off := net.Bandwidth/want.Bandwidth - 1; math.Abs(off) > 0.1 { // messages of one size do not say what of their time is latency
		t.Errorf("found links of %.3g B/s, want %.3g", net.Bandwidth, want.Bandwidth)
	}
	again, err := OfRun("run").Build(func(string) (*trace.Run, error) { return run, nil })
	if err != nil {
		t.Fatal(err)
	}
	second, err := again.Run(false)
	if err != nil {
		t.Fatal(err)
	}
	if off := float64(second.Makespan)/float64(first.Makespan) - 1; math.Abs(off) > 0.03 {
		t.Errorf("found a makespan of %d ns, want %d", second.Makespan, first.Makespan)
	}
}
