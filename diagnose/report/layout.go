package report

import (
	"fmt"
	"strconv"
	"strings"

	"dagscope/explain/breakdown"
	"dagscope/explain/chain"
	"dagscope/explain/outlier"
	"dagscope/internal/words"
)

// section is one part of the report for people. Text, Markdown and HTML are
// three ways to print sections.
type section struct {
	id    string // of a block of the first screen, "" elsewhere
	title string
	lines []string // sentences before the table
	head  []string
	right []bool // columns of numbers
	rows  [][]string
	after []string // sentences below the table
}

// mostRows is how many rows of a table people are shown; JSON has all.
const mostRows = 24

// rest puts what is not on the first screen into sections.
func (r *Report) rest() []section {
	var s []section
	for _, part := range []func() (section, bool){
		r.runSection, r.boundSection, r.efficiencySection, r.chainSection, r.idleSection, r.kindSection, r.workerSection, r.nodeSection, r.progressionSection, r.memorySection, r.flowSection, r.communicationSection, r.allocation,
		r.allRegions, r.lockSection, r.breakdownSection, r.parallelismSection, r.taskingSection, r.migrationSection, r.delaySection, r.outlierSection, r.pathSection, r.iterationSection, r.logSection,
	} {
		if sec, ok := part(); ok {
			s = append(s, sec)
		}
	}
	return s
}

// runSection says what the numbers are not of.
func (r *Report) runSection() (section, bool) {
	s := section{title: "What is counted"}
	var besides []string
	for _, c := range []struct {
		n    int
		what string
	}{{r.Counts.Generation, "that generate the input"}, {r.Counts.Internal, "of the runtime itself"}, {r.Counts.Helpers, "that ran on threads of the runtime"}, {r.Counts.NeverRan, "that never ran"}} {
		if c.n > 0 {
			besides = append(besides, words.Count(int64(c.n))+" "+c.what)
		}
	}
	if len(besides) > 0 {
		s.lines = append(s.lines, "not counted: tasks "+strings.Join(besides, ", "))
	}
	s.lines = append(s.lines, r.Problems...)
	return s, len(s.lines) > 0
}

func (r *Report) kindSection() (section, bool) {
	unit, number := r.unit()
	s := section{
		title: "Tasks by kind", head: []string{"kind", "arch", "tasks", "total ms", "mean " + unit, "median " + unit, "p95 " + unit, "max " + unit},
		right: []bool{false, false, true, true, true, true, true, true},
	}
	for _, k := range r.Kinds {
		s.rows = append(s.rows, []string{
			k.Kind, k.Arch, words.Count(k.Count), words.MS(k.Total), number(k.Mean), number(k.Median), number(k.P95), number(k.Max),
		})
	}
	return s.cut("kinds"), len(s.rows) > 0
}

// unit is that of durations of single tasks: ms, or µs where the median of some
// kind is below 10 µs.
func (r *Report) unit() (name string, number func(ns int64) string) {
	for _, k := range r.Kinds {
		if k.Median < 10_000 {
			return "µs", words.US
		}
	}
	return "ms", words.MS
}

func (r *Report) workerSection() (section, bool) {
	s := section{
		title: "Workers", head: []string{"worker", "arch", "tasks", "busy ms", "idle", "idle by runtime"},
		right: []bool{false, false, true, true, true, true},
	}
	for _, w := range r.Workers {
		runtime := "–"
		if w.RuntimeIdleShare != nil {
			runtime = words.Percent(*w.RuntimeIdleShare)
		}
		s.rows = append(s.rows, []string{w.Name, w.Arch, words.Count(w.Tasks), words.MS(w.Busy), words.Percent(w.IdleShare), runtime})
	}
	s.after = []string{"idle: share of the makespan without task; idle by runtime: in the runtime's own Idle and Sleeping states"}
	if r.Meta.Lifetimes {
		s.after = []string{"idle: share of the makespan without explicit task; code of the program outside of them is idle time here only"}
	}
	return s.cut("workers"), len(s.rows) > 0
}

func (r *Report) nodeSection() (section, bool) {
	s := section{
		title: "Nodes", head: []string{"node", "workers", "tasks", "busy ms", "idle", "last end ms", "area bound ms", "of its end"},
		right: []bool{true, true, true, true, true, true, true, true},
	}
	for _, n := range r.Nodes {
		bound := "–"
		if n.ABE > 0 {
			bound = words.Percent(1 - n.Gap)
		}
		s.rows = append(s.rows, []string{
			strconv.Itoa(int(n.Node)), strconv.Itoa(n.Workers), words.Count(n.Tasks), words.MS(n.Busy), words.Percent(n.IdleShare), words.MS(n.End), words.MS(n.ABE), bound,
		})
	}
	return s.cut("nodes"), len(s.rows) > 0
}

