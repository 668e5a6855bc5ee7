package breakdown

import (
	"testing"

	"dagscope/trace"

	"pgregory.net/rapid"
)

const horizon = 30

// drawRun draws two nodes with a CPU and a GPU worker each (rows 2 to 5), the
// first driven by a thread (row 6), tasks of three kinds with models for some,
// and states.
func drawRun(t *rapid.T) *trace.Run {
	run := &trace.Run{}
	add := func(parent int32, level, arch string, node int32) {
		re := &run.Resource
		re.Parent = append(re.Parent, parent)
		re.Level.Append(level)
		re.Arch.Append(arch)
		re.Node = append(re.Node, node)
		start, end := trace.NoTime, trace.NoTime
		if rapid.Bool().Draw(t, "lives") {
			start = rapid.Int64Range(0, horizon/2).Draw(t, "birth")
			end = start + rapid.Int64Range(0, horizon/2).Draw(t, "life")
		}
		re.Start, re.End = append(re.Start, start), append(re.End, end)
	}
	add(-1, trace.LevelNode, "", 0)
	add(-1, trace.LevelNode, "", 1)
	add(6, trace.LevelWorker, "cpu", 0)
	add(0, trace.LevelWorker, "cuda", 0)
	add(1, trace.LevelWorker, "cpu", 1)
	add(1, trace.LevelWorker, "cuda", 1)
	add(0, trace.LevelThread, "", 0)
	for range rapid.IntRange(0, 8).Draw(t, "tasks") {
		drawTask(t, run)
		drawPieces(t, run)
		drawPhases(t, run)
	}
	for range rapid.IntRange(0, 5).Draw(t, "edges") {
		if n := int32(len(run.Task.Start)); n > 1 && len(run.Dep.To) < int(n)-1 {
			to := int32(len(run.Dep.To)) + 1
			run.Dep.From = append(run.Dep.From, rapid.Int32Range(0, to-1).Draw(t, "from"))
			run.Dep.To = append(run.Dep.To, to)
		}
	}
	run.Model.Symbol.Append("ma")
	run.Model.Arch.Append("cuda")
	run.Model.Count = []int64{rapid.Int64Range(0, 1).Draw(t, "measured")}
	last, depth := int32(2), int32(0)
	for range rapid.IntRange(0, 8).Draw(t, "states") {
		last = rapid.Int32Range(last, 6).Draw(t, "where")
		start := rapid.Int64Range(-2, horizon).Draw(t, "state")
		run.State.Resource = append(run.State.Resource, last)
		run.State.Kind.Append(rapid.SampledFrom([]string{"Idle", "Scheduling"}).Draw(t, "state kind"))
		run.State.Start = append(run.State.Start, start)
		run.State.End = append(run.State.End, start+rapid.Int64Range(0, 9).Draw(t, "lasting"))
		run.State.Depth = append(run.State.Depth, depth)
		depth++
	}
	return run
}

func drawTask(t *rapid.T, run *trace.Run) {
	ta := &run.Task
	start := rapid.Int64Range(-2, horizon).Draw(t, "start")
	ready := start - rapid.Int64Range(-1, 9).Draw(t, "waited")
	if rapid.IntRange(0, 3).Draw(t, "ready known") == 0 {
		ready = trace.NoTime
	}
	submit := start - rapid.Int64Range(0, 12).Draw(t, "submitted")
	if rapid.IntRange(0, 3).Draw(t, "submit known") == 0 {
		submit = trace.NoTime
	}
	kind := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "kind")
	ta.Start, ta.End = append(ta.Start, start), append(ta.End, start+rapid.Int64Range(0, 8).Draw(t, "duration"))
	ta.Ready, ta.Submit = append(ta.Ready, ready), append(ta.Submit, submit)
	ta.Worker = append(ta.Worker, rapid.Int32Range(2, 5).Draw(t, "worker"))
	ta.Kind.Append(kind)
	ta.Model.Append("m" + kind)
	ta.Internal = append(ta.Internal, rapid.IntRange(0, 6).Draw(t, "internal") == 0)
	ta.Generation = append(ta.Generation, rapid.IntRange(0, 4).Draw(t, "generation") == 0)
}

