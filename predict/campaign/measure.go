package campaign

import (
	"math"
	"slices"
	"strings"

	"dagscope/predict/platform"
	"dagscope/predict/spec"
	"dagscope/predict/starpu"
)

// measure says what came of a run, but for its bounds.
func measure(b *spec.Simulation, r *starpu.Result) Metrics {
	m := Metrics{
		Makespan: r.Makespan, Events: r.Events, Workers: int64(len(b.Machine.Workers)), Nodes: int64(b.Machine.Nodes()),
		Warnings: strings.Join(slices.Concat(b.Warnings, b.Doubts(r)), "; "),
	}
	tasks, gflop := b.Graph.Work()
	m.Tasks = int64(tasks)
	if r.Makespan > 0 {
		m.GFlops = gflop / (float64(r.Makespan) / 1e9)
	}
	m.idle(b.Machine, r)
	m.moved(b.Machine, r)
	for i, mem := range b.Machine.Memories[:min(len(r.Peak), len(b.Machine.Memories))] {
		switch mem.Kind {
		case platform.RAM:
			m.PeakRAM = max(m.PeakRAM, r.Peak[i])
		case platform.GPU:
			m.PeakDevice = max(m.PeakDevice, r.Peak[i])
		}
	}
	return m
}

// idle is the share of the time from the first submission to the end in which
// workers ran no task.
func (m *Metrics) idle(machine *platform.Machine, r *starpu.Result) {
	var busy, workers [2]float64 // of CPUs and of devices
	side := make([]int, len(machine.Workers))
	for w, worker := range machine.Workers {
		if worker.Arch != platform.CPU {
			side[w] = 1
		}
		workers[side[w]]++
	}
	for w, ns := range busyTimes(machine, r) {
		busy[side[w]] += float64(ns)
	}
	share := func(busy, workers float64) float64 {
		if workers == 0 || r.Makespan <= 0 {
			return math.NaN()
		}
		return 1 - busy/(workers*float64(r.Makespan))
	}
	m.IdleCPU, m.IdleDevice = share(busy[0], workers[0]), share(busy[1], workers[1])
	m.Idle = share(busy[0]+busy[1], workers[0]+workers[1])
}

// busyTimes are how long each worker ran tasks, ns.
func busyTimes(machine *platform.Machine, r *starpu.Result) []int64 {
	if r.Busy != nil {
		return r.Busy
	}
	busy := make([]int64, len(machine.Workers))
	for i, w := range r.Worker {
		if w >= 0 {
			busy[w] += r.End[i] - r.Begin[i]
		}
	}
	return busy
}

// moved adds up what moved between memories, and between nodes.
func (m *Metrics) moved(machine *platform.Machine, r *starpu.Result) {
	n := len(machine.Memories)
	for i, p := range r.Pairs {
		if machine.Memories[i/n].Node == machine.Memories[i%n].Node {
			m.Transfers += p.Count
			m.Bytes += p.Bytes
		}
	}
	for i := range r.Messages {
		m.Messages++
		m.MessageBytes += r.Messages[i].Bytes
	}
}

// bounds notes lower bounds of the makespan.
func (m *Metrics) bounds(l limits) {
	m.Area, m.CriticalPath = int64(math.Round(l.area)), int64(math.Round(l.path))
	m.Bound = math.NaN()
	if m.Makespan > 0 {
		m.Bound = float64(max(m.Area, m.CriticalPath)) / float64(m.Makespan)
	}
}
