package report

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"dagscope/diagnose/finding"
	"dagscope/diagnose/symptom"
	"dagscope/diagnose/verdict"
	"dagscope/explain/bound"
	"dagscope/explain/breakdown"
	"dagscope/explain/chain"
	"dagscope/explain/decision"
	"dagscope/explain/depend"
	"dagscope/explain/kind"
	"dagscope/explain/outlier"
	"dagscope/explain/progress"
	"dagscope/explain/schedule"
	"dagscope/explain/utilization"
	"dagscope/internal/dag"
	"dagscope/internal/words"
	"dagscope/trace"
)

// Compute makes the report of a run that has the columns of Needs. A section
// that cannot be computed is absent and named in Problems; it harms no other.
func Compute(name string, run *trace.Run, o Options) *Report {
	r := compute(name, run, o)
	r.Screen = r.screen()
	return r
}

func compute(name string, run *trace.Run, o Options) *Report {
	c := &computation{run: run, o: o, r: &Report{Run: name, Meta: run.Meta}}
	c.r.Makespan = schedule.Makespan(run)
	if o.Generation {
		c.r.Makespan = lastEnd(run)
	}
	c.counts()
	c.log()
	c.lost()
	c.lanes = schedule.Build(run, nil)
	if c.r.Tasks == 0 {
		c.problem("tasks", "no task of the application ran: there is nothing to measure")
		if run.Meta.Lifetimes { // but for what threads did outside of tasks
			c.breakdown()
			c.regions()
			if last := len(c.r.Problems) - 1; c.in.Regions == nil {
				c.r.Problems[last] = "tasks: no explicit task ran: only the time of implicit tasks is broken down"
			} else { // that is what is asked of it
				c.r.Problems = slices.DeleteFunc(c.r.Problems, func(p string) bool { return strings.HasPrefix(p, "tasks: ") })
			}
			c.locks()
			c.tasking()
			c.detect(nil, nil)
		}
		c.efficiencies()
		c.dataWarnings()
		if len(c.in.Symptoms) > 0 {
			c.in.Run = run
			c.findings()
		}
		c.verdict()
		return c.r
	}
	for _, section := range []func(){c.checkGraph, c.checkWorkers, c.kinds, c.idleness, c.bounds, c.efficiencies, c.outliers, c.dependencies, c.breakdown, c.regions, c.locks, c.chain,
		c.iterations, c.nodes, c.progression, c.memories, c.communication, c.tasking, c.decisions,
		c.dataWarnings, c.findings, c.verdict} {
		if o.Stop != nil {
			if err := o.Stop(); err != nil {
				c.problem("report", "it was stopped before its end: "+err.Error())
				break
			}
		}
		section()
	}
	return c.r
}

// detect has the detectors look at runs of StarPU and OpenMP, in whose options they advise.
func (c *computation) detect(x *chain.Index, critical *chain.Chain) {
	if c.o.Generation || c.run.Meta.Reader == "tasks" {
		return // they count what the application does; other runtimes have other options
	}
	c.in.Symptoms = symptom.Find(c.run, symptom.Options{Chain: x, Critical: critical, Regions: c.in.Regions, Locks: c.in.Locks, Lost: c.in.Lost})
}

// findings are what to look at, of runs that are whole.
func (c *computation) findings() {
	if c.r.incomplete() == "" {
		c.r.candidates = finding.Candidates(c.in)
		c.r.Findings = finding.Shortlist(c.r.candidates, c.r.Makespan)
	}
}

// lost warns where all numbers are of a part of the run.
func (c *computation) lost() {
	l, n := &c.run.Log, int64(0)
	for i := range l.Count {
		if l.Code.At(i) == "events-lost" {
			n += l.Count[i]
		}
	}
	if n > 0 {
		c.problem("recording", fmt.Sprintf("at least %s could not be recorded: all numbers are of what was", words.Plural(int(n), "event")))
	}
}

// lastEnd is the makespan when generation counts too.
func lastEnd(run *trace.Run) (end int64) {
	for i, e := range run.Task.End {
		if !run.Task.Internal[i] && e != trace.NoTime {
			end = max(end, e)
		}
	}
	return end
}

