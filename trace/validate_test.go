package trace_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"dagscope/trace"
	"dagscope/trace/tracetest"

	"pgregory.net/rapid"
)

// mutations each break one promise of a valid run (Tiny, with two segments) and
// say how the violation begins.
var mutations = []struct {
	name  string
	spoil func(r *trace.Run)
	want  string
}{
	{"short column", func(r *trace.Run) { r.Task.End = r.Task.End[:5] }, "task.end: found 5 rows of 6, wanted as many rows"},
	{"missing column", func(r *trace.Run) { r.Task.Ready = nil }, "task.ready: found no rows of 6, wanted as many rows"},
	{"short optional column", func(r *trace.Run) { r.Task.X = r.Task.X[:1] }, "task.x: found 1 rows of 6"},
	{"reference too large", func(r *trace.Run) { r.Task.Worker[2] = 11 }, "task.worker row 2: found 11 of 11 rows, wanted a row of resource or none"},
	{"reference below none", func(r *trace.Run) { r.Task.Worker[2] = -2 }, "task.worker row 2: found -2"},
	{"no successor", func(r *trace.Run) { r.Dep.To[0] = -1 }, "dep.to row 0: found none, wanted a row of task"},
	{"text out of range", func(r *trace.Run) { r.Task.Kind.Index[3] = 99 }, "task.kind row 3: found 99 of 4 texts, wanted an index"},
	{"no text", func(r *trace.Run) { r.Task.Kind.Index[3] = -1 }, "task.kind row 3: found none, wanted a text"},
	{"text twice", func(r *trace.Run) { r.Task.Kind.Dict[1] = "POTRF" }, `task.kind: found "POTRF" again as number 1`},
	{"prefix out of range", func(r *trace.Run) { r.Task.Key.Code[3] = 7 << 40 }, "task.key row 3: found code"},
	{"two roots", func(r *trace.Run) { r.Resource.Parent[1] = -1 }, "resource.parent row 1: found none, wanted one root"},
	{"child first", func(r *trace.Run) { r.Resource.Parent[3] = 4 }, "resource.parent row 3: found 4, wanted parents before"},
	{"own parent", func(r *trace.Run) { r.Resource.Parent[3] = 3 }, "resource.parent row 3: found 3, wanted parents before"},
	{"unknown level", func(r *trace.Run) { r.Resource.Level.Dict[0] = "galaxy" }, `resource.level row 0: found "galaxy", wanted one of cluster`},
	{"level out of range", func(r *trace.Run) { r.Resource.Level.Index[8] = 70 }, "resource.level row 8: found 70 of"},
	{"node above nodes", func(r *trace.Run) { r.Resource.Node[0] = 0 }, "resource.node row 0: found 0, wanted none above"},
	{"no node", func(r *trace.Run) { r.Resource.Node[10] = -1 }, "resource.node row 10: found none for a worker, wanted a rank"},
	{"node of the parent", func(r *trace.Run) { r.Resource.Node[10] = 1 }, "resource.node row 10: found 1 under 0, wanted the node of its parent"},
	{"resource ends first", func(r *trace.Run) { r.Resource.End[10] = -31 }, "resource.end row 10: found -31 after start -30"},
	{"rank without bound", func(r *trace.Run) {
		for i, node := range r.Resource.Node {
			if node == 0 {
				r.Resource.Node[i] = trace.MaxRank + 1
			}
		}
	}, "resource.node row 1: found 1048576, wanted a rank up to 1048575 or none"},
	{"handle out of bounds", func(r *trace.Run) { r.Handle.Node[1] = trace.MaxRank + 1 }, "handle.node row 1: found 1048576, wanted a rank up to 1048575"},
	{"handle nowhere", func(r *trace.Run) { r.Handle.Node[1] = -1 }, "handle.node row 1: found none, wanted a rank"},
	{"end before start", func(r *trace.Run) { r.Task.End[1] = 49 }, "task.end row 1: found 49 after start 50"},
	{"no end", func(r *trace.Run) { r.Task.End[1] = trace.NoTime }, "task.end row 1: found no time after start 50"},
	{"no start", func(r *trace.Run) { r.Task.Start[1] = trace.NoTime }, "task.end row 1: found 70, wanted no end without a start"},
	{"worker without a run", func(r *trace.Run) { r.Task.Start[1], r.Task.End[1] = trace.NoTime, trace.NoTime }, "task.worker row 1: found 8, wanted no worker"},
	{"no worker", func(r *trace.Run) { r.Task.Worker[1] = -1 }, "task.worker row 1: found none, wanted a worker"},
	{"on a thread", func(r *trace.Run) { r.Task.Worker[1] = 7 }, "task.worker row 1: found 7 of level thread, wanted a resource of level worker"},
	{"after the horizon", func(r *trace.Run) { r.Meta.Horizon = 149 }, "task.end row 5: found 150 after 149, wanted nothing after the horizon"},
	{"key twice", func(r *trace.Run) { r.Task.Key.Code[4] = r.Task.Key.Code[1] }, `task.key row 4: found "2" again, wanted each key once`},
	{"sparse keys", func(r *trace.Run) {
		r.Task.Key.Code[0] |= 1 << 30
		r.Task.Key.Code[4] = r.Task.Key.Code[1]
	}, `task.key: found "2" again`},
	{"order", func(r *trace.Run) { r.Task.Order[3] = 1 }, "task.order row 3: found 1 after 2, wanted tasks in the order"},
	{"nodes mixed", func(r *trace.Run) { r.Task.Node = []int32{0, 0, 1, 0, 1, 1} }, "task.node row 3: found 0 after tasks of 1, wanted the tasks of a node together"},
	{"zero", func(r *trace.Run) { r.Task.Generation[0] = true }, "task.start row 2: found 40, wanted 0 as the earliest start"},
	{"segment outside", func(r *trace.Run) { r.Segment.End[1] = 101 }, "segment.start row 1: found 70 to 101 in task 2 from 40 to 100, wanted a piece inside"},
	{"segments overlap", func(r *trace.Run) { r.Segment.End[0] = 71 }, "segment.start row 1: found 70 before 71, wanted pieces"},
	{"segments unsorted", func(r *trace.Run) { r.Segment.Start[0] = 75; r.Segment.End[0] = 80 }, "segment.task row 1: found 2 70 after 2 75"},
	{"segment backwards", func(r *trace.Run) { r.Segment.End[0] = 39 }, "segment.end row 0: found 39 after start 40"},
	{"segment on a node", func(r *trace.Run) { r.Segment.Worker[0] = 1 }, "segment.worker row 0: found 1 of level node"},
	{"transfer kind", func(r *trace.Run) { r.Transfer.Kind.Dict[0] = "stroll" }, `transfer.kind row 0: found "stroll", wanted one of fetch`},
	{"transfers unsorted", func(r *trace.Run) { r.Transfer.Start[2] = trace.NoTime }, "transfer.start row 2: found no time after 0, wanted rows sorted"},
	{"transfer from nowhere", func(r *trace.Run) { r.Transfer.From[2] = -1 }, "transfer.from row 2: found none, wanted a source"},
	{"transfer to nowhere", func(r *trace.Run) { r.Transfer.To[2] = -1 }, "transfer.to row 2: found none, wanted a destination"},
	{"negative size", func(r *trace.Run) { r.Transfer.Bytes[2] = -1 }, "transfer.bytes row 2: found -1, wanted no negative size"},
	{"edge twice", func(r *trace.Run) { r.Dep.From[3], r.Dep.To[3] = r.Dep.From[2], r.Dep.To[2] }, "dep.to row 3: found 3 1 none after 3 1 none, wanted rows sorted"},
	{"edges unsorted", func(r *trace.Run) { r.Dep.From[0], r.Dep.To[0] = 2, 5 }, "dep.to row 1: found 2 0 none after 5 2 none"},
	{"edge to itself", func(r *trace.Run) { r.Dep.From[0] = 1 }, "dep.from row 0: found 1, wanted no edge from a task to itself"},
	{"no predecessor", func(r *trace.Run) { r.Dep.From[0] = -1 }, "dep.from row 0: found none, wanted a predecessor"},
	{"communication without transfer", func(r *trace.Run) { r.Dep.Kind.Dict[0] = trace.DepComm }, "dep.via row 0: found none for kind communication"},
	{"transfer without communication", func(r *trace.Run) { r.Dep.Via = []int32{0, -1, -1, -1, -1, -1} }, "dep.via row 0: found 0 for kind task"},
	{"edge kind", func(r *trace.Run) { r.Dep.Kind.Dict[0] = "friend" }, `dep.kind row 0: found "friend"`},
	{"state backwards", func(r *trace.Run) { r.State.End[2] = 39 }, "state.end row 2: found 39 after start 40"},
	{"states unsorted", func(r *trace.Run) { r.State.Start[1] = 41; r.State.End[1] = 42 }, "state.start row 2: found 40 after 41"},
	{"states of resources mixed", func(r *trace.Run) { r.State.Resource[8] = 8 }, "state.resource row 8: found 8 after 10"},
	{"states of types mixed", func(r *trace.Run) { r.State.Type.Index[3] = r.State.Type.Intern("Thread State") }, "state.type row 4: found Worker State after Thread State"},
	{"depths", func(r *trace.Run) { r.State.Start[2], r.State.Depth[1] = -20, 1 }, "state.depth row 2: found 0 after 1, wanted states that start together"},
	{"negative depth", func(r *trace.Run) { r.State.Depth[1] = -1 }, "state.depth row 1: found none, wanted no negative depth"},
	{"samples unsorted", func(r *trace.Run) { r.Sample.Time[3] = 30 }, "sample.time row 3: found 30 after 40"},
	{"metrics mixed", func(r *trace.Run) { r.Sample.Metric.Index[17] = 0 }, "sample.metric row 17: found Number of Ready Tasks after"},
	{"sample resources", func(r *trace.Run) { r.Sample.Resource[0] = 3 }, "sample.resource row 1: found 2 after 3"},
	{"sample without time", func(r *trace.Run) { r.Sample.Time[0] = trace.NoTime }, "sample.time row 0: found no time"},
	{"events unsorted", func(r *trace.Run) { addEvents(r, 5, 4) }, "event.time row 1: found 4 on 1 after 5 on 1"},
	{"event late", func(r *trace.Run) { addEvents(r, 5, 151) }, "event.time row 1: found 151 after 150, wanted nothing after the horizon"},
	{"accesses unsorted", func(r *trace.Run) { r.Access.Task[0] = 3 }, "access.task row 1: found 1 after 3, wanted rows sorted by task"},
	{"severity", func(r *trace.Run) { r.Log.Add("dire", "", 0, "x", "y") }, `importlog.severity row 0: found "dire"`},
	{"account", func(r *trace.Run) { r.Account.Add("a", "b", "c", 1); r.Account.Lines[0] = 0 }, "account.lines row 0: found 0, wanted a positive number"},
	{"generation", func(r *trace.Run) { r.Meta.Generation = "(" }, `meta.generation: found "(", wanted a regular expression`},
	{"derived", func(r *trace.Run) { r.Meta.Derived = map[string]string{"task.mood": "guessed"} }, `meta.derived: found "task.mood", wanted the name`},
}

