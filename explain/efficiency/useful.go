package efficiency

import (
	"math"

	"dagscope/internal/interval"
	"dagscope/internal/parallel"
)

// useful measures what each worker did in useful work: the time that its pieces
// of tasks cover, each instant counted once for the piece that started first, less
// what the worker spent in MPI calls, for locks and off the processor.
func (m *measure) useful() {
	own := make([]int64, len(m.lanes.Task)) // useful ns of each piece
	m.byWorker = make([]int64, len(m.workers))
	parallel.For(len(m.workers), func(i int) {
		w := m.workers[i]
		lost := interval.NewCover(m.states.lost(w))
		probe := lost.Probe()
		spans := lost.Spans()
		covered := m.from
		for p, to := m.lanes.Of(w); p < to; p++ {
			start, end := max(m.lanes.Start[p], covered), min(m.lanes.End[p], m.to)
			if end > start {
				own[p] = end - start - probe.Within(start, end)
				if m.queued != nil { // counted by the kernel, not as states
					progress := interval.Subtract(interval.Spans{Start: []int64{start}, End: []int64{end}}, interval.Clip(spans, start, end))
					own[p] = max(0, own[p]-int64(m.queued.Over(w, progress)))
				}
				covered = end
			}
			m.byWorker[i] += own[p]
		}
	})
	m.tally(own)
}

// tally counts tasks and their useful time by kind, architecture and type. A task
// in several pieces counts on each type by its share of the task's useful time.
func (m *measure) tally(own []int64) {
	t, kinds := &m.run.Task, len(m.kindName)
	m.cells = make([]cell, len(m.archName)*kinds)
	m.tasks = make([][]float64, len(m.types.Type))
	for k := range m.tasks {
		m.tasks[k] = make([]float64, kinds)
	}
	total := m.perTask(own)
	for _, w := range m.workers {
		arch, of := m.arch[m.types.Of[w]], m.tasks[m.types.Of[w]]
		for p, to := m.lanes.Of(w); p < to; p++ {
			task := m.lanes.Task[p]
			share := 1.0
			switch {
			case total == nil: // all tasks are in one piece
			case total[task] > 0:
				share = float64(own[p]) / float64(total[task])
			case !m.lanes.IsFirst(p):
				share = 0
			}
			k := int(t.Kind.Index[task]) + 1
			c := &m.cells[arch*kinds+k]
			c.count, c.useful, c.work = c.count+share, c.useful+own[p], c.work+share*m.gflop(task)
			of[k] += share
		}
	}
}

// perTask sums the useful time of the pieces of each task; nil where each task is
// in one piece.
func (m *measure) perTask(own []int64) []int64 {
	if m.lanes.First == nil {
		return nil
	}
	total := make([]int64, len(m.run.Task.Start))
	for p, task := range m.lanes.Task {
		total[task] += own[p]
	}
	return total
}

// gflop is the work of a task as declared, NaN where it was not.
func (m *measure) gflop(task int32) float64 {
	if g := m.run.Task.GFlop; len(g) > 0 && g[task] > 0 && !math.IsInf(g[task], 1) {
		return g[task]
	}
	return math.NaN()
}
