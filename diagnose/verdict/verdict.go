// Package verdict answers: what is the one sentence to say of a run? It looks at
// where the critical chain's time went, how far the makespan is above the lower
// bound, and what the data do not allow to conclude, and applies the first of a few
// rules that fits (docs/report.md, Verdict).
//
// The approach: sums by class of the chain are gathered into families (waiting for
// memory, transfers, messages, …). Near the bound there is nothing to look for;
// otherwise the largest family with a tenth of the makespan or more is what cost
// most. A chain that is all work is described by what kept tasks waiting: a worker
// that an idle one could have stood in for, dependencies, or workers all busy.
//
// What it does not do: estimate what can be saved. The only limit that it states is
// the lower bound's; the chain says where time went.
package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dagscope/explain/chain"
	"dagscope/internal/words"
)

// Rule is what a verdict follows from.
type Rule string

// Rules, in the order in which they are tried.
const (
	NoTasks      Rule = "no-tasks"     // nothing was measured
	Incomplete   Rule = "incomplete"   // parts of the run are missing
	AtTheBound   Rule = "at-the-bound" // at most Near of the makespan can be saved
	LargestCost  Rule = "largest-cost" // a family has Large of the makespan or more
	Placement    Rule = "placement"    // an idle worker would have ended tasks of the chain earlier
	Dependencies Rule = "dependencies" // the chain is work, each step released by the one before
	Work         Rule = "work"         // the chain is work, on workers that are busy
	Unknown      Rule = "unknown"      // there is no chain
)

// Thresholds, shares of the makespan.
const (
	Near     = 0.02 // above the bound: nothing to look for
	Close    = 0.05 // above the bound: little to look for
	Large    = 0.10 // what a family, or the mark placement, has at least to be named
	Mostly   = 0.50 // of the whole, to be called most of it
	Together = 0.90 // of the whole, not to be called a part of it
)

// Input is what a verdict is made of. Times are ns.
type Input struct {
	Tasks    int
	Makespan int64
	NoGraph  bool   // no dependencies are known
	Missing  string // why the run is incomplete, a sentence without full stop; "" if it is not
	Bound    *Bound
	Costs    []Cost               // of the chain, by family
	Marks    map[chain.Mark]int64 // of what the chain executes
	Kind     Share                // that has most of what the chain executes
	Busy     []Share              // of the workers by architecture, shares of their time
	Late     *Late
	Slow     Slow
	Finding  string // what a test of significance has found first, a sentence without full stop; "" for nothing

	Efficiency *float64 // parallel efficiency; nil if not known
}

// Slow are tasks that took unusually long for their kind, and what the makespan
// could gain at most if they had not.
type Slow struct {
	Tasks int
	NS    int64
}

// Bound is the lower bound to judge the run by.
type Bound struct {
	NS       int64
	Name     string // in words: "head–tail"
	Given    string // what it holds for: "with the placements seen"; "" for anything
	Unproven string // what may be faster than it: "TRSM never ran on a CPU"; "" for nothing
}

// Share is a part with a name.
type Share struct {
	Name  string
	Share float64
}

// Late says which nodes began after a tenth of the makespan or more.
type Late struct {
	Nodes []int32
	From  int64 // the first task of the first of them
	Usual int64 // median of their first tasks
}

// Verdict is the sentence and what it follows from.
type Verdict struct {
	Rule     Rule           `json:"rule"`
	Text     string         `json:"text"`
	Evidence map[string]any `json:"evidence"`
}

