package search

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dagscope/internal/testenv"
	"dagscope/read"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

var tiny = tracetest.Tiny()

func smallRun() *trace.Run { return tiny }

// Keys 1 to 6 of the run of tracetest.Tiny, by hand.
func TestFindInTiny(t *testing.T) {
	outlier := []bool{false, false, true, false, false, false}
	for query, want := range map[string]string{
		"":                         "1 3 2 4 5 6",
		"trsm":                     "3 2",
		"TRS":                      "3 2",
		"kind:trs":                 "",
		"kind:trs?,potrf":          "1 3 2",
		"cuda0_0":                  "2 4 5",
		"cuda0":                    "",
		"worker:CUDA*":             "2 4 5",
		"arch:cpu -potrf":          "3 6",
		"node:0":                   "1 3 2 4 5 6",
		"node:1":                   "",
		"id:4":                     "4",
		"4":                        "4",
		"4,5":                      "4 5",
		"x:2":                      "3 5 6",
		"xy:2,1":                   "5",
		"xy:2,1,0,0":               "1 5",
		"x=2 y<2":                  "3 5",
		"dur>40ns":                 "3",
		"dur>=0.04us":              "1 3 6",
		"dur<30ns":                 "2 4 5",
		"start>=100ns":             "5 6",
		"end<=0.00000009s":         "1 2 4",
		"priority>5":               "1",
		"priority>=4 -arch:cpu":    "2 4",
		"outlier":                  "3",
		"-outlier trsm":            "2",
		"generation":               "",
		"-generation syrk":         "4 6",
		"delay>0":                  "1 2 5 6",
		"delay>0 kind:trsm":        "2",
		"gflop:0.5,2":              "1 5",
		"iteration:0 internal":     "",
		"syrk worker:cpu0 x:2 y:2": "6",
		"unrun":                    "",
		"submit<0":                 "1 3 2 4",
		"order:0,5":                "1 6",
	} {
		q, err := Parse(query)
		if err != nil {
			t.Errorf("%q: %v", query, err)
			continue
		}
		r := q.Find(tiny, Options{After: trace.None, Limit: 10, Outlier: outlier})
		if got := keys(tiny, r.Rows); got != want || r.Total != len(r.Rows) || r.Before != 0 {
			t.Errorf("%q: %s of %d, want %s", query, got, r.Total, want)
		}
	}
}

func keys(run *trace.Run, rows []int32) string {
	var names []string
	for _, v := range rows {
		names = append(names, run.Task.Key.At(int(v)))
	}
	return strings.Join(names, " ")
}

func TestFieldsThatARunLacks(t *testing.T) {
	for query, want := range map[string]struct {
		total   int
		missing string
	}{"tag:3": {0, "[tag]"}, "-tag:3": {6, "[tag]"}, "bytes>3 trsm": {0, "[bytes]"}, "outlier": {0, "[outlier]"}, "trsm": {2, "[]"}} {
		q, err := Parse(query)
		if err != nil {
			t.Fatal(err)
		}
		if r := q.Find(tiny, Options{After: -1}); r.Total != want.total || fmt.Sprint(r.Missing) != want.missing {
			t.Errorf("%q: %d hits, missing %v", query, r.Total, r.Missing)
		}
	}
}