// computation carries results from one section to the next.
type computation struct {
	run *trace.Run
	o   Options
	r   *Report
	in  finding.Input

	lanes  *schedule.Lanes // of all tasks, laid out once
	graph  bool            // there is a task graph without circles
	causes *chain.Index    // nil without one

	marks     map[chain.Mark]int64 // of what the critical chain executes
	chainKind verdict.Share        // that has most of it
}

func (c *computation) problem(section, why string) {
	c.r.Problems = append(c.r.Problems, section+": "+why)
}

// checkGraph says why there are no paths where there are none.
func (c *computation) checkGraph() {
	d := &c.run.Dep
	if len(d.To) == 0 {
		c.problem("dependencies", "the run has no task graph: no last path, no delays, bounds without critical path")
		return
	}
	_, err := dag.Build(len(c.run.Task.Start), d.From, d.To).Topological()
	if circle := (*dag.CycleError)(nil); errors.As(err, &circle) {
		keys := strings.Join(c.keys(circle.Nodes[:min(len(circle.Nodes), 8)]), ", ")
		c.problem("dependencies", "tasks wait for each other in a circle ("+keys+"): no last path, no delays, bounds without critical path")
		return
	}
	c.graph = true
}

// checkWorkers warns where bounds rest on too little knowledge of workers.
func (c *computation) checkWorkers() {
	re := &c.run.Resource
	for _, w := range kind.Workers(c.run) {
		if re.Arch.At(int(w)) == "" {
			c.problem("workers", "the architecture of workers is not known: bounds take them for equally fast, which is wrong on a machine with GPUs")
			break
		}
	}
	overlapping := 0
	for r := range re.Parent {
		work, sum := c.lanes.Work(int32(r)).Length(), int64(0)
		for i, to := c.lanes.Of(int32(r)); i < to; i++ {
			sum += c.lanes.End[i] - c.lanes.Start[i]
		}
		if sum > work {
			overlapping++
		}
	}
	if overlapping > 0 {
		c.r.overlap = true
		c.problem("workers", fmt.Sprintf("tasks overlap in time on %s: bounds count that time more than once", words.Plural(overlapping, "worker")))
	}
}

func (c *computation) counts() {
	t := &c.run.Task
	helped := map[int32]bool{}
	for i, task := range c.run.Phase.Task {
		if c.run.Phase.Kind.At(i) == trace.PhaseHelper {
			helped[task] = true
		}
	}
	for i := range t.Start {
		switch {
		case t.Internal[i]:
			c.r.Counts.Internal++
		case t.Start[i] == trace.NoTime && helped[int32(i)]:
			c.r.Counts.Helpers++
		case t.Start[i] == trace.NoTime:
			c.r.Counts.NeverRan++
		case t.Generation[i]:
			c.r.Counts.Generation++
			if c.o.Generation {
				c.r.Tasks++
			}
		default:
			c.r.Tasks++
		}
	}
	c.in = finding.Input{Run: c.run, Makespan: c.r.Makespan}
}

func (c *computation) log() {
	l := &c.run.Log
	for i, n := range l.Count {
		first := l.Message.At(i)
		if source := l.Source.At(i); source != "" {
			if l.Position[i] > 0 {
				source += ":" + strconv.FormatInt(l.Position[i], 10)
			}
			first = source + ": " + first
		}
		c.r.ImportLog = append(c.r.ImportLog, LogEntry{l.Severity.At(i), l.Code.At(i), n, first})
	}
}

func (c *computation) kinds() {
	s := kind.Compute(c.run, kind.Options{Generation: c.o.Generation})
	for k := range s.Len() {
		c.r.Kinds = append(c.r.Kinds, Kind{
			Kind: c.run.Task.Kind.Dict[s.Kind[k]], Arch: kind.ArchName(c.run, s.Arch[k]), Count: s.Count[k],
			Mean: round(s.Mean[k]), Median: round(s.Median[k]), P95: round(s.P95[k]), Total: s.Total[k],
			Min: s.Min[k], Max: s.Max[k],
		})
	}
}

func (c *computation) idleness() {
	w := utilization.ByWorker(c.run, utilization.WorkerOptions{Generation: c.o.Generation, Lanes: c.lanes})
	re := &c.run.Resource
	for i, row := range w.Worker {
		worker := Worker{
			Name: re.Name.At(int(row)), Node: re.Node[row], Arch: re.Arch.At(int(row)), Tasks: w.Tasks[i],
			Busy: w.Busy[i], IdleShare: w.Share(i),
		}
		if share, ok := w.RuntimeShare(i); ok {
			worker.RuntimeIdleShare = &share
		}
		c.r.Workers = append(c.r.Workers, worker)
	}
	c.r.IdleShare = w.Total()
	c.in.Idle = w
}

