// Package verdict answers: what is the one sentence to say of a run? It looks at
// where the critical chain's time went, how far the makespan is above the lower
// bound, and what the data do not allow to conclude, and applies the first of a few
// rules that fits (docs/report.md, Verdict).
//
// The approach: a cause that a test of significance has found comes first, with what
// its repair could save. Without one, near the bound there is nothing to look for;
// otherwise sums by class of the chain are gathered into families (waiting for
// memory, transfers, messages, …), and the largest with a tenth of the makespan or
// more is what cost most. A chain that is all work is described by what kept tasks
// waiting: a worker that an idle one could have stood in for, or dependencies. A
// sentence has at most two lines of a terminal; what else is known is in the tables
// below it.
//
// What it does not do: estimate what can be saved. It repeats the estimate of the
// finding, and the limit of the lower bound; the chain says where time went.
package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"dagscope/explain/chain"
	"dagscope/internal/words"
)

// Rule is what a verdict follows from.
type Rule string

// Rules, in the order in which they are tried.
const (
	NoTasks      Rule = "no-tasks"     // nothing was measured
	Incomplete   Rule = "incomplete"   // parts of the run are missing
	Found        Rule = "finding"      // a test of significance has found a cause
	AtTheBound   Rule = "at-the-bound" // at most Near of the makespan can be saved
	LargestCost  Rule = "largest-cost" // a family has Large of the makespan or more
	Placement    Rule = "placement"    // an idle worker would have ended tasks of the chain earlier
	Dependencies Rule = "dependencies" // the chain is work, each step released by the one before
	Work         Rule = "work"         // the chain is work, and neither of these
	Unknown      Rule = "unknown"      // there is no chain
)

// Thresholds, shares of the makespan.
const (
	Near   = 0.02 // above the bound: nothing to look for
	Close  = 0.05 // above the bound: little to look for
	Large  = 0.10 // what a family, or the mark placement, has at least to be named
	Mostly = 0.50 // of the whole, to be called most of it
	Nearly = 0.90 // of the whole, to be called nearly all of it
)

// A verdict fits into two lines of a terminal of 100 columns: numbers keep their units,
// which may move some characters from the first to the second, and the second has the
// full stop.
const (
	firstLine  = 93
	secondLine = 99
)

// Input is what a verdict is made of. Times are ns.
type Input struct {
	Tasks    int
	Makespan int64
	What     string // that the makespan is of, "" for the makespan of tasks
	NoGraph  bool   // no dependencies are known
	NoStates bool   // what the runtime did between tasks is not known
	Missing  string // why the run is incomplete, a sentence without full stop; "" if it is not
	Bound    *Bound
	Costs    []Cost               // of the chain, by family
	Marks    map[chain.Mark]int64 // of what the chain executes
	Kind     Share                // that has most of what the chain executes
	Late     *Late
	Slow     Slow
	Loops    *Loops   // of programs with parallel regions and without tasks
	Finding  *Finding // what a test of significance has found first, if it costs a fiftieth or more

	Efficiency *float64 // parallel efficiency; nil if not known
}

// Slow are tasks that took unusually long for their kind, and what the makespan
// could gain at most if they had not.
type Slow struct {
	Tasks int
	NS    int64
}

// Finding is a cause and what its repair could save.
type Finding struct {
	Title     string // a sentence without full stop
	NS        int64
	High      bool // a tenth of the makespan or more
	Simulated bool // NS comes of simulations of the repair; else of times of the run
}

// Bound is the lower bound to judge the run by.
type Bound struct {
	NS       int64
	Name     string // in words: "head–tail"
	Given    bool   // it holds for the placements seen, or for this distribution of data
	Unproven string // what may be faster than it: "TRSM never ran on a CPU"; "" for nothing
}

// Loops is what is known of a program of parallel regions without tasks.
type Loops struct {
	Recorded int64   // ns, of which shares are
	Parallel float64 // in parallel regions
	Work     float64 // of the threads' time: they made progress, with a processor and without waiting for a lock
	Longest  Share   // region with most of the time
}