// drawPieces lets some tasks go on elsewhere, after a while or meanwhile.
func drawPieces(t *rapid.T, run *trace.Run) {
	ta, s := &run.Task, &run.Segment
	v := len(ta.Start) - 1
	start, end := ta.Start[v], ta.End[v]
	if end-start < 2 || rapid.IntRange(0, 2).Draw(t, "in pieces") > 0 {
		return
	}
	second := rapid.Int64Range(start, end-1).Draw(t, "second piece")
	other := 2 + (ta.Worker[v]-1)%4
	s.Task, s.Worker = append(s.Task, int32(v), int32(v)), append(s.Worker, ta.Worker[v], other)
	s.Start, s.End = append(s.Start, start, second), append(s.End, rapid.Int64Range(start, end).Draw(t, "first piece"), end)
}

// drawPhases lets some tasks be suspended, before their start or after.
func drawPhases(t *rapid.T, run *trace.Run) {
	ph := &run.Phase
	at := rapid.Int64Range(-4, horizon).Draw(t, "phases from")
	for range rapid.IntRange(0, 3).Draw(t, "phases") {
		end := at + rapid.Int64Range(0, 6).Draw(t, "phase")
		ph.Task = append(ph.Task, int32(len(run.Task.Start)-1))
		ph.Kind.Append(rapid.SampledFrom([]string{trace.PhaseReady, trace.PhaseResumable, trace.PhaseSuspended}).Draw(t, "phase kind"))
		ph.Start, ph.End = append(ph.Start, at), append(ph.End, end)
		at = end
	}
}

// instants are the definitions of the paper, one instant at a time.
type instants struct {
	run *trace.Run
	o   Options
}

func (n instants) counted(v int) bool {
	t := &n.run.Task
	return !t.Internal[v] && (n.o.Generation || !t.Generation[v])
}

// ready is the time from which task v waits; ok is false when nothing tells.
func (n instants) ready(v int) (at int64, ok bool) {
	t, d := &n.run.Task, &n.run.Dep
	if t.Ready[v] != trace.NoTime {
		return t.Ready[v], true
	}
	at = t.Submit[v]
	for e := range d.To {
		if int(d.To[e]) != v {
			continue
		}
		for u := int(d.From[e]); ; u = n.pred(u) { // edges form a forest
			if u < 0 {
				break
			}
			if !t.Internal[u] {
				at = max(at, t.End[u])
				break
			}
		}
	}
	return at, at != trace.NoTime
}

func (n instants) pred(v int) int {
	for e, to := range n.run.Dep.To {
		if int(to) == v {
			return int(n.run.Dep.From[e])
		}
	}
	return -1
}

// deltaW is 1 iff the worker runs a piece of a task; implicit if only of tasks
// of the runtime's own.
func (n instants) deltaW(w int32, at int64) (runs, implicit bool) {
	counted := false
	n.pieces(w, func(v int, start, end int64) {
		if start <= at && at < end {
			runs = true
			counted = counted || !n.run.Task.Internal[v]
		}
	})
	return runs, runs && !counted
}

// pieces calls f for what of the tasks ran on a worker.
func (n instants) pieces(w int32, f func(task int, start, end int64)) {
	t, s := &n.run.Task, &n.run.Segment
	for v := range t.Start {
		if t.Generation[v] && !n.o.Generation {
			continue
		}
		whole := true
		for k, task := range s.Task {
			if int(task) == v {
				if whole = false; s.Worker[k] == w {
					f(v, s.Start[k], s.End[k])
				}
			}
		}
		if whole && t.Worker[v] == w {
			f(v, t.Start[v], t.End[v])
		}
	}
}

