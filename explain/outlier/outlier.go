// Package outlier answers: which tasks took suspiciously long
// (docs/design/methods.md, Outliers; Garcia Pinto 2018, section 5.1.2)?
//
// The problem: regular kernels take the same time on the same kind of
// processor, so that quartiles tell what is unusual; sparse kernels do an
// amount of work that differs from task to task, and only a regression on the
// work can.
//
// The approach: tasks are grouped by kind and architecture. A group is judged
// by its quartiles, by the prediction interval of a regression of duration on
// GFlop, or by one of two regressions where the kernel has two behaviours. By
// default each group's evidence decides; every choice can be forced.
//
// What it does not do: say why a task was slow, or look at more than one task
// at a time (bursts of slow tasks).
package outlier

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dagscope/explain/kind"
	"dagscope/internal/stat"
	"dagscope/trace"
)

// Needs names the columns that this package reads. task.gflop may be absent:
// then only quartiles are possible.
var Needs = append([]string{"task.gflop"}, kind.Needs...)

// Method is how a group is judged.
type Method string

// Methods.
const (
	Auto      Method = "auto"       // by evidence: LogLog where work explains durations, else IQR
	IQR       Method = "iqr"        // beyond 1.5 interquartile ranges from the quartiles
	LogLog    Method = "log-log"    // log d ~ log GFlop
	Linear    Method = "linear"     // d ~ GFlop
	Weighted  Method = "weighted"   // d ~ GFlop, weights 1/GFlop
	TwoThirds Method = "two-thirds" // d ~ GFlop^(2/3)
	Mixture   Method = "mixture"    // one or two log-log lines, by BIC
)

// Methods lists all methods, for the help of commands.
var Methods = []Method{Auto, IQR, LogLog, Linear, Weighted, TwoThirds, Mixture}

// Options choose tasks and methods. The zero value follows
// docs/design/methods.md, Outliers.
type Options struct {
	Generation bool              // also judge tasks that prepare the input
	ByNode     bool              // judge each node by itself
	Method     Method            // of all kinds, default Auto
	ByKind     map[string]Method // of some kinds
	Level      float64           // of prediction intervals, default 0.95
	// Factor is how many times what is usual for it (the group's median, or what the
	// regression expects) a task must take, too; default 1.2. 1 leaves the statistical
	// limit alone: tasks of constant duration then are outliers for half a per cent.
	Factor float64
	Seed   uint64 // of the mixture's starts
}

// Visible is the default factor: less cannot be seen in a drawing of the schedule.
const Visible = 1.2

// Parse reads a method with a factor after a comma, such as "iqr,1.5"; either may be left
// out. Without a factor it is 0, which is the default.
func Parse(text string) (m Method, factor float64, err error) {
	method, number, both := strings.Cut(text, ",")
	if !both {
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			method, number, both = string(Auto), text, f != 0
		}
	}
	if m = Method(method); !slices.Contains(Methods, m) {
		names := make([]string, len(Methods))
		for i, m := range Methods {
			names[i] = string(m)
		}
		return "", 0, fmt.Errorf("found method %q, want one of %s", method, strings.Join(names, ", "))
	}
	if both {
		if factor, err = strconv.ParseFloat(number, 64); err != nil || !(factor >= 1 && factor <= 1e6) {
			return "", 0, fmt.Errorf("found factor %q, want a number from 1", number)
		}
	}
	return m, factor, nil
}

// Side says on which side of what is usual a task lies.
type Side int8

// Sides.
const (
	Short Side = -1
	Usual Side = 0
	Long  Side = 1 // what "outlier" means
)

// Result lists groups and unusual tasks.
type Result struct {
	Groups Groups
	Task   []int32   // rows of run.Task, ascending
	Side   []Side    // of each of these tasks, Short or Long
	Group  []int32   // row of Groups
	Bound  []float64 // the bound that the task passed, ns
}

// Groups are what was judged together, one row each.
type Groups struct {
	Kind, Arch, Node []int32 // as in kind.Groups
	Count            []int64
	Method           []Method      // used: never Auto
	Lower, Upper     []float64     // ns; NaN where they depend on a task's work
	Fits             [][]*stat.Fit // regressions, none for IQR
	Short, Long      []int64       // tasks on each side
}

// Long returns the rows of tasks on the long side, ascending.
func (r *Result) Long() []int32 {
	var rows []int32
	for i, s := range r.Side {
		if s == Long {
			rows = append(rows, r.Task[i])
		}
	}
	return rows
}

// Compute judges all counted tasks of a run.
func Compute(run *trace.Run, o Options) *Result {
	groups := kind.Group(run, kind.Options{Generation: o.Generation, ByNode: o.ByNode})
	durations := groups.Gather(kind.Durations(run))
	if o.Level == 0 {
		o.Level = 0.95
	}
	if o.Factor == 0 {
		o.Factor = Visible
	}
	r := &Result{Groups: Groups{Kind: groups.Kind, Arch: groups.Arch, Node: groups.Node}}
	for k := range groups.Len() {
		g := &group{o: o, tasks: groups.Tasks(k), duration: durations[k]}
		g.readWork(run.Task.GFlop)
		method := o.Method
		if m, ok := o.ByKind[run.Task.Kind.Dict[groups.Kind[k]]]; ok {
			method = m
		}
		r.add(g, g.judge(method))
	}
	r.sort()
	return r
}

// add takes a judged group into the result.
func (r *Result) add(g *group, j judge) {
	row := int32(len(r.Groups.Count))
	var count [3]int64
	for i, task := range g.tasks {
		side, bound := j.side(i)
		count[side+1]++
		if side != Usual {
			r.Task, r.Side = append(r.Task, task), append(r.Side, side)
			r.Group, r.Bound = append(r.Group, row), append(r.Bound, bound)
		}
	}
	all := &r.Groups
	all.Count = append(all.Count, int64(len(g.tasks)))
	all.Method, all.Fits = append(all.Method, j.method), append(all.Fits, j.fits)
	all.Lower, all.Upper = append(all.Lower, j.lower), append(all.Upper, j.upper)
	all.Short, all.Long = append(all.Short, count[0]), append(all.Long, count[2])
}

// sort puts the unusual tasks in the order of their rows.
func (r *Result) sort() {
	perm := make([]int, len(r.Task))
	for i := range perm {
		perm[i] = i
	}
	slices.SortFunc(perm, func(a, b int) int { return int(r.Task[a]) - int(r.Task[b]) })
	r.Task, r.Side = gather(r.Task, perm), gather(r.Side, perm)
	r.Group, r.Bound = gather(r.Group, perm), gather(r.Bound, perm)
}

func gather[T any](from []T, perm []int) []T {
	to := make([]T, len(perm))
	for i, p := range perm {
		to[i] = from[p]
	}
	return to
}