// loops is the verdict on a program without tasks.
func (in *Input) loops(v *Verdict) {
	l := in.Loops
	whole := *in
	whole.Makespan, whole.What = l.Recorded, "run"
	v.Evidence["recorded_ns"], v.Evidence["parallel_share"], v.Evidence["work_share"] = l.Recorded, l.Parallel, l.Work
	if in.Finding != nil {
		v.Rule = Found
		v.Evidence["finding_ns"] = in.Finding.NS
		v.say(whole.found())
	} else {
		v.Rule = Work
	}
	v.say(fmt.Sprintf("threads worked for %s of their time, %s of the run was in parallel regions", words.Percent(l.Work), words.Percent(l.Parallel)))
	if l.Longest.Name != "" {
		v.say(fmt.Sprintf("%s took %s", l.Longest.Name, words.Percent(l.Longest.Share)))
	}
	if v.Rule == Work {
		v.Text = strings.ToUpper(v.Text[:1]) + v.Text[1:]
	}
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
	switch {
	case in.Loops != nil && in.Missing == "":
		in.loops(&v)
		return v.end()
	case in.Loops != nil:
		v.Rule = Incomplete
		v.say(cut("No conclusion about the whole run: " + in.Missing))
		return v.end()
	case in.Tasks == 0 || in.Makespan <= 0:
		v.Rule = NoTasks
		v.say("No task of the application ran: there is no critical chain and no lower bound")
		if in.Efficiency != nil {
			v.say("the parallel efficiency is " + words.Percent(*in.Efficiency))
		}
		return v.end()
	case in.Missing != "":
		v.Rule = Incomplete
		v.say(cut("No conclusion about the whole run: " + in.Missing))
		v.say(fmt.Sprintf("the %s that were read end at %s", words.Plural(in.Tasks, "task"), words.Duration(in.Makespan)))
		return v.end()
	}
	gap, bounded := in.gap()
	if bounded {
		v.Evidence["bound_ns"], v.Evidence["gap_share"] = in.Bound.NS, gap
	}
	if l := in.Late; l != nil {
		v.Evidence["late_nodes"], v.Evidence["late_from_ns"] = l.Nodes, l.From
	}
	costs := in.large()
	v.blame(costs)
	switch {
	case in.Finding != nil && (in.Finding.High || len(costs) == 0 || bounded && gap < Near):
		v.Rule = Found
		v.Evidence["finding_ns"] = in.Finding.NS
		v.say(in.found())
		if bounded && gap < Near {
			v.say(in.near(gap))
		}
		return v.end()
	case bounded && gap < Near:
		v.Rule = AtTheBound
		v.say(in.atBound(gap))
		v.say(in.slow(&v))
		return v.end()
	case len(in.Costs) == 0:
		v.Rule = Unknown
		v.say(fmt.Sprintf("The run took %s", words.Duration(in.Makespan)))
	case len(costs) > 0:
		v.Rule = LargestCost
		v.say(costs[0].clause(&in))
	default:
		v.Rule = in.working(&v)
	}
	if bounded {
		v.say(in.saved(gap))
	}
	return v.end()
}

// say adds a clause, unless the sentence becomes longer than a verdict may be: the
// most important ones come first, and tables have what all of them say.
func (v *Verdict) say(clause string) {
	switch {
	case clause == "":
	case v.Text == "":
		v.Text = clause
	default:
		if longer := v.Text + "; " + clause; fitting(longer) == len(longer) {
			v.Text = longer
		}
	}
}

// fitting is how many bytes of a sentence fit into two lines, whole words.
func fitting(text string) (end int) {
	room, lines := firstLine, 1
	for rest := text; rest != ""; {
		word, _, _ := strings.Cut(rest, " ")
		n := utf8.RuneCountInString(word)
		if n > room {
			if lines == 2 {
				return max(0, end-1)
			}
			room, lines = secondLine, 2
		}
		room -= n + 1
		end += len(word)
		if rest = rest[len(word):]; rest != "" {
			rest, end = rest[1:], end+1
		}
	}
	return end
}

// cut shortens a sentence that does not fit.
func cut(text string) string {
	if end := fitting(text); end < len(text) {
		text = text[:end]
		if i := strings.LastIndexByte(text, ' '); i > 0 && end > 1 { // room for the ellipsis
			text = text[:i]
		}
		return strings.TrimRight(text, " ,;:") + "…"
	}
	return text
}

func (v Verdict) end() Verdict {
	if !strings.HasSuffix(v.Text, "…") {
		v.Text += "."
	}
	return v
}

// Clip shortens a sentence that is longer than so many characters, at the end of a
// word if one is near.
func Clip(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	text = string(runes[:most-1])
	if i := strings.LastIndexByte(text, ' '); i >= len(text)-16 && i > 0 {
		text = text[:i]
	}
	return strings.TrimRight(text, " ,;:") + "…"
}

