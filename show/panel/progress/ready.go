package progress

import (
	"dagscope/explain/numbers/panels"
	"dagscope/explain/progress"
	"dagscope/internal/interval"
	"dagscope/internal/words"
	"dagscope/show/panel/core"
	"dagscope/show/panel/kit"
	"dagscope/trace"
)

func init() {
	core.Register(core.Drawing(core.Panel{
		ID: "ready", Time: true,
		Doc: "How many tasks only lacked a worker (Garcia Pinto 2018, section 5.2.2), per node. Where the curve is below the dashed line there " +
			"are fewer than workers. The curve is the time average of each pixel, the pale area reaches from the least to " +
			"the greatest value within it. Many nodes are one curve of their mean with the range of all.",
		Open: func(run *trace.Run, o *core.Options) (core.View, error) {
			c := panels.Curves{Metric: progress.ReadyMetric, Reconstruct: progress.Ready, Times: run.Task.Ready, Called: "ready times of tasks"}
			v, err := openTaskCurves("ready", run, o, o.Ready, c, progress.ReadySpans)
			if err != nil {
				return nil, err
			}
			v.Level, v.Levelled = workersToCompare(run, o)
			return v, nil
		},
	}))
	core.Register(core.Drawing(core.Panel{
		ID: "submitted", Time: true,
		Doc: "How many tasks were submitted and had not ended (Garcia Pinto 2018, section 5.2.2), per node: how far the application is ahead of " +
			"its execution. The curve is the time average of each pixel.",
		Open: func(run *trace.Run, o *core.Options) (core.View, error) {
			c := panels.Curves{Metric: progress.SubmittedMetric, Reconstruct: progress.Submitted, Times: run.Task.Submit, Called: "submission times of tasks"}
			v, err := openTaskCurves("submitted", run, o, o.Submitted, c, progress.SubmittedSpans)
			if err != nil {
				return nil, err
			}
			return v, nil
		},
	}))
}

// openTaskCurves opens a panel of numbers of tasks, one curve for each node;
// spans are what is counted where no counter does.
func openTaskCurves(id string, run *trace.Run, o *core.Options, of core.Curve, c panels.Curves, spans func(*trace.Run) []interval.Spans) (*kit.Curves, error) {
	series, source, err := c.Choose(run, of.Source)
	if err != nil {
		return nil, err
	}
	v := &kit.Curves{Numbers: id, Run: run, Options: of, Label: "tasks", Many: "nodes", Settings: core.WholeRun()}
	v.Settings.Source, v.Settings.Total = of.Source, of.Total
	v.Note = kit.SourceNote(source, c.Called)
	if source == panels.Reconstructed {
		v.Count(spans(run), o)
	} else {
		v.Add(progress.ByNode(v.Settings.Summed(series)), o, kit.NodeLabel)
	}
	if len(v.Curves) == 0 {
		return nil, &panels.Missing{Why: "No node is selected."}
	}
	return v, nil
}

// workersToCompare is the number of workers of a node, where all shown nodes
// have the same.
func workersToCompare(run *trace.Run, o *core.Options) (float64, string) {
	of, workers := progress.WorkersPerNode(run), 0.0
	for _, node := range run.Resource.Node {
		n := of(node)
		switch {
		case n == 0 || !o.ShowsNode(node):
		case workers == 0:
			workers = n
		case workers != n:
			return 0, ""
		}
	}
	if o.Ready.Total {
		return 0, ""
	}
	return workers, words.PluralThin(int(workers), "worker", "workers")
}