func (c *computation) addAllocation(node string, a *bound.Area) {
	for i := range a.Kind {
		c.r.ABESolution = append(c.r.ABESolution, Allocation{
			Node: node, Arch: kind.ArchName(c.run, a.Arch[i]), Kind: c.run.Task.Kind.Dict[a.Kind[i]],
			Ideal: a.Ideal[i], Actual: a.Actual[i],
		})
	}
}

func (c *computation) keys(tasks []int32) []string {
	keys := make([]string, len(tasks))
	for i, t := range tasks {
		keys[i] = c.run.Task.Key.At(int(t))
	}
	return keys
}

func (c *computation) outliers() {
	o := c.o.Outlier
	o.Generation = c.o.Generation
	res := outlier.Compute(c.run, o)
	c.in.Outliers = res
	g := &res.Groups
	for i := range g.Kind {
		out := Outlier{
			Kind: c.run.Task.Kind.Dict[g.Kind[i]], Arch: kind.ArchName(c.run, g.Arch[i]), Node: "*",
			Method: string(g.Method[i]), Count: g.Long[i], Short: g.Short[i],
		}
		if g.Node[i] != trace.None {
			out.Node = strconv.Itoa(int(g.Node[i]))
		}
		if threshold, ok := threshold(res, i); ok {
			out.Threshold = &threshold
		}
		c.r.Outliers = append(c.r.Outliers, out)
	}
}

// threshold is the duration beyond which tasks of a group are suspicious; where
// it depends on each task's work, the least that a suspicious task passed.
func threshold(res *outlier.Result, group int) (ns int64, ok bool) {
	if u := res.Groups.Upper[group]; !math.IsNaN(u) && !math.IsInf(u, 0) {
		return round(u), true
	}
	least := math.Inf(1)
	for i, g := range res.Group {
		if int(g) == group && res.Side[i] == outlier.Long {
			least = min(least, res.Bound[i])
		}
	}
	if math.IsInf(least, 1) {
		return 0, false
	}
	return round(least), true
}

func (c *computation) dependencies() {
	if !c.graph {
		return
	}
	last := depend.Find(c.run)
	c.in.Last = last
	for _, node := range last.LastPath() {
		c.r.LastPath = append(c.r.LastPath, last.Key(node))
	}
	c.causes = chain.New(c.run, chain.Options{Lanes: c.lanes, Last: last})
	task, gap := c.causes.Delays().Sum()
	c.r.Delays = &Delays{task.Names(), gap.Names(), task, gap}
}

// decisions compares what a simulated scheduler expected with what came of it.
func (c *computation) decisions() {
	if len(c.run.Estimate.Decision) > 0 && c.in.Last != nil {
		c.in.Decisions = finding.DecisionsOf(decision.New(c.run, decision.Options{Lanes: c.lanes, Last: c.in.Last}))
	}
}

// ringCut says what of a window a ring holds, which has the events of all
// threads from a time on.
func ringCut(complete, from int64) string {
	switch {
	case complete > from:
		return fmt.Sprintf("before %s ms the ring does not hold the events of all threads: what others did until then is not known", words.MS(complete))
	case complete == from:
		return "from where the ring holds the events of all threads"
	}
	return ""
}

// breakdown says what the workers' time in the window was: work, idleness or
// overhead.
func (c *computation) breakdown() {
	w, whole, err := c.window()
	if err != nil {
		c.problem("breakdown", err.Error())
		return
	}
	o := breakdown.Options{From: w.from, To: w.to, Generation: c.o.Generation, Lanes: c.lanes, WaitingNotReady: c.o.Breakdown.WaitingNotReady}
	res := breakdown.Compute(c.run, o)
	if res.Unknown > 0 && res.Unknown == int64(c.r.Tasks) {
		c.problem("breakdown", "no ready time of any task is known: idleness and overhead cannot be distinguished")
		return
	}
	c.in.Breakdown = res
	out := &Breakdown{From: w.from, To: w.to, Waiting: "on", Region: c.o.Region, Unknown: res.Unknown}
	if c.o.Breakdown.WaitingNotReady {
		out.Waiting = "off"
	}
	out.Paused, out.Cut = breakdown.Paused(c.run, w.from, w.to), breakdown.Cut(c.run, c.o.Region)
	if complete := breakdown.Complete(c.run); complete != trace.NoTime {
		out.Cut = words.Join(out.Cut, ringCut(complete, w.from))
	}
	out.measure(res)
	c.lostTime(out, o, res)
	if w == whole {
		out.Processor = breakdown.ProcessorTime(c.run)
	}
	for i, row := range res.Workers {
		p := res.Worker(breakdown.Global, i)
		out.PerWorker = append(out.PerWorker, WorkerPart{c.run.Resource.Name.At(int(row)), partsOf(p)})
	}
	c.r.Breakdown = out
}

