package report

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"dagscope/explain/efficiency"
	"dagscope/internal/words"
)

// efficiencies divide what the workers could have done. Runs without any are
// those that other problems name already.
func (c *computation) efficiencies() {
	r, err := efficiency.Compute(c.run, efficiency.Options{Generation: c.o.Generation, Lanes: c.lanes})
	switch {
	case errors.Is(err, efficiency.ErrNothing):
		return
	case err != nil:
		c.problem("efficiencies", err.Error())
		return
	}
	c.r.Efficiency = r.Summary()
}

// efficiencyLines is how many lines the section has at most.
const efficiencyLines = 5

// efficiencySection is what people are shown: the factors, what decides them, and
// what is not known.
func (r *Report) efficiencySection() (section, bool) {
	if r.Efficiency == nil {
		return section{}, false
	}
	s := section{title: "Efficiencies"}
	s.head, s.rows = r.efficiencyRows()
	s.right = make([]bool, len(s.head))
	for i := range s.right {
		s.right[i] = i > 0
	}
	lines := 1 + len(s.rows)
	if e := r.Efficiency; e.MPI == nil {
		culprits := efficiencyCulprits(e)
		s.after = append(s.after, culprits)
		lines += 1 + utf8.RuneCountInString(culprits)/(lineWidth-10)
	}
	s.after = append(s.after, missingWords(r.Efficiency.Missing, max(1, efficiencyLines-lines)))
	return s, true
}

// efficiencyRows are the factors of the run and, where its ranks call MPI, of MPI
// and of what happens inside of ranks.
func (r *Report) efficiencyRows() (head []string, rows [][]string) {
	e := r.Efficiency
	several := e.Distribution != nil || e.Allocation != nil
	head = []string{"", "parallel", "= load balance", "× communication"}
	if several {
		head = []string{"", "parallel", "= distribution", "× allocation", "× load balance", "× communication"}
	}
	add := func(name string, f *efficiency.Factors) {
		if f == nil {
			return
		}
		row := []string{name, percent(f.Parallel)}
		if several {
			row = append(row, percent(f.Distribution), percent(f.Allocation))
		}
		rows = append(rows, append(row, percent(f.LoadBalance), percent(f.Communication)))
	}
	if e.Parallel != nil {
		add("all workers", &e.Factors)
	}
	if e.MPI != nil {
		add("MPI", &e.MPI.Factors)
		add("inside of ranks", e.OpenMP)
	}
	return head, rows
}

func percent(share *float64) string {
	if share == nil {
		return "–"
	}
	return words.Percent(*share)
}

// efficiencyCulprits name what decides the factors.
func efficiencyCulprits(e *efficiency.Summary) string {
	var parts []string
	if m := e.MostWork; m != nil {
		parts = append(parts, fmt.Sprintf("most work: node %d, %s ms at best", m.Node, words.MS(m.Time)))
	}
	if m := e.MostLoad; m != nil {
		where := m.Arch
		if e.MostWork != nil || where == "" {
			where = strings.TrimSpace(where+" of node ") + fmt.Sprintf(" %d", m.Node)
		}
		parts = append(parts, fmt.Sprintf("most load: %s, %s ms a worker", where, words.MS(m.Time)))
	}
	return strings.Join(append(parts, fmt.Sprintf("longest useful time: %s, %s of %s", e.Busiest, words.MS(e.Longest), words.InMS(e.Makespan))), "; ")
}

// missingWords says on so many lines what is not known.
func missingWords(missing []string, lines int) string {
	room := lineWidth - 2 + (lines-1)*(lineWidth-20) // words do not fill lines
	text := "missing: "
	for i, what := range missing {
		if i > 0 {
			text += "; "
		}
		rest := ""
		if i+1 < len(missing) {
			rest = fmt.Sprintf("; %d more (--json)", len(missing)-i-1)
		}
		if i > 0 && utf8.RuneCountInString(text+what+rest) > room {
			return text + fmt.Sprintf("%d more (--json)", len(missing)-i)
		}
		text += what
	}
	return text
}
