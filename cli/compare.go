package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"dagscope/diagnose/symptom"
	"dagscope/explain/compare"
	"dagscope/explain/tree"
	"dagscope/internal/words"
	"dagscope/predict/whatif"
	"dagscope/trace"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// compareFlags are the flags of the verb as given.
type compareFlags struct {
	json, csv, tasks bool
	gflops, tree     bool
	step             float64
	generation       string
	counted, full    bool
	most             int
	plot             string
}

func newCompare() *cobra.Command {
	var f compareFlags
	cmd := &cobra.Command{
		Use:   "compare A B [C…]",
		Short: "What changed between two runs, and what made one of them longer; efficiencies of several",
		Long: `Print what changed from run A to run B: how the difference of the makespans divides
into work and idle time, kinds of tasks, workers, bounds, phases, efficiencies, and the
tasks that changed most. Runs may be of other sizes and machines, or one simulated and
one real. Of three runs and more, print efficiencies and the time of each kind of task
side by side; A is the reference of computation scalability and global efficiency.
docs/compare.md defines every number.`,
		Example: `  dagscope compare dmdas.dsr lws.dsr
  dagscope compare nodes1.dsr nodes2.dsr nodes4.dsr nodes8.dsr
  dagscope compare real.dsr simulated.dsr --json
  dagscope compare before.dsr after.dsr --tasks --csv > tasks.csv`,
		Args: argumentsFrom("A B", "C…"),
		RunE: func(cmd *cobra.Command, args []string) error { return runCompare(cmd, &f, args) },
	}
	fl := cmd.Flags()
	fl.BoolVar(&f.json, "json", false, "print JSON (docs/compare.md has the contract)")
	fl.BoolVar(&f.tasks, "tasks", false, "print all matched tasks with the times of both runs instead")
	fl.BoolVar(&f.gflops, "gflops", false, "print the work done by each instant instead, and what the faster run was ahead")
	fl.BoolVar(&f.tree, "tree", false, "print what was computed on each node of the elimination tree instead, slice by slice")
	fl.Float64Var(&f.step, "step", 100, "with --gflops or --tree: length of a slice in `ms`")
	fl.BoolVar(&f.csv, "csv", false, "with --tasks, --gflops or --tree: print CSV"+apostrophes)
	fl.IntVar(&f.most, "most", 10, "how many of the tasks that changed most are listed (in JSON 50)")
	fl.BoolVar(&f.full, "full", false, "all bounds and causes of waiting of runs of more than 100 000 tasks too: takes seconds")
	fl.StringVar(&f.plot, "plot", "", "draw the courses of both runs, and one against the other, into `FILE.svg|pdf|png` too")
	fl.StringVar(&f.generation, "generation", "", "`REGEX` of the kinds that prepare the input, instead of that of the import; none for none")
	fl.BoolVar(&f.counted, "count-generation", false, "count tasks that prepare the input")
	cmd.MarkFlagsMutuallyExclusive("csv", "json")
	cmd.MarkFlagsMutuallyExclusive("tasks", "gflops", "tree")
	return cmd
}

func runCompare(cmd *cobra.Command, f *compareFlags, args []string) error {
	if err := f.check(cmd.Flags()); err != nil {
		return err
	}
	if len(args) > 2 {
		if err := checkSeveral(cmd.Flags(), len(args)); err != nil {
			return err
		}
		return f.several(cmd.OutOrStdout(), args, cmd.Flags().Changed("generation"))
	}
	sides, err := f.open(args, cmd.Flags().Changed("generation"))
	if err != nil {
		return err
	}
	if f.tabular() {
		t, err := f.table(sides[0].Run, sides[1].Run)
		if err != nil {
			return err
		}
		return printTable(cmd.OutOrStdout(), t, f.csv, f.json)
	}
	r, err := compare.Compute(sides[0], sides[1], f.options())
	if err != nil {
		return err
	}
	if f.plot != "" {
		if err := f.draw(r); err != nil {
			return err
		}
	}
	c := comparison{Result: r, Changed: changed(sides[:]), Causes: f.causes(sides[0].Run, sides[1].Run, "B")}
	if f.json {
		return writeJSON(cmd.OutOrStdout(), c)
	}
	return writeComparison(cmd.OutOrStdout(), &c)
}

