package panels

import (
	"fmt"
	"strings"

	"dagscope/explain/numbers"
	"dagscope/explain/progress"
	"dagscope/trace"
)

// Numbers that are curves: step functions at several places, as they are or
// averaged over slices.

// taskTimes and sampleColumns are what curves are made of.
var (
	TaskTimes = []string{"resource.parent", "resource.node", "resource.level", "resource.name", "task.worker", "task.node",
		"task.start", "task.end", "task.generation", "task.internal"}
	sampleColumns = []string{"sample.metric", "sample.resource", "sample.time", "sample.value"}
	sourceColumn  = numbers.Column{Name: "source", Doc: "counters (the runtime counted) or reconstructed (from times of tasks or transfers)"}
	fromColumn    = numbers.Column{Name: "start", Unit: "ns", Doc: "start of the slice, since zero"}
	untilColumn   = numbers.Column{Name: "end", Unit: "ns", Doc: "its end"}
	placeColumn   = numbers.Column{Name: "place", Doc: "where it was measured, as traced; none for sums"}
)

const (
	sliceDoc = " Means over slices of 0.1 % of the window (zero to the makespan) unless a step is given; a slice at " +
		"the end that is shorter is divided by its own length."
	clocksDoc = " Where the clocks of nodes disagree messages can seem to end before they start: the reconstruction spreads " +
		"their bytes between the two; the runtime's counters are negative then, and printed only where they are asked for."
	perNodeDoc = " A curve for each node."
)

var seriesNumbers = []Numbers{
	{
		ID: "ready", Title: "Ready tasks",
		Doc:     "Number of tasks that only lack a worker: ready and not yet running." + perNodeDoc + sliceDoc,
		Reads:   Joined(TaskTimes, sampleColumns, []string{"task.ready"}),
		Takes:   curveFlags("source"),
		Columns: []numbers.Column{sourceColumn, nodeColumn, fromColumn, untilColumn, {Name: "ready", Doc: "mean number of ready tasks"}},
		Compute: func(run *trace.Run, s *Settings) ([]any, error) {
			return nodeCurves(run, s, Curves{progress.ReadyMetric, progress.Ready, run.Task.Ready, "ready times of tasks"})
		},
	},
	{
		ID: "submitted", Title: "Submitted tasks",
		Doc:   "Number of tasks that were submitted and have not ended." + perNodeDoc + sliceDoc,
		Reads: Joined(TaskTimes, sampleColumns, []string{"task.submit"}),
		Takes: curveFlags("source"),
		Columns: []numbers.Column{sourceColumn, nodeColumn, fromColumn, untilColumn,
			{Name: "submitted", Doc: "mean number of submitted tasks"}},
		Compute: func(run *trace.Run, s *Settings) ([]any, error) {
			return nodeCurves(run, s, Curves{progress.SubmittedMetric, progress.Submitted, run.Task.Submit, "submission times of tasks"})
		},
	},
	{
		ID: "gflops", Title: "GFlop/s",
		Doc: "Rate of work. The runtime's counters of each worker; reconstructed, the work that the application declares " +
			"for a task, spread evenly over its run time." + sliceDoc,
		Reads: Joined(TaskTimes, sampleColumns, []string{"task.gflop"}),
		Takes: curveFlags("source", "count-generation"),
		Columns: []numbers.Column{sourceColumn, nodeColumn, placeColumn, fromColumn, untilColumn,
			{Name: "rate", Unit: "GFlop/s", Doc: "mean rate"}},
		Compute: gflopNumbers,
	},
	{
		ID: "usedmemory", Title: "Used memory",
		Doc:     "Memory that the runtime has allocated on each memory node, by its counters. MB here are 2^20 bytes, as StarPU counts." + sliceDoc,
		Reads:   Joined(TaskTimes, sampleColumns),
		Takes:   curveFlags(),
		Columns: []numbers.Column{nodeColumn, placeColumn, fromColumn, untilColumn, {Name: "used", Unit: "MB", Doc: "mean amount"}},
		Compute: memoryNumbers,
	},
	{
		ID: "bandwidth", Title: "Bandwidth",
		Doc: "Rate at which data enters and leaves each memory node (medium memory) and each node (medium network). The " +
			"runtime's counters; reconstructed, the bytes of each transfer spread evenly over its time. MB are 1e6 bytes. " +
			strings.TrimSpace(clocksDoc) + sliceDoc,
		Reads: Joined(TaskTimes, sampleColumns, []string{"transfer.kind", "transfer.from", "transfer.to", "transfer.start",
			"transfer.end", "transfer.bytes"}),
		Takes: curveFlags("source"),
		Columns: []numbers.Column{sourceColumn, {Name: "medium", Doc: "memory or network"},
			{Name: "direction", Doc: "in or out"}, nodeColumn, placeColumn,
			fromColumn, untilColumn, {Name: "rate", Unit: "MB/s", Doc: "mean rate"}},
		Compute: bandwidthNumbers,
	},
}

