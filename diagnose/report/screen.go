package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dagscope/diagnose/finding"
	"dagscope/diagnose/symptom"
	"dagscope/diagnose/verdict"
	"dagscope/explain/chain"
	"dagscope/internal/words"
)

// Block is a part of the first screen. Every form of the report, and the live
// view, prints the same blocks.
type Block struct {
	ID    string     `json:"id"`
	Title string     `json:"title"`
	Lines []string   `json:"lines,omitempty"` // before the table
	Head  []string   `json:"head,omitempty"`
	Right []bool     `json:"right,omitempty"` // columns of numbers
	Rows  [][]string `json:"rows,omitempty"`
	After []string   `json:"after,omitempty"` // below the table
}

// Blocks of the first screen.
const (
	verdictBlock    = "verdict"
	dataBlock       = "data"
	runBlock        = "run"
	efficiencyBlock = "efficiency"
	breakdownBlock  = "breakdown" // of runs without explicit tasks
	chainBlock      = "chain"
	idleBlock       = "idle"
	findingBlock    = "findings"
	regionBlock     = "regions" // of OpenMP programs
	lockBlock       = "locks"
)

// first puts together what the report begins with.
func (r *Report) first() []section {
	var s []section
	for _, part := range []func() (section, bool){
		r.verdictSection, r.dataSection, r.firstRegions, r.factSection, r.firstEfficiencies, r.firstBreakdown, r.firstLocks, r.firstChain, r.firstIdle, r.findingSection,
	} {
		if sec, ok := part(); ok {
			s = append(s, sec)
		}
	}
	return s
}

// screen is the first screen as data.
func (r *Report) screen() []Block { return asBlocks(r.first()) }

// Rest are all other tables as data.
func (r *Report) Rest() []Block { return asBlocks(r.rest()) }

func asBlocks(list []section) (blocks []Block) {
	for _, s := range list {
		s = s.oneLine()
		blocks = append(blocks, Block{s.id, s.title, s.lines, s.head, s.right, s.rows, s.after})
	}
	return blocks
}

func (r *Report) verdictSection() (section, bool) {
	s := section{id: verdictBlock, title: "Run " + r.Run}
	if r.Verdict != nil {
		s.lines = []string{r.Verdict.Text}
	}
	return s, true
}

// Of what is wrong with the data the first screen has so many entries, each of at
// most so many characters: two lines of a terminal.
const (
	mostWarnings   = 3
	longestWarning = 180
)

// dataSection is what is wrong with the data, and what could not be computed.
func (r *Report) dataSection() (section, bool) {
	s := section{id: dataBlock, title: "Data"}
	forbids := ""
	for _, w := range r.DataWarnings {
		if first := forbids == "" && w.Forbids != ""; first {
			forbids = w.Forbids
			if r.Verdict != nil && strings.Contains(r.Verdict.Text, w.Text) {
				continue
			}
		}
		s.lines = append(s.lines, verdict.Clip(w.Text, longestWarning))
	}
	for _, p := range r.Problems {
		if !strings.HasPrefix(p, "dependencies: the run has no task graph") && !strings.HasPrefix(p, "breakdown: no ready time") && !strings.HasPrefix(p, "recording: ") {
			s.lines = append(s.lines, verdict.Clip(p, longestWarning))
		}
	}
	if more := len(s.lines) - mostWarnings; more > 0 {
		s.lines = append(s.lines[:mostWarnings], fmt.Sprintf("%d more (--full)", more))
	}
	if forbids != "" {
		s.lines = append(s.lines, "withheld: "+forbids)
	}
	return s, len(s.lines) > 0
}

// factSection is what ran where, how long that took and could take, and who began
// late.
func (r *Report) factSection() (section, bool) {
	s := section{id: runBlock, title: "Facts"}
	if r.Tasks == 0 {
		return s, false
	}
	s.lines = append(s.lines, r.machineLine())
	if r.incomplete() == "" {
		if line := r.lowerLine(); line != "" {
			s.lines = append(s.lines, line)
		}
		if r.late != nil {
			s.lines = append(s.lines, r.late.Words())
		}
	}
	return s, true
}

// machineLine says what ran where, and how much of their time workers of each
// architecture were idle: a mean over CPUs and GPUs says nothing.
func (r *Report) machineLine() string {
	nodes := map[int32]bool{}
	type workers struct {
		arch  string
		count int
		idle  float64 // sum of shares
	}
	var list []workers
	for _, w := range r.Workers {
		nodes[w.Node] = true
		i := slices.IndexFunc(list, func(l workers) bool { return l.arch == w.Arch })
		if i < 0 {
			i = len(list)
			list = append(list, workers{arch: w.Arch})
		}
		list[i].count++
		list[i].idle += w.IdleShare
	}
	parts := []string{"makespan " + words.Duration(r.Makespan), words.Plural(r.Tasks, "task")}
	if len(nodes) > 1 {
		parts = append(parts, words.Plural(len(nodes), "node"))
	}
	var machine []string
	for _, l := range list {
		if r.Idle != nil && r.Makespan > 0 { // of the program's code outside of tasks, too
			l.idle = float64(r.idleAt[l.arch]) / float64(r.Makespan)
		}
		machine = append(machine, fmt.Sprintf("%d %s idle %s", l.count, cmp.Or(l.arch, "of unknown architecture"), words.Percent(l.idle/float64(l.count))))
	}
	return words.Join(parts...) + "; workers: " + words.List(machine, 4)
}