// deltaR is 1 iff a task is ready that the worker could run, by scope.
func (n instants) deltaR(s Scope, w int32, at int64) bool {
	t := &n.run.Task
	for v := range t.Start {
		ready, ok := n.ready(v)
		if !n.counted(v) || !ok || ready > at || at >= t.Start[v] {
			continue
		}
		if n.fits(s, w, v) {
			return true
		}
	}
	ph := &n.run.Phase
	for i, task := range ph.Task {
		v, kind := int(task), ph.Kind.At(i)
		ready := kind == trace.PhaseReady || kind == trace.PhaseResumable && !n.o.WaitingNotReady
		if ready && (n.o.Generation || !t.Generation[v]) && ph.Start[i] <= at && at < ph.End[i] && n.fits(s, w, v) {
			return true
		}
	}
	return false
}

// fits tells whether a worker could run a task that is ready, by scope.
func (n instants) fits(s Scope, w int32, v int) bool {
	t, re := &n.run.Task, &n.run.Resource
	return s == Global || n.able(t.Kind.At(v), re.Arch.At(int(w))) && (s == ByArch || re.Node[t.Worker[v]] == re.Node[w])
}

func (n instants) able(kind, arch string) bool {
	for v, w := range n.run.Task.Worker {
		if n.run.Task.Kind.At(v) == kind && n.run.Resource.Arch.At(int(w)) == arch {
			return true
		}
	}
	return kind == "a" && arch == "cuda" && n.run.Model.Count[0] > 0 || kind == "b" && arch == "cpu" && n.o.CanRun != nil
}

// label is the latest started task or state that is open, else the last to end.
func (n instants) label(w int32, at int64) string {
	type item struct {
		start, end int64
		depth      int
		name       string
	}
	var best *item
	better := func(x *item) bool {
		openX, openBest := x.end > at, best.end > at
		if openX != openBest {
			return openX
		}
		if !openX && x.end != best.end {
			return x.end > best.end
		}
		return x.start > best.start || x.start == best.start && x.depth >= best.depth
	}
	consider := func(x item) {
		if x.start < x.end && x.start <= at && (best == nil || better(&x)) {
			best = &x
		}
	}
	n.pieces(w, func(v int, start, end int64) {
		consider(item{start, end, 1 << 30, "task " + n.run.Task.Kind.At(v)})
	})
	where, own := w, false
	for _, r := range n.run.State.Resource {
		own = own || r == w
	}
	if !own && w == 2 {
		where = 6
	}
	s := &n.run.State
	for i := range s.Start {
		if s.Resource[i] == where {
			consider(item{s.Start[i], s.End[i], int(s.Depth[i]), "state " + s.Kind.At(i)})
		}
	}
	if best == nil {
		return "state "
	}
	return best.name
}

func TestBreakdownAgainstInstants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := drawRun(t)
		o := Options{From: rapid.Int64Range(-4, 5).Draw(t, "I from"), Generation: rapid.Bool().Draw(t, "generation"),
			Lifetimes: rapid.Bool().Draw(t, "lifetimes"), WaitingNotReady: rapid.Bool().Draw(t, "waiting not ready"), Step: rapid.Int64Range(0, 20).Draw(t, "step")}
		o.To = o.From + rapid.Int64Range(1, horizon+9).Draw(t, "I length")
		if rapid.Bool().Draw(t, "user says") {
			o.CanRun = []CanRun{{"b", "cpu"}}
		}
		n := instants{run, o}
		r := Compute(run, o)
		rest := map[string]*[scopes]Parts{}
		for s := range scopes {
			for i, w := range r.Workers {
				for k := range r.Windows.Len() {
					var want Parts
					from, to := r.Windows.Bounds(k)
					for at := from; at < to; at++ {
						if o.Lifetimes && (at < run.Resource.Start[w] || run.Resource.End[w] != trace.NoTime && at >= run.Resource.End[w]) {
							continue
						}
						var one Parts
						runs, implicit := n.deltaW(w, at)
						switch {
						case runs && implicit:
							one.Work, one.Implicit = 1, 1
						case runs:
							one.Work = 1
						case n.deltaR(s, w, at):
							one.Overhead = 1
						default:
							one.Idleness = 1
						}
						want.add(one)
						if one.Work == 0 {
							name := n.label(w, at)
							if rest[name] == nil {
								rest[name] = new([scopes]Parts)
							}
							rest[name][s].add(one)
						}
					}
					if got := r.Cell[s][i*r.Windows.Len()+k]; got != want {
						t.Fatalf("%v worker %d window %d: %+v, want %+v", s, w, k, got, want)
					}
				}
			}
		}
		for _, state := range r.State {
			name := "state " + state.Name
			if state.Task {
				name = "task " + state.Name
			}
			if rest[name] == nil || *rest[name] != state.Rest {
				t.Fatalf("after %q: %+v, want %+v", name, state.Rest, rest[name])
			}
			delete(rest, name)
		}
		if len(rest) != 0 {
			t.Fatalf("missing %v", rest)
		}
	})
}

