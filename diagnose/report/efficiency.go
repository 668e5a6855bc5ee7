package report

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"dagscope/explain/efficiency"
	"dagscope/internal/words"
)

// efficiencies divide what the workers could have done. Runs without any are
// those that other problems name already.
func (c *computation) efficiencies() {
	r, err := efficiency.Compute(c.run, efficiency.Options{Generation: c.o.Generation, Lanes: c.lanes, Replayed: c.o.Replayed})
	switch {
	case errors.Is(err, efficiency.ErrNothing):
		return
	case err != nil:
		c.problem("efficiencies", err.Error())
		return
	}
	c.r.Efficiency = r.Summary()
}

// efficiencySection is what people are shown: the factors, what decides them, and
// what is not known.
func (r *Report) efficiencySection() (section, bool) {
	s, ok := r.factorSection()
	if ok && len(r.Efficiency.Missing) > 0 {
		s.after = append(s.after, "missing: "+strings.Join(r.Efficiency.Missing, "; "))
	}
	return s, ok
}

// factorSection is the factors and what decides them.
func (r *Report) factorSection() (section, bool) {
	if r.Efficiency == nil {
		return section{}, false
	}
	s := section{title: "Efficiencies"}
	s.head, s.rows = r.efficiencyRows()
	s.right = make([]bool, len(s.head))
	for i := range s.right {
		s.right[i] = i > 0
	}
	if e := r.Efficiency; e.MPI == nil {
		s.after = append(s.after, efficiencyCulprits(e))
	}
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
	divided := e.Transfer != nil
	if divided {
		head = append(head, "= serialisation", "× transfer")
	}
	add := func(name string, f *efficiency.Factors) {
		if f == nil {
			return
		}
		row := []string{name, percent(f.Parallel)}
		if several {
			row = append(row, percent(f.Distribution), percent(f.Allocation))
		}
		row = append(row, percent(f.LoadBalance), percent(f.Communication))
		if divided {
			row = append(row, percent(f.Serialisation), percent(f.Transfer))
		}
		rows = append(rows, row)
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

// efficiencyCulprit names what decides the lowest of the factors.
func efficiencyCulprit(e *efficiency.Summary) string {
	text, least := fmt.Sprintf("communication is lowest: even the busiest worker, %s, works %s of %s", e.Busiest, words.Duration(e.Longest), words.Duration(e.Makespan)), value(e.Communication)
	if f := value(e.LoadBalance); f < least {
		text, least = fmt.Sprintf("load balance is lowest: %s works longest, %s", e.Busiest, words.Duration(e.Longest)), f
	}
	if f := value(e.Allocation); f < least && e.MostLoad != nil {
		where := cmp.Or(e.MostLoad.Arch, "workers")
		if e.MostWork != nil {
			where += fmt.Sprintf(" of node %d", e.MostLoad.Node)
		}
		text, least = fmt.Sprintf("allocation is lowest: most load is on %s, %s a worker", where, words.Duration(e.MostLoad.Time)), f
	}
	if f := value(e.Distribution); f < least && e.MostWork != nil {
		text = fmt.Sprintf("distribution is lowest: most work is on node %d, %s at best", e.MostWork.Node, words.Duration(e.MostWork.Time))
	}
	return text
}

// value is a factor, 1 where it is not known.
func value(factor *float64) float64 {
	if factor == nil {
		return 1
	}
	return *factor
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
