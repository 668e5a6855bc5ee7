package panel

import (
	"slices"

	"dagscope/explain/progress"
	"dagscope/explain/schedule"
	"dagscope/internal/interval"
	"dagscope/internal/words"
	"dagscope/trace"
)

func init() {
	register(drawing(Panel{
		ID: "ready", Time: true,
		Doc: "How many tasks only lacked a worker (Garcia Pinto 2018, section 5.2.2), per node. Where the curve is below the dashed line there " +
			"are fewer than workers. The curve is the time average of each pixel, the pale area reaches from the least to " +
			"the greatest value within it. Many nodes are one curve of their mean with the range of all.",
		Open: func(run *trace.Run, o *Options) (View, error) {
			c := curves{progress.ReadyMetric, progress.Ready, run.Task.Ready, "ready times of tasks"}
			v, err := openTaskCurves("ready", run, o, o.Ready, c, progress.ReadySpans)
			if err != nil {
				return nil, err
			}
			v.level, v.levelled = workersToCompare(run, o)
			return v, nil
		},
	}))
	register(drawing(Panel{
		ID: "submitted", Time: true,
		Doc: "How many tasks were submitted and had not ended (Garcia Pinto 2018, section 5.2.2), per node: how far the application is ahead of " +
			"its execution. The curve is the time average of each pixel.",
		Open: func(run *trace.Run, o *Options) (View, error) {
			c := curves{progress.SubmittedMetric, progress.Submitted, run.Task.Submit, "submission times of tasks"}
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
func openTaskCurves(id string, run *trace.Run, o *Options, of Curve, c curves, spans func(*trace.Run) []interval.Spans) (*curveView, error) {
	series, source, err := c.choose(run, of.Source)
	if err != nil {
		return nil, err
	}
	v := &curveView{numbers: id, run: run, options: of, label: "tasks", many: "nodes", settings: wholeRun()}
	v.settings.Source, v.settings.Total = of.Source, of.Total
	v.note = sourceNote(source, c.called)
	if source == Reconstructed {
		v.count(spans(run), o)
	} else {
		v.add(progress.ByNode(v.settings.summed(series)), o, nodeLabel)
	}
	if len(v.curves) == 0 {
		return nil, &Missing{"No node is selected."}
	}
	return v, nil
}

// count adds a curve of how many of its intervals are open for each node, or
// one for all.
func (v *curveView) count(spans []interval.Spans, o *Options) {
	var s progress.Series
	var shown []interval.Spans
	if s.Node = trace.None; v.settings.Total && len(spans) > 0 {
		var all interval.Spans
		for _, one := range spans {
			all.Start, all.End = append(all.Start, one.Start...), append(all.End, one.End...)
		}
		shown, v.curves = append(shown, all), append(v.curves, curve{label: nodeLabel(&s)})
	} else {
		for node, one := range spans {
			if s.Node = int32(node); o.showsNode(s.Node) {
				shown, v.curves = append(shown, one), append(v.curves, curve{label: nodeLabel(&s)})
			}
		}
	}
	for i := range shown {
		v.curves[i].color = seriesColors[i%len(seriesColors)]
		v.curves[i].steps = compactConcurrency(shown[i])
	}
	v.makespan = schedule.Makespan(v.run)
}

// sourceNote says where a curve comes from.
func sourceNote(source Origin, from string) string {
	if source == FromCounters {
		return "counted by the runtime"
	}
	return "reconstructed from the " + from
}

// metricNote says where a curve of a metric comes from. Not all counters are the
// runtime's: some were computed when the run was made.
func metricNote(run *trace.Run, source Origin, metric []string, from string) string {
	if source == FromCounters && slices.ContainsFunc(metric, run.Meta.SamplesDerived) {
		return "computed on import from the " + from
	}
	return sourceNote(source, from)
}

// workersToCompare is the number of workers of a node, where all shown nodes
// have the same.
func workersToCompare(run *trace.Run, o *Options) (float64, string) {
	of, workers := progress.WorkersPerNode(run), 0.0
	for _, node := range run.Resource.Node {
		n := of(node)
		switch {
		case n == 0 || !o.showsNode(node):
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