// Job ids with prefixes are found by what follows them too.
func TestIDs(t *testing.T) {
	var k trace.Keys
	for _, name := range []string{"0_17", "1_17", "0_170", "17", "a_b", "x_0_17", "b", "007", "0_007", "0_7"} {
		k.AppendString(name)
	}
	for id, want := range map[string][]string{
		"17": {"0_17", "1_17", "17", "x_0_17"}, "0_17": {"0_17", "x_0_17"}, "b": {"a_b", "b"}, "007": {"007", "0_007"}, "7": {"0_7"}, "_b": nil, "": nil,
	} {
		codes := map[int64]bool{}
		if id != "" {
			addCodes(codes, &k, id)
		}
		var got []string
		for i, code := range k.Code {
			if codes[code] {
				got = append(got, k.At(i))
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("id %q: %v, want %v", id, got, want)
		}
	}
	if row, ok := Lookup(tiny, "3"); row != 2 || !ok {
		t.Errorf("key 3 is row %d, %v", row, ok)
	}
	for _, key := range []string{"", "7", "nope"} {
		if row, ok := Lookup(tiny, key); ok || row != trace.None {
			t.Errorf("key %q is row %d", key, row)
		}
	}
}

// Pages in both directions agree with cutting the sorted list of all hits.
func TestPagesAgainstSorting(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for seed := range uint64(30) {
		run := tracetest.Random(seed, 3000)
		query := []string{"", "-x:1", "dur>5ns", "unrun", "-unrun", "start>100ns,50ns"}[seed%6]
		q, err := Parse(query)
		if err != nil {
			t.Fatal(err)
		}
		all := q.Find(run, Options{After: trace.None, Limit: 1 << 20}).Rows
		if !slices.IsSortedFunc(all, byStart(run)) {
			t.Fatalf("%q: hits are out of order", query)
		}
		for range 20 {
			o := Options{After: rng.Int32N(int32(len(run.Task.Start))+1) - 1, Back: rng.IntN(2) == 0, Limit: 1 + rng.IntN(9)}
			from, to := page(run, all, o)
			r := q.Find(run, o)
			if !slices.Equal(r.Rows, all[from:to]) || r.Before != from || r.Total != len(all) {
				t.Fatalf("%q %+v: %v before %d of %d, want %v before %d of %d", query, o, r.Rows, r.Before, r.Total, all[from:to], from, len(all))
			}
		}
	}
}

// byStart orders tasks as hits are listed.
func byStart(run *trace.Run) func(a, b int32) int {
	start := run.Task.Start
	return func(a, b int32) int {
		if start[a] == trace.NoTime || start[b] == trace.NoTime {
			return cmp.Or(-cmp.Compare(start[a], start[b]), cmp.Compare(a, b))
		}
		return cmp.Or(cmp.Compare(start[a], start[b]), cmp.Compare(a, b))
	}
}

// page is the range of all hits that options ask for.
func page(run *trace.Run, all []int32, o Options) (from, to int) {
	compare := byStart(run)
	later := func(row int32) bool { return compare(row, o.After) > 0 }
	earlier := func(row int32) bool { return compare(row, o.After) >= 0 }
	end := func(is func(int32) bool) int {
		if i := slices.IndexFunc(all, is); i >= 0 {
			return i
		}
		return len(all)
	}
	switch {
	case o.After < 0 && o.Back:
		from, to = max(0, len(all)-o.Limit), len(all)
	case o.After < 0:
		to = min(len(all), o.Limit)
	case o.Back:
		to = end(earlier)
		from = max(0, to-o.Limit)
	default:
		from = end(later)
		to = min(len(all), from+o.Limit)
	}
	return from, to
}

// Each term agrees with a plain loop over the tasks of real runs.
func TestTermsAgainstLoops(t *testing.T) {
	for _, name := range []string{"sg-mirage-n12-dmdas", "nativempi-np2-n8-lws"} {
		run, err := read.Read(testenv.Repo("testdata/starpu", name), read.Options{})
		if err != nil {
			t.Fatal(err)
		}
		ta, re := &run.Task, &run.Resource
		on := func(i int) string { return re.Name.At(int(ta.Worker[i])) }
		for query, matches := range map[string]func(i int) bool{
			"syrk":      func(i int) bool { return strings.Contains(strings.ToLower(ta.Kind.At(i)), "syrk") },
			"worker:*0": func(i int) bool { return strings.HasSuffix(on(i), "0") },
			"dur>1ms":   func(i int) bool { return ta.Start[i] != trace.NoTime && ta.End[i]-ta.Start[i] > 1e6 },
			"delay<=0.5ms": func(i int) bool {
				return ta.Start[i] != trace.NoTime && ta.Ready[i] != trace.NoTime && ta.Start[i]-ta.Ready[i] <= 5e5
			},
			"internal":        func(i int) bool { return ta.Internal[i] },
			"-internal x:2,3": func(i int) bool { return !ta.Internal[i] && (ta.X[i] == 2 || ta.X[i] == 3) },
			"priority<0":      func(i int) bool { return ta.Priority[i] < 0 },
			"arch:cpu -iteration:0": func(i int) bool {
				return ta.Worker[i] >= 0 && re.Arch.At(int(ta.Worker[i])) == "cpu" && ta.Iteration[i] != 0
			},
		} {
			q, err := Parse(query)
			if err != nil {
				t.Fatal(err)
			}
			var want []int32
			for i := range ta.Start {
				if matches(i) {
					want = append(want, int32(i))
				}
			}
			got := q.Find(run, Options{After: -1, Limit: len(ta.Start)}).Rows
			slices.Sort(got)
			if !slices.Equal(got, want) || len(want) == 0 && query != "worker:*0" {
				t.Errorf("%s, %q: %d hits, want %d", name, query, len(got), len(want))
			}
		}
	}
}

func BenchmarkFind(b *testing.B) {
	run := tracetest.CholeskyTasks(1e7, tracetest.Options{Without: tracetest.Bare &^ tracetest.Details})
	for _, query := range []string{"gemm", "kind:potrf", "0_5051", "worker:CUDA* dur>1ms", "", "xy:3,4"} {
		q, err := Parse(query)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(query, func(b *testing.B) {
			for b.Loop() {
				q.Find(run, Options{After: int32(len(run.Task.Start) / 2), Limit: 100})
			}
		})
	}
}
