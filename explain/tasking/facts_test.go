package tasking

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"dagscope/internal/interval"
	"dagscope/internal/stat"
	"dagscope/trace"
	"dagscope/trace/store"
	"dagscope/trace/tracetest"
)

// random is the run of a random program, half of them with parallel regions.
func random(t *testing.T, seed uint64) *trace.Run {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 7))
	p := randomProgram(rng, 3, 6)
	if seed%2 == 1 {
		p.ops = append(p.ops, op{does: forks, team: randomTeam(rng, 2)})
	}
	return execute(p, rng).record(t)
}

// piecesOf lists the pieces of a task with their workers, whatever the index.
func piecesOf(run *trace.Run, v int) (all [][3]int64) {
	for k, task := range run.Segment.Task {
		if int(task) == v {
			all = append(all, [3]int64{run.Segment.Start[k], run.Segment.End[k], int64(run.Segment.Worker[k])})
		}
	}
	if all == nil && run.Task.Start[v] != trace.NoTime {
		all = append(all, [3]int64{run.Task.Start[v], run.Task.End[v], int64(run.Task.Worker[v])})
	}
	return all
}

func TestCreation(t *testing.T) {
	for seed := range uint64(200) {
		run := random(t, seed)
		c := FindCreation(run, Options{})
		var want []int64
		before := map[int32]int{} // by creator, the last of all that it created
		for v, parent := range run.Task.Parent {
			u, ok := before[parent]
			before[parent] = v
			if !ok || run.Task.Internal[u] || run.Task.Internal[v] {
				continue
			}
			for _, p := range piecesOf(run, int(parent)) {
				if from, to := run.Task.Submit[u], run.Task.Submit[v]; p[0] <= from && to <= p[1] {
					want = append(want, to-from)
				}
			}
		}
		checkTimes(t, seed, c.Gaps, want)
		checkCreators(t, run, c)
		checkWork(t, run, c)
	}
}

// checkWork: every task of the application is in a row of its kind.
func checkWork(t *testing.T, run *trace.Run, c *Creation) {
	t.Helper()
	if len(c.Gaps) == 0 {
		return
	}
	count, work := map[int32]int64{}, map[int32]int64{}
	for v, k := range run.Task.Kind.Index {
		if run.Task.Internal[v] {
			continue
		}
		for _, p := range piecesOf(run, v) {
			work[k] += p[1] - p[0]
			work[trace.None] += p[1] - p[0]
		}
		count[k]++
		count[trace.None]++
	}
	if len(c.Gaps) != len(count) {
		t.Fatalf("%d rows, want %d", len(c.Gaps), len(count))
	}
	for i, g := range c.Gaps {
		if c.Tasks[i] != count[g.Kind] || c.Work[i] != work[g.Kind]/count[g.Kind] {
			t.Fatalf("%d tasks of %d ns, want %d of %d ns in all", c.Tasks[i], c.Work[i], count[g.Kind], work[g.Kind])
		}
	}
}

// checkTimes compares all kinds together with a sort.
func checkTimes(t *testing.T, seed uint64, got []Times, want []int64) {
	t.Helper()
	if len(want) == 0 {
		if len(got) > 0 {
			t.Fatalf("seed %d: times %+v of nothing", seed, got)
		}
		return
	}
	slices.Sort(want)
	total, kinds := int64(0), int64(0)
	for _, ns := range want {
		total += ns
	}
	for _, k := range got[1:] {
		kinds += k.Total
	}
	w := Times{trace.None, int64(len(want)), int64(math.Round(stat.SortedQuantile(want, 0.5))), int64(math.Round(stat.SortedQuantile(want, 0.95))), want[len(want)-1], total}
	if got[0] != w || kinds != total {
		t.Fatalf("seed %d: %+v and %d in kinds, want %+v", seed, got[0], kinds, w)
	}
}

// workerAt is where a task was at an instant.
func workerAt(run *trace.Run, v int32, at int64) int64 {
	for _, p := range piecesOf(run, int(v)) {
		if at <= p[1] {
			return p[2]
		}
	}
	return -1
}

func checkCreators(t *testing.T, run *trace.Run, c *Creation) {
	t.Helper()
	count := map[int64]int64{}
	for v, parent := range run.Task.Parent {
		if parent >= 0 && !run.Task.Internal[v] {
			count[workerAt(run, parent, run.Task.Submit[v])]++
		}
	}
	for i, w := range c.Creators {
		if count[int64(w.Worker)] != w.Tasks || i > 0 && w.Tasks > c.Creators[i-1].Tasks {
			t.Fatalf("creators %+v, want %v", c.Creators, count)
		}
	}
	if len(count) != len(c.Creators) {
		t.Fatalf("creators %+v, want %v", c.Creators, count)
	}
}

