package report

import (
	"slices"
	"strconv"
	"strings"

	"dagscope/diagnose/finding"
	"dagscope/diagnose/symptom"
	"dagscope/diagnose/verdict"
	"dagscope/explain/bound"
	"dagscope/explain/chain"
	"dagscope/trace"
)

// costs are what the families have of the chain, with the places that have most
// of each, and their longest part. What the area bound would place on a slower
// architecture too is work.
func (c *computation) costs(x *chain.Index, critical *chain.Chain, rows []chain.Row) []verdict.Cost {
	rows = c.aboveArea(x, critical, rows)
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

// aboveArea are the rows of the chain with the extra time on slower architectures
// that is more than the area bound's optimum has: that runs tasks on slow workers
// too, as long as it is faster so. What it has counts as compute.
func (c *computation) aboveArea(x *chain.Index, critical *chain.Chain, rows []chain.Row) []chain.Row {
	excess := c.excess()
	type row struct{ by, name string }
	kept, all := map[row]float64{}, 0.0
	re := &c.run.Resource
	for _, p := range critical.Parts {
		if p.Class != chain.Execute || p.Resource == trace.None {
			continue
		}
		extra := float64(x.Amounts(p).SlowerArchitecture)
		if share, ok := excess[place{re.Node[p.Resource], re.Arch.Index[p.Resource]}]; ok {
			extra *= share
		}
		all += extra
		for _, r := range []row{
			{chain.ByKind, x.KindOf(p)}, {chain.ByArch, re.Arch.At(int(p.Resource))},
			{chain.ByNode, strconv.Itoa(int(re.Node[p.Resource]))}, {chain.ByWorker, re.Name.At(int(p.Resource))},
		} {
			kept[r] += extra
		}
	}
	var out []chain.Row
	less := int64(0)
	for _, r := range rows {
		if r.Class == chain.SlowerArchitecture {
			extra := all
			if r.By != chain.ByClass {
				extra = kept[row{r.By, r.Name}]
			} else {
				less = r.NS - round(extra)
			}
			r.NS = round(extra)
		}
		out = append(out, r)
	}
	for i, r := range out {
		if r.By == chain.ByClass && r.Class == chain.Compute {
			out[i].NS += less
		}
	}
	return out
}

// place is an architecture on a node.
type place struct{ node, arch int32 }

// excess is the share of the extra time of all tasks on an architecture that the
// area bound's optimum has not: 0 where it has as much. Kinds are summed up, since
// optima may exchange kinds that lose the same. Where owners of data decide on the
// node, it is that of each node.
func (c *computation) excess() map[place]float64 {
	b := c.in.Bounds
	if b == nil {
		return nil
	}
	fastest := map[int32]float64{}
	for i, kind := range b.Area.Kind {
		if least, ok := fastest[kind]; !ok || b.Area.Mean[i] < least {
			fastest[kind] = b.Area.Mean[i]
		}
	}
	ideal, actual := map[place]float64{}, map[place]float64{}
	add := func(a *bound.Area, nodes []int32) {
		for i, kind := range a.Kind {
			extra := a.Mean[i] - fastest[kind]
			for _, node := range nodes {
				at := place{node, a.Arch[i]}
				ideal[at] += a.Ideal[i] * extra
				actual[at] += float64(a.Actual[i]) * extra
			}
		}
	}
	if b.Distribution == nil {
		add(&b.Area, c.ranks())
	} else {
		for i := range b.PerNode {
			add(&b.PerNode[i], []int32{b.PerNode[i].Node})
		}
	}
	share := map[place]float64{}
	for at, extra := range actual {
		if extra > 0 {
			share[at] = max(0, 1-ideal[at]/extra)
		}
	}
	return share
}

// ranks are the nodes of the workers.
func (c *computation) ranks() (nodes []int32) {
	for _, w := range c.r.Workers {
		if !slices.Contains(nodes, w.Node) {
			nodes = append(nodes, w.Node)
		}
	}
	return nodes
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
	r.noStates = c.run.Meta.Lifetimes || len(c.run.State.Start) == 0
	in := verdict.Input{
		Tasks: r.Tasks, Makespan: r.Makespan, Missing: r.incomplete(), NoGraph: !c.graph, NoStates: r.noStates,
		Costs: c.in.Costs, Marks: c.marks, Kind: c.chainKind,
	}
	if b := r.Bounds; b != nil && b.Lower.NS > 0 && !r.overlap {
		in.Bound = &verdict.Bound{NS: b.Lower.NS, Name: bound.Names[b.Lower.Name], Given: b.Lower.given() != "", Unproven: b.unproven(c.run, c.in.Bounds)}
		if b.Span > b.Lower.NS {
			in.Bound.NS, in.Bound.Name = b.Span, "span"
		}
	}
	in.Loops = c.loops()
	r.late = c.late()
	in.Late = r.late
	if r.Efficiency != nil {
		in.Efficiency = r.Efficiency.Parallel
	}
	r.judge = func() { r.conclude(in) }
	r.judge()
}

// loops is what a verdict on a program without tasks is made of; nil of others.
func (c *computation) loops() *verdict.Loops {
	f := c.in.Regions
	if f == nil || c.r.Tasks > 0 || f.To <= f.From {
		return nil
	}
	l := &verdict.Loops{Recorded: f.To - f.From}
	l.Parallel = 1 - float64(f.Serial.Wall)/float64(l.Recorded)
	var progress, all int64
	for i := range f.Places {
		p := &f.Places[i]
		if p.Parent >= 0 {
			continue
		}
		progress, all = progress+p.Work-p.Lock-p.Queued, all+p.Time
		if share := float64(p.Wall) / float64(l.Recorded); share > l.Longest.Share {
			line := regionLine{&c.r.Regions[i], 0, c.r.combined[i]}
			l.Longest = verdict.Share{Name: line.cell(c.r, true), Share: share}
		}
	}
	progress, all = progress+f.Serial.Work-f.Serial.Queued, all+f.Serial.Time
	l.Work = float64(progress) / float64(max(1, all))
	return l
}

// conclude adds what the findings say to the input of a verdict, and finds it.
func (r *Report) conclude(in verdict.Input) {
	for _, f := range r.Findings {
		if f.ID == "outliers" {
			count, _ := f.Evidence["count"].(int)
			in.Slow = verdict.Slow{Tasks: count, NS: f.Gain}
		}
	}
	if len(r.Findings) > 0 {
		if f := &r.Findings[0]; !f.Weak && (f.Severity == finding.High || f.Severity == finding.Medium) {
			in.Finding = &verdict.Finding{Title: f.Title, NS: f.Gain, High: f.Severity == finding.High, Simulated: f.Basis == symptom.Simulated}
		}
	}
	v := verdict.Find(in)
	r.Verdict = &v
}

// given says what a bound holds for, "" for anything.
func (l *Lower) given() string {
	switch {
	case l.Conditional && l.Scope == "distribution":
		return "for the placements and distribution seen"
	case l.Conditional:
		return "for the placements seen"
	case l.Scope == "distribution":
		return "for this distribution of data"
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
