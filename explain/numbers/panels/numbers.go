package panels

import (
	"fmt"
	"math"
	"slices"

	"dagscope/explain/bound"
	"dagscope/explain/kind"
	"dagscope/explain/numbers"
	"dagscope/explain/outlier"
	"dagscope/explain/progression"
	"dagscope/explain/schedule"
	"dagscope/internal/interval"
	"dagscope/trace"
)

// Numbers are the numbers behind a panel, whether it can be drawn already or
// not: a drawing takes them from here too, so that they cannot differ.
type Numbers struct {
	ID    string // that of the panel
	Title string
	Doc   string // one paragraph: what a row is, where it comes from
	// Needs names the columns without which there are no numbers, as
	// [Panel.Needs] does.
	Needs []string
	// Reads names all columns that Compute may use: load these.
	Reads   []string
	Takes   []string // names of the settings that make a difference, in the order of Flags
	Columns []numbers.Column
	// Compute returns the columns in the order of Columns; the error is a
	// *[Missing] where the run does not have what it takes.
	Compute func(*trace.Run, *Settings) ([]any, error)
}

// Settings choose what is computed. The zero value is the default.
type Settings struct {
	From, To       int64 // window, ns; NoTime for an edge that was not asked for
	Step           int64 // length of slices, ns; 0 for the default
	Most           int   // slices, or rows made of them; 0 for 20 million
	Raw            bool  // the step function itself instead of its means over slices
	FullStep       bool  // divide by the whole step in a shorter last slice too, as StarVZ does
	ByNode         bool  // a row set for each node
	Total          bool  // one for the whole run
	Source         Origin
	Threshold      float64 // of ready tasks, 0 for a node's number of workers
	Generation     bool    // count tasks that prepare the input
	Durations      bound.Duration
	Sources        []*trace.Run // from which what never ran takes its durations
	UsedWorkers    bool         // bounds count only workers that ran a task, as StarVZ does
	OutlierMethod  outlier.Method
	OutlierFactor  float64 // 0 for the default
	OutliersByNode bool
	Bandwidth      float64 // of the density that divides nodes, 0 for 0.01
	SheatherJones  bool    // the bandwidth follows from the data
	Weights        progression.Weights
	Kind           string    // whose durations stand for the power of workers, "" to choose
	Handle         string    // the piece of data that is asked for, see [memory.Labels.Find]; "" for all, or the one that moved most
	At             []int64   // instants, ns
	ByBytes        bool      // the work of a task is the bytes that it touches
	Fit            FitMethod // how models are fitted, "" for regression
	Formula        string    // terms of regressions, "" for what tells most
	Waiting        Waiting   // what tasks are that wait for others which are done
	Task           string    // key of the task that is asked for, "" to choose
	StarVZ         bool      // residency, memory states and area bounds by the conventions of StarVZ
}

// Origin says where a curve comes from.
type Origin string

// Sources.
const (
	Best          Origin = ""              // counters where traced, else reconstructed
	FromCounters  Origin = "counters"      // what the runtime counted
	Reconstructed Origin = "reconstructed" // from the times of tasks and transfers
)

// Flag documents a setting under the name that it has on the command line.
type Flag struct{ Name, Doc string }