func TestMigration(t *testing.T) {
	for seed := range uint64(200) {
		run := random(t, seed)
		m := FindMigration(run, Options{})
		var want Migration
		count := map[Pair]int64{}
		for v, parent := range run.Task.Parent {
			if run.Task.Internal[v] {
				continue
			}
			pieces := piecesOf(run, v)
			if slices.ContainsFunc(pieces, func(p [3]int64) bool { return p[2] != pieces[0][2] }) {
				want.Split++
			}
			if parent < 0 {
				continue
			}
			want.Tasks++
			if from := workerAt(run, parent, run.Task.Submit[v]); from != pieces[0][2] {
				want.Moved++
				count[Pair{Thief: int32(pieces[0][2]), Victim: int32(from)}]++
			}
		}
		if m.Tasks != want.Tasks || m.Moved != want.Moved || m.Split != want.Split || len(m.Pairs) != len(count) {
			t.Fatalf("seed %d: %+v, want %+v and %v", seed, m, want, count)
		}
		for _, p := range m.Pairs {
			if count[Pair{Thief: p.Thief, Victim: p.Victim}] != p.Tasks {
				t.Fatalf("seed %d: pair %+v, want %v", seed, p, count)
			}
		}
	}
}

func TestStealsAreMigrations(t *testing.T) {
	run := tracetest.Tiny()
	x := &run.Transfer
	x.Kind = trace.Strings{}
	for i := range x.Start {
		x.Kind.Append([]string{trace.TransferSteal, trace.TransferFetch}[i%2])
	}
	m := FindMigration(run, Options{})
	if !m.Steal || m.Moved != int64(len(x.Start)+1)/2 || len(m.Pairs) != 1 || m.Pairs[0].Thief != x.To[0] || m.Pairs[0].Victim != x.From[0] {
		t.Fatalf("steals %+v", m)
	}
}

func TestStarts(t *testing.T) {
	for seed := range uint64(100) {
		run := tracetest.Random(seed, 50)
		var want []int64
		for v, start := range run.Task.Start {
			want = append(want, start-run.Task.Ready[v])
		}
		checkTimes(t, seed, FindStarts(run, Options{}), want)
		for v := range run.Task.Ready {
			run.Task.Ready[v] = trace.NoTime
		}
		want = want[:0]
		for v, start := range run.Task.Start {
			ready := run.Task.Submit[v]
			for e, to := range run.Dep.To {
				if int(to) == v {
					ready = max(ready, run.Task.End[run.Dep.From[e]])
				}
			}
			want = append(want, start-ready)
		}
		checkTimes(t, seed, FindStarts(run, Options{}), want)
	}
}

// Profiles hold all the work; no bound is beyond another.
func TestProfileAndBounds(t *testing.T) {
	for seed := range uint64(200) {
		run := random(t, seed)
		s := FindSpan(run, Options{})
		if s.Work == 0 {
			continue
		}
		f := s.Profile()
		last := f.Time[len(f.Time)-1]
		area := 0.0
		for i := range len(f.Time) - 1 {
			area += float64(f.Time[i+1]-f.Time[i]) * f.Value[i]
		}
		if area != float64(s.Work) || last > s.Span || f.Time[0] < 0 {
			t.Fatalf("seed %d: profile of area %v up to %d, want %d and %d", seed, area, last, s.Work, s.Span)
		}
		for _, b := range s.Bounds([]int{1, 2, 3, 8, 1000}) {
			if b.Greedy > b.Levels*(1+1e-12) || b.Levels > b.AtMost*(1+1e-12) || b.Workers == 1 && math.Abs(b.Greedy-1) > 1e-12 {
				t.Fatalf("seed %d: bound %+v", seed, b)
			}
		}
		uses := int64(0)
		for _, u := range s.Uses(run) {
			uses += u.Work
		}
		if uses != s.Span || s.Below(1) != s.Span-int64(covered(f)) {
			t.Fatalf("seed %d: chain of %d, want %d; below one task for %d", seed, uses, s.Span, s.Below(1))
		}
	}
}

func covered(f interval.Steps) (ns float64) {
	for i := range len(f.Time) - 1 {
		if f.Value[i] > 0 {
			ns += float64(f.Time[i+1] - f.Time[i])
		}
	}
	return ns
}

func TestObservedHoldsAllPieces(t *testing.T) {
	for seed := range uint64(50) {
		run := random(t, seed)
		f, area, want := Observed(run, Options{}), 0.0, int64(0)
		for v := range run.Task.Start {
			for _, p := range piecesOf(run, v) {
				want += p[1] - p[0]
			}
		}
		for i := range len(f.Time) - 1 {
			area += float64(f.Time[i+1]-f.Time[i]) * f.Value[i]
		}
		if area != float64(want) {
			t.Fatalf("seed %d: %v, want %d", seed, area, want)
		}
	}
}

// The columns that the package says it needs are all that it needs.
func TestNeedsAreEnough(t *testing.T) {
	for seed := range uint64(40) {
		run := random(t, seed)
		dir := filepath.Join(t.TempDir(), "run.dsr")
		if err := store.Write(dir, run); err != nil {
			t.Fatal(err)
		}
		d, err := store.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		some, err := d.Load(Needs...)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := Compute(some, Options{}), Compute(run, Options{}); !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: %+v, want %+v", seed, got, want)
		}
	}
}
