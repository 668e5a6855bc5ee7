package cli

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"dagscope/internal/words"
	"dagscope/predict/campaign"
)

// sweepAnswer is the JSON of a campaign.
type sweepAnswer struct {
	Directory string           `json:"directory"`
	Spec      string           `json:"spec,omitempty"`
	From      string           `json:"from,omitempty"`
	Points    int              `json:"points"`
	Simulated int              `json:"simulated"` // by this command
	Failed    int              `json:"failed"`
	Runs      []map[string]any `json:"runs"`
	Summary   []map[string]any `json:"summary,omitempty"`
}

func sweepJSON(s *sweep, c *campaign.Campaign) sweepAnswer {
	a := sweepAnswer{Directory: c.Dir, Spec: c.Plan.Spec, From: c.Plan.From, Points: len(c.Plan.Points), Simulated: s.simulated, Runs: []map[string]any{}}
	a.Failed, _ = c.Table.Failures()
	for i := range c.Table.Rows {
		a.Runs = append(a.Runs, runJSON(c.Table.Keys, &c.Table.Rows[i]))
	}
	if sum := c.Table.Summary(); sum != nil {
		for _, g := range sum.Groups {
			a.Summary = append(a.Summary, groupJSON(sum.Keys, &g))
		}
	}
	return a
}

// runJSON has the parameters, and the metrics that there are.
func runJSON(keys []string, r *campaign.Row) map[string]any {
	m := map[string]any{"parameters": parametersJSON(keys, r.Values)}
	for _, name := range campaign.Columns() {
		if v := r.Value(name); !math.IsNaN(v) {
			m[name] = v
			if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
				m[name] = int64(v)
			}
		}
	}
	for name, text := range map[string]string{"error": r.Error, "run": r.Run, "warnings": r.Warnings} {
		if text != "" {
			m[name] = text
		}
	}
	return m
}

// parametersJSON gives numbers as numbers.
func parametersJSON(keys, values []string) map[string]any {
	m := make(map[string]any)
	for k, key := range keys {
		m[key] = values[k]
		if v := campaign.Number(values[k]); !math.IsNaN(v) {
			m[key] = v
		}
	}
	return m
}

func groupJSON(keys []string, g *campaign.Group) map[string]any {
	m := map[string]any{"parameters": parametersJSON(keys, g.Values), "runs": g.Runs, "failed": g.Failed}
	for name, v := range map[string]float64{
		"makespan_mean_ns": g.Mean, "makespan_median_ns": g.Median, "makespan_min_ns": g.Min, "makespan_max_ns": g.Max,
		"makespan_sd_ns": g.SD, "makespan_low_ns": g.Low, "makespan_high_ns": g.High,
	} {
		if !math.IsNaN(v) {
			m[name] = int64(math.Round(v))
		}
	}
	if !math.IsNaN(g.Idle) {
		m["idle_mean_share"] = g.Idle
	}
	return m
}

// shortKeys are the last parts of keys, or the keys where these are alike.
func shortKeys(keys []string) []string {
	short, seen := make([]string, len(keys)), make(map[string]bool)
	for k, key := range keys {
		short[k] = key[strings.LastIndex(key, ".")+1:]
		if seen[short[k]] {
			return keys
		}
		seen[short[k]] = true
	}
	return short
}

// writeTable prints a line for each run.
func writeTable(w io.Writer, t *campaign.Table) error {
	g := &grid{indent: "  ", right: make(map[int]bool)}
	names := append(shortKeys(t.Keys), "makespan", "GFlop/s", "area bound", "critical path", "bound", "idle", "transfers", "MB")
	several := severalNodes(t)
	if several {
		names = append(names, "messages", "MB")
	}
	for i := range names {
		g.right[i] = i >= len(t.Keys)
	}
	g.add(names...)
	for i := range t.Rows {
		g.add(runCells(&t.Rows[i], several)...)
	}
	return g.write(w)
}

func severalNodes(t *campaign.Table) bool {
	for i := range t.Rows {
		if t.Rows[i].Nodes > 1 {
			return true
		}
	}
	return false
}

func runCells(r *campaign.Row, several bool) []string {
	cells := append([]string(nil), r.Values...)
	if r.Failed() {
		return append(cells, "failed")
	}
	cells = append(cells, words.Precise(r.Makespan), strconv.FormatFloat(r.GFlops, 'f', 1, 64), words.Precise(r.Area), words.Precise(r.CriticalPath),
		sharePart(r.Bound), sharePart(r.Idle), words.Count(r.Transfers), words.MB(r.Bytes))
	if several {
		cells = append(cells, words.Count(r.Messages), words.MB(r.MessageBytes))
	}
	return cells
}

// sharePart writes a share in percent, nothing for NaN.
func sharePart(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return words.Percent(v)
}

// writeSummary prints a line for each group of replicates.
func writeSummary(w io.Writer, s *campaign.Summary) error {
	g := &grid{indent: "  ", right: make(map[int]bool)}
	names := append(shortKeys(s.Keys), "runs", "median", "mean", "95 % interval of the mean", "least", "most", "idle")
	for i := range names {
		g.right[i] = i >= len(s.Keys)
	}
	g.add(names...)
	for i := range s.Groups {
		g.add(groupCells(&s.Groups[i])...)
	}
	if err := g.write(w); err != nil {
		return err
	}
	if s.Equal() {
		_, err := fmt.Fprintln(w, "  seeds made no difference: nothing in these runs is drawn")
		return err
	}
	return nil
}

func groupCells(g *campaign.Group) []string {
	cells := append([]string(nil), g.Values...)
	runs := strconv.Itoa(g.Runs)
	if g.Failed > 0 {
		runs += fmt.Sprintf(" (%d failed)", g.Failed)
	}
	cells = append(cells, runs)
	if g.Runs == 0 {
		return cells
	}
	at := func(v float64) string { return words.Precise(int64(math.Round(v))) }
	interval := ""
	if !math.IsNaN(g.Low) {
		interval = at(g.Low) + " to " + at(g.High)
	}
	return append(cells, at(g.Median), at(g.Mean), interval, at(g.Min), at(g.Max), sharePart(g.Idle))
}