// comparison is what compare prints: what changed, and what explains it.
type comparison struct {
	*compare.Result
	Changed []string         `json:"changed,omitempty"` // what whatif -o changed in a run that it has kept
	Causes  []symptom.Change `json:"causes"`            // what one run has and the other has not, the most important first
}

// causes are what explains the difference, unless it is not asked for of large runs.
func (f *compareFlags) causes(a, b *trace.Run, name string) []symptom.Change {
	if !f.full && max(len(a.Task.Start), len(b.Task.Start)) > compare.Large {
		return []symptom.Change{}
	}
	b, _ = compare.Rename(a, b)
	return append([]symptom.Change{}, symptom.Contrast(a, b, [2]string{"A", name})...)
}

// changed says of runs that what-if has kept what was changed in them.
func changed(sides []compare.Side) (all []string) {
	for i, s := range sides {
		if what := s.Run.Meta.Environment[whatif.EnvChange]; what != "" {
			all = append(all, fmt.Sprintf("%s is a run with one change: %s", compare.Letter(i), what))
		}
	}
	return all
}

// writeCauses lists what explains the difference.
func writeCauses(b *strings.Builder, list []symptom.Change) {
	if len(list) == 0 {
		return
	}
	b.WriteString("\nWhat explains the difference (costs overlap: do not add up)\n")
	texts := make([]string, 0, len(list))
	for _, c := range list[:min(len(list), maxCauses)] {
		if c.Weak {
			c.Text = "Maybe: " + c.Text
		}
		texts = append(texts, c.Text)
	}
	writeSentences(b, texts)
}

// tabular reports that one table is asked for instead of the comparison.
func (f *compareFlags) tabular() bool { return f.tasks || f.gflops || f.tree }

// check refuses flags that make no difference, and sets what others imply.
func (f *compareFlags) check(fl *pflag.FlagSet) error {
	switch {
	case f.csv && !f.tabular():
		return usagef("--csv means nothing without --tasks, --gflops or --tree")
	case fl.Changed("step") && !f.gflops && !f.tree:
		return usagef("--step means nothing without --gflops or --tree")
	case f.plot != "" && f.tabular():
		return usagef("--plot means nothing with --tasks, --gflops or --tree")
	case f.most < 0:
		return usagef("found --most %d, want a number from 0", f.most)
	case f.json && !fl.Changed("most"):
		f.most = 50
	}
	return nil
}

func (f *compareFlags) options() compare.Options {
	o := compare.Options{Generation: f.counted, Full: f.full, Tasks: f.most}
	if f.most == 0 {
		o.Tasks = -1
	}
	return o
}

// open loads the columns of both runs that the answer needs.
func (f *compareFlags) open(paths []string, generation bool) (sides [2]compare.Side, err error) {
	if err := apart(paths); err != nil {
		return sides, err
	}
	var runs [2]run
	tasks := 0
	for i, path := range paths {
		if runs[i], err = openRun(path); err != nil {
			return sides, err
		}
		tasks = max(tasks, runs[i].Rows("task"))
	}
	var columns []string
	switch {
	case f.tasks:
		columns = compare.PairNeeds
	case f.gflops:
		columns = compare.WorkNeeds
	case f.tree:
		columns = tree.Needs
	case tasks > compare.Large && !f.full:
		columns = compare.LargeNeeds
	default:
		columns = slices.Concat(compare.Needs, symptom.Needs)
	}
	for i, r := range runs {
		run, err := f.load(r, columns, generation)
		if err != nil {
			return sides, err
		}
		sides[i] = compare.Side{Name: runName(paths[i]), Run: run}
	}
	if sides[0].Name == sides[1].Name {
		sides[0].Name, sides[1].Name = paths[0], paths[1]
	}
	return sides, nil
}

// load reads columns of a run, and sets what counts as generation.
func (f *compareFlags) load(r run, columns []string, generation bool) (*trace.Run, error) {
	run, err := r.Load(columns...)
	if err != nil || !generation {
		return run, err
	}
	if err := run.SetGeneration(f.generation); err != nil {
		return nil, usageError{err}
	}
	return run, nil
}

