package selection

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dagscope/explain/depend"
	"dagscope/explain/kind"
	"dagscope/explain/schedule"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

func TestTasksAgainstSorting(t *testing.T) {
	for name, run := range smallRuns(t) {
		run.Task.Ready[0] = trace.NoTime
		x, n, rng := prepare(t, run), &naive{run: run, last: depend.Find(run)}, rand.New(rand.NewPCG(7, uint64(len(run.Task.Start))))
		all, sorts := areas(run, rng), append(slices.Clone(Sorts), "")
		for i := range len(all) * len(sorts) {
			a, p := all[i/len(sorts)], Page{Sort: sorts[i%len(sorts)], Desc: rng.IntN(2) == 0, Offset: rng.IntN(4), Limit: rng.IntN(6)}
			want := n.tasks(a)
			slices.SortStableFunc(want, func(v, w int32) int { return n.compare(p, v, w) })
			total := len(want)
			want = want[min(total, p.Offset):]
			if p.Limit > 0 {
				want = want[:min(len(want), p.Limit)]
			}
			got, gotTotal, err := x.Tasks(a, p)
			if err != nil || gotTotal != total || !slices.Equal(got, want) {
				t.Errorf("%s %+v %+v: rows %v of %d, %v; want %v of %d", name, a, p, got, gotTotal, err, want, total)
			}
		}
	}
}

// compare orders two tasks as a page asks for.
func (n *naive) compare(p Page, v, w int32) int {
	t := &n.run.Task
	durations := kind.Durations(n.run)
	var c int
	switch p.Sort {
	case "", "start":
		c = cmp.Compare(t.Start[v], t.Start[w])
	case "end":
		c = cmp.Compare(t.End[v], t.End[w])
	case "duration":
		c = cmp.Compare(durations[v], durations[w])
	case "kind":
		c = cmp.Compare(t.Kind.At(int(v)), t.Kind.At(int(w)))
	case "worker":
		c = cmp.Compare(t.Worker[v], t.Worker[w])
	case "key":
		c = t.Key.Compare(t.Key.Code[v], t.Key.Code[w])
	case "ready_delay":
		unknownV, unknownW := t.Ready[v] == trace.NoTime, t.Ready[w] == trace.NoTime
		switch {
		case unknownV && unknownW:
			return 0
		case unknownV:
			return 1
		case unknownW:
			return -1
		}
		c = cmp.Compare(t.Start[v]-t.Ready[v], t.Start[w]-t.Ready[w])
	}
	if p.Desc {
		return -c
	}
	return c
}

// Pages of many rows come from a sample; they must be those of a full sort,
// however keys are spread.
func TestPagesOfManyRows(t *testing.T) {
	rng, inSample := rand.New(rand.NewPCG(9, 10)), map[int]bool{}
	for i := range sampled {
		inSample[i*50_000/sampled] = true
	}
	for name, draw := range map[string]func(i int) int64{
		"even":       func(int) int64 { return rng.Int64() },
		"ascending":  func(i int) int64 { return int64(i) },
		"descending": func(i int) int64 { return -int64(i) },
		"equal":      func(int) int64 { return 7 },
		"few":        func(int) int64 { return rng.Int64N(5) },
		"unlucky": func(i int) int64 { // the sample is of the smallest
			if inSample[i] {
				return 0
			}
			return 1 + rng.Int64N(1000)
		},
	} {
		rows, keys := make([]int32, 50_000), make([]int64, 50_000)
		for i := range rows {
			rows[i], keys[i] = int32(i), draw(i)
		}
		for _, want := range []int{1, 100, 3000, 40_000} {
			kept, keptKeys := least(rows, keys, want)
			sorted, order := slices.Clone(rows), slices.Clone(kept)
			slices.SortStableFunc(sorted, func(a, b int32) int { return cmp.Compare(keys[a], keys[b]) })
			slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(keys[a], keys[b]) })
			if !slices.Equal(sorted[:want], order[:want]) || len(kept) != len(keptKeys) {
				t.Errorf("%s: the least %d of %d kept are not the least of all", name, want, len(kept))
			}
			if name == "even" && want == 100 && len(kept) > 5000 {
				t.Errorf("%d of %d rows are kept for %d", len(kept), len(rows), want)
			}
		}
	}
}

