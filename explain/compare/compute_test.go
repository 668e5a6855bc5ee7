package compare

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"dagscope/explain/schedule"
	"dagscope/trace"
	"dagscope/trace/store"
	"dagscope/trace/tracetest"
	"pgregory.net/rapid"
)

func compared(t interface{ Fatal(...any) }, a, b *trace.Run, o Options) *Result {
	r, err := Compute(Side{"a", a}, Side{"b", b}, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Two kinds on two workers, 40 ns:
//
//	      0         10        20        30        40
//	CPU0  │ K 1     │ K 2     │         │ J 5     │
//	GPU0  │ K 3│                  J 4   │
//	             5
//
// and with task 2 slower and task 3 moved to the CPU, 60 ns:
//
//	      0         10             25        35        50        60
//	CPU0  │ K 1     │ K 2          │ K 3     │          J 5      │
//	GPU0                                     │ J 4      │
const before = head + `
table task
key kind worker start end order iteration ready
1   K    1      0     10  0     -1        0
2   K    1      10    20  1     -1        0
3   K    2      0     5   2     -1        0
4   J    2      20    30  3     -1        20
5   J    1      30    40  4     -1        30

table dep
from to kind
1    3  task
3    4  task
`

const after = head + `
table task
key kind worker start end order iteration ready
1   K    1      0     10  0     -1        0
2   K    1      10    25  1     -1        0
3   K    1      25    35  2     -1        0
4   J    2      35    50  3     -1        35
5   J    1      50    60  4     -1        50

table dep
from to kind
2    3  task
3    4  task
`

func TestComputeByHand(t *testing.T) {
	r := compared(t, tracetest.MustParse(before), tracetest.MustParse(after), Options{})
	if *r.Makespan.A != 40 || *r.Makespan.B != 60 {
		t.Errorf("makespans %d and %d, want 40 and 60", *r.Makespan.A, *r.Makespan.B)
	}
	wantKinds := []Kind{
		{"K", "cpu", 2, 3, 20, 35, 10, 10},
		{"J", "cuda", 1, 1, 10, 15, 10, 15},
		{"K", "cuda", 1, 0, 5, 0, 5, 0},
		{"J", "cpu", 1, 1, 10, 10, 10, 10},
	}
	if !reflect.DeepEqual(r.Kinds, wantKinds) {
		t.Errorf("kinds %v\nwant  %v", r.Kinds, wantKinds)
	}
	// Before: CPU0 waits 10 for task 4, GPU0 15 for task 2 (task 1 of the rows of
	// the table counts from 0), and 10 at the end. After: GPU0 35, CPU0 15; 10.
	wantParts := []Part{
		{"work", "K on cpu", 10, 18}, {"work", "J on cuda", 5, 8}, {"work", "K on cuda", 3, 0}, {"work", "J on cpu", 5, 5},
		{"idle", "execute", 3, 0}, {"idle", "no-ready-task", 10, 25}, {"idle", causeTail, 5, 5},
	}
	if !reflect.DeepEqual(r.Parts, wantParts) {
		t.Errorf("parts %v\nwant  %v", r.Parts, wantParts)
	}
	if w := r.Workers[0]; w.Name != "CPU0" || *w.ABusy != 30 || *w.BBusy != 45 || w.ATasks != 3 || w.BTasks != 4 || *w.AIdle != 0.25 || *w.BIdle != 0.25 {
		t.Errorf("worker %+v", w)
	}
	var changed []string
	for _, c := range r.Tasks {
		changed = append(changed, c.A.Key+" "+c.A.Worker+" "+c.B.Worker)
	}
	if want := []string{"2 CPU0 CPU0", "3 GPU0 CPU0", "4 GPU0 GPU0"}; !slices.Equal(changed, want) {
		t.Errorf("changed %q, want %q", changed, want)
	}
	if !r.Tasks[1].Moved || r.Tasks[0].Moved {
		t.Error("task 3 moved, and task 2 did not")
	}
	wantWords(t, r,
		"B is 20 ns (50.0 %) longer than A: 60 ns instead of 40 ns.",
		"K: 10 ns more work, 5 ns per worker (25 → 35 ns): 1 of 3 tasks ran on cpu instead of cuda, +6 ns; 16.7 % slower on cpu (mean 10 → 12 ns), +4 ns.",
		"Idle between tasks, no-ready-task (the next task waited for others and none was ready): 15 ns more per worker",
	)
}

// wantWords looks for pieces of sentences.
func wantWords(t *testing.T, r *Result, pieces ...string) {
	t.Helper()
	all := strings.Join(r.Words, "\n")
	for _, piece := range pieces {
		if !strings.Contains(all, piece) {
			t.Errorf("found no %q in\n%s", piece, all)
		}
	}
}

func drawRun(t *rapid.T, label string) *trace.Run {
	for {
		run := drawTasks(t, label)
		if slices.ContainsFunc(run.Task.Start, func(int64) bool { return true }) && schedule.Makespan(run) > 0 && counts(run) {
			return run
		}
	}
}

func counts(run *trace.Run) bool { return len(newWork(run, false).start) > 0 }

// The parts of a makespan add up to it, each rounded.
func TestPartsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawRun(t, "a"), drawRun(t, "b")
		r, err := compute(Side{"a", a}, Side{"b", b}, Options{}, rapid.Bool().Draw(t, "quick"))
		if err != nil {
			t.Fatal(err)
		}
		sumA, sumB := int64(0), int64(0)
		for _, p := range r.Parts {
			sumA, sumB = sumA+p.A, sumB+p.B
			if p.A < 0 || p.B < 0 {
				t.Fatalf("part %+v is negative", p)
			}
		}
		allowed := float64(len(r.Parts))
		if math.Abs(float64(sumA-r.A.Makespan)) > allowed || math.Abs(float64(sumB-r.B.Makespan)) > allowed {
			t.Fatalf("parts %+v add up to %d and %d, want %d and %d", r.Parts, sumA, sumB, r.A.Makespan, r.B.Makespan)
		}
	})
}