func (r *Report) firstEfficiencies() (section, bool) {
	if r.incomplete() != "" {
		return section{}, false
	}
	s, ok := r.factorSection()
	s.id = efficiencyBlock
	if ok && r.Efficiency.MPI == nil {
		s.after = []string{efficiencyCulprit(r.Efficiency)}
	}
	return s, ok
}

// firstBreakdown is what is known of a program without explicit tasks.
func (r *Report) firstBreakdown() (section, bool) {
	if r.Tasks > 0 {
		return section{}, false
	}
	s, ok := r.breakdownSection()
	s.id = breakdownBlock
	return s, ok
}

func (r *Report) firstChain() (section, bool) {
	if r.Chain == nil {
		return section{}, false
	}
	s := r.firstBlame(chainBlock, "Critical chain", "of makespan", r.Chain.lines, r.Makespan)
	for _, row := range s.rows {
		switch {
		case row[0] == chain.Runtime.String() && r.noStates:
			s.after = append(s.after, "runtime: a task was ready and its worker ran none; the trace does not say what it did")
		case row[0] == chain.SlowerExecution && strings.HasPrefix(row[1], "-"):
			s.after = append(s.after, "negative: tasks of the chain took less than the mean of their kind")
		}
	}
	return s, true
}

func (r *Report) firstIdle() (section, bool) {
	whole := int64(0)
	for _, ns := range r.Idle {
		whole += ns
	}
	if whole == 0 {
		return section{}, false
	}
	s := r.firstBlame(idleBlock, "Idle workers", "of idle time", r.idleLines, whole)
	for _, row := range s.rows {
		if row[0] == chain.Execute.String() {
			row[0] += " (a task was ready)"
		}
	}
	return s, true
}

// shownBlame are the lines of a table of classes on the first screen.
const shownBlame = 5

func (r *Report) firstBlame(id, title, share string, lines []blameLine, whole int64) section {
	if r.incomplete() != "" {
		title += " (of what was read)"
	}
	s := blameTable(title, share, lines, whole, shownBlame, signed)
	s.id = id
	s.head[1] = "time"
	return s
}

// signed is a time that may be negative, as that of tasks faster than the mean.
func signed(ns int64) string {
	if ns < 0 {
		return "-" + words.Duration(-ns)
	}
	return words.Duration(ns)
}

// findingSection lists findings: severity, what is gained, the sentence, the advice,
// and of simulated gains the command that repeats them.
func (r *Report) findingSection() (section, bool) {
	s := section{
		id: findingBlock, title: "What to look at first", lines: []string{"≤: estimated gain at most; do not add up"},
		head: []string{"", "could save", "finding", "what to do"}, right: []bool{false, true, false, false},
	}
	simulated := slices.ContainsFunc(r.Findings, func(f finding.Finding) bool { return f.Basis == symptom.Simulated })
	if simulated {
		s.lines = []string{"simulated, with the interval of 80 % of the pairs; ≤: at most; do not add up"}
		s.head, s.right = append(s.head, "repeats the simulation"), append(s.right, false)
	}
	for _, f := range r.Findings {
		gain := "≤ " + words.Duration(f.Gain)
		severity := string(f.Severity)
		switch {
		case f.Severity == finding.Note:
			gain = ""
		case f.Basis == symptom.Simulated:
			gain = gained(f.Gain, *f.Low, *f.High)
		case f.Weak:
			severity = "maybe"
		}
		row := []string{severity, gain, sentence(f.Title) + alsoSeen(&f), sentence(f.Advice), f.Command}
		s.rows = append(s.rows, row[:len(s.head)])
	}
	s.after = r.proofLines()
	return s, len(s.rows)+len(s.after) > 0
}

// alsoSeen names the findings that the repair of this one repairs.
func alsoSeen(f *finding.Finding) string {
	if len(f.AlsoSeen) == 0 {
		return ""
	}
	return " Also seen as " + words.List(f.AlsoSeen, 4) + "."
}

// sentence begins with a capital, unless a name begins it, and ends with a full
// stop.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	first, rest, _ := strings.Cut(text, " ")
	if strings.ToLower(first) == first && !strings.ContainsAny(first, "_@:") {
		text = strings.ToUpper(first[:1]) + first[1:]
		if rest != "" {
			text += " " + rest
		}
	}
	return strings.TrimSuffix(text, ".") + "."
}