// Find applies the first rule that fits.
func Find(in Input) Verdict {
	v := Verdict{Evidence: map[string]any{"makespan_ns": in.Makespan}}
	var parts []string
	add := func(text string) {
		if text != "" {
			parts = append(parts, text)
		}
	}
	switch {
	case in.Tasks == 0 || in.Makespan <= 0:
		v.Rule, v.Text = NoTasks, "No task of the application ran: there is no critical chain and no lower bound"
		if in.Efficiency != nil {
			v.Text += "; the parallel efficiency is " + words.Percent(*in.Efficiency)
		}
		return v.end()
	case in.Missing != "":
		v.Rule = Incomplete
		add("No conclusion about the whole run: " + in.Missing)
		add(fmt.Sprintf("the %s that were read end at %s", words.Plural(in.Tasks, "task"), words.Duration(in.Makespan)))
		v.Text = strings.Join(parts, "; ")
		return v.end()
	}
	gap, bounded := in.gap()
	if bounded {
		v.Evidence["bound_ns"], v.Evidence["gap_share"] = in.Bound.NS, gap
	}
	costs := in.large()
	switch {
	case bounded && gap < Near:
		v.Rule = AtTheBound
		add(in.near(gap))
		add(in.slow(&v))
		if in.Finding != "" {
			add("but " + in.Finding)
		}
		v.Text = strings.Join(parts, "; ")
		return v.end()
	case len(in.Costs) == 0:
		v.Rule = Unknown
		add(fmt.Sprintf("The run took %s", words.Duration(in.Makespan)))
	case len(costs) > 0:
		v.Rule = LargestCost
		add(costs[0].clause(&in))
		if len(costs) > 1 {
			add(fmt.Sprintf("next: %s, %s", costs[1].Family.words(), words.PercentOf(costs[1].NS, in.Makespan)))
		}
		v.blame(costs)
	default:
		v.Rule = in.working(&v, add)
	}
	if v.Rule != LargestCost {
		add(in.slow(&v))
	}
	if l := in.Late; l != nil && v.Rule != Unknown {
		add(l.words())
		v.Evidence["late_nodes"], v.Evidence["late_from_ns"] = l.Nodes, l.From
	}
	if bounded {
		add(in.saved(gap, v.Rule != LargestCost))
	}
	v.Text = strings.Join(parts, "; ")
	return v.end()
}

// words say when nodes began.
func (l *Late) words() string {
	from := words.Duration(l.From)
	if len(l.Nodes) == 1 {
		return fmt.Sprintf("node %d starts its first task at %s", l.Nodes[0], from)
	}
	return fmt.Sprintf("nodes %s start their first task at %s (the median) or %s at the earliest", words.List(words.Ranges(l.Nodes), 6), words.Duration(l.Usual), from)
}

func (v Verdict) end() Verdict {
	v.Text += "."
	return v
}

// blame keeps the families that a verdict names.
func (v *Verdict) blame(costs []Cost) {
	for i, c := range costs[:min(2, len(costs))] {
		name := "cost"
		if i > 0 {
			name = "second"
		}
		v.Evidence[name], v.Evidence[name+"_ns"] = string(c.Family), c.NS
		if len(c.Where) > 0 {
			v.Evidence[name+"_where"] = c.Where
		}
		if i == 0 && c.Longest.NS > 0 {
			v.Evidence["longest_ns"], v.Evidence["longest_from_ns"], v.Evidence["longest_at"] = c.Longest.NS, c.Longest.From, c.Longest.At
		}
	}
}

// gap is the share of the makespan above the bound.
func (in *Input) gap() (share float64, ok bool) {
	if in.Bound == nil || in.Bound.NS <= 0 {
		return 0, false
	}
	return 1 - float64(in.Bound.NS)/float64(in.Makespan), true
}

// near says that a run is at its bound.
func (in *Input) near(gap float64) string {
	text := fmt.Sprintf("Within %s of the lower bound", words.Percent(gap))
	if gap < 0 {
		text = "At the lower bound"
	}
	text += fmt.Sprintf(" (%s, %s%s)", words.Duration(in.Bound.NS), in.Bound.Name, in.Bound.given())
	if in.Bound.Given == "" {
		return text + ": no other schedule of these tasks, as long as they take, is worth your time"
	}
	text += ": no other order of these tasks, as long as they take, is worth your time"
	if in.Bound.Unproven != "" {
		text += ", another placement may be (" + in.Bound.Unproven + ")"
	}
	return text
}