func (r *Report) allocation() (section, bool) {
	s := section{
		title: "Where tasks ran and where the area bound puts them", head: []string{"kind", "arch", "tasks", "ideal", "difference"},
		right: []bool{false, false, true, true, true},
	}
	arches := map[string]bool{}
	for _, a := range r.ABESolution {
		if a.Node != "*" {
			continue
		}
		arches[a.Arch] = true
		s.rows = append(s.rows, []string{
			a.Kind, a.Arch, words.Count(a.Actual), strconv.FormatFloat(a.Ideal, 'f', 1, 64), strconv.FormatFloat(float64(a.Actual)-a.Ideal, 'f', 1, 64),
		})
	}
	return s.cut("pairs"), len(arches) > 1
}

func (r *Report) breakdownSection() (section, bool) {
	b := r.Breakdown
	if b == nil {
		return section{}, false
	}
	s := section{
		title: "Time of all workers", head: []string{"", "work ms", "idleness ms", "overhead ms", "work", "idleness", "overhead"},
		right: []bool{false, true, true, true, true, true, true},
	}
	add := func(name string, p Parts) {
		all := float64(max(p.Work+p.Idleness+p.Overhead, 1))
		s.rows = append(s.rows, []string{
			name, words.MS(p.Work), words.MS(p.Idleness), words.MS(p.Overhead),
			words.Percent(float64(p.Work) / all), words.Percent(float64(p.Idleness) / all), words.Percent(float64(p.Overhead) / all),
		})
	}
	add("any ready task", Parts{Work: b.Work, Idleness: b.Idleness, Overhead: b.Overhead})
	if b.ByArch != nil {
		add("tasks it can run", *b.ByArch)
	}
	if b.ByNode != nil {
		add("tasks of its node", *b.ByNode)
	}
	if b.Unknown > 0 {
		s.after = append(s.after, fmt.Sprintf("of %s no ready time is known: part of the idleness may be overhead", words.Plural(int(b.Unknown), "task")))
	}
	if b.Implicit > 0 {
		s.after = append(s.after, fmt.Sprintf("of the work, %s ms outside of explicit tasks (implicit and initial tasks)", words.MS(b.Implicit)))
	}
	for _, of := range []struct {
		what string
		p    *Parts
	}{{"waiting for locks", b.Lock}, {"without a processor", b.OffCPU}} {
		if of.p != nil && of.p.Work+of.p.Idleness+of.p.Overhead > 0 {
			s.after = append(s.after, fmt.Sprintf("of which %s: %s ms of work, %s ms of idleness, %s ms of overhead", of.what, words.MS(of.p.Work), words.MS(of.p.Idleness), words.MS(of.p.Overhead)))
		}
	}
	if r.incomplete() != "" {
		b.withhold("the recording is incomplete")
	}
	s.after = append(s.after, b.verdict())
	if b.ByNode != nil {
		s.after = append(s.after, b.localVerdict())
	}
	if r.Meta.Lifetimes {
		s.after = append(s.after, b.choice())
	}
	if all := b.Work + b.Idleness + b.Overhead; b.Processor > 0 && b.Processor*100 < all*95 {
		s.after = append(s.after, fmt.Sprintf("the program used %s of processor time, its threads lived for %s: they slept, or processors were taken away, for %s at least", words.InMS(b.Processor), words.InMS(all), words.InMS(all-b.Processor)))
	}
	if b.Paused > 0 {
		s.after = append(s.after, fmt.Sprintf("the recording was paused %s of it: what threads did then is not known, their last tasks and waits count as going on", words.InMS(b.Paused)))
	}
	text := "idleness: no task was ready; overhead: tasks were ready, yet the worker ran none"
	switch {
	case b.ByArch != nil && b.ByNode != nil:
		text += " (further rows: counting only tasks that the worker's architecture can run, and of them those of its own node)"
	case b.ByNode != nil:
		text += " (second row: counting only tasks of the worker's own node)"
	case b.ByArch != nil:
		text += " (second row: counting only tasks that the worker's architecture can run)"
	}
	s.after = append(s.after, text)
	return s, true
}

// verdict is the class in words, with what the paper advises.
func (b *Breakdown) verdict() string {
	if b.Withheld != "" {
		return "no judgement LL to HH: " + b.Withheld
	}
	return classWords(b.Class, b.Advice)
}