// span is a part of the run's time, ns.
type span struct{ from, to int64 }

// window is the time that is broken down, and the whole time that can be: zero to
// the makespan, or the recording where workers come and go.
func (c *computation) window() (w, whole span, err error) {
	whole = span{0, c.r.Makespan}
	if c.run.Meta.Lifetimes {
		whole.from, whole.to = breakdown.Recording(c.run)
	}
	switch w = (span{c.o.Window.From, c.o.Window.To}); {
	case c.o.Region != "":
		w.from, w.to, err = breakdown.Region(c.run, c.o.Region)
	case c.o.Window.Extent == WholeRun:
		w = whole
	case c.o.Window.Extent == ToEnd:
		w.to = whole.to
	}
	if err == nil && w.from >= w.to {
		err = fmt.Errorf("the window from %d to %d ns is empty", w.from, w.to)
	}
	return w, whole, err
}

// measure fills in the parts of all workers, their class, and, where they
// differ, those that count a worker as idle only while a task was ready that it
// could have run, on any node or on its own.
func (b *Breakdown) measure(res *breakdown.Result) {
	total, able, local := res.Total(breakdown.Global), res.Total(breakdown.ByArch), res.Total(breakdown.Local)
	class := total.Classify(breakdown.DefaultThresholds)
	b.Work, b.Implicit, b.Idleness, b.Overhead = total.Work, total.Implicit, total.Idleness, total.Overhead
	b.Class, b.Advice = string(class), class.Advice()
	if able != total {
		parts := partsOf(able)
		b.ByArch = &parts
	}
	if local != able {
		parts := partsOf(local)
		b.ByNode = &parts
	}
}

func partsOf(p breakdown.Parts) Parts { return Parts{p.Work, p.Implicit, p.Idleness, p.Overhead} }

func (c *computation) iterations() {
	b := progress.Borders(c.run, progress.Options{Generation: c.o.Generation})
	if len(b.Iteration) == 1 && b.Iteration[0] < 0 {
		return // the application does not report iterations
	}
	for i, it := range b.Iteration {
		c.r.Iterations = append(c.r.Iterations, Iteration{it, b.Start[i], b.End[i], b.Tasks[i]})
	}
}

// nodes sums the workers of each node, for runs of several.
func (c *computation) nodes() {
	at := map[int32]int{}
	var nodes []Node
	for _, w := range c.r.Workers {
		i, ok := at[w.Node]
		if !ok {
			i = len(nodes)
			at[w.Node] = i
			nodes = append(nodes, Node{Node: w.Node})
		}
		n := &nodes[i]
		n.Workers++
		n.Tasks += w.Tasks
		n.Busy += w.Busy
		n.IdleShare += w.IdleShare
	}
	if len(nodes) < 2 {
		return
	}
	t := &c.run.Task
	for i, w := range t.Worker {
		if w != trace.None && (t.Counted(i) || c.o.Generation && t.Generation[i]) {
			n := &nodes[at[c.run.Resource.Node[w]]]
			n.End = max(n.End, t.End[i])
		}
	}
	for i := range nodes {
		nodes[i].IdleShare /= float64(nodes[i].Workers)
	}
	if c.in.Bounds != nil {
		for _, a := range c.in.Bounds.PerNode {
			if i, ok := at[a.Node]; ok {
				nodes[i].ABE = round(a.Time)
				if nodes[i].End > 0 {
					nodes[i].Gap = 1 - a.Time/float64(nodes[i].End)
				}
			}
		}
	}
	c.r.Nodes = nodes
}

func round(v float64) int64 { return int64(math.Round(v)) }