func addEvents(r *trace.Run, times ...int64) {
	e := &r.Event
	for _, t := range times {
		e.Kind.Append("checkpoint")
		e.Resource = append(e.Resource, 1)
		e.Time = append(e.Time, t)
		e.Value.Append("")
	}
}

// pieces is Tiny with task 2 in two segments.
func pieces() *trace.Run {
	r := tracetest.Tiny()
	r.Segment = trace.Segments{Task: []int32{2, 2}, Worker: []int32{10, 10}, Start: []int64{40, 70}, End: []int64{60, 100}}
	return r
}

// phases is pieces with a task that waits, was preempted, and creators.
func phases() *trace.Run {
	r := pieces()
	p := &r.Phase
	p.Task, p.Start, p.End = []int32{1, 2, 2}, []int64{70, 60, 65}, []int64{72, 65, 70}
	for _, kind := range []string{trace.PhaseDetached, trace.PhaseSuspended, trace.PhaseReady} {
		p.Kind.Append(kind)
	}
	r.Task.Parent = []int32{-1, 0, 0, 2, 2, -1}
	return r
}

func TestValidateFindsEachViolationOfPhases(t *testing.T) {
	if err := phases().Validate(); err != nil {
		t.Fatal(err)
	}
	for _, m := range []struct {
		name  string
		spoil func(r *trace.Run)
		want  string
	}{
		{"parent later", func(r *trace.Run) { r.Task.Parent[1] = 1 }, "task.parent row 1: found 1, wanted tasks after those that created them"},
		{"parent out of range", func(r *trace.Run) { r.Task.Parent[1] = 9 }, "task.parent row 1: found 9 of 6 rows"},
		{"phase of no task", func(r *trace.Run) { r.Phase.Task[0] = -1 }, "phase.task row 0: found none, wanted a row of task"},
		{"phase kind", func(r *trace.Run) { r.Phase.Kind.Dict[0] = "bored" }, `phase.kind row 0: found "bored", wanted one of ready`},
		{"phase backwards", func(r *trace.Run) { r.Phase.End[1] = 59 }, "phase.end row 1: found 59 after start 60"},
		{"phases unsorted", func(r *trace.Run) { r.Phase.Task[0] = 3 }, "phase.task row 1: found 2 60 after 3 70, wanted rows sorted"},
		{"phases overlap", func(r *trace.Run) { r.Phase.End[1] = 66 }, "phase.start row 2: found 65 before 66, wanted phases"},
		{"phase while ready", func(r *trace.Run) { r.Task.Ready[2], r.Phase.Start[1], r.Phase.End[1] = 30, 35, 40 }, "phase.start row 1: found"},
		{"phase after the horizon", func(r *trace.Run) { r.Phase.End[2] = 1000 }, "phase.end row 2: found 1000 after"},
	} {
		run := phases()
		m.spoil(run)
		err := run.Validate()
		if err == nil || !strings.Contains(err.Error(), m.want) {
			t.Errorf("%s: found\n%v\nwanted %s", m.name, err, m.want)
		}
	}
}

