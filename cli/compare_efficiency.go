package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"dagscope/diagnose/symptom"
	"dagscope/explain/compare"
	"dagscope/explain/efficiency"
	"dagscope/internal/words"
	"dagscope/trace"

	"github.com/spf13/pflag"
)

// ofTwo are the flags that ask for what sets exactly two runs against each other.
var ofTwo = []string{"tasks", "gflops", "tree", "step", "csv", "most", "full", "plot"}

// checkSeveral refuses, for three runs and more, flags that make no difference.
func checkSeveral(fl *pflag.FlagSet, runs int) (err error) {
	fl.Visit(func(flag *pflag.Flag) {
		if err == nil && slices.Contains(ofTwo, flag.Name) {
			err = usagef("--%s compares two runs: found %d", flag.Name, runs)
		}
	})
	return err
}

// several sets the efficiencies of runs side by side. Of all but the first nothing
// is kept while the next is read.
func (f *compareFlags) several(out io.Writer, paths []string, generation bool) error {
	if err := apart(paths); err != nil {
		return err
	}
	names := make([]string, len(paths))
	for i, path := range paths {
		names[i] = runName(path)
	}
	if distinct := slices.Compact(slices.Sorted(slices.Values(names))); len(distinct) < len(names) {
		names = paths
	}
	var all *compare.SideBySide
	var first *trace.Run
	var causes [][]symptom.Change // of each run, against the first
	for i, path := range paths {
		r, err := openRun(path)
		if err != nil {
			return err
		}
		columns := compare.EfficiencyNeeds
		if f.full || r.Rows("task") <= compare.Large {
			columns = slices.Concat(columns, compare.Needs, symptom.Needs)
		}
		run, err := f.load(r, columns, generation)
		if err != nil {
			return err
		}
		if first == nil {
			first = run
		}
		list := []symptom.Change{}
		if i > 0 && (f.full || len(first.Task.Start) <= compare.Large) {
			list = f.causes(first, run, compare.Letter(i))
		}
		causes = append(causes, list)
		side := compare.Side{Name: names[i], Run: run}
		if all == nil {
			all, err = compare.NewSideBySide(side, f.options())
		} else {
			err = all.Add(side)
		}
		if err != nil {
			return err
		}
	}
	all.Finish()
	if f.json {
		return writeJSON(out, struct {
			*compare.SideBySide
			Causes [][]symptom.Change `json:"causes"` // of each run, against the first
		}{all, causes})
	}
	return writeSeveral(out, all, causes)
}

