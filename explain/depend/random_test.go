package depend

import (
	"cmp"
	"slices"

	"dagscope/trace"

	"pgregory.net/rapid"
)

// horizon bounds the times of random runs, so that oracles can go through them
// instant by instant.
const horizon = 24

// drawRun draws a run with everything that dependencies and delays look at: a
// node with two memories and three workers, tasks of which some never ran,
// some are the runtime's own and some were suspended, edges in both directions
// of the row numbers but without a circle, messages, copies and states. Times
// are unrelated to the edges, as with clocks that disagree.
func drawRun(t *rapid.T) *trace.Run {
	run := &trace.Run{}
	drawMachine(run)
	n := rapid.IntRange(1, 9).Draw(t, "tasks")
	for i := range n {
		drawTask(t, run, i)
	}
	drawSegments(t, run)
	drawTransfers(t, run, n)
	drawEdges(t, run, n)
	drawStates(t, run)
	return run
}

// drawMachine adds the resources: 3, 4 and 5 are managers and memories' thread,
// workers are 6, 7 and 8, the first two driven by a thread.
func drawMachine(run *trace.Run) {
	re := &run.Resource
	add := func(parent int32, level, arch string) {
		re.Parent = append(re.Parent, parent)
		re.Level.Append(level)
		re.Arch.Append(arch)
		re.Name.Append(level)
		re.Node = append(re.Node, 0)
		re.Index = append(re.Index, 0)
	}
	add(-1, trace.LevelNode, "")
	add(0, trace.LevelMemory, "")
	add(0, trace.LevelMemory, "")
	add(1, trace.LevelMemoryManager, "")
	add(2, trace.LevelMemoryManager, "")
	add(1, trace.LevelThread, "")
	add(5, trace.LevelWorker, "cpu")
	add(5, trace.LevelWorker, "cpu")
	add(2, trace.LevelWorker, "cuda")
}

func drawTime(t *rapid.T, label string) int64 { return rapid.Int64Range(-2, horizon).Draw(t, label) }

func drawTask(t *rapid.T, run *trace.Run, i int) {
	ta := &run.Task
	start, end, ready, worker := trace.NoTime, trace.NoTime, trace.NoTime, trace.None
	internal := rapid.IntRange(0, 5).Draw(t, "internal") == 0
	if rapid.IntRange(0, 3).Draw(t, "ran") > 0 {
		start = drawTime(t, "start")
		end = start + rapid.Int64Range(0, 8).Draw(t, "duration")
		worker = rapid.Int32Range(5, 8).Draw(t, "worker")
		if worker == 5 || internal {
			worker = trace.None
		}
	}
	if rapid.IntRange(0, 4).Draw(t, "known") > 0 {
		ready = drawTime(t, "ready")
	}
	ta.Key.AppendString(string(rune('a' + i)))
	ta.Kind.Append([]string{"X", "Y"}[i%2])
	ta.Worker, ta.Start, ta.End = append(ta.Worker, worker), append(ta.Start, start), append(ta.End, end)
	ta.Ready, ta.Internal = append(ta.Ready, ready), append(ta.Internal, internal)
	ta.Generation = append(ta.Generation, rapid.IntRange(0, 5).Draw(t, "generation") == 0)
	for range rapid.IntRange(0, 2).Draw(t, "accesses") {
		run.Access.Task = append(run.Access.Task, int32(i))
		run.Access.Handle = append(run.Access.Handle, rapid.Int32Range(-1, 1).Draw(t, "handle"))
	}
}

