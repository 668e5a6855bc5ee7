package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"dagscope/diagnose/finding"
	"dagscope/explain/bound"
	"dagscope/explain/kind"
	"dagscope/explain/tasking"
	"dagscope/internal/words"
)

func (c *computation) bounds() {
	o := c.o.Bound
	o.Generation = c.o.Generation
	for i, source := range o.Sources {
		if host, other, differ := bound.OtherHosts(c.run, source); differ {
			c.problem("bounds", fmt.Sprintf("durations from %s are of host %s, this run is of %s", c.o.Sources[i], other, host))
		}
	}
	b, err := c.solveBounds(o)
	if err != nil {
		c.problem("bounds", err.Error())
		return
	}
	b.Span = float64(tasking.Within(c.run, c.r.Makespan, c.o.Generation))
	c.in.Bounds = b
	out := &Bounds{
		ABE: round(b.Area.Time), CPE: round(b.CPE.Time), CPETasks: c.keys(b.CPE.Tasks), CPB: round(b.CPB.Time),
		CPBTasks: c.keys(b.CPB.Tasks), HeadTail: round(b.HeadTail.Time), Mixed: round(b.Mixed.Time),
		Span: round(b.Span), Best: bestOf(b.Best), Gap: c.gap(b.Best), Unknown: c.pairs(b.Unknown), Sources: c.o.Sources,
	}
	c.addAllocation("*", &b.Area)
	for i := range b.PerNode {
		a := &b.PerNode[i]
		out.ABEPerNode = append(out.ABEPerNode, NodeABE{a.Node, round(a.Time)})
		c.addAllocation(strconv.Itoa(int(a.Node)), a)
	}
	out.note = bound.NeverRan(c.run, b.Unknown)
	if w := b.WithModels; w != nil {
		out.WithModels = &ModelBounds{
			Host: w.Host, Pairs: c.pairs(w.Pairs), ABE: round(w.Area), CPE: round(w.CPE), HeadTail: round(w.HeadTail), Mixed: round(w.Mixed),
			Best: bestOf(w.Best),
		}
		out.note = strings.TrimSuffix(bound.On(c.run, w.Pairs)+" as models of "+hostWord(w.Host)+" have it; "+out.note, "; ")
	}
	if len(c.o.Sources) > 0 {
		out.note = strings.TrimSuffix("durations of what never ran from "+words.List(c.o.Sources, 3)+"; "+out.note, "; ")
	}
	out.Lower = Lower{bestOf(b.Lower()), b.Conditional(), "any", c.gap(b.Lower())}
	if d := b.Distribution; d != nil {
		out.Distribution = c.distributionBounds(d, b)
		if d.Best.Time > b.Lower().Time { // else the span is larger, which no distribution changes
			out.Lower.Best, out.Lower.Scope, out.Lower.Gap = bestOf(d.Best), "distribution", c.gap(d.Best)
		}
	}
	c.r.Bounds = out
}

func hostWord(host string) string {
	if host == "" {
		return "the run's host"
	}
	return host
}

func bestOf(b bound.Best) Best { return Best{b.Name, round(b.Time)} }

// gap is the share of the makespan above a bound.
func (c *computation) gap(b bound.Best) float64 {
	if c.r.Makespan <= 0 {
		return 0
	}
	return 1 - b.Time/float64(c.r.Makespan)
}

func (c *computation) pairs(of []bound.Placement) (named []Placement) {
	for _, p := range of {
		named = append(named, Placement{c.run.Task.Kind.Dict[p.Kind], kind.ArchName(c.run, p.Arch)})
	}
	return named
}

func (c *computation) distributionBounds(d *bound.Distribution, b *bound.Result) *DistributionBounds {
	out := &DistributionBounds{
		ABE: round(d.Area.Time), ABENode: d.Area.Node, CPE: round(d.CPE.Time), CPETasks: c.keys(d.CPE.Tasks), CPEMessages: len(d.CPE.Transfers),
		HeadTail: round(d.HeadTail.Time), HeadTailNode: d.Node, Best: bestOf(d.Best), Cost: round(d.Cost(b)), Owned: d.Owned,
		Network: Network{Source: "none", Latency: round(d.Network.Latency), Messages: d.Network.Messages},
	}
	if d.Network.Source != bound.NetworkUnknown {
		out.Network.Source = string(d.Network.Source)
	}
	if !math.IsInf(d.Network.Bandwidth, 1) {
		out.Network.Bandwidth = d.Network.Bandwidth
	}
	return out
}

// solveBounds computes all bounds, or the area bound alone where there is no
// usable graph: paths of single tasks would pass for critical paths.
func (c *computation) solveBounds(o bound.Options) (*bound.Result, error) {
	if c.graph {
		return bound.Compute(c.run, o)
	}
	all, err := bound.Areas(c.run, o, false)
	if err != nil {
		return nil, err
	}
	nodes, err := bound.Areas(c.run, o, true)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	unknown, err := bound.Unknown(c.run, o)
	return &bound.Result{Area: all[0], PerNode: nodes, Best: bound.Best{Name: "abe", Time: all[0].Time}, Unknown: unknown}, err
}