// Flags lists the settings.
var Flags = []Flag{
	{"from", "start of the window in `ms`"},
	{"to", "end of the window in `ms`"},
	{"step", "length of a slice in `ms`"},
	{"raw", "the step function itself: a row for each piece between two changes, not means over slices"},
	{"full-step", "divide the last, shorter slice by the whole step too, as StarVZ does"},
	{"by-node", "rows for each node: its workers or places summed, or what is of the whole run told apart"},
	{"total", "sum over the whole run"},
	{"source", "counters (what the runtime counted) or reconstructed (from the times of tasks and transfers); default: counters where traced"},
	{"threshold", "`number` of ready tasks below which a node lacks tasks (default: its workers)"},
	{"count-generation", "count tasks that prepare the input"},
	{"durations", "durations that stand for a kind: mean, median or model (models of the run's host); or a `RUN`, from which what never ran here takes its durations"},
	{"used-workers", "count only workers that ran a task, which is one part of what StarVZ does"},
	{"outliers", "how outliers are found: auto, iqr, log-log, linear, weighted, two-thirds or mixture"},
	{"outliers-by-node", "judge each node by itself"},
	{"by-bytes", "the work of a task is the bytes that it touches, not the GFlop that it declares"},
	{"fit", "how models of durations are fitted: regression, mean, history or power"},
	{"formula", "terms of regressions: products of powers of gflop, bytes and the dimensions p1, p2, … of data, with + between"},
	{"bandwidth", "bandwidth of the density that divides nodes, as a share of their `progress` (default 0.01): the less, the more clusters"},
	{"sheather-jones", "choose that bandwidth at each instant by the data (Sheather 1991)"},
	{"weights", "what tasks count for in the progress of a node: arch, worker or count"},
	{"kind", "kind of tasks whose durations stand for the power of workers"},
	{"handle", "piece of data, by its `coordinates` as x,y, its name, or # and its row"},
	{"at", "instants in `ms`"},
	{"task", "task, by its `key`"},
	{"waiting-ready", "whether tasks that wait for others which are done count as ready: on or off"},
	{"starvz", "by the conventions of StarVZ: stays below 1 µs are dropped, and what does not end lasts until the last state of a worker; allocations take no time. Area bounds know only workers that ran a task, and of a node only kinds that ran there on an architecture"},
}

// taking lists settings in the order of Flags.
func taking(names ...string) []string {
	slices.SortFunc(names, func(a, b string) int { return flagIndex(a) - flagIndex(b) })
	return names
}

func flagIndex(name string) int {
	return slices.IndexFunc(Flags, func(f Flag) bool { return f.Name == name })
}

// Table computes the numbers of a run that has the columns of Reads. The error
// is a *[Missing] where the run lacks data.
func (n *Numbers) Table(run *trace.Run, s *Settings) (numbers.Table, error) {
	for _, need := range n.Needs {
		if !Met(run, need) {
			return numbers.Table{}, &Missing{"not in this run: " + Describe(run, need)}
		}
	}
	data, err := n.Compute(run, s)
	if err = WithoutModels(err); err != nil {
		return numbers.Table{}, err
	}
	t := numbers.Table{Columns: n.Columns, Data: data}
	if len(data) != len(n.Columns) {
		panic(fmt.Sprintf("panel %s: computed %d columns, want %d", n.ID, len(data), len(n.Columns)))
	}
	return t, nil
}

// window is the window asked for, with default edges from 0 to the makespan,
// or to the end of the recording where no task ran.
func (s *Settings) window(run *trace.Run) (from, to int64, err error) {
	to = schedule.Makespan(run)
	if to <= 0 {
		to = run.Meta.Horizon
	}
	return s.Edges(0, to)
}

// all is the window asked for, by default everything.
func (s *Settings) all() (from, to int64, err error) {
	return s.Edges(math.MinInt64/2, math.MaxInt64/2)
}

// Edges replaces defaults by what was asked for.
func (s *Settings) Edges(from, to int64) (int64, int64, error) {
	if s.From != trace.NoTime {
		from = s.From
	}
	if s.To != trace.NoTime {
		to = s.To
	}
	switch {
	case from < to:
		return from, to, nil
	case s.To == trace.NoTime:
		return 0, 0, &Missing{fmt.Sprintf("the window from %v ms on is empty: it ends at %v ms unless --to is given", ms(from), ms(to))}
	}
	return 0, 0, &Missing{fmt.Sprintf("the window up to %v ms is empty: it starts at %v ms unless --from is given", ms(to), ms(from))}
}

func ms(ns int64) float64 { return float64(ns) / 1e6 }

// maxSlices bounds the rows that a small step makes.
const maxSlices = 20_000_000

func (s *Settings) most() int {
	if s.Most > 0 {
		return min(s.Most, maxSlices)
	}
	return maxSlices
}

