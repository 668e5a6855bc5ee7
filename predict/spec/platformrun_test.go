package spec

import (
	"fmt"
	"strings"
	"testing"

	"dagscope/internal/testenv"
	"dagscope/trace"
)

// The machine of a run is the machine it had: a program on it takes as long as on
// the one that the run was simulated on, on several nodes, too.
func TestProgramOnTheMachineOfARun(t *testing.T) {
	const program = "workload: {kind: cholesky, tiles: 8%s}\nmodels: {durations: {potrf: {cpu: 9ms, cuda: 5ms}, trsm: {cpu: 18ms, cuda: 2ms}, syrk: {cpu: 17ms, cuda: 1ms}, gemm: {cpu: 33ms, cuda: 1ms}}}\nscheduler: dmdas\n"
	machine := testenv.Repo("docs", "examples", "workstation.yaml")
	for nodes, distribution := range map[int]string{1: "", 2: "", 6: ", distribution: {p: 3, q: 2}"} {
		text := fmt.Sprintf(program, distribution)
		b, first := simulate(t, text+fmt.Sprintf("platform: {file: %s, cpus: 3, gpus: 1, nodes: %d, network: {bandwidth: 10Gbps, latency: 2us}}\n", machine, nodes))
		run := keptRun(t, b, first)
		c, err := parse(t, text+"platform: {run: x}\n").Build(func(string) (*trace.Run, error) { return run, nil })
		if err != nil {
			t.Fatal(err)
		}
		second, err := c.Run(false)
		if err != nil {
			t.Fatal(err)
		}
		if nodes > 1 && second.Makespan != first.Makespan { // a network is nothing that one node has
			t.Errorf("%d nodes: %d ns on the machine of the run, %d on its own", nodes, second.Makespan, first.Makespan)
		}
		if n := c.Machine.Nodes(); n != nodes || nodes > 1 && c.Graph.Owner == nil {
			t.Errorf("found %d nodes, want %d with owners of data", n, nodes)
		}
	}
}

// Kinds that only GPUs run are so on the plain engine, too.
func TestSparseOnlyOnGPUs(t *testing.T) {
	text := "workload: {kind: sparse-qr, matrix: tf 12}\nplatform: {file: " + testenv.Repo("docs", "examples", "workstation.yaml") + ", cpus: 3}\nmodels: {file: " +
		testenv.Repo("docs", "examples", "sparse-kernels.yaml") + ", durations: {panel: {cpu: 1ms, cuda: 2ms}}}\n"
	b := build(t, text+"options: {only_gpu: [panel]}\n")
	r, err := b.Run(true)
	if err != nil {
		t.Fatal(err)
	}
	panels := 0
	for i, w := range r.Worker {
		gpu := b.Machine.Workers[w].Arch != "cpu"
		if panel := b.Graph.Classes[b.Graph.Class[i]].Kind == "Panel"; panel != gpu {
			t.Errorf("task %d, panel %t, ran on %s", i, panel, b.Machine.Workers[w].Name)
		} else if panel {
			panels++
		}
	}
	if panels == 0 {
		t.Error("found no panel")
	}
	_, err = parse(t, strings.Replace(text, "cpus: 3", "gpus: 0", 1)+"options: {only_gpu: [panel]}\n").Build(load)
	if err == nil || !strings.Contains(err.Error(), "found no worker that can run Panel as only_cpu and only_gpu say") {
		t.Errorf("without GPUs: %v", err)
	}
}
