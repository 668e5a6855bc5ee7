package compare

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"dagscope/trace"
	"dagscope/trace/tracetest"
	"pgregory.net/rapid"
)

// drawTasks makes a run whose tasks have few different keys, so that many meet
// and many repeat.
func drawTasks(t *rapid.T, label string) *trace.Run {
	run := tracetest.Random(rapid.Uint64().Draw(t, label+" seed"), rapid.IntRange(0, 40).Draw(t, label+" tasks"))
	ta := &run.Task
	n := len(ta.Start)
	small := rapid.Int32Range(0, 2)
	draw := func(name string, f func(i int)) {
		if rapid.Bool().Draw(t, label+" has "+name) {
			for i := range n {
				f(i)
			}
		}
	}
	draw("coordinates", func(i int) {
		if ta.X == nil {
			ta.X, ta.Y = make([]int32, n), make([]int32, n)
		}
		ta.X[i], ta.Y[i] = small.Draw(t, "x"), small.Draw(t, "y")
		if ta.X[i] == 2 {
			ta.X[i], ta.Y[i] = trace.NoInt, trace.NoInt
		}
	})
	draw("iterations", func(i int) { ta.Iteration[i] = small.Draw(t, "iteration") - 1 })
	draw("tags", func(i int) {
		if ta.Tag == nil {
			ta.Tag = make([]uint64, n)
		}
		ta.Tag[i] = uint64(small.Draw(t, "tag"))
	})
	draw("generation", func(i int) { ta.Generation[i] = small.Draw(t, "generation") == 0 })
	setZero(run)
	return run
}

// setZero moves the zero to where the first counted task starts.
func setZero(run *trace.Run) {
	ta := &run.Task
	zero := int64(math.MaxInt64)
	for i, start := range ta.Start {
		if ta.Counted(i) {
			zero = min(zero, start)
		}
	}
	if zero == math.MaxInt64 {
		return
	}
	for _, column := range [][]int64{ta.Start, ta.End, ta.Submit, ta.Ready} {
		for i, t := range column {
			if t != trace.NoTime {
				column[i] = t - zero
			}
		}
	}
}

// naiveMatch is the definition: at each level every task of A in submission
// order takes the first task of B that is left and has the same key.
func naiveMatch(a, b *trace.Run) *Matching {
	m := newMatcher(a, b, Options{})
	taken := map[int32]bool{}
	counterpart, by := map[int32]int32{}, map[int32]uint8{}
	for l, level := range levels {
		if level.name == "job id" {
			m.a.left = slices.DeleteFunc(m.a.left, func(i int32) bool { _, ok := counterpart[i]; return ok })
			m.b.left = slices.DeleteFunc(m.b.left, func(j int32) bool { return taken[j] })
			m.compareJobs()
		}
		for _, i := range m.a.left {
			k, ok := level.of(&m.a, i)
			if _, done := counterpart[i]; done || !ok {
				continue
			}
			for _, j := range m.b.left {
				if q, ok := level.of(&m.b, j); ok && !taken[j] && q == k {
					counterpart[i], by[i], taken[j] = j, uint8(l), true
					break
				}
			}
		}
	}
	r := &Matching{}
	for _, l := range levels {
		r.Levels = append(r.Levels, l.name)
	}
	for i := range int32(len(a.Task.Start)) {
		if j, ok := counterpart[i]; ok {
			r.A, r.B, r.Level = append(r.A, i), append(r.B, j), append(r.Level, by[i])
		}
	}
	r.OnlyA, r.OnlyB = m.a.counted-len(r.A), m.b.counted-len(r.B)
	return r
}

func TestMatchIsTheNaiveOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawTasks(t, "a"), drawTasks(t, "b")
		got, want := Match(a, b, Options{}), naiveMatch(a, b)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got\n%+v\nwant\n%+v", got, want)
		}
		requirePairs(t, a, b, got)
		back := Match(b, a, Options{})
		if !reflect.DeepEqual(pairs(got), mirrored(back)) {
			t.Fatalf("from A to B %v, from B to A %v", pairs(got), pairs(back))
		}
	})
}

// requirePairs checks what holds of any matching.
func requirePairs(t *rapid.T, a, b *trace.Run, m *Matching) {
	seen := map[int32]bool{}
	for p, i := range m.A {
		j := m.B[p]
		if a.Task.Kind.At(int(i)) != b.Task.Kind.At(int(j)) {
			t.Fatalf("pair %d of kinds %s and %s", p, a.Task.Kind.At(int(i)), b.Task.Kind.At(int(j)))
		}
		if !a.Task.Counted(int(i)) || !b.Task.Counted(int(j)) || seen[j] {
			t.Fatalf("pair %d of tasks that do not count, or twice", p)
		}
		seen[j] = true
	}
}

type pair struct {
	a, b  int32
	level uint8
}

func pairs(m *Matching) map[pair]bool {
	all := map[pair]bool{}
	for p := range m.A {
		all[pair{m.A[p], m.B[p], m.Level[p]}] = true
	}
	return all
}

func mirrored(m *Matching) map[pair]bool {
	all := map[pair]bool{}
	for p := range m.A {
		all[pair{m.B[p], m.A[p], m.Level[p]}] = true
	}
	return all
}

// The keys fall: what is left by one level is tried by the next.
func TestMatchLevels(t *testing.T) {
	a := tracetest.MustParse(head + `
table task
key kind worker start end order iteration x  y  tag
1   K    1      0     10  0     0         0  0  7
2   K    1      10    20  1     1         0  0  0
3   K    1      20    30  2     -1        1  0  0
4   K    1      30    40  3     -1        -  -  9
5   J    1      40    50  4     -1        -  -  0
6   J    1      50    60  5     -1        -  -  0
7   L    1      60    70  6     -1        -  -  0
8   L    1      70    80  7     -1        -  -  0
9   ONLY 1      80    90  8     -1        -  -  0
`)
	b := tracetest.MustParse(head + `
table task
key kind worker start end order iteration x  y  tag
6   J    1      0     10  0     -1        -  -  0
5   J    1      10    20  1     -1        -  -  0
1   K    1      20    30  2     1         0  0  0
2   K    1      30    40  3     2         1  0  0
3   K    1      40    50  4     5         4  4  9
77  L    1      50    60  5     -1        -  -  0
4   K    1      60    70  6     0         0  0  0
`)
	m := Match(a, b, Options{})
	got := map[string]string{}
	for p := range m.A {
		got[a.Task.Key.At(int(m.A[p]))] = b.Task.Key.At(int(m.B[p])) + " " + m.Levels[m.Level[p]]
	}
	want := map[string]string{
		"1": "4 coordinates and iteration", "2": "1 coordinates and iteration", "3": "2 coordinates", "4": "3 tag",
		"5": "5 job id", "6": "6 job id", "7": "77 submission order",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	if m.OnlyA != 2 || m.OnlyB != 0 {
		t.Errorf("found %d only in A and %d only in B, want 2 and 0", m.OnlyA, m.OnlyB)
	}
}

const head = `
meta {
  "reader": "synthetic"
}

table resource
parent level  name arch node index
-      node   n    ""   0    0
0      worker CPU0 cpu  0    0
0      worker GPU0 cuda 0    1
`