func TestValidateFindsEachViolation(t *testing.T) {
	if err := pieces().Validate(); err != nil {
		t.Fatal(err)
	}
	parallel := pieces()
	parallel.Segment.Worker[1], parallel.Segment.Start[1] = 8, 40
	if err := parallel.Validate(); err != nil {
		t.Fatalf("pieces side by side on two workers: %v", err)
	}
	for _, m := range mutations {
		run := pieces()
		m.spoil(run)
		err := run.Validate()
		invalid, ok := errors.AsType[*trace.Invalid](err)
		if !ok {
			t.Errorf("%s: found error %v, wanted one of violations", m.name, err)
			continue
		}
		if !slices.ContainsFunc(invalid.Violations, func(v trace.Violation) bool { return strings.HasPrefix(v.String(), m.want) }) {
			t.Errorf("%s: found\n%v\nwanted %s", m.name, err, m.want)
		}
	}
}

// TestValidateNeverPanics puts arbitrary numbers where references, texts and
// times are: whatever a file holds, the answer is an error.
func TestValidateNeverPanics(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := pieces()
		addEvents(run, 3, 4)
		tables := run.Tables()
		for range rapid.IntRange(1, 4).Draw(t, "spoiled") {
			table := rapid.SampledFrom(tables).Draw(t, "table")
			c := rapid.SampledFrom(table.Columns).Draw(t, "column")
			if c.Len() == 0 {
				continue
			}
			row := rapid.IntRange(0, c.Len()-1).Draw(t, "row")
			number := rapid.OneOf(rapid.Int32(), rapid.Int32Range(-3, 12)).Draw(t, "number")
			switch d := c.Data.(type) {
			case *[]int32:
				(*d)[row] = number
			case *[]int64:
				(*d)[row] = rapid.Int64().Draw(t, "time")
			case *trace.Strings:
				d.Index[row] = number
			case *trace.Keys:
				d.Code[row] = rapid.Int64().Draw(t, "code")
			}
		}
		_ = run.Validate()
	})
}