// A run against itself: nothing changed, every task is found.
func TestIdentity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := drawRun(t, "run")
		r := compared(t, run, run, Options{})
		if len(r.Tasks) != 0 || r.Matched.OnlyA+r.Matched.OnlyB != 0 || int64(r.Matched.Pairs) != r.A.Tasks {
			t.Fatalf("changed %v, matched %+v of %d", r.Tasks, r.Matched, r.A.Tasks)
		}
		if len(r.Words) != 2 {
			t.Fatalf("found something to say: %q", r.Words)
		}
		for i := range r.Matching.A {
			if r.Matching.A[i] != r.Matching.B[i] {
				t.Fatalf("task %d found as %d", r.Matching.A[i], r.Matching.B[i])
			}
		}
	})
}

// Comparing B with A gives the mirror image.
func TestSwap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawRun(t, "a"), drawRun(t, "b")
		r, s := compared(t, a, b, Options{Tasks: -1}), compared(t, b, a, Options{Tasks: -1})
		if !reflect.DeepEqual(mirror(r), comparably(s)) {
			t.Fatalf("mirrored\n%s\nswapped\n%s", dump(mirror(r)), dump(comparably(s)))
		}
		if len(r.Words) != len(s.Words) {
			t.Fatalf("says %q\nand %q", r.Words, s.Words)
		}
	})
}

// comparably leaves the sets of a result that have no mirrored order.
func comparably(r *Result) *Result {
	c := *r
	c.A.Name, c.B.Name = "", ""
	c.Words, c.Notes, c.Matching = nil, nil, nil
	c.Workers = slices.Clone(c.Workers)
	slices.SortFunc(c.Workers, func(x, y Worker) int { return strings.Compare(x.Name, y.Name) })
	c.First = nil // ties have no mirrored order
	e := *c.Efficiency
	e.Runs = each(e.Runs, func(of *EfficiencyOf) { // what is against the reference cannot be mirrored
		of.Name, of.ComputationScalability, of.GlobalEfficiency, of.Notes, of.result = "", nil, nil, nil, nil
		of.Kinds = each(of.Kinds, func(k *KindTime) { k.ComputationScalability = nil })
	})
	c.Efficiency = &e
	c.Courses = each(c.Courses, func(x *Course) {
		if math.IsNaN(float64(x.Correlation)) {
			x.Correlation = -2 // which equals itself
		}
		if math.IsNaN(float64(x.Difference)) {
			x.Difference = -2
		}
	})
	slices.SortFunc(c.Courses, func(x, y Course) int { return strings.Compare(x.Name, y.Name) })
	return &c
}

func mirror(r *Result) *Result {
	m := comparably(r)
	m.A, m.B = m.B, m.A
	slices.Reverse(m.Efficiency.Runs)
	m.Makespan = Delta{m.Makespan.B, m.Makespan.A}
	m.Parts = each(m.Parts, func(p *Part) { p.A, p.B = p.B, p.A })
	m.Kinds = each(m.Kinds, func(k *Kind) {
		k.ACount, k.BCount, k.ATotal, k.BTotal, k.AMedian, k.BMedian = k.BCount, k.ACount, k.BTotal, k.ATotal, k.BMedian, k.AMedian
	})
	m.Workers = each(m.Workers, func(w *Worker) {
		w.ABusy, w.BBusy, w.ATasks, w.BTasks, w.AIdle, w.BIdle = w.BBusy, w.ABusy, w.BTasks, w.ATasks, w.BIdle, w.AIdle
	})
	m.Bounds = each(m.Bounds, func(b *Bound) { b.A, b.B = b.B, b.A })
	m.Phases = each(m.Phases, func(p *Phase) {
		*p = Phase{Name: p.Name, AT0: p.BT0, AT1: p.BT1, BT0: p.AT0, BT1: p.AT1, ANS: p.BNS, BNS: p.ANS}
	})
	m.Distributions = each(m.Distributions, func(d *Distribution) { d.A, d.B = d.B, d.A })
	m.Courses = each(m.Courses, func(x *Course) {
		x.AMean, x.BMean, x.AMost, x.BMost, x.A, x.B = x.BMean, x.AMean, x.BMost, x.AMost, x.B, x.A
	})
	m.Matched.OnlyA, m.Matched.OnlyB = m.Matched.OnlyB, m.Matched.OnlyA
	if m.Inflation != nil {
		f := *m.Inflation
		f.One = map[string]string{"A": "B", "B": "A"}[f.One]
		m.Inflation = &f
	}
	return m
}