func writeSeveral(w io.Writer, all *compare.SideBySide, causes [][]symptom.Change) error {
	var b strings.Builder
	g := grid{right: map[int]bool{2: true, 3: true, 4: true, 5: true}}
	for i := range all.Runs {
		addSummary(&g, compare.Letter(i), &all.Runs[i].Summary)
	}
	g.write(&b)
	var texts []string
	for i, list := range causes {
		if len(list) > 0 && !list[0].Weak {
			texts = append(texts, fmt.Sprintf("From A to %s: %s", compare.Letter(i), list[0].Text))
		}
	}
	if len(texts) > 0 {
		b.WriteString("\nWhat explains the differences most\n")
		writeSentences(&b, texts)
	}
	writeEfficiencies(&b, all)
	writeKindTimes(&b, all)
	if notes := efficiencyNotes(all); len(notes) > 0 {
		b.WriteString("\nNotes\n")
		writeSentences(&b, notes)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func efficiencyNotes(all *compare.SideBySide) (notes []string) {
	for i := range all.Runs {
		for _, note := range all.Runs[i].Notes {
			notes = append(notes, compare.Letter(i)+": "+note)
		}
	}
	return notes
}

// factorRows are the rows of the table of efficiencies; those that no run has are
// left out.
var factorRows = []struct {
	name string
	of   func(e *compare.EfficiencyOf) *float64
}{
	{"parallel efficiency", factor(whole, func(f *efficiency.Factors) *float64 { return f.Parallel })},
	{"  = distribution", factor(whole, func(f *efficiency.Factors) *float64 { return f.Distribution })},
	{"  × allocation", factor(whole, func(f *efficiency.Factors) *float64 { return f.Allocation })},
	{"  × load balance", factor(whole, func(f *efficiency.Factors) *float64 { return f.LoadBalance })},
	{"  × communication efficiency", factor(whole, func(f *efficiency.Factors) *float64 { return f.Communication })},
	{"MPI: parallel efficiency", factor(mpiFactors, func(f *efficiency.Factors) *float64 { return f.Parallel })},
	{"  = load balance", factor(mpiFactors, func(f *efficiency.Factors) *float64 { return f.LoadBalance })},
	{"  × communication efficiency", factor(mpiFactors, func(f *efficiency.Factors) *float64 { return f.Communication })},
	{"inside of ranks: parallel efficiency", factor(rankFactors, func(f *efficiency.Factors) *float64 { return f.Parallel })},
	{"  = load balance", factor(rankFactors, func(f *efficiency.Factors) *float64 { return f.LoadBalance })},
	{"  × communication efficiency", factor(rankFactors, func(f *efficiency.Factors) *float64 { return f.Communication })},
	{"computation scalability", func(e *compare.EfficiencyOf) *float64 { return e.ComputationScalability }},
	{"global efficiency", func(e *compare.EfficiencyOf) *float64 { return e.GlobalEfficiency }},
}

func factor(of func(*efficiency.Summary) *efficiency.Factors, pick func(*efficiency.Factors) *float64) func(*compare.EfficiencyOf) *float64 {
	return func(e *compare.EfficiencyOf) *float64 {
		if e.Efficiency == nil {
			return nil
		}
		if f := of(e.Efficiency); f != nil {
			return pick(f)
		}
		return nil
	}
}

func whole(s *efficiency.Summary) *efficiency.Factors { return &s.Factors }

func mpiFactors(s *efficiency.Summary) *efficiency.Factors {
	if s.MPI == nil {
		return nil
	}
	return &s.MPI.Factors
}

func rankFactors(s *efficiency.Summary) *efficiency.Factors { return s.OpenMP }

func writeEfficiencies(b *strings.Builder, all *compare.SideBySide) {
	b.WriteString("\nEfficiencies (A is the reference)\n")
	g, head := table(all)
	g.add(head...)
	row := []string{"makespan ms"}
	for i := range all.Runs {
		row = append(row, words.MSColumn(all.Runs[i].Makespan))
	}
	g.add(row...)
	for _, r := range factorRows {
		row, some := []string{r.name}, false
		for i := range all.Runs {
			v := r.of(&all.Runs[i])
			some = some || v != nil
			row = append(row, sharePointer(v))
		}
		if some {
			g.add(row...)
		}
	}
	g.write(b)
}

// table has a column of numbers for each run.
func table(all *compare.SideBySide) (g grid, head []string) {
	g, head = grid{indent: "  ", right: map[int]bool{}}, []string{""}
	for i := range all.Runs {
		g.right[1+i] = true
		head = append(head, compare.Letter(i))
	}
	return g, head
}

// writeKindTimes sets the time of kinds side by side, and their computation
// scalability, the most time of any run first.
func writeKindTimes(b *strings.Builder, all *compare.SideBySide) {
	type pair struct{ kind, arch string }
	most, of := map[pair]int64{}, make([]map[pair]*compare.KindTime, len(all.Runs))
	var pairs []pair
	for i := range all.Runs {
		of[i] = map[pair]*compare.KindTime{}
		for k := range all.Runs[i].Kinds {
			t := &all.Runs[i].Kinds[k]
			p := pair{t.Kind, t.Arch}
			if _, ok := most[p]; !ok {
				pairs = append(pairs, p)
			}
			of[i][p], most[p] = t, max(most[p], t.Useful)
		}
	}
	slices.SortStableFunc(pairs, func(x, y pair) int { return int(min(1, max(-1, most[y]-most[x]))) })
	shown := pairs[:min(len(pairs), maxKinds)]
	for _, section := range []struct {
		title string
		cell  func(t *compare.KindTime) string
	}{
		{"Time of tasks by kind, ms", func(t *compare.KindTime) string { return words.MSColumn(t.Useful) }},
		{"Computation scalability by kind: time per unit of work in A over that here", func(t *compare.KindTime) string { return sharePointer(t.ComputationScalability) }},
	} {
		b.WriteString("\n" + section.title + "\n")
		g, head := table(all)
		g.add(head...)
		for _, p := range shown {
			row := []string{shorten(strings.TrimSpace(p.kind+" "+p.arch), 40)}
			for i := range all.Runs {
				cell := "–"
				if t := of[i][p]; t != nil {
					cell = section.cell(t)
				}
				row = append(row, cell)
			}
			g.add(row...)
		}
		g.write(b)
		if n := len(pairs) - len(shown); n > 0 {
			fmt.Fprintf(b, "  and %s that took less (--json has all)\n", words.Plural(n, "kind"))
		}
	}
}