func TestValidateKeepsAFewOfEach(t *testing.T) {
	run := tracetest.Chain(1000)
	for i := range run.Task.End {
		run.Task.End[i] = run.Task.Start[i] - 1
		run.Task.Order[i] = -5
	}
	run.Meta.Generation = "("
	invalid, ok := errors.AsType[*trace.Invalid](run.Validate())
	if !ok || invalid.Total != 2001 || len(invalid.Violations) != 7 {
		t.Fatalf("found %v, wanted 2001 violations, 7 of them kept", invalid)
	}
	if text := invalid.Error(); !strings.Contains(text, "2001 violations") || !strings.Contains(text, "and 1994 more") {
		t.Errorf("found %s", text)
	}
}

// TestKeyRepeatsAgree compares the search for repeated keys with a map.
func TestKeyRepeatsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "n")
		run := tracetest.Chain(n)
		seen, repeats := map[string]bool{}, 0
		run.Task.Key = trace.Keys{}
		for range n {
			name := rapid.SampledFrom([]string{"", "a", "a1", "a2", "b7", "1", "99999999999", "5", "6"}).Draw(t, "name")
			if name != "" && seen[name] {
				repeats++
			}
			seen[name] = true
			run.Task.Key.AppendString(name)
		}
		found := 0
		if invalid, ok := errors.AsType[*trace.Invalid](run.Validate()); ok {
			found = invalid.Total
		}
		if found != repeats {
			t.Fatalf("found %d repeated keys in %v, wanted %d", found, run.Task.Key.Code, repeats)
		}
	})
}
