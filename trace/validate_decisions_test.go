package trace_test

import (
	"strings"
	"testing"

	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// decided is Tiny with a scheduler that was watched: tasks 1 and 2 are pushed
// to worker 8, which takes the second first; task 3 goes through a shared queue.
func decided() *trace.Run {
	r := tracetest.Tiny()
	d, e := &r.Decision, &r.Estimate
	for _, x := range []struct {
		kind, queue                    string
		task, worker, by, owner, place int32
		time                           int64
	}{
		{trace.DecisionPlan, "", 0, 8, trace.None, trace.None, trace.None, 0},
		{trace.DecisionPush, "CPU0", 1, 8, trace.None, 8, 0, 10},
		{trace.DecisionPush, "CPU0", 2, 8, 8, 8, 1, 10},
		{trace.DecisionPop, "CPU0", 2, 8, 8, 8, 1, 20},
		{trace.DecisionPush, "shared", 3, trace.None, 8, trace.None, 0, 30},
		{trace.DecisionTake, "shared", 3, trace.None, 8, trace.None, 0, 31},
		{trace.DecisionSteal, "CPU0", 1, 10, 10, 8, 0, 40},
	} {
		d.Kind.Append(x.kind)
		d.Queue.Append(x.queue)
		d.Task, d.Worker, d.By = append(d.Task, x.task), append(d.Worker, x.worker), append(d.By, x.by)
		d.Owner, d.Place, d.Time = append(d.Owner, x.owner), append(d.Place, x.place), append(d.Time, x.time)
		d.Clock, d.Best = append(d.Clock, 0), append(d.Best, 0)
		d.Alpha, d.Beta = append(d.Alpha, 1), append(d.Beta, 1)
	}
	e.Decision, e.Worker, e.Implementation = []int32{1, 1, 2}, []int32{8, 10, 8}, []int32{0, 0, 0}
	for _, c := range []*[]float64{&e.Available, &e.Queued, &e.Transfer, &e.Duration, &e.End, &e.Fitness} {
		*c = []float64{0, 0, 0}
	}
	return r
}

func TestValidateFindsEachViolationOfDecisions(t *testing.T) {
	if err := decided().Validate(); err != nil {
		t.Fatal(err)
	}
	for _, m := range []struct {
		name  string
		spoil func(d *trace.Decisions, e *trace.Estimates)
		want  string
	}{
		{"no task", func(d *trace.Decisions, _ *trace.Estimates) { d.Task[1] = trace.None }, "decision.task row 1: found none, wanted a row of task"},
		{"kind", func(d *trace.Decisions, _ *trace.Estimates) { d.Kind.Dict[1] = "guess" }, `decision.kind row 1: found "guess", wanted one of push`},
		{"time", func(d *trace.Decisions, _ *trace.Estimates) { d.Time[3] = trace.NoTime }, "decision.time row 3: found no time, wanted a time"},
		{"unsorted", func(d *trace.Decisions, _ *trace.Estimates) { d.Time[3] = 5 }, "decision.time row 3: found 5 after 10, wanted rows sorted"},
		{"late", func(d *trace.Decisions, _ *trace.Estimates) { d.Time[6] = 1000 }, "decision.time row 6: found 1000 after"},
		{"no worker", func(d *trace.Decisions, _ *trace.Estimates) { d.Worker[3] = trace.None }, "decision.worker row 3: found none of kind pop, wanted a worker"},
		{"worker", func(d *trace.Decisions, _ *trace.Estimates) { d.By[3] = 0 }, "decision.by row 3: found 0 of level cluster, wanted a resource of level worker"},
		{"place of a plan", func(d *trace.Decisions, _ *trace.Estimates) { d.Place[0] = 0 }, "decision.place row 0: found 0, wanted no place in a plan"},
		{"push beyond", func(d *trace.Decisions, _ *trace.Estimates) { d.Place[2] = 2 }, "decision.place row 2: found 2 of 1 tasks in CPU0, push, wanted a place"},
		{"pop beyond", func(d *trace.Decisions, _ *trace.Estimates) { d.Place[3] = 2 }, "decision.place row 3: found 2 of 2 tasks in CPU0, pop, wanted a place"},
		{"pop of nothing", func(d *trace.Decisions, _ *trace.Estimates) { d.Place[6] = -1 }, "decision.place row 6: found none of 1 tasks in CPU0, steal, wanted a place"},
		{"estimate of nothing", func(_ *trace.Decisions, e *trace.Estimates) { e.Decision[2] = 7 }, "estimate.decision row 2: found 7 of 7 rows"},
		{"estimate twice", func(_ *trace.Decisions, e *trace.Estimates) { e.Worker[1] = 8 }, "estimate.decision row 1: found 1 8 0 after 1 8 0, wanted rows sorted"},
		{"estimate of no worker", func(_ *trace.Decisions, e *trace.Estimates) { e.Worker[1] = 0 }, "estimate.worker row 1: found 0 of level cluster"},
		{"implementation", func(_ *trace.Decisions, e *trace.Estimates) { e.Implementation[0] = -2 }, "estimate.implementation row 0: found -2, wanted no negative"},
		{"short", func(_ *trace.Decisions, e *trace.Estimates) { e.End = e.End[:2] }, "estimate.end: found 2 rows of 3"},
	} {
		run := decided()
		m.spoil(&run.Decision, &run.Estimate)
		err := run.Validate()
		if err == nil || !strings.Contains(err.Error(), m.want) {
			t.Errorf("%s: found\n%v\nwanted %s", m.name, err, m.want)
		}
	}
}