// lowerLine says how short the run could be, and on what that depends; "" if
// nothing is known.
func (r *Report) lowerLine() string {
	b := r.Bounds
	if b == nil || b.Lower.NS <= 0 {
		return ""
	}
	if b.Span > b.Lower.NS {
		return fmt.Sprintf("no schedule of this program is shorter than %s, %s below (span: its longest chain of work and creation)",
			words.Duration(b.Span), words.Percent(1-float64(b.Span)/float64(max(r.Makespan, 1))))
	}
	below := ", " + words.Percent(b.Lower.Gap) + " below"
	if b.Lower.Gap < 0 {
		below = ", above the makespan: it is made of mean durations"
		if r.overlap {
			below = ", above the makespan: tasks overlap on workers"
		}
	}
	if given := b.Lower.given(); given != "" {
		below += ", " + given
	}
	notes := b.lowerWords()
	for _, f := range r.Findings {
		if b.note != "" && strings.Contains(f.Advice, b.note) {
			notes = strings.TrimSuffix(notes, "; "+b.note) // said there
		}
	}
	if b.Lower.Scope == "distribution" && !slices.ContainsFunc(r.Findings, func(f finding.Finding) bool { return f.ID == "distribution" }) {
		open := b.Best
		if b.WithModels != nil {
			open = b.WithModels.Best
		}
		notes += "; " + words.Duration(open.NS) + " with any distribution"
	}
	return fmt.Sprintf("lower bound %s%s (%s)", words.Duration(b.Lower.NS), below, notes)
}

// lowerWords name the bound that the report leads with and what it rests on.
func (b *Bounds) lowerWords() string {
	name := bound.Names[b.Lower.Name]
	if b.Lower.Scope == "distribution" {
		switch b.Lower.Name {
		case "abe":
			name += fmt.Sprintf(" of node %d", b.Distribution.ABENode)
		case "head_tail":
			name += fmt.Sprintf(" of node %d", b.Distribution.HeadTailNode)
		case "cpe":
			name += " with " + words.Plural(b.Distribution.CPEMessages, "message")
		}
	}
	if b.note != "" {
		name += "; " + b.note
	}
	return name
}

func (r *Report) boundSection() (section, bool) {
	b := r.Bounds
	if b == nil {
		return section{}, false
	}
	s := section{title: "Lower bounds", head: []string{"bound", "ms", "of makespan", "meaning"}, right: []bool{false, true, true, false}}
	add := func(name string, ns int64, meaning string) {
		if ns > 0 {
			s.rows = append(s.rows, []string{name, words.MS(ns), words.Percent(float64(ns) / float64(max(r.Makespan, 1))), meaning})
		}
	}
	any := ""
	if b.Distribution != nil {
		any = ", with any distribution of data"
	}
	add("area (ABE)", b.ABE, "all work spread perfectly over the workers, no dependencies"+any)
	add("critical path (CPE)", b.CPE, fmt.Sprintf("longest chain at the fastest mean durations, %s%s", words.Plural(len(b.CPETasks), "task"), any))
	add("head–tail", b.HeadTail, "area bound between the levels of the graph"+any)
	add("mixed", b.Mixed, "area bound with the longest chains inside"+any)
	if w := b.WithModels; w != nil {
		add("with models", w.Best.NS, fmt.Sprintf("%s bound when models say how long what never ran takes", bound.Names[w.Best.Name]))
	}
	if d := b.Distribution; d != nil {
		add("area, this distribution", d.ABE, fmt.Sprintf("the work of node %d spread perfectly over its workers", d.ABENode))
		add("critical path, this distribution", d.CPE, fmt.Sprintf("each task on its node, %s on the way (%s)", words.Plural(d.CPEMessages, "message"), d.Network.words()))
		add("head–tail, this distribution", d.HeadTail, fmt.Sprintf("area bound of node %d between the levels of the graph", d.HeadTailNode))
	}
	add("observed path (CPB)", b.CPB, fmt.Sprintf("longest chain as it ran, %s (no bound)", words.Plural(len(b.CPBTasks), "task")))
	add("span", b.Span, "longest chain of work as it ran, with creation, dependences and waits for tasks, on any number of workers (work before the first task starts is in neither this nor the makespan)")
	add("makespan", r.Makespan, "")
	if b.note != "" {
		s.after = append(s.after, b.note)
	}
	if b.Lower.Conditional {
		s.after = append(s.after, "bounds hold for the placements seen: another may be faster; --durations RUN takes the missing durations from a run that has them")
	}
	return s, true
}

// words say where the times of messages come from.
func (n *Network) words() string {
	switch n.Source {
	case string(bound.NetworkPlatform):
		return "with the network's latency and bandwidth"
	case string(bound.NetworkFitted):
		return "as fast as " + words.Plural(n.Messages, "message") + " that had the link alone"
	}
	return "which take no time: nothing is known of the network"
}
