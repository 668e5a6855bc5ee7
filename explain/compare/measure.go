package compare

import (
	"fmt"
	"math"

	"dagscope/explain/bound"
	"dagscope/explain/chain"
	"dagscope/explain/efficiency"
	"dagscope/explain/kind"
	"dagscope/explain/schedule"
	"dagscope/explain/tasking"
	"dagscope/explain/utilization"
	"dagscope/internal/interval"
	"dagscope/internal/parallel"
	"dagscope/trace"
)

// measured is one run by itself.
type measured struct {
	Side
	letter     string
	makespan   int64
	tasks      int64
	duration   []int64 // by task row
	groups     *kind.Groups
	kinds      *kind.Statistics
	idle       *utilization.Workers
	bounds     *bound.Result // nil where they cannot be computed
	gaps       chain.Sums    // between the counted tasks of workers, summed; only if known
	known      bool          // there is a task graph
	tail       int64         // after the last task of workers, summed
	unused     int           // workers without tasks, and
	unusedTime int64         // their time
	work       *work
	phases     []span // iterations
	notes      []string

	efficiency  *efficiency.Result
	inefficient error // why there is none
}

// measure computes what the comparison needs of one run.
func measure(s Side, letter string, o Options, bo bound.Options, quick bool) (*measured, error) {
	m := &measured{Side: s, letter: letter}
	run := s.Run
	all := schedule.Build(run, nil)
	counted := kind.Options{Generation: o.Generation}
	lanes := schedule.Select(run, all, func(i int) bool { return counted.Counts(&run.Task, i) })
	m.idle = utilization.ByWorker(run, utilization.WorkerOptions{Generation: o.Generation, Lanes: lanes, States: []string{}})
	if len(lanes.Task) == 0 {
		return nil, fmt.Errorf("compare runs: run %s (%s) has no task of the application that ran", letter, s.Name)
	}
	m.makespan = m.idle.To - m.idle.From
	m.duration = kind.Durations(run)
	m.groups = kind.Group(run, counted)
	m.kinds = m.groups.Statistics(m.duration)
	for i := range run.Task.Start {
		if counted.Counts(&run.Task, i) {
			m.tasks++
		}
	}
	m.work = &work{start: interval.Sorted(lanes.Start), end: interval.Sorted(lanes.End)}
	for i, start := range lanes.Start {
		m.work.total += max(0, lanes.End[i]-start)
	}
	m.phases = borders(run, o.Generation)
	m.efficiency, m.inefficient = efficiency.Compute(run, efficiency.Options{Generation: o.Generation, Lanes: all})
	m.bound(bo, quick)
	if m.bounds != nil && len(bo.Pool) == 0 && !quick { // a span is of one run
		m.bounds.Span = float64(tasking.Within(run, m.makespan, o.Generation))
	}
	m.wait(all, lanes, quick)
	m.rest(lanes)
	return m, nil
}

// bound computes the lower bounds; without a usable graph the area bound.
func (m *measured) bound(bo bound.Options, quick bool) {
	compute := bound.Compute
	if quick {
		compute = bound.Quick
	}
	if len(m.Run.Dep.To) > 0 {
		b, err := compute(m.Run, bo)
		if err == nil {
			m.bounds, m.known = b, true
			return
		}
		m.note("critical path and waiting are not compared: " + err.Error())
	} else {
		m.note("has no task graph: critical path and waiting are not compared")
	}
	if areas, err := bound.Areas(m.Run, bo, false); err == nil && len(areas) > 0 {
		m.bounds = &bound.Result{Area: areas[0], Best: bound.Best{Name: "abe", Time: areas[0].Time}}
	}
}

// wait divides the time between the counted tasks of workers, or before their
// first, by what the next task waited for (docs/design/methods.md, Critical
// chain). Time in which tasks ran that do not count is not among it.
func (m *measured) wait(all, counted *schedule.Lanes, quick bool) {
	if !m.known || quick {
		return
	}
	x := chain.New(m.Run, chain.Options{Lanes: all})
	of := make([]chain.Sums, len(m.idle.Worker))
	parallel.For(len(of), func(i int) {
		w, end := m.idle.Worker[i], int64(0)
		for k, to := counted.Of(w); k < to; k++ {
			end = max(end, counted.End[k])
		}
		x.Gaps(w, func(_ int32, p chain.Part) { of[i][p.Cause()] += max(0, min(p.To, end)-p.From) })
	})
	for i := range of {
		m.gaps.Add(&of[i])
	}
}

func (m *measured) note(what string) {
	m.notes = append(m.notes, fmt.Sprintf("%s: %s", m.letter, what))
}

// workers is the number of workers, idle ones included.
func (m *measured) workers() int64 { return int64(max(1, len(m.idle.Worker))) }

// busy is the time that workers ran tasks, summed over workers.
func (m *measured) busy() (sum int64) {
	for _, b := range m.idle.Busy {
		sum += b
	}
	return sum
}

// perWorker is the mean over workers of a sum over workers.
func (m *measured) perWorker(sum int64) int64 { return roundDiv(sum, m.workers()) }

// idleOf is the mean idle share of the workers of each architecture.
func (m *measured) idleOf() map[string]float64 {
	share, count := map[string]float64{}, map[string]float64{}
	for i, w := range m.idle.Worker {
		arch := m.Run.Resource.Arch.At(int(w))
		share[arch] += m.idle.Share(i)
		count[arch]++
	}
	for arch := range share {
		share[arch] /= count[arch]
	}
	return share
}

func (m *measured) summary() Summary {
	return Summary{Name: m.Name, Makespan: m.makespan, Tasks: m.tasks, Workers: len(m.idle.Worker), IdleShare: m.idle.Total()}
}

// rest divides the idle time that is not between tasks, summed over workers:
// after a worker's last task, and all of the time of workers without any.
func (m *measured) rest(lanes *schedule.Lanes) {
	for _, w := range m.idle.Worker {
		last := trace.NoTime
		for i, to := lanes.Of(w); i < to; i++ {
			last = max(last, lanes.End[i])
		}
		if last == trace.NoTime {
			m.unused++
			m.unusedTime += m.makespan
			continue
		}
		m.tail += m.idle.To - last
	}
}

func roundDiv(a, b int64) int64 { return int64(math.Round(float64(a) / float64(b))) }