func TestPartsAddUpToTheTimeOfTheWorkers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := drawRun(t)
		r := Compute(run, Options{Step: rapid.Int64Range(0, 9).Draw(t, "step")})
		from, to := Recording(run)
		for s := range scopes {
			var byWorker, byWindow Parts
			for i := range r.Workers {
				if sum := r.Worker(s, i).Sum(); sum != to-from {
					t.Fatalf("%v: worker %d has %d of %d", s, i, sum, to-from)
				}
				byWorker.add(r.Worker(s, i))
			}
			for k := range r.Windows.Len() {
				byWindow.add(r.Window(s, k))
			}
			if byWorker != r.Total(s) || byWindow != r.Total(s) {
				t.Fatalf("%v: workers %+v, windows %+v, total %+v", s, byWorker, byWindow, r.Total(s))
			}
			if s != Global && r.Total(s).Overhead > r.Total(s-1).Overhead {
				t.Fatalf("%v has more overhead than the wider scope", s)
			}
		}
	})
}

// The load imbalance benchmark of the paper (4.2) for one iteration and 3
// workers: task t runs t*g on worker t, all ready at once and started at once.
func TestLoadImbalanceHasItsIdealValues(t *testing.T) {
	const g, n = 10, 3
	run := &trace.Run{}
	for w := range int32(n) {
		run.Resource.Parent = append(run.Resource.Parent, trace.None)
		run.Resource.Level.Append(trace.LevelWorker)
		run.Resource.Arch.Append("cpu")
		run.Resource.Node = append(run.Resource.Node, 0)
		ta := &run.Task
		ta.Start, ta.End = append(ta.Start, 0), append(ta.End, g*(int64(w)+1))
		ta.Ready, ta.Submit = append(ta.Ready, 0), append(ta.Submit, 0)
		ta.Worker = append(ta.Worker, w)
		ta.Kind.Append("spin")
		ta.Internal, ta.Generation = append(ta.Internal, false), append(ta.Generation, false)
	}
	r := Compute(run, Options{From: 0, To: g * n})
	total := r.Total(Global)
	if want := (Parts{Work: g * n * (n + 1) / 2, Idleness: g * (n - 1) * n / 2}); total != want {
		t.Fatalf("breakdown %+v, want %+v", total, want)
	}
	if c := total.Classify(DefaultThresholds); c != HL || c.Advice() != "refine concurrency granularity" {
		t.Fatalf("class %s: %s", c, c.Advice())
	}
}

func TestClassify(t *testing.T) {
	for want, p := range map[Class]Parts{LL: {90, 9, 1, 0}, LH: {80, 5, 15, 0}, HL: {50, 50, 0, 0}, HH: {10, 50, 40, 9}} {
		if c := p.Classify(DefaultThresholds); c != want {
			t.Errorf("%+v is %s, want %s", p, c, want)
		}
	}
	if c := (Parts{}).Classify(DefaultThresholds); c != LL {
		t.Errorf("no time is %s", c)
	}
}

// Window sums the workers in a window.
func (r *Result) Window(s Scope, window int) (total Parts) {
	for i := window; i < len(r.Cell[s]); i += r.Windows.Len() {
		total.add(r.Cell[s][i])
	}
	return total
}

// String names the scope.
func (s Scope) String() string { return [...]string{"global", "arch", "local"}[s] }