// TooFine is the error of a step that makes more rows than there may be.
type TooFine struct{ What string }

func (e *TooFine) Error() string { return e.What + ": choose a longer step" }

func tooFine(format string, args ...any) error { return &TooFine{fmt.Sprintf(format, args...)} }

// slices cuts the window asked for into slices of a default step.
func (s *Settings) slices(run *trace.Run, step func(from, to int64) int64) (interval.Slices, error) {
	from, to, err := s.window(run)
	if err != nil {
		return interval.Slices{}, err
	}
	cut := interval.Slices{From: from, To: to, Step: s.Step}
	if cut.Step <= 0 {
		cut.Step = step(from, to)
	}
	if cut.Len() > s.most() {
		return cut, tooFine("cut %v ms into slices of %v ms: found %d slices, want at most %d",
			ms(to-from), ms(cut.Step), cut.Len(), s.most())
	}
	return cut, nil
}

// workerCells refuses slices of so many workers that they make too many cells, before
// any is computed.
func (s *Settings) workerCells(run *trace.Run, cut interval.Slices) error {
	workers := len(kind.Workers(run))
	if int64(workers)*int64(cut.Len()) > int64(s.most()) {
		return tooFine("measure %d workers in %d slices: found more than %d cells", workers, cut.Len(), s.most())
	}
	return nil
}

// perMille is a thousandth of the window, as StarVZ cuts it.
func perMille(from, to int64) int64 { return max(1, (to-from+999)/1000) }

func fixed(step int64) func(int64, int64) int64 { return func(int64, int64) int64 { return step } }

// whole is the step of numbers that are not cut unless asked for.
func whole(from, to int64) int64 { return to - from }

func (s *Settings) divisor() interval.Divisor { return interval.Divisor(s.FullStep) }

// rank is a node number for a column in which trace.None is unknown.
func rank(node int32) int32 {
	if node == trace.None {
		return trace.NoInt
	}
	return node
}

// pick gathers rows of a text column; trace.None is no text.
func pick(from *trace.Strings, rows []int32) *trace.Strings {
	to := &trace.Strings{Dict: from.Dict, Index: make([]int32, len(rows))}
	for i, row := range rows {
		to.Index[i] = trace.None
		if row >= 0 && len(from.Index) > 0 {
			to.Index[i] = from.Index[row]
		}
	}
	return to
}

// entries is a column of dictionary entries.
func entries(of *trace.Strings, index []int32) *trace.Strings {
	return &trace.Strings{Dict: of.Dict, Index: index}
}

// pickRanks gathers the nodes of resources.
func pickRanks(run *trace.Run, resources []int32) []int32 {
	return Each(resources, func(r int32) int32 {
		if r < 0 {
			return trace.NoInt
		}
		return rank(run.Resource.Node[r])
	})
}

// Each computes a column from another.
func Each[A, B any](from []A, f func(A) B) []B {
	to := make([]B, len(from))
	for i, v := range from {
		to[i] = f(v)
	}
	return to
}

// At gathers rows of a column.
func At[T any](from []T, rows []int32) []T {
	return Each(rows, func(row int32) T { return from[row] })
}

// Columns that many tables have.
var (
	startColumn  = numbers.Column{Name: "start", Unit: "ns", Doc: "since zero"}
	endColumn    = numbers.Column{Name: "end", Unit: "ns", Doc: "since zero"}
	nodeColumn   = numbers.Column{Name: "node", Doc: "rank; none for the whole run"}
	workerColumn = numbers.Column{Name: "worker", Doc: "name of the worker as traced"}
	archColumn   = numbers.Column{Name: "arch", Doc: "architecture of the worker"}
	kindColumn   = numbers.Column{Name: "kind", Doc: "codelet or function"}
	keyColumn    = numbers.Column{Name: "key", Doc: "job id as the runtime printed it"}
)

// Joined lists columns to load, each once.
func Joined(lists ...[]string) []string {
	all := slices.Concat(lists...)
	slices.Sort(all)
	return slices.Compact(all)
}
