package efficiency

import "math"

// Summary is a Result for `report --json` and `compare --json`: names instead of
// rows, times in ns rounded to the nearest. What is not known, or does not apply,
// is absent.
type Summary struct {
	Makespan int64  `json:"makespan_ns"`
	Workers  int    `json:"workers"`
	Useful   int64  `json:"useful_ns"`                // of all workers
	Longest  int64  `json:"longest_useful_ns"`        // of one worker
	Busiest  string `json:"longest_worker,omitempty"` // whose that is
	ABE      int64  `json:"abe_ns"`                   // on one architecture and node the mean useful time
	MostWork *Most  `json:"most_work,omitempty"`      // of several nodes: that of the largest area bound
	MostLoad *Most  `json:"most_load,omitempty"`      // of several types of workers: that of the largest load
	Factors
	MPI     *MPISummary   `json:"mpi,omitempty"`
	OpenMP  *Factors      `json:"openmp,omitempty"`
	Nodes   []NodeSummary `json:"nodes,omitempty"`
	Types   []TypeSummary `json:"types,omitempty"`
	Missing []string      `json:"missing"`
	Replay  *Replayed     `json:"replay,omitempty"` // that Serialisation and Transfer follow from
}

// Most is the node, or the architecture on it, that a factor is decided by.
type Most struct {
	Node int32  `json:"node"`
	Arch string `json:"arch,omitempty"`
	Time int64  `json:"ns"`
}

// Factors multiply up to the parallel efficiency. Distribution and Allocation are
// there on several nodes or architectures.
type Factors struct {
	Parallel      *float64 `json:"parallel_efficiency,omitempty"`
	Distribution  *float64 `json:"distribution,omitempty"`
	Allocation    *float64 `json:"allocation,omitempty"`
	LoadBalance   *float64 `json:"load_balance,omitempty"`
	Communication *float64 `json:"communication_efficiency,omitempty"`
	// The communication efficiency divided, of the run alone.
	Serialisation *float64 `json:"serialisation,omitempty"`
	Transfer      *float64 `json:"transfer,omitempty"`
}

// MPISummary is [MPI].
type MPISummary struct {
	Factors
	Ranks []RankSummary `json:"ranks"`
}

// RankSummary is [Rank].
type RankSummary struct {
	Node    int32  `json:"node"`
	Thread  string `json:"thread"`
	Outside int64  `json:"outside_mpi_ns"`
}

// NodeSummary is a node by itself: its own tasks on its own workers.
type NodeSummary struct {
	Node    int32 `json:"node"`
	Workers int   `json:"workers"`
	Useful  int64 `json:"useful_ns"`
	ABE     int64 `json:"abe_ns"`
	Factors
}

// TypeSummary are the workers of an architecture on a node.
type TypeSummary struct {
	Node    int32  `json:"node"`
	Arch    string `json:"arch"`
	Workers int    `json:"workers"`
	Useful  int64  `json:"useful_ns"`
	Longest int64  `json:"longest_useful_ns"`
	Load    int64  `json:"load_ns"` // its tasks at the run's mean durations, per worker
}

// Summary names what the rows of a Result are.
func (r *Result) Summary() *Summary {
	p := &r.Run
	s := &Summary{
		Makespan: r.To - r.From, Workers: p.Count, Useful: p.Useful, Longest: p.Longest, ABE: round(p.ABE), Factors: p.factors(!r.Uniform()),
		Missing: r.Missing(),
	}
	s.Serialisation, s.Transfer, s.Replay = known(r.Serialisation()), known(r.Transfer()), r.replayed
	if p.Longest > 0 {
		s.Busiest = r.name[p.Busiest]
	} else {
		s.Factors = Factors{} // no task ran: no factor means anything
	}
	if r.MPI != nil {
		s.MPI = &MPISummary{Factors: Factors{Parallel: known(r.MPI.Parallel()), LoadBalance: known(r.MPI.LoadBalance()), Communication: known(r.MPI.Communication())}}
		for _, k := range r.MPI.Ranks {
			s.MPI.Ranks = append(s.MPI.Ranks, RankSummary{k.Node, r.name[k.Resource], k.Outside})
		}
		if parallel, balance, communication := r.OpenMP(); p.Longest > 0 {
			s.OpenMP = &Factors{Parallel: known(parallel), LoadBalance: known(balance), Communication: known(communication)}
		}
	}
	if r.Uniform() || p.Longest == 0 {
		return s
	}
	if len(r.Nodes) > 1 {
		s.MostWork = &Most{Node: p.HardNode, Time: round(p.Largest)}
	}
	hard := &r.Types[p.HardType]
	s.MostLoad = &Most{hard.Node, r.archName[hard.Arch+1], round(p.Load)}
	for i := 0; i < len(r.Nodes) && len(r.Nodes) > 1; i++ {
		n := &r.Nodes[i]
		s.Nodes = append(s.Nodes, NodeSummary{n.Node, n.Count, n.Useful, round(n.ABE), n.factors(true)})
	}
	for _, t := range r.Types {
		s.Types = append(s.Types, TypeSummary{t.Node, r.archName[t.Arch+1], t.Count, t.Useful, t.Longest, round(t.Load)})
	}
	return s
}

func (p *Part) factors(several bool) Factors {
	f := Factors{Parallel: known(p.Parallel()), LoadBalance: known(p.LoadBalance()), Communication: known(p.Communication())}
	if several {
		f.Distribution, f.Allocation = known(p.Distribution()), known(p.Allocation())
	}
	return f
}

// known is nil for NaN.
func known(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}

func round(v float64) int64 { return int64(math.Round(v)) }
