package spec

import (
	"math"
	"slices"
	"strings"
	"testing"

	"dagscope/predict/platform"
	"dagscope/predict/starpu"
	"dagscope/predict/workload"
	"dagscope/trace"
)

// Transfers that wait for each other are as fast as their link, not as fast as it
// looks from when they were asked for; those that share a memory are not alone.
func TestQueuedTransfers(t *testing.T) {
	const ms = 1_000_000
	wait := int64(queueing * 1e9)
	all := []move{ // RAM is 0; all were asked for at once
		{pair: 1, start: 0, end: wait + 1*ms, ram: true},
		{pair: 1, start: 0, end: wait + 2*ms, ram: true},
		{pair: 1, start: 0, end: wait + 3*ms, ram: true},
		{pair: 2*3 + 0, start: 10 * ms, end: 12 * ms, ram: true},
		{pair: 2, start: 11 * ms, end: 14 * ms, ram: true},
	}
	queued(all, 3)
	for i, m := range all[:3] {
		if m.end-m.start != ms {
			t.Errorf("transfer %d took %d ns, want %d", i, m.end-m.start, ms)
		}
	}
	markAlone(all, 3)
	for i, want := range []bool{true, true, true, false, false} {
		if all[i].alone != want {
			t.Errorf("transfer %d: found alone %v, want %v", i, all[i].alone, want)
		}
	}
}

// A run of several nodes is repeated with its schedule as with its scheduler.
func TestPinnedOnNodes(t *testing.T) {
	first, run := recordedRun(t, mustSet(t, three, "workload.tiles=10"))
	s := OfRun("run")
	s.SetPinned()
	b, err := s.Build(func(string) (*trace.Run, error) { return run, nil })
	if err != nil {
		t.Fatal(err)
	}
	r, err := b.Run(false)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(r.Worker, first.Worker) {
		t.Error("found tasks on other workers than recorded")
	}
	if off := float64(r.Makespan)/float64(first.Makespan) - 1; math.Abs(off) > 0.01 {
		t.Errorf("the replay differs by %+.2f %%", 100*off)
	}
}

// Updates that commute come as they ran, and read what they read before.
func TestAsExecuted(t *testing.T) {
	const rwc = workload.ReadWrite | workload.Commute
	g := &workload.Graph{ // 0 writes a, 1 updates c, 2 writes b, 3 updates c with b, 4 reads c
		Class: make([]int32, 5), AccessAt: []int32{0, 1, 3, 4, 6, 7}, Bytes: make([]int64, 3), Classes: []workload.Class{{Kind: "k"}},
		Handle: []int32{0, 0, 2, 1, 1, 2, 2},
		Mode:   []workload.Mode{workload.Write, workload.Read, rwc, workload.Write, workload.Read, rwc, workload.Read},
		Hints:  []workload.Hint{{After: 2, Handle: 0}},
	}
	run := &trace.Run{}
	run.Task.Start = []int64{0, 30, 10, 20, 40}
	from := &recording{run: run, rows: []int32{0, 1, 2, 3, 4}}
	out, rows := from.asExecuted(g)
	if want := []int32{0, 2, 3, 1, 4}; !slices.Equal(rows, want) {
		t.Errorf("found order %v, want %v", rows, want)
	}
	if slices.ContainsFunc(out.Mode, func(m workload.Mode) bool { return m&workload.Commute != 0 }) || out.Hints[0].After != 4 {
		t.Errorf("found modes %v, hints %v, want none that commute, and the hint after 4 tasks", out.Mode, out.Hints)
	}
}

// Nodes that keep nothing are sent what each task reads.
func TestMessagesShowCache(t *testing.T) {
	g := &workload.Graph{ // node 1 reads twice what node 0 has written
		Class: make([]int32, 3), Node: []int32{0, 1, 1}, Owner: []int32{0}, AccessAt: []int32{0, 1, 2, 3}, Bytes: []int64{1},
		Handle: []int32{0, 0, 0}, Mode: []workload.Mode{workload.Write, workload.Read, workload.Read},
	}
	if with, without := messages(g); with != 1 || without != 2 {
		t.Errorf("found %d and %d messages, want 1 and 2", with, without)
	}
	g.Hints = []workload.Hint{{After: 2, Handle: 0}}
	if with, _ := messages(g); with != 2 {
		t.Errorf("found %d messages with a flush in between, want 2", with)
	}
}

// What the program took before a submission is taken again, but not when it waited for
// tasks, nor what is SimGrid's.
func TestPauses(t *testing.T) {
	run := &trace.Run{}
	run.Task.Submit = []int64{0, 5_000_100, 5_003_200, 9_003_207}
	run.Task.Worker = []int32{trace.None, trace.None, trace.None, trace.None}
	run.State = trace.States{Start: []int64{5_003_200}, End: []int64{9_000_000}}
	run.State.Kind.Append("Waiting all tasks")
	from := &recording{run: run, rows: []int32{0, 1, 2, 3}}
	g := &workload.Graph{Class: make([]int32, 4)}
	c := starpu.DefaultCosts()
	if got, want := from.pauses(g, c), []int64{0, 4_998_100, 1_100, 0}; !slices.Equal(got, want) {
		t.Errorf("found pauses %v, want %v", got, want)
	}
	if c.Submit = 0; from.pauses(g, c) != nil {
		t.Error("found pauses though submissions cost nothing")
	}
}

// Between devices on different roots data crosses what RAM's transfers share, twice.
func TestRoots(t *testing.T) {
	const n = 4 // RAM and devices 1 | 2, 3
	r := &runMachine{run: &trace.Run{}, m: &platform.Machine{Memories: make([]platform.Memory, n)}, hostBandwidth: 6e9}
	seen := make([]float64, n*n)
	for p := range n * n {
		var route []int32
		if from, to := p/n, p%n; from != to {
			route = []int32{int32(len(r.m.Links))}
			speed := 6e9
			if from > 0 && to > 0 {
				speed = map[bool]float64{true: 3e9, false: 5e9}[from == 1 || to == 1]
			}
			seen[p] = speed
			r.m.Links = append(r.m.Links, platform.Link{Bandwidth: speed})
		}
		r.m.Routes, r.m.Bandwidth = append(r.m.Routes, route), append(r.m.Bandwidth, seen[p])
	}
	throughHost, root := r.throughHost(seen, make([]float64, n*n))
	if root[2] != root[3] || root[1] == root[2] {
		t.Errorf("found roots %v, want that of 2 and 3 to be one", root)
	}
	for p, through := range throughHost {
		from, to := p/n, p%n
		if want := from != to && from > 0 && to > 0 && (from == 1 || to == 1); through != want {
			t.Errorf("%d to %d: found %v, want %v", from, to, through, want)
		}
	}
}

// A simulation that is wanted to end earlier is given up.
func TestUntil(t *testing.T) {
	for _, text := range []string{twoGPUs, three} {
		b := mustSet(t, text)
		b.Options.Until = 1e-3
		if _, err := b.Run(false); err == nil || !strings.Contains(err.Error(), "given up") {
			t.Errorf("found error %v, want that it was given up", err)
		}
	}
}
