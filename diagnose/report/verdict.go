package report

import (
	"cmp"
	"slices"
	"strings"

	"dagscope/diagnose/finding"
	"dagscope/diagnose/verdict"
	"dagscope/explain/bound"
	"dagscope/explain/chain"
	"dagscope/trace"
)

// costs are what the families have of the chain, with the places that have most
// of each, and their longest part.
func (c *computation) costs(x *chain.Index, critical *chain.Chain, rows []chain.Row) []verdict.Cost {
	at := map[verdict.Family]int{}
	var list []verdict.Cost
	for _, r := range rows {
		if r.By != chain.ByClass {
			continue
		}
		f := verdict.FamilyOf(r.Class)
		i, ok := at[f]
		if !ok {
			i = len(list)
			at[f] = i
			list = append(list, verdict.Cost{Family: f, Class: verdict.Share{Name: r.Class, Share: float64(r.NS)}}) // rows come the largest first
		}
		list[i].NS += r.NS
	}
	for i := range list {
		cost := &list[i]
		if cost.Class.Share /= float64(max(cost.NS, 1)); cost.Class.Name == string(cost.Family) {
			cost.Class = verdict.Share{}
		}
		cost.Where = c.mostOf(rows, cost)
	}
	for _, p := range critical.Parts {
		i, ok := at[verdict.FamilyOf(p.Class.String())]
		if ok && p.Class != chain.Execute && p.To-p.From > list[i].Longest.NS {
			list[i].Longest = verdict.Span{From: p.From, NS: p.To - p.From, At: x.Link(p.Transfer)}
		}
	}
	return list
}

// mostOf are the places that have half of a family or more.
func (c *computation) mostOf(rows []chain.Row, cost *verdict.Cost) (places []verdict.Place) {
	for _, by := range []string{chain.ByMemory, chain.ByLink, chain.ByKind, chain.ByNode, chain.ByArch, chain.ByWorker} {
		if !c.several(by) {
			continue
		}
		sums := map[string]int64{}
		for _, r := range rows {
			if r.By == by && r.Name != "" && verdict.FamilyOf(r.Class) == cost.Family {
				sums[r.Name] += r.NS
			}
		}
		for name, ns := range sums {
			if mostly(ns, cost.NS) {
				places = append(places, verdict.Place{By: by, Name: name, Share: float64(ns) / float64(cost.NS)})
			}
		}
	}
	return places
}

// verdict is the sentence that the report begins with.
func (c *computation) verdict() {
	r := c.r
	in := verdict.Input{Tasks: r.Tasks, Makespan: r.Makespan, Missing: r.incomplete(), NoGraph: !c.graph, Costs: c.in.Costs, Marks: c.marks, Kind: c.chainKind}
	if b := r.Bounds; b != nil && b.Lower.NS > 0 && !r.overlap {
		in.Bound = &verdict.Bound{NS: b.Lower.NS, Name: bound.Names[b.Lower.Name], Given: b.Lower.given(), Unproven: b.unproven(c.run, c.in.Bounds)}
	}
	for _, f := range r.Findings {
		if f.ID == "outliers" {
			count, _ := f.Evidence["count"].(int)
			in.Slow = verdict.Slow{Tasks: count, NS: f.Gain}
		}
	}
	if len(r.Findings) > 0 && !r.Findings[0].Weak && (r.Findings[0].Severity == finding.High || r.Findings[0].Severity == finding.Medium) {
		in.Finding = r.Findings[0].Title
	}
	in.Busy, in.Late = r.busy(), c.late()
	if r.Efficiency != nil {
		in.Efficiency = r.Efficiency.Parallel
	}
	v := verdict.Find(in)
	r.Verdict = &v
}

// given says what a bound holds for, "" for anything.
func (l *Lower) given() string {
	switch {
	case l.Conditional && l.Scope == "distribution":
		return "with the placements seen and this distribution of data"
	case l.Conditional:
		return "with the placements seen"
	case l.Scope == "distribution":
		return "with this distribution of data"
	}
	return ""
}

// unproven is what the bound leaves open.
func (b *Bounds) unproven(run *trace.Run, found *bound.Result) string {
	if !b.Lower.Conditional {
		return ""
	}
	return bound.NeverRan(run, found.Unknown)
}

// busy is the share of their time that workers of each architecture ran tasks.
func (r *Report) busy() (list []verdict.Share) {
	count := map[string]int{}
	for _, w := range r.Workers {
		i := slices.IndexFunc(list, func(s verdict.Share) bool { return s.Name == w.Arch })
		if i < 0 {
			i = len(list)
			list = append(list, verdict.Share{Name: w.Arch})
		}
		list[i].Share += 1 - w.IdleShare
		count[w.Arch]++
	}
	for i := range list {
		list[i].Share /= float64(count[list[i].Name])
		list[i].Name = cmp.Or(list[i].Name, "workers of unknown architecture")
	}
	slices.SortStableFunc(list, func(a, b verdict.Share) int { return cmp.Compare(b.Share, a.Share) })
	return list
}

// late are the nodes whose first task starts after a tenth of the makespan or
// more; nil unless there are others.
func (c *computation) late() *verdict.Late {
	first := map[int32]int64{}
	t := &c.run.Task
	for v, w := range t.Worker {
		if w == trace.None || !(t.Counted(v) || c.o.Generation && t.Generation[v]) {
			continue
		}
		node := c.run.Resource.Node[w]
		if start, ok := first[node]; !ok || t.Start[v] < start {
			first[node] = t.Start[v]
		}
	}
	l := &verdict.Late{}
	var starts []int64
	for node, start := range first {
		if 10*start < c.r.Makespan {
			continue
		}
		if len(l.Nodes) == 0 || start < l.From {
			l.From = start
		}
		l.Nodes = append(l.Nodes, node)
		starts = append(starts, start)
	}
	if len(l.Nodes) == 0 || len(l.Nodes) == len(first) {
		return nil
	}
	slices.Sort(l.Nodes)
	slices.Sort(starts)
	l.Usual = starts[len(starts)/2]
	return l
}

// chainKindOf is the kind with most of what the chain executes.
func chainKindOf(rows []chain.Row) (kind verdict.Share) {
	executes := func(class string) bool {
		return class == chain.Compute || strings.HasPrefix(class, "slower-")
	}
	sums, all := map[string]int64{}, int64(0)
	for _, r := range rows {
		if r.By == chain.ByKind && executes(r.Class) {
			sums[r.Name] += r.NS
			all += r.NS
		}
	}
	for name, ns := range sums {
		if share := float64(ns) / float64(max(all, 1)); name != "" && share > kind.Share {
			kind = verdict.Share{Name: name, Share: share}
		}
	}
	return kind
}

// marksOf sums up what the chain executes by mark.
func marksOf(critical *chain.Chain) map[chain.Mark]int64 {
	sums := map[chain.Mark]int64{}
	for _, p := range critical.Parts {
		if p.Class == chain.Execute {
			sums[p.Mark] += p.To - p.From
		}
	}
	return sums
}