// Rows of the tables that people are shown; JSON has all.
const (
	maxKinds   = 24
	maxWorkers = 16
	maxPhases  = 20
	maxCauses  = 5
)

// writeComparison prints the comparison for a terminal: the answer first, then
// the tables it rests on.
func writeComparison(w io.Writer, c *comparison) error {
	var b strings.Builder
	r := c.Result
	g := grid{right: map[int]bool{2: true, 3: true, 4: true, 5: true}}
	for _, s := range []struct {
		letter string
		of     *compare.Summary
	}{{"A", &r.A}, {"B", &r.B}} {
		addSummary(&g, s.letter, s.of)
	}
	g.write(&b)
	if len(c.Changed) > 0 {
		b.WriteString("\n")
		writeSentences(&b, c.Changed)
	}
	writeCauses(&b, c.Causes)
	b.WriteString("\nWhat changed from A to B\n")
	writeSentences(&b, r.Words)
	for _, section := range []func(*strings.Builder, *compare.Result){
		writeParts, writeKinds, writeInflation, writeWorkers, writeBounds, writeEfficiencyChange, writePhases, writeDistributions, writeCourses, writeFirst, writeChanges, writeMatched,
	} {
		section(&b, r)
	}
	if len(r.Notes) > 0 {
		b.WriteString("\nNotes\n")
		writeSentences(&b, r.Notes)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// addSummary is the line of a run.
func addSummary(g *grid, letter string, of *compare.Summary) {
	g.add(letter, shorten(of.Name, 40), words.Precise(of.Makespan), words.Plural(of.Tasks, "task"), words.Plural(of.Workers, "worker"), "idle "+words.Percent(of.IdleShare))
}

// writeSentences wraps sentences so that they can be read on 100 columns.
func writeSentences(b *strings.Builder, sentences []string) {
	const width = 98
	for _, s := range sentences {
		column := 2
		b.WriteString("  -")
		for _, word := range strings.Fields(words.OneLine(s)) {
			if n := utf8.RuneCountInString(word); column+1+n > width {
				b.WriteString("\n   ")
				column = 2
			}
			b.WriteString(" " + word)
			column += 1 + utf8.RuneCountInString(word)
		}
		b.WriteString("\n")
	}
}

func writeParts(b *strings.Builder, r *compare.Result) {
	if len(r.Parts) == 0 {
		return
	}
	fmt.Fprintf(b, "\nThe makespan, per worker (mean over %s → %s)\n", words.Plural(r.A.Workers, "worker"), words.Count(r.B.Workers))
	g := grid{indent: "  ", right: map[int]bool{2: true, 3: true, 4: true}}
	g.add("", "", "A ms", "B ms", "change")
	for i, p := range r.Parts {
		if i >= maxKinds && p.Of == "work" {
			continue
		}
		g.add(p.Of, shorten(p.Name, 44), words.MSColumn(p.A), words.MSColumn(p.B), words.ChangeMS(p.B-p.A))
	}
	g.add("", "makespan", words.MSColumn(r.A.Makespan), words.MSColumn(r.B.Makespan), words.ChangeMS(r.B.Makespan-r.A.Makespan))
	g.write(b)
}

func writeKinds(b *strings.Builder, r *compare.Result) {
	b.WriteString("\nTasks by kind\n")
	g := grid{indent: "  ", right: map[int]bool{2: true, 3: true, 4: true, 5: true, 6: true, 7: true, 8: true, 9: true}}
	g.add("kind", "arch", "tasks A", "B", "work A ms", "B ms", "change", "median A ms", "B ms", "B/A")
	for _, k := range r.Kinds[:min(len(r.Kinds), maxKinds)] {
		g.add(shorten(k.Kind, 24), k.Arch, orDash(k.ACount > 0, words.Count(k.ACount)), orDash(k.BCount > 0, words.Count(k.BCount)),
			orDash(k.ACount > 0, words.MSColumn(k.ATotal)), orDash(k.BCount > 0, words.MSColumn(k.BTotal)), words.ChangeMS(k.BTotal-k.ATotal),
			orDash(k.ACount > 0, words.MSColumn(k.AMedian)), orDash(k.BCount > 0, words.MSColumn(k.BMedian)),
			ratio(k.ACount > 0 && k.BCount > 0, k.AMedian, k.BMedian))
	}
	g.write(b)
	left(b, len(r.Kinds)-maxKinds, "kind")
}

// writeInflation sets the work of tasks on several workers against that on one.
func writeInflation(b *strings.Builder, r *compare.Result) {
	f := r.Inflation
	if f == nil {
		return
	}
	many := "B"
	if f.One == "B" {
		many = "A"
	}
	b.WriteString("\nWork inflation against one worker\n")
	g := grid{indent: "  ", right: map[int]bool{1: true, 2: true, 3: true, 4: true, 5: true}}
	g.add("kind", "tasks "+many, "work "+many+" ms", "as in "+f.One+" ms", "excess", "factor")
	for _, k := range f.Kinds[:min(len(f.Kinds), maxKinds)] {
		g.add(shorten(k.Kind, 24), words.Count(k.Tasks), words.MSColumn(k.Work), words.MSColumn(k.Usual), words.ChangeMS(k.Work-k.Usual), strconv.FormatFloat(k.Factor, 'f', 2, 64))
	}
	g.add("all", "", words.MSColumn(f.Work), words.MSColumn(f.Usual), words.ChangeMS(f.Work-f.Usual), strconv.FormatFloat(f.Factor, 'f', 2, 64))
	g.write(b)
	left(b, len(f.Kinds)-maxKinds, "kind")
}

func writeWorkers(b *strings.Builder, r *compare.Result) {
	b.WriteString("\nWorkers\n")
	g := grid{indent: "  ", right: map[int]bool{2: true, 3: true, 4: true, 5: true, 6: true, 7: true, 8: true}}
	g.add("worker", "arch", "tasks A", "B", "busy A ms", "B ms", "change", "idle A", "B")
	for _, i := range mostChanged(len(r.Workers), maxWorkers, func(i int) int64 { return zeroIfNil(r.Workers[i].BBusy) - zeroIfNil(r.Workers[i].ABusy) }) {
		w := &r.Workers[i]
		inA, inB := w.ABusy != nil, w.BBusy != nil
		change := "–"
		if inA && inB {
			change = words.ChangeMS(*w.BBusy - *w.ABusy)
		}
		g.add(shorten(w.Name, 24), w.Arch, orDash(inA, words.Count(w.ATasks)), orDash(inB, words.Count(w.BTasks)), msPointer(w.ABusy), msPointer(w.BBusy), change,
			sharePointer(w.AIdle), sharePointer(w.BIdle))
	}
	g.write(b)
	left(b, len(r.Workers)-maxWorkers, "worker")
}

// boundTitles say bounds in words.
var boundTitles = map[string]string{
	"abe": "area (ABE)", "cpe": "critical path (CPE)", "head_tail": "head–tail", "mixed": "mixed", "cpb": "longest chain as it ran (CPB)",
}

func writeBounds(b *strings.Builder, r *compare.Result) {
	if len(r.Bounds) == 0 {
		return
	}
	b.WriteString("\nBounds\n")
	g := grid{indent: "  ", right: map[int]bool{1: true, 2: true, 3: true, 4: true, 5: true}}
	g.add("", "A ms", "B ms", "change", "of makespan A", "B")
	for _, x := range r.Bounds {
		change := "–"
		if x.A != nil && x.B != nil {
			change = words.ChangeMS(*x.B - *x.A)
		}
		g.add(boundTitles[x.Name], msPointer(x.A), msPointer(x.B), change, ofMakespan(x.A, r.A.Makespan), ofMakespan(x.B, r.B.Makespan))
	}
	g.write(b)
}

func writeEfficiencyChange(b *strings.Builder, r *compare.Result) {
	if r.Efficiency == nil {
		return
	}
	writeEfficiencies(b, r.Efficiency)
	writeSentences(b, efficiencyNotes(r.Efficiency))
}

func writePhases(b *strings.Builder, r *compare.Result) {
	b.WriteString("\nPhases (from and to in each run's own time)\n")
	g := grid{indent: "  ", right: map[int]bool{1: true, 2: true, 3: true, 4: true, 5: true, 6: true, 7: true}}
	g.add("", "A from ms", "to", "B from ms", "to", "A ms", "B ms", "change")
	for _, i := range mostChanged(len(r.Phases), maxPhases, func(i int) int64 { return r.Phases[i].BNS - r.Phases[i].ANS }) {
		p := &r.Phases[i]
		g.add(p.Name, words.MSColumn(p.AT0), words.MSColumn(p.AT1), words.MSColumn(p.BT0), words.MSColumn(p.BT1), words.MSColumn(p.ANS), words.MSColumn(p.BNS), words.ChangeMS(p.BNS-p.ANS))
	}
	g.write(b)
	left(b, len(r.Phases)-maxPhases, "phase")
}

func writeChanges(b *strings.Builder, r *compare.Result) {
	if len(r.Tasks) == 0 {
		return
	}
	b.WriteString("\nTasks that changed most\n")
	g := grid{indent: "  ", right: map[int]bool{2: true, 3: true, 4: true}}
	g.add("kind", "job id", "A ms", "B ms", "change", "worker")
	for _, t := range r.Tasks {
		g.add(shorten(t.A.Kind, 24), either(t.A.Key, t.B.Key), words.MSColumn(t.ANS), words.MSColumn(t.BNS), words.ChangeMS(t.BNS-t.ANS), either(t.A.Worker, t.B.Worker))
	}
	g.write(b)
}

func writeMatched(b *strings.Builder, r *compare.Result) {
	m := r.Matched
	parts := make([]string, len(m.How))
	for i, h := range m.How {
		parts[i] = fmt.Sprintf("%s by %s", words.Count(h.Pairs), h.Name)
	}
	found := "none"
	if len(parts) > 0 {
		found = strings.Join(parts, ", ")
	}
	b.WriteString("\n")
	writeSentences(b, []string{fmt.Sprintf("Tasks matched: %s; %s only in A, %s only in B.", found, words.Count(m.OnlyA), words.Count(m.OnlyB))})
}

// mostChanged are the rows of a table that are shown: up to limit, those that
// changed most, in their order.
func mostChanged(rows, limit int, change func(i int) int64) []int {
	all := make([]int, rows)
	for i := range all {
		all[i] = i
	}
	if rows <= limit {
		return all
	}
	magnitude := func(i int) int64 { return max(change(i), -change(i)) }
	slices.SortStableFunc(all, func(i, j int) int { return cmp.Compare(magnitude(j), magnitude(i)) })
	all = all[:limit]
	slices.Sort(all)
	return all
}

func zeroIfNil(ns *int64) int64 {
	if ns == nil {
		return 0
	}
	return *ns
}

func left(b *strings.Builder, n int, what string) {
	if n > 0 {
		fmt.Fprintf(b, "  and %s that changed less (--json has all)\n", words.Plural(n, what))
	}
}

func either(a, b string) string {
	if a == b {
		return a
	}
	return a + " → " + b
}

// shorten keeps both ends of a long name: they tell more than its middle.
func shorten(s string, width int) string {
	runes := []rune(s)
	if len(runes) <= width {
		return s
	}
	head := width / 2
	return string(runes[:head]) + "…" + string(runes[len(runes)-(width-head-1):])
}

func orDash(known bool, s string) string {
	if known {
		return s
	}
	return "–"
}

func msPointer(ns *int64) string {
	if ns == nil {
		return "–"
	}
	return words.MSColumn(*ns)
}

func sharePointer(v *float64) string {
	if v == nil {
		return "–"
	}
	return words.Percent(*v)
}

func ofMakespan(ns *int64, makespan int64) string {
	if ns == nil || makespan <= 0 {
		return "–"
	}
	return words.Percent(float64(*ns) / float64(makespan))
}

func ratio(known bool, a, b int64) string {
	if !known || a <= 0 {
		return "–"
	}
	return strconv.FormatFloat(float64(b)/float64(a), 'f', 2, 64)
}
