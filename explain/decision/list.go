package decision

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dagscope/explain/chain"
	"dagscope/internal/parallel"
	"dagscope/trace"
)

// Entry is a placing in a list. Errors are what was minus what was expected, nil
// without estimates.
type Entry struct {
	Task          Task   `json:"task"`
	Time          *int64 `json:"time"` // of the decision
	Delay         int64  `json:"delay_ns"`
	Cause         string `json:"cause"`    // class or mark that took most of the delay, "" of none
	CauseNS       int64  `json:"cause_ns"` // how much
	EndError      *int64 `json:"end_error_ns"`
	TransferError *int64 `json:"transfer_error_ns"`
	DurationError *int64 `json:"duration_error_ns"`
	Regret        *int64 `json:"regret_ns"`
}

// Orders of lists, the first is usual.
const (
	ByRegret        = "regret"        // how much later it ended than predicted for another worker
	ByMisprediction = "misprediction" // how far its end was from what was predicted, either way
	ByTransfer      = "transfer"      // so its transfers
	ByDelay         = "delay"         // from when it could have begun to its start
)

// Orders lists them.
var Orders = []string{ByRegret, ByMisprediction, ByTransfer, ByDelay}

// List lists the placings of counted tasks, those that are most in an order
// first, of equal ones in submission order. Runs without estimates have but
// delays.
func (x *Index) List(by string, most int) ([]Entry, error) {
	if !slices.Contains(Orders, by) {
		return nil, fmt.Errorf("list decisions: found order %q, want one of %s", by, strings.Join(Orders, ", "))
	}
	if by != ByDelay && !x.Estimated() {
		return nil, fmt.Errorf("list decisions by %s: found no estimates in this run, want a simulated one with its decisions; %s works without", by, ByDelay)
	}
	scores := x.scores(by)
	var rows []int32
	for v, s := range scores {
		if s > 0 {
			rows = append(rows, int32(v))
		}
	}
	slices.SortStableFunc(rows, func(a, b int32) int { return cmp.Compare(scores[b], scores[a]) })
	entries := make([]Entry, min(max(most, 0), len(rows)))
	for i := range entries {
		entries[i] = x.entry(rows[i])
	}
	return entries, nil
}

// scores are what tasks are ordered by, 0 for those that are not listed.
func (x *Index) scores(by string) []int64 {
	scores := make([]int64, len(x.run.Task.Start))
	parallel.For(len(scores), func(v int) {
		if x.ran(int32(v)) && x.run.Task.Counted(v) {
			scores[v] = x.score(int32(v), by)
		}
	})
	return scores
}

func (x *Index) score(v int32, by string) int64 {
	if by == ByDelay {
		return x.run.Task.Start[v] - x.since(v)
	}
	h := x.happened(v, x.guesses(v))
	var score *int64
	switch by {
	case ByRegret:
		score = h.Regret
	case ByMisprediction:
		score = h.EndError
	case ByTransfer:
		score = h.TransferError
	}
	if score == nil {
		return 0
	}
	return max(*score, -*score)
}

// guesses is the placing of a task with nothing but estimates; nil without.
func (x *Index) guesses(v int32) *Moment {
	row := x.row(v)
	if row == trace.None {
		return nil
	}
	from, to := x.estimates(row)
	if from == to {
		return nil
	}
	d := &x.run.Decision
	m := &Moment{Time: d.Time[row], Workers: make([]Worker, 0, to-from)}
	best := m.Time + nanoseconds(d.Best[row]-d.Clock[row])
	for i := from; i < to; i++ {
		w := x.run.Estimate.Worker[i]
		m.Workers = append(m.Workers, Worker{Chosen: w == d.Worker[row], Estimate: x.estimate(row, i, best), Resource: w})
	}
	return m
}

func (x *Index) entry(v int32) Entry {
	m, since := x.guesses(v), x.since(v)
	h := x.happened(v, m)
	e := Entry{Task: x.task(v), Delay: x.run.Task.Start[v] - since, EndError: h.EndError, TransferError: h.TransferError, DurationError: h.DurationError, Regret: h.Regret}
	if m != nil {
		e.Time = &m.Time
	}
	var sums chain.Sums
	x.why().Delay(v, since, func(p chain.Part) { sums[p.Cause()] += p.To - p.From })
	for c, ns := range sums {
		if ns > e.CauseNS {
			e.Cause, e.CauseNS = chain.Cause(c).String(), ns
		}
	}
	return e
}

// Accuracy is how well a scheduler foresaw transfers and durations of the tasks
// that it had estimates for, sums in ns.
type Accuracy struct {
	Tasks        int     // with estimates, on the worker that was chosen
	Expected     int64   // transfers
	Transferred  int64   // what they took
	Planned      int64   // durations
	Lasted       int64   // what they were
	TransferOff  float64 // median of |error| among tasks whose transfers were expected or happened
	Transferring int     // these
}

// Accuracy compares all estimates with what came of them.
func (x *Index) Accuracy() Accuracy {
	var a Accuracy
	var off []int64
	for v := range x.run.Task.Start {
		if !x.ran(int32(v)) || !x.run.Task.Counted(v) {
			continue
		}
		h := x.happened(int32(v), x.guesses(int32(v)))
		if h.TransferError == nil {
			continue
		}
		a.Tasks++
		a.Transferred, a.Expected = a.Transferred+h.Transfer, a.Expected+h.Transfer-*h.TransferError
		a.Lasted, a.Planned = a.Lasted+h.Duration, a.Planned+h.Duration-*h.DurationError
		if h.Transfer > 0 || *h.TransferError != 0 {
			off = append(off, max(*h.TransferError, -*h.TransferError))
		}
	}
	a.Transferring = len(off)
	a.TransferOff = median(off)
	return a
}

// median sorts.
func median(values []int64) float64 {
	n := len(values)
	if n == 0 {
		return 0
	}
	slices.Sort(values)
	return (float64(values[(n-1)/2]) + float64(values[n/2])) / 2
}
