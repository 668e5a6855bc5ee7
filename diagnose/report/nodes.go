package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dagscope/explain/progression"
	"dagscope/internal/words"
)

// Progression is how far the nodes of a run of several were with their work,
// and which kept pace (docs/design/methods.md, Progression).
type Progression struct {
	Step      int64   `json:"step_ns"`
	Bandwidth float64 `json:"bandwidth"` // of the density that divides nodes
	// StepsABE is the sum of the area bounds of what was done in each step: what
	// the run would need if each step were perfect.
	StepsABE     int64         `json:"steps_abe_ns"`
	MostClusters int           `json:"most_clusters"`
	Branches     []ProgressGap `json:"branches"` // those that go farthest from the rest first
}

// ProgressGap is a group of nodes that left the others of its cluster.
type ProgressGap struct {
	Time   int64   `json:"time_ns"`  // the first instant at which they are apart
	Until  int64   `json:"until_ns"` // the last one
	Nodes  []int32 `json:"nodes"`
	Behind bool    `json:"behind"`      // of the larger part
	Apart  float64 `json:"apart_share"` // greatest difference of their progress until then
}

// mostBranches are listed in a report.
const mostBranches = 50

// progression clusters the nodes of a run of several.
func (c *computation) progression() {
	if len(c.r.Nodes) < 2 {
		return
	}
	r, err := progression.Compute(c.run, progression.Options{Generation: c.o.Generation})
	if err != nil {
		c.problem("progression", err.Error())
		return
	}
	p := &Progression{Step: r.Time[1] - r.Time[0], Bandwidth: r.Bandwidth[0], Branches: []ProgressGap{}}
	sum := r.Cumulative()
	p.StepsABE = round(sum[len(sum)-1])
	for _, size := range r.Size {
		p.MostClusters = max(p.MostClusters, len(size))
	}
	branches := r.Branches()
	slices.SortStableFunc(branches, func(a, b progression.Branch) int { return cmp.Compare(b.Apart, a.Apart) })
	for _, b := range branches[:min(len(branches), mostBranches)] {
		gap := ProgressGap{Time: r.Time[b.Step+1], Until: r.Time[b.Until], Behind: b.Slow, Apart: b.Apart}
		for _, i := range b.Nodes {
			gap.Nodes = append(gap.Nodes, r.Node[i])
		}
		p.Branches = append(p.Branches, gap)
	}
	c.r.Progression = p
}

func (r *Report) progressionSection() (section, bool) {
	p := r.Progression
	if p == nil {
		return section{}, false
	}
	s := section{title: "Nodes that do not keep pace", head: []string{"from ms", "to ms", "nodes", "", "at most"}, right: []bool{true, true, false, false, true}}
	for _, b := range p.Branches[:min(len(p.Branches), mostRows)] {
		way := "ahead"
		if b.Behind {
			way = "behind"
		}
		s.rows = append(s.rows, []string{words.MS(b.Time), words.MS(b.Until), ranks(b.Nodes), way, words.Percent(b.Apart)})
	}
	s.after = []string{fmt.Sprintf("groups of nodes that leave the others of their cluster, and by how much of their work; the farthest first. At most %s at a time, steps of %s (panel progression)",
		words.Plural(p.MostClusters, "cluster"), words.InMS(p.Step))}
	if more := len(p.Branches) - len(s.rows); more > 0 {
		s.after = append(s.after, fmt.Sprintf("%d more: dagscope report --json", more))
	}
	return s, len(s.rows) > 0
}

// ranks writes ascending ranks, neighbours as ranges, and of many the number.
func ranks(nodes []int32) string {
	parts := words.Ranges(nodes)
	if len(parts) > 8 {
		return strings.Join(parts[:8], ", ") + fmt.Sprintf(" … (%d)", len(nodes))
	}
	return strings.Join(parts, ", ")
}