func each[T any](list []T, f func(*T)) []T {
	list = slices.Clone(list)
	for i := range list {
		f(&list[i])
	}
	return list
}

func dump(v any) string {
	text, _ := json.MarshalIndent(v, "", " ")
	return string(text)
}

// What made the work of a kind change adds up to the change.
func TestEffectsAddUp(t *testing.T) {
	amount := rapid.Int64Range(0, 1000)
	rapid.Check(t, func(t *rapid.T) {
		k := kindRows{name: "K"}
		for _, arch := range []string{"", "cpu", "cuda"} {
			r := Kind{Kind: "K", Arch: arch, ACount: amount.Draw(t, "a") / 100, BCount: amount.Draw(t, "b") / 100}
			if r.ACount+r.BCount > 0 {
				r.ATotal, r.BTotal = r.ACount*amount.Draw(t, "a mean"), r.BCount*amount.Draw(t, "b mean")
				k.rows = append(k.rows, r)
			}
		}
		na, nb, ta, tb := k.sums()
		if na == 0 || nb == 0 {
			return
		}
		sum := 0.0
		for _, r := range k.effects() {
			sum += r.effect
		}
		if math.Abs(sum-float64(tb-ta)) > 1e-6 {
			t.Fatalf("%+v add up to %v, want %d", k.effects(), sum, tb-ta)
		}
		if k.reasons(0) == "" && tb != ta {
			t.Fatal("found no reason")
		}
	})
}

// What Needs names is all that is read.
func TestNeedsAreEnough(t *testing.T) {
	idle := tracetest.Cholesky(tracetest.Options{Tiles: 5, CPUs: 2, GPUs: 2}) // memories that nobody works on
	for i, arch := range idle.Resource.Arch.Dict {
		if arch == "cuda" {
			idle.Resource.Arch.Dict[i] = "none"
		}
	}
	for i, level := range idle.Resource.Level.Index {
		if idle.Resource.Level.Dict[level] == trace.LevelWorker && idle.Resource.Arch.At(i) == "none" {
			idle.Resource.Parent[i] = 0
		}
	}
	for _, run := range []*trace.Run{tracetest.Cholesky(tracetest.Options{Tiles: 6, Nodes: 2}), tracetest.Tiny(), idle} {
		dir := t.TempDir() + "/run.dsr"
		if err := store.Write(dir, run); err != nil {
			t.Fatal(err)
		}
		d, err := store.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, quick := range []bool{false, true} {
			needs := Needs
			if quick {
				needs = LargeNeeds
			}
			some, err := d.Load(needs...)
			if err != nil {
				t.Fatal(err)
			}
			for _, other := range []*trace.Run{tracetest.Tiny(), run} {
				want, errWant := compute(Side{"a", run}, Side{"b", other}, Options{}, quick)
				got, errGot := compute(Side{"a", some}, Side{"b", other}, Options{}, quick)
				if errWant != nil || errGot != nil || dump(got) != dump(want) {
					t.Errorf("quick %v: with the columns of Needs %v\n%s\nwith all %v\n%s", quick, errGot, dump(got), errWant, dump(want))
				}
			}
		}
	}
}

func TestNothingInCommon(t *testing.T) {
	other := strings.NewReplacer("K    ", "X    ", "J    ", "Y    ", "CPU0", "core").Replace(after)
	r := compared(t, tracetest.MustParse(before), tracetest.MustParse(strings.Replace(other, "GPU0", "gpu", 1)), Options{})
	if r.Matched.Pairs != 0 || len(r.Workers) != 4 {
		t.Errorf("matched %+v, workers %+v", r.Matched, r.Workers)
	}
	notes := strings.Join(r.Notes, "\n")
	for _, want := range []string{"no kind of tasks has the same name in both runs (A: J, K; B: X, Y)", "no worker has the same name"} {
		if !strings.Contains(notes, want) {
			t.Errorf("found no %q in %q", want, notes)
		}
	}
	if _, err := Compute(Side{"a", tracetest.MustParse(head)}, Side{"b", tracetest.Tiny()}, Options{}); err == nil {
		t.Error("compared a run without tasks")
	}
}

func TestWithoutGraph(t *testing.T) {
	text, _, _ := strings.Cut(after, "table dep")
	r := compared(t, tracetest.MustParse(before), tracetest.MustParse(text), Options{})
	if !slices.ContainsFunc(r.Parts, func(p Part) bool { return p.Name == causeBetween }) {
		t.Errorf("parts %+v", r.Parts)
	}
	if !slices.ContainsFunc(r.Notes, func(n string) bool { return strings.HasPrefix(n, "B: has no task graph") }) {
		t.Errorf("notes %q", r.Notes)
	}
}