func (b *Bound) given() string {
	if b.Given == "" {
		return ""
	}
	return ", " + b.Given
}

// saved limits what a schedule can gain.
func (in *Input) saved(gap float64, unproven bool) string {
	given := in.Bound.Given
	if given != "" {
		given = " " + given
	}
	if unproven && in.Bound.Unproven != "" {
		given += " (" + in.Bound.Unproven + ")"
	}
	if gap < Close {
		return fmt.Sprintf("little is left: the lower bound%s is %s below", given, words.Percent(gap))
	}
	return fmt.Sprintf("another schedule saves at most %s%s", words.Percent(gap), given)
}

// slow names tasks that took unusually long where they may have cost much: no
// bound holds them against the run, since bounds are made of means.
func (in *Input) slow(v *Verdict) string {
	if float64(in.Slow.NS) < Large*float64(in.Makespan) {
		return ""
	}
	v.Evidence["slow_tasks"], v.Evidence["slow_ns"] = in.Slow.Tasks, in.Slow.NS
	return fmt.Sprintf("%s took unusually long for their kind, which cost at most %s", words.Plural(in.Slow.Tasks, "task"), words.PercentOf(in.Slow.NS, in.Makespan))
}

// large are the families with a tenth of the makespan or more, the largest first.
func (in *Input) large() []Cost {
	var list []Cost
	for _, c := range in.Costs {
		if c.Family != Compute && float64(c.NS) >= Large*float64(in.Makespan) {
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(a, b Cost) int { return cmp.Compare(b.NS, a.NS) })
	return list
}

// working describes a chain that is nearly all work.
func (in *Input) working(v *Verdict, add func(string)) Rule {
	executes := int64(0)
	for _, ns := range in.Marks {
		executes += ns
	}
	of := func(ns int64) string {
		return fmt.Sprintf("%s of the makespan (%s of %s)", words.PercentOf(ns, in.Makespan), words.Duration(ns), words.Duration(in.Makespan))
	}
	placed, free := in.Marks[chain.Placement], in.Marks[chain.NoMark]
	v.Evidence["execute_ns"] = executes
	switch {
	case float64(placed) >= Large*float64(in.Makespan):
		v.Evidence["placement_ns"] = placed
		add("For " + of(placed) + " tasks of the critical chain waited for a busy worker although an idle one would have ended them earlier")
		return Placement
	case !in.NoGraph && float64(free) >= Mostly*float64(in.Makespan):
		v.Evidence["dependencies_ns"] = free
		add(of(free) + " is work on the critical chain that could start as soon as what it depends on had ended" + in.kind())
		return Dependencies
	}
	add(of(executes) + " is work on the critical chain" + in.kind())
	if busy := in.busy(); busy != "" {
		add(busy)
	}
	return Work
}

// kind names the kind that most of the chain's work is of.
func (in *Input) kind() string {
	if in.Kind.Name == "" || in.Kind.Share < Mostly {
		return ""
	}
	return fmt.Sprintf(", %s", part(in.Kind.Name, in.Kind.Share))
}

// busy says how busy workers were, by architecture.
func (in *Input) busy() string {
	if len(in.Busy) == 0 {
		return ""
	}
	if len(in.Busy) == 1 {
		return "workers were busy " + words.Percent(in.Busy[0].Share) + " of the time"
	}
	list := make([]string, len(in.Busy))
	for i, b := range in.Busy {
		list[i] = b.Name + " " + words.Percent(b.Share)
	}
	return "workers were busy: " + strings.Join(list, ", ")
}

// part is "96 % of it NAME", or the name where that is nearly all.
func part(name string, share float64) string {
	if share >= Together+0.095 {
		return "all of it " + name
	}
	return fmt.Sprintf("%.0f %% of it %s", 100*share, name)
}
