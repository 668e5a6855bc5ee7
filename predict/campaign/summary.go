package campaign

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"dagscope/internal/stat"
)

// replicated is the key whose values make replicates of a point.
const replicated = "seed"

// Group is the replicates of a point: its runs with different seeds.
type Group struct {
	Values []string // by key of the summary
	Runs   int      // that were simulated
	Failed int
	// Of makespans, ns; NaN without any. Low and High are the 95 % confidence
	// interval of the mean (Student), NaN of fewer than two.
	Mean, Median, Min, Max, SD, Low, High float64
	Idle                                  float64 // mean idle share
}

// Summary is what replicates come to.
type Summary struct {
	Keys   []string // of the plan but the seed
	Groups []Group
}

// Summary summarises replicates; nil where points do not differ by their seed.
func (t *Table) Summary() *Summary {
	seed := slices.Index(t.Keys, replicated)
	if seed < 0 {
		return nil
	}
	s := &Summary{Keys: without(t.Keys, seed)}
	at := make(map[string]int)
	var spans, idle [][]float64
	for i := range t.Rows {
		r := &t.Rows[i]
		values := without(r.Values, seed)
		g, known := at[identity(values)]
		if !known {
			g = len(s.Groups)
			at[identity(values)] = g
			s.Groups = append(s.Groups, Group{Values: values})
			spans, idle = append(spans, nil), append(idle, nil)
		}
		if r.Failed() {
			s.Groups[g].Failed++
			continue
		}
		spans[g], idle[g] = append(spans[g], float64(r.Makespan)), append(idle[g], r.Idle)
	}
	for g := range s.Groups {
		s.Groups[g].of(spans[g], idle[g])
	}
	return s
}

// of fills a group from its makespans and idle shares.
func (g *Group) of(spans, idle []float64) {
	m := stat.Summarize(spans)
	g.Runs, g.Mean, g.Min, g.Max, g.SD = len(spans), m.Mean, m.Min, m.Max, m.SD
	g.Median = stat.Quantile(slices.Clone(spans), 0.5)
	g.Idle = stat.Summarize(idle).Mean
	g.Low, g.High = math.NaN(), math.NaN()
	if n := float64(len(spans)); n > 1 {
		half := stat.StudentQuantile(0.975, n-1) * m.SD / math.Sqrt(n)
		g.Low, g.High = m.Mean-half, m.Mean+half
	}
}

// without leaves one entry out.
func without(all []string, i int) []string { return slices.Delete(slices.Clone(all), i, i+1) }

// Equal tells whether there are replicates and the seed made no difference to
// any.
func (s *Summary) Equal() bool {
	several := slices.ContainsFunc(s.Groups, func(g Group) bool { return g.Runs > 1 })
	return several && !slices.ContainsFunc(s.Groups, func(g Group) bool { return g.Runs > 0 && g.Min != g.Max })
}

// summaryColumns follow the keys.
var summaryColumns = []string{"runs", "failed", "makespan_mean_ns", "makespan_median_ns", "makespan_min_ns", "makespan_max_ns", "makespan_sd_ns", "makespan_low_ns", "makespan_high_ns", "idle_mean_share"}

// Write writes the summary as comma-separated values.
func (s *Summary) Write(w io.Writer) error {
	c := csv.NewWriter(w)
	lines := [][]string{append(slices.Clone(s.Keys), summaryColumns...)}
	for _, g := range s.Groups {
		line := append(slices.Clone(g.Values), strconv.Itoa(g.Runs), strconv.Itoa(g.Failed))
		for _, v := range []float64{g.Mean, g.Median, g.Min, g.Max, g.SD, g.Low, g.High} {
			line = append(line, cell(v, 1))
		}
		lines = append(lines, append(line, cell(g.Idle, 6)))
	}
	if err := c.WriteAll(lines); err != nil {
		return fmt.Errorf("write summary: %w", err)
	}
	return nil
}

// cell writes a number with some decimals, nothing for NaN.
func cell(v float64, decimals int) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}
