package spec

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dagscope/predict/platform"
	"dagscope/trace"
)

// again is the run of a simulation, as its directory keeps it.
func again(t *testing.T, b *Simulation) (*trace.Run, int64) {
	t.Helper()
	r, run := recordedRun(t, b)
	return run, r.Makespan
}

const twoGPUs = `
workload: {kind: cholesky, tiles: 12}
platform: {file: ../../docs/examples/workstation.yaml}
models: {durations: {potrf: {cpu: 9ms, cuda: 5ms}, trsm: {cpu: 18ms, cuda: 1.6ms}, syrk: {cpu: 17ms, cuda: 0.7ms}, gemm: {cpu: 33ms, cuda: 1.1ms}}}
scheduler: dmdas
options: {gpu_memory: 100MiB}
`

// A simulated run is simulated again on its machine, memory sizes and all,
// under its scheduler.
func TestSimulatedRunKeepsItsMachine(t *testing.T) {
	run, makespan := again(t, build(t, twoGPUs))
	b, err := OfRun("it").Build(func(string) (*trace.Run, error) { return run, nil })
	if err != nil {
		t.Fatal(err)
	}
	if b.Scheduler != "dmdas" || b.Options.Before != 28 || len(b.Warnings) > 0 || b.Machine.Memories[1].Capacity != 100<<20*9/10 && b.Machine.Memories[1].Capacity != 100<<20 {
		t.Errorf("found %s from %d µs on, memories %+v, warnings %q", b.Scheduler, b.Options.Before, b.Machine.Memories, b.Warnings)
	}
	r, err := b.Run(false)
	if err != nil {
		t.Fatal(err)
	}
	if r.Makespan != makespan {
		t.Errorf("found a makespan of %d ns, want %d", r.Makespan, makespan)
	}
}

// Of a run without its machine, links and sizes of full memories are found from
// what moved, nearly, and it is said that they are guesses.
func TestMachineOfTransfers(t *testing.T) {
	want := build(t, twoGPUs)
	run, makespan := again(t, want)
	run.Meta.Platform = nil
	run.Meta.Environment = nil
	for i := range run.Event.Time { // as StarPU notes that it makes room
		if run.Event.Kind.At(i) == "Free Start" {
			run.Event.Kind.Append("WritingBack Start")
			run.Event.Kind.Index[i] = run.Event.Kind.Index[run.Event.Kind.Len()-1]
			run.Event.Kind.Index = run.Event.Kind.Index[:run.Event.Kind.Len()-1]
		}
	}
	s := OfRun("it")
	s.Scheduler = "dmdas"
	b, err := s.Build(func(string) (*trace.Run, error) { return run, nil })
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Warnings) != 1 || !strings.Contains(b.Warnings[0], "derived from the run") {
		t.Errorf("found warnings %q, want that the machine is a guess", b.Warnings)
	}
	for m := int32(1); m < 3; m++ {
		for _, pair := range [][2]int32{{0, m}, {m, 0}} {
			got, truth := b.Machine.Uncontended(pair[0], pair[1], 1<<22), want.Machine.Uncontended(pair[0], pair[1], 1<<22)
			if got < truth*0.9 || got > truth*1.1 {
				t.Errorf("4 MiB take %g s from %d to %d, want %g", got, pair[0], pair[1], truth)
			}
		}
		if got, truth := b.Machine.Memories[m].Capacity, want.Machine.Memories[m].Capacity; got > truth || got < truth*9/10 {
			t.Errorf("memory %d holds %d bytes, want %d or a tile less", m, got, truth)
		}
	}
	r, err := b.Run(false)
	if err != nil {
		t.Fatal(err)
	}
	if off := float64(r.Makespan)/float64(makespan) - 1; off < -0.1 || off > 0.1 {
		t.Errorf("found a makespan of %d ns, want %d", r.Makespan, makespan)
	}
}

// A recorded run says that its scheduler is not known.
func TestUnknownSchedulerIsSaid(t *testing.T) {
	b := build(t, "workload: {graph: native-chol-n10-dmdas}")
	if b.Scheduler != "lws" || len(b.Warnings) != 1 || !strings.Contains(b.Warnings[0], "the run does not tell its own") {
		t.Errorf("found %s, warnings %q", b.Scheduler, b.Warnings)
	}
}

// together is the median, over the time in which there are several transfers,
// of their joint speed.
func TestTogether(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var moves []move
		for range rng.IntN(8) {
			start := rng.Int64N(30)
			moves = append(moves, move{start: start, end: start + 1 + rng.Int64N(10), speed: float64(1 + rng.IntN(5)), ram: rng.IntN(5) > 0})
		}
		var speeds []float64 // of each ns with several
		for at := range int64(50) {
			sum, count := 0.0, 0
			for _, m := range moves {
				if m.ram && m.start <= at && at < m.end {
					sum += m.speed
					count++
				}
			}
			if count > 1 {
				speeds = append(speeds, sum)
			}
		}
		slices.SortFunc(speeds, func(a, b float64) int { return int(b - a) })
		want := 0.0
		if len(speeds) > 0 {
			want = speeds[max(len(speeds)/2-1, 0)]
		}
		if got := together(moves); got < want-1e-9 || got > want+1e-9 {
			t.Fatalf("%+v: found %g, want %g", moves, got, want)
		}
	}
}

// Tables of what the runtime believed have rows for all devices of the machine,
// also for those that no memory of the run is of.
func TestPlacesInTables(t *testing.T) {
	r := &runMachine{run: &trace.Run{}, m: &platform.Machine{Memories: []platform.Memory{{}, {Arch: "cuda", Device: 1}, {Arch: "opencl", Device: 2}}}}
	r.run.Meta.Platform = &trace.Platform{Devices: []trace.Devices{{Arch: "cpu", Count: 12}, {Arch: "cuda", Count: 3}, {Arch: "opencl", Count: 3}}}
	for memory, want := range []int{0, 2, 6} {
		if got := r.busRow(memory); got != want {
			t.Errorf("memory %d is in row %d, want %d", memory, got, want)
		}
	}
}