// curveFlags are what all curves take and more.
func curveFlags(more ...string) []string {
	return taking(append([]string{"from", "to", "step", "raw", "full-step", "by-node", "total"}, more...)...)
}

// Curves are the two ways to one quantity per node.
type Curves struct {
	Metric      []string
	Reconstruct func(*trace.Run) []progress.Series
	Times       []int64 // without which nothing can be reconstructed
	Called      string
}

// Pick chooses a source and returns its series.
func (c *Curves) Pick(run *trace.Run, want Origin) ([]progress.Series, Origin, error) {
	counted, source, err := c.Choose(run, want)
	if source == Reconstructed {
		return c.Reconstruct(run), source, nil
	}
	return counted, source, err
}

// Choose chooses a source; the series are those of the counters.
func (c *Curves) Choose(run *trace.Run, want Origin) (counted []progress.Series, source Origin, err error) {
	counted = progress.Counters(run, c.Metric)
	if want != Reconstructed && len(counted) > 0 {
		return counted, FromCounters, nil
	}
	why := fmt.Sprintf(`the trace has no counter "%s"`, strings.Join(c.Metric, `" or "`))
	if want == FromCounters {
		return nil, "", &Missing{why + "; --source reconstructed may know"}
	}
	for _, t := range c.Times {
		if t != trace.NoTime {
			return nil, Reconstructed, nil
		}
	}
	if want == Reconstructed {
		return nil, "", &Missing{"the trace does not tell " + c.Called}
	}
	return nil, "", &Missing{why + " and does not tell " + c.Called}
}

func nodeCurves(run *trace.Run, s *Settings, c Curves) ([]any, error) {
	series, source, err := c.Pick(run, s.Source)
	if err != nil {
		return nil, err
	}
	p, err := s.Pieces(run, progress.ByNode(s.Summed(series)))
	if err != nil {
		return nil, err
	}
	return []any{constant(string(source), len(p.value)), p.node, p.start, p.end, p.value}, nil
}

func gflopNumbers(run *trace.Run, s *Settings) ([]any, error) {
	series, source, err := GFlopSeries(run, s.Source, s.Generation)
	if err != nil {
		return nil, err
	}
	p, err := s.Pieces(run, s.Summed(series))
	if err != nil {
		return nil, err
	}
	return []any{constant(string(source), len(p.value)), p.node, pick(&run.Resource.Name, p.place), p.start, p.end, p.value}, nil
}

// GFlopSeries chooses a source and returns the rates of its workers.
func GFlopSeries(run *trace.Run, want Origin, generation bool) ([]progress.Series, Origin, error) {
	series, source := progress.Counters(run, progress.GFlopsMetric), FromCounters
	if want == Reconstructed || want == Best && len(series) == 0 {
		series, source = progress.GFlops(run, generation), Reconstructed
	}
	if len(series) > 0 {
		return series, source, nil
	}
	why := map[Origin]string{
		Best:          "the trace has no counter of GFlop/s, and its tasks declare no GFlop",
		FromCounters:  "the trace has no counter of GFlop/s; --source reconstructed may know",
		Reconstructed: "the tasks declare no GFlop",
	}
	return nil, "", &Missing{why[want]}
}

func memoryNumbers(run *trace.Run, s *Settings) ([]any, error) {
	series, err := MemorySeries(run)
	if err != nil {
		return nil, err
	}
	p, err := s.Pieces(run, s.Summed(series))
	if err != nil {
		return nil, err
	}
	return []any{p.node, pick(&run.Resource.Name, p.place), p.start, p.end, p.value}, nil
}

func MemorySeries(run *trace.Run) ([]progress.Series, error) {
	series := progress.Counters(run, progress.UsedMemoryMetric)
	if len(series) == 0 {
		return nil, &Missing{fmt.Sprintf("the trace has no counter %q", progress.UsedMemoryMetric[0])}
	}
	return series, nil
}