// localVerdict is that of nodes that cannot run each other's tasks.
func (b *Breakdown) localVerdict() string {
	p := breakdown.Parts{Work: b.ByNode.Work, Idleness: b.ByNode.Idleness, Overhead: b.ByNode.Overhead}
	class := p.Classify(breakdown.DefaultThresholds)
	return "by tasks of its node, " + classWords(string(class), class.Advice())
}

func classWords(class, advice string) string {
	level := func(part byte) string {
		if part == 'H' {
			return "high"
		}
		return "low"
	}
	return fmt.Sprintf("%s: idleness is %s, overhead is %s (high: from %s on): %s", class, level(class[0]), level(class[1]),
		words.Percent(breakdown.DefaultThresholds.Idleness), advice)
}

// choice says how the time of a program was read whose threads come and go.
func (b *Breakdown) choice() string {
	text := fmt.Sprintf("from %s to %s ms", words.MS(b.From), words.MS(b.To))
	if b.Region != "" {
		text += " (" + b.Region + ")"
	}
	if b.Cut != "" {
		text += ", " + b.Cut
	}
	text += ", threads while they live"
	if b.Waiting == "off" {
		return text + "; tasks that wait for others which are done do not count as ready (waiting-ready off)"
	}
	return text + "; tasks that wait for others which are done count as ready (waiting-ready on)"
}

func (r *Report) delaySection() (section, bool) {
	d := r.Delays
	if d == nil {
		return section{}, false
	}
	s := section{
		title: "What was waited for", head: []string{"", "tasks, ready to start ms", "workers, end to next start ms"},
		right: []bool{false, true, true},
	}
	for _, cause := range chain.Causes() {
		if d.task[cause] != 0 || d.gap[cause] != 0 {
			s.rows = append(s.rows, []string{cause.String(), words.MS(d.task[cause]), words.MS(d.gap[cause])})
		}
	}
	s.after = []string{"sums over all tasks, by class and mark of the critical chain"}
	return s, true
}

func (r *Report) outlierSection() (section, bool) {
	unit, number := r.unit()
	s := section{
		title: "Suspiciously long tasks", head: []string{"kind", "arch", "node", "tasks", "longer than " + unit, "method"},
		right: []bool{false, false, true, true, true, false},
	}
	for _, o := range r.Outliers {
		if o.Count == 0 {
			continue
		}
		threshold := "by work"
		if o.Threshold != nil && o.Method == string(outlier.IQR) {
			threshold = number(*o.Threshold)
		}
		s.rows = append(s.rows, []string{o.Kind, o.Arch, o.Node, words.Count(o.Count), threshold, o.Method})
	}
	return s.cut("groups"), len(s.rows) > 0
}

func (r *Report) pathSection() (section, bool) {
	if len(r.LastPath) == 0 {
		return section{}, false
	}
	keys := r.LastPath
	more := ""
	if len(keys) > mostRows {
		more = fmt.Sprintf(" … %d more", len(keys)-mostRows)
		keys = keys[:mostRows]
	}
	return section{
		title: "Chain of last dependencies, from the last task backwards",
		lines: []string{fmt.Sprintf("%s: %s%s", words.Plural(len(r.LastPath), "step"), strings.Join(keys, " ← "), more)},
	}, true
}

func (r *Report) iterationSection() (section, bool) {
	s := section{
		title: "Iterations", head: []string{"iteration", "start ms", "end ms", "tasks"}, right: []bool{true, true, true, true},
	}
	for _, it := range r.Iterations {
		s.rows = append(s.rows, []string{strconv.Itoa(int(it.Iteration)), words.MS(it.Start), words.MS(it.End), words.Count(it.Tasks)})
	}
	return s.cut("iterations"), len(s.rows) > 0
}

func (r *Report) logSection() (section, bool) {
	s := section{
		title: "Import log", head: []string{"severity", "count", "what", "first"}, right: []bool{false, true, false, false},
	}
	infos := 0
	for _, e := range r.ImportLog {
		if e.Severity == "info" {
			infos++
			continue
		}
		s.rows = append(s.rows, []string{e.Severity, words.Count(e.Count), e.Code, e.First})
	}
	if infos > 0 {
		s.after = []string{fmt.Sprintf("and %s that change nothing: dagscope info", words.Plural(infos, "note"))}
	}
	return s, len(s.rows) > 0
}

// cut keeps the first rows and says how many are left out.
func (s section) cut(what string) section {
	if n := len(s.rows); n > mostRows {
		s.rows = s.rows[:mostRows]
		s.after = append(s.after, fmt.Sprintf("%d more %s: dagscope report --json", n-mostRows, what))
	}
	return s
}