// widestName is how many characters of a name from the run a verdict shows.
const widestName = 24

// of is an amount of time, as a share of the makespan and as it is.
func (in *Input) of(ns int64) string {
	return fmt.Sprintf("%s of the %s (%s of %s)", words.PercentOf(ns, in.Makespan), cmp.Or(in.What, "makespan"), words.Duration(ns), words.Duration(in.Makespan))
}

// found says what the first finding costs. Of its title it takes the first clause:
// the list of findings has the whole.
func (in *Input) found() string {
	f := in.Finding
	text := "An estimated " + in.of(f.NS) + " can be saved: "
	if f.Simulated {
		text = in.of(f.NS) + " can be saved, simulations say: "
	}
	title := f.Title
	for _, end := range []string{": ", "; "} {
		title, _, _ = strings.Cut(title, end)
	}
	return cut(text + title)
}

// Words say when nodes began.
func (l *Late) Words() string {
	from := words.Duration(l.From)
	if len(l.Nodes) == 1 {
		return fmt.Sprintf("node %d starts its first task at %s", l.Nodes[0], from)
	}
	return fmt.Sprintf("nodes %s start their first task at %s (median), %s at the earliest", words.List(words.Ranges(l.Nodes), 6), words.Duration(l.Usual), from)
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

// near says that a schedule is at its bound.
func (in *Input) near(gap float64) string {
	if gap < 0 {
		return "as these tasks are, the schedule is at its lower bound"
	}
	return "as these tasks are, the schedule is within " + words.Percent(gap) + " of its lower bound"
}

// atBound says that nothing is to be gained by another schedule.
func (in *Input) atBound(gap float64) string {
	text := fmt.Sprintf("Within %s of the lower bound", words.Percent(gap))
	if gap < 0 {
		text = "At the lower bound"
	}
	if !in.Bound.Given {
		return text + ": no other schedule of these tasks is worth your time"
	}
	text += ": no other order of these tasks is worth your time"
	if in.Bound.Unproven != "" {
		text += ", another placement may be"
	}
	return text
}

// saved limits what a schedule can gain. A bound that holds for what was seen says
// nothing of other placements and distributions.
func (in *Input) saved(gap float64) string {
	what := "schedule"
	if in.Bound.Given {
		what = "order of these tasks"
	}
	return fmt.Sprintf("another %s saves at most %s", what, words.Percent(gap))
}

// slow names tasks that took unusually long where they may have cost much: no
// bound holds them against the run, since bounds are made of means.
func (in *Input) slow(v *Verdict) string {
	if float64(in.Slow.NS) < Large*float64(in.Makespan) {
		return ""
	}
	v.Evidence["slow_tasks"], v.Evidence["slow_ns"] = in.Slow.Tasks, in.Slow.NS
	return fmt.Sprintf("%s took unusually long for their kind, which cost up to %s", words.Plural(in.Slow.Tasks, "task"), words.PercentOf(in.Slow.NS, in.Makespan))
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
func (in *Input) working(v *Verdict) Rule {
	executes := int64(0)
	for _, ns := range in.Marks {
		executes += ns
	}
	placed, free := in.Marks[chain.Placement], in.Marks[chain.NoMark]
	v.Evidence["execute_ns"] = executes
	slow := in.slow(v)
	switch {
	case float64(placed) >= Large*float64(in.Makespan):
		v.Evidence["placement_ns"] = placed
		v.say("For " + in.of(placed) + " tasks waited for a busy worker although an idle one would have ended them earlier")
		return Placement
	case !in.NoGraph && float64(free) >= Mostly*float64(in.Makespan):
		v.Evidence["dependencies_ns"] = free
		v.say(in.of(free) + " is work that began as soon as what it depends on had ended" + in.kind())
		v.say(slow)
		return Dependencies
	}
	v.say(in.of(executes) + " is work on the critical chain" + in.kind())
	v.say(slow)
	return Work
}

// kind names the kind that most of the chain's work is of.
func (in *Input) kind() string {
	if in.Kind.Name == "" || in.Kind.Share < Mostly {
		return ""
	}
	return ", " + part("", in.Kind.Name, in.Kind.Share)
}

// part is "mostly in NAME".
func part(preposition, name string, share float64) string {
	how := "mostly "
	switch {
	case share >= 0.995:
		how = "all "
	case share >= Nearly:
		how = "nearly all "
	}
	return how + preposition + Clip(name, widestName)
}