func csvOf(t *testing.T, x *Index, a Area, p Page) string {
	t.Helper()
	var b strings.Builder
	if err := x.WriteCSV(&b, a, p); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestCSVIsTheTable(t *testing.T) {
	for name, run := range smallRuns(t) {
		run.Task.Kind.Dict[0] = "a, \"b\"\nc"
		run.Task.Key.Prefix[0] += ","
		outlier := make([]bool, len(run.Task.Start))
		outlier[len(outlier)/2] = true
		x, err := New(run, Options{Outlier: outlier})
		if err != nil {
			t.Fatal(err)
		}
		a, p := Area{T0: 3, T1: schedule.Makespan(run)}, Page{Sort: "duration", Desc: true, Limit: 1, Offset: 1}
		cells, err := csv.NewReader(strings.NewReader(csvOf(t, x, a, p))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		page, err := x.Page(a, Page{Sort: p.Sort, Desc: true})
		if err != nil {
			t.Fatal(err)
		}
		rows, _, _ := x.Tasks(a, Page{Sort: p.Sort, Desc: true})
		want := [][]string{nil}
		for _, c := range CSVColumns {
			want[0] = append(want[0], c.Name)
		}
		for i, r := range page.Tasks {
			want = append(want, cellsOf(run, r, rows[i]))
		}
		if !reflect.DeepEqual(cells, want) {
			t.Errorf("%s:\n got %q\nwant %q", name, cells, want)
		}
	}
}

func TestCSVOfManyTasksIsSorted(t *testing.T) {
	run := tracetest.CholeskyTasks(20_000, tracetest.Options{Without: tracetest.Bare})
	lines := strings.Split(csvOf(t, prepare(t, run), Area{T1: schedule.Makespan(run)}, Page{Sort: "duration"}), "\n")
	if want := len(run.Task.Start) + 2; len(lines) != want {
		t.Fatalf("%d lines, want %d", len(lines), want)
	}
	column := slices.Index(strings.Split(lines[0], ","), "duration")
	before := int64(0)
	for _, line := range lines[1 : len(lines)-1] {
		d, err := strconv.ParseInt(strings.Split(line, ",")[column], 10, 64)
		if err != nil || d < before {
			t.Fatalf("%s follows a task of %d ns (%v)", line, before, err)
		}
		before = d
	}
}

func cellsOf(run *trace.Run, r TaskRow, row int32) []string {
	number := func(n *int32) string {
		if n == nil {
			return ""
		}
		return fmt.Sprint(*n)
	}
	worker, delay, outlier := int(run.Task.Worker[row]), "", "0"
	if ready := run.Task.Ready[row]; ready != trace.NoTime {
		delay = strconv.FormatInt(*r.Start-ready, 10)
	}
	if r.Outlier {
		outlier = "1"
	}
	return []string{r.Key, r.Kind, r.Worker, run.Resource.Arch.At(worker), fmt.Sprint(run.Resource.Node[worker]), fmt.Sprint(*r.Start), fmt.Sprint(*r.End),
		fmt.Sprint(r.Duration), delay, outlier, number(r.Priority), r.Tag, number(r.X), number(r.Y), number(r.Iteration)}
}

// full is a disk without room.
type full struct{}

var errFull = errors.New("no room")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestCSVSaysThatItCouldNotBeWritten(t *testing.T) {
	run := bundled(t, "native-chol-tiny")
	if err := prepare(t, run).WriteCSV(full{}, Area{T1: schedule.Makespan(run)}, Page{}); !errors.Is(err, errFull) {
		t.Errorf("error %v, want %v", err, errFull)
	}
}
