package efficiency

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"dagscope/explain/schedule"
	"dagscope/internal/interval"
	"dagscope/trace"
)

// lostStates are the states of a worker in which the task that it runs does not
// advance. (What a task is suspended for, its phases, is outside of its pieces.)
var lostStates = []string{"lock", "off-cpu"}

// isMPI reports that a state is a call of MPI: MPI_Send, PMPI_Send, mpi_send.
func isMPI(state string) bool {
	name := strings.ToUpper(state)
	return strings.HasPrefix(name, "MPI_") || strings.HasPrefix(name, "PMPI_")
}

// states is when each resource was where no useful work is done; nil where no
// such state was recorded anywhere.
type states struct {
	run      *trace.Run
	off, mpi []interval.Spans // by resource; off holds MPI too
}

func newStates(run *trace.Run) states {
	s := states{run: run}
	dict := run.State.Kind.Dict
	off, mpi := make([]bool, len(dict)), make([]bool, len(dict))
	for i, name := range dict {
		mpi[i] = isMPI(name)
		off[i] = mpi[i] || slices.ContainsFunc(lostStates, func(lost string) bool { return strings.EqualFold(name, lost) })
	}
	if slices.Contains(off, true) {
		s.off = schedule.States(run, off)
	}
	if slices.Contains(mpi, true) {
		s.mpi = schedule.States(run, mpi)
	}
	return s
}

// lost is when a worker did no useful work, whatever task it was in.
func (s *states) lost(worker int32) interval.Spans {
	if s.off == nil {
		return interval.Spans{}
	}
	return s.off[worker]
}

// window is the time of all states of the resources that call MPI.
func (s *states) window() (from, to int64) {
	from, to = math.MaxInt64, math.MinInt64
	for i, r := range s.run.State.Resource {
		if s.mpi != nil && s.mpi[r].Len() > 0 {
			from, to = min(from, s.run.State.Start[i]), max(to, s.run.State.End[i])
		}
	}
	if from > to {
		return 0, 0
	}
	return from, to
}

// MPI is what MPI alone makes of a run whose ranks have MPI states (Gimenez
// 2020): from the time o that each rank spends outside of MPI.
type MPI struct {
	Span  int64  // T, ns
	Ranks []Rank // by node, then by resource row
}

// Rank is a process of the program. Outside is the time that it is not in MPI:
// that of its thread that is longest in MPI, the main thread in most programs.
type Rank struct {
	Node     int32
	Resource int32 // that thread
	Outside  int64 // ns
}

// LoadBalance is avg o / max o, Communication max o / T, Parallel their product.
func (m *MPI) LoadBalance() float64 {
	longest, sum := m.outside()
	return ratio(float64(sum)/float64(len(m.Ranks)), float64(longest))
}

func (m *MPI) Communication() float64 {
	longest, _ := m.outside()
	return ratio(float64(longest), float64(m.Span))
}

func (m *MPI) Parallel() float64 {
	_, sum := m.outside()
	return ratio(float64(sum)/float64(len(m.Ranks)), float64(m.Span))
}

func (m *MPI) outside() (longest, sum int64) {
	for _, r := range m.Ranks {
		longest, sum = max(longest, r.Outside), sum+r.Outside
	}
	return longest, sum
}

// OpenMP is what remains of the parallel efficiency, and of its factors, besides
// MPI: what happens inside of the ranks. The load balance that is divided is POP's,
// of all workers: distribution × allocation × load balance. NaN without MPI states.
func (r *Result) OpenMP() (parallel, balance, communication float64) {
	if r.MPI == nil {
		return math.NaN(), math.NaN(), math.NaN()
	}
	p := &r.Run
	return ratio(p.Parallel(), r.MPI.Parallel()), ratio(ratio(p.ABE, float64(p.Longest)), r.MPI.LoadBalance()),
		ratio(p.Communication(), r.MPI.Communication())
}

// mpi measures the ranks. All ranks that have workers must have MPI states: a rank
// of which they are missing would pass for one that never waits. Containers of
// other programs' traces belong to no rank, so each is one.
func (m *measure) mpi(r *Result) {
	if m.states.mpi == nil || m.to <= m.from {
		return
	}
	re := &m.run.Resource
	ranks := map[[2]int32]Rank{}
	for row, spans := range m.states.mpi {
		if spans.Len() == 0 || re.Level.At(row) == trace.LevelComm {
			continue // a runtime's own thread for communication: no rank waits in it
		}
		key := [2]int32{re.Node[row], trace.None}
		if re.Level.At(row) == trace.LevelOther {
			key[1] = int32(row)
		}
		outside := m.to - m.from - interval.Clip(spans, m.from, m.to).Length()
		if old, ok := ranks[key]; !ok || outside < old.Outside {
			ranks[key] = Rank{re.Node[row], int32(row), outside}
		}
	}
	if len(ranks) == 0 {
		return
	}
	for i := range r.Nodes {
		node := r.Nodes[i].Node
		if _, ok := ranks[[2]int32{node, trace.None}]; !ok {
			m.silent = append(m.silent, node)
		}
	}
	if len(m.silent) > 0 {
		return
	}
	r.MPI = &MPI{Span: m.to - m.from}
	for _, rank := range ranks {
		r.MPI.Ranks = append(r.MPI.Ranks, rank)
	}
	slices.SortFunc(r.MPI.Ranks, func(a, b Rank) int { return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.Resource, b.Resource)) })
}