// drawSegments suspends some tasks of at least two instants in the middle, and
// lets others run on a second worker as well.
func drawSegments(t *rapid.T, run *trace.Run) {
	ta, s := &run.Task, &run.Segment
	for i, start := range ta.Start {
		if start == trace.NoTime || ta.Worker[i] < 0 || ta.End[i]-start < 3 || rapid.IntRange(0, 3).Draw(t, "suspended") > 0 {
			continue
		}
		s.Task = append(s.Task, int32(i), int32(i))
		if other := int32(6 + (i+1)%3); other != ta.Worker[i] && rapid.Bool().Draw(t, "parallel") {
			s.Worker = append(s.Worker, ta.Worker[i], other)
			s.Start, s.End = append(s.Start, start, start), append(s.End, ta.End[i], ta.End[i])
			continue
		}
		s.Worker = append(s.Worker, ta.Worker[i], ta.Worker[i])
		s.Start = append(s.Start, start, start+2)
		s.End = append(s.End, start+1, ta.End[i])
	}
}

func drawTransfers(t *rapid.T, run *trace.Run, tasks int) {
	run.Handle.Node = []int32{0, 0}
	tr := &run.Transfer
	for i := range rapid.IntRange(0, 5).Draw(t, "transfers") {
		start, end := drawTime(t, "from"), drawTime(t, "to")
		if rapid.IntRange(0, 4).Draw(t, "timeless") == 0 {
			end = trace.NoTime
		}
		tr.Key.AppendString("com_" + string(rune('0'+i)))
		tr.Start, tr.End = append(tr.Start, start), append(tr.End, end)
		tr.To = append(tr.To, rapid.SampledFrom([]int32{-1, 0, 3, 4}).Draw(t, "destination"))
		tr.Handle = append(tr.Handle, rapid.Int32Range(-1, 1).Draw(t, "moved"))
		tr.SendTask = append(tr.SendTask, rapid.Int32Range(-1, int32(tasks)-1).Draw(t, "sender"))
	}
}

// drawEdges draws edges along a random order of the tasks. The senders of
// transfers are kept in that order too.
func drawEdges(t *rapid.T, run *trace.Run, tasks int) {
	order := make([]int32, tasks)
	for i := range order {
		order[i] = int32(i)
	}
	order = rapid.Permutation(order).Draw(t, "order")
	type edge struct{ to, from, via int32 }
	var edges []edge
	for range rapid.IntRange(0, 14).Draw(t, "edges") {
		a, b := rapid.IntRange(0, tasks-1).Draw(t, "a"), rapid.IntRange(0, tasks-1).Draw(t, "b")
		if a == b {
			continue
		}
		e := edge{order[max(a, b)], order[min(a, b)], trace.None}
		if m := len(run.Transfer.Start); m > 0 && rapid.Bool().Draw(t, "message") {
			e.via = rapid.Int32Range(0, int32(m)-1).Draw(t, "via")
			if send := run.Transfer.SendTask[e.via]; send >= 0 && slices.Index(order, send) >= max(a, b) {
				run.Transfer.SendTask[e.via] = trace.None
			}
			if rapid.IntRange(0, 3).Draw(t, "unknown sender") == 0 {
				e.from = trace.None
			}
		}
		edges = append(edges, e)
	}
	slices.SortFunc(edges, func(x, y edge) int {
		return cmp.Or(cmp.Compare(x.to, y.to), cmp.Compare(x.from, y.from), cmp.Compare(x.via, y.via))
	})
	for _, e := range edges {
		run.Dep.From, run.Dep.To = append(run.Dep.From, e.from), append(run.Dep.To, e.to)
		run.Dep.Via = append(run.Dep.Via, e.via)
	}
}

// drawStates draws states in the order of resources.
func drawStates(t *rapid.T, run *trace.Run) {
	where := int32(5)
	for range rapid.IntRange(0, 6).Draw(t, "states") {
		start := drawTime(t, "state")
		where = rapid.Int32Range(where, 8).Draw(t, "where")
		run.State.Resource = append(run.State.Resource, where)
		run.State.Kind.Append(rapid.SampledFrom([]string{"Idle", "Scheduling", "Callback"}).Draw(t, "state kind"))
		run.State.Start = append(run.State.Start, start)
		run.State.End = append(run.State.End, start+rapid.Int64Range(0, 9).Draw(t, "lasting"))
	}
}
