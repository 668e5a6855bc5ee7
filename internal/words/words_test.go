package words

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite testdata/cases.json")

var (
	instants = []int64{0, 1, -1, 999, 1000, -1000, 1500, 12_345, 999_949, 999_950, 12_300_000, 347_626_400, -447_600_000, 999_949_999, 999_950_000,
		1_361_000_000, 59_999_600_000, 31_370_000_000, 1_234_567_890_123, math.MaxInt64, math.MinInt64}
	shares = []float64{0, 0.0004, -0.0004, 0.0005, 0.125, 0.9994, 0.99999, 1, 1.5, -0.25, math.NaN(), math.Inf(1), math.Inf(-1)}
	counts = []int64{0, 1, 2, -1, 999, 1000, 9999, 10_000, 1_234_567, -1_234_567, math.MaxInt64, math.MinInt64}
	sizes  = []int64{0, 1, -1, 999, 1000, 1500, 999_499, 999_500, 3_686_400, 123_456_789_012, math.MaxInt64, math.MinInt64}
)

// one is what a formatter makes of a value. NaN and infinities, which JSON does
// not have, are texts.
type one struct {
	In  any    `json:"in"`
	Out string `json:"out"`
}

func table[T any](values []T, write func(T) string) (all []one) {
	for _, v := range values {
		var in any = v
		if f, ok := in.(float64); ok && !finite(f) {
			in = fmt.Sprint(f)
		}
		all = append(all, one{in, write(v)})
	}
	return all
}

func ofFloat(write func(float64) string) func(int64) string {
	return func(v int64) string { return write(float64(v)) }
}

// The table of all formatters at their edges is reviewed as a file, which the
// browser's tests read too (web/src/core/words.test.ts).
func TestCases(t *testing.T) {
	cases := map[string][]one{
		"Duration": table(instants, Duration[int64]), "Tick": table(instants, ofFloat(Tick)), "Brief": table(instants, Brief[int64]),
		"Precise": table(instants, Precise), "Change": table(instants, Change),
		"MS": table(instants, MS), "MSColumn": table(instants, MSColumn), "MSExact": table(instants, MSExact), "InMS": table(instants, InMS),
		"ChangeMS": table(instants, ChangeMS), "US": table(instants, US),
		"Percent": table(shares, Percent), "PercentFine": table(shares, PercentFine), "PercentInWords": table(shares, PercentInWords),
		"Bytes": table(sizes, Bytes), "BytesFine": table(sizes, ofFloat(BytesFine)), "MB": table(sizes, MB),
		"Count": table(counts, Count[int64]), "CountThin": table(counts, CountThin[int64]),
		"Plural":  table(counts, func(n int64) string { return Plural(n, "task") }),
		"Plurals": table(counts, func(n int64) string { return Plurals(n, "copy", "copies") }),
		"Work":    table(sizes, func(n int64) string { return Work(float64(n), 4) }),
		"Ranges":  table([][]int{nil, {3}, {0, 1, 2, 3, 7}, {-1, 0, 5, 6, 9}}, func(n []int) string { return strings.Join(Ranges(n), ", ") }),
		"List":    table([][]string{nil, {"a"}, {"a", "b"}, {"a", "b", "c", "d"}}, func(s []string) string { return List(s, 2) }),
		"And":     table([][]string{nil, {"a"}, {"a", "b"}, {"a", "b", "c"}}, And),
		"Join":    table([][]string{nil, {"", "a"}, {"a", "", "b"}, {"", ""}}, func(s []string) string { return Join(s...) }),
	}
	found, err := json.MarshalIndent(cases, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "cases.json")
	if *update {
		if err := os.WriteFile(path, append(found, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	stored, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var want map[string][]one
	if err := json.Unmarshal(stored, &want); err != nil {
		t.Fatal(err)
	}
	for name, all := range cases {
		for i, c := range all {
			if i >= len(want[name]) || want[name][i].Out != c.Out {
				t.Errorf("%s(%v) is %q, which %s does not have (go test -update rewrites it)", name, c.In, c.Out, path)
			}
		}
	}
	if len(want) != len(cases) {
		t.Errorf("%s has %d formatters, want %d", path, len(want), len(cases))
	}
}

// What cannot be known has one text.
func TestUnknown(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for name, got := range map[string]string{
			"Duration": Duration(v), "Tick": Tick(v), "Brief": Brief(v), "Percent": Percent(v), "PercentFine": PercentFine(v),
			"PercentInWords": PercentInWords(v), "BytesFine": BytesFine(v), "Number": Number(v, 2), "Fixed": Fixed(v, 2), "Work": Work(v, 4), "Amount": Amount(v, 3),
		} {
			if got != Unknown {
				t.Errorf("%s(%v) is %q, want %q", name, v, got, Unknown)
			}
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Number(1.50, 2), "1.5"}, {Number(-2, 1), "−2"}, {Number(-0.001, 2), "0"}, {Number(100, 0), "100"},
		{Fixed(1.5, 2), "1.50"}, {Fixed(-0.001, 2), "0.00"}, {Fixed(-1.5, 0), "−2"},
		{Amount(0.125, 3), "0.125"}, {Amount(34482.4, 3), "34 482"}, {Amount(-1234, 3), "-1 234"},
		{Work(67_710, 4), "67.71 kFlop"}, {Work(34_482e9, 4), "34 482 GFlop"},
		{Grouped("1000"), "1000"}, {Grouped("12345.5"), "12\u2009345.5"}, {Grouped("−1234567"), "−1\u2009234\u2009567"}, {Grouped(""), ""},
		{PercentOf(1, 3), "33.3 %"}, {PercentOf(1, 0), "0 %"}, {PluralThin(1234, "task is", "tasks are"), "1\u2009234 tasks are"},
		{Number(-0.25, 2), "−0.25"}, {BytesFine(1234.5e6), "1.23 GB"},
		{Duration(math.Copysign(0, -1)), "0 ns"}, {Duration(-0.2), "0 ns"}, {Duration(31366.4e6), "31.37 s"}, {Duration(1204e9), "1204 s"},
		{Brief(9_994_999.0), "9.99 ms"}, {Brief(9_995_000.0), "10 ms"}, {Brief(99_950_000.0), "100 ms"}, {Brief(999_499.0), "999 µs"},
		{MSTo(1_250_000, 1), "1.3"}, {MSTo(-1_250_000, 1), "-1.3"}, {MSTo(49_999, 1), "0.0"}, {MSTo(1_500_000, 0), "2"}, {USTo(2_404, 2), "2.40"},
		{FromTo(40_120_000, 137_300_000), "40.12 → 137.3 ms"}, {FromTo(0, 1_500), "0 → 1.500 µs"}, {FromTo(12, 999), "12 → 999 ns"},
		{FromTo(0, 0), "0 → 0 ns"}, {FromTo(math.MinInt64, 1), "-9223372037 → 0.000 s"},
		{UnitFor(2e6, Times).Name, "ms"}, {UnitFor(0.2, Times).Name, "ns"}, {UnitFor(-5e12, Data).Name, "TB"},
	} {
		if c.got != c.want {
			t.Errorf("found %q, want %q", c.got, c.want)
		}
	}
}

// Sums of columns hold exactly: fixed decimals are those of the integer.
func TestMSIsExact(t *testing.T) {
	for _, ns := range []int64{1<<53 + 1, 1<<62 + 12345, -(1<<62 + 12345), math.MaxInt64} {
		if got, want := strings.Replace(MSExact(ns), ".", "", 1), fmt.Sprint(ns); got != want {
			t.Errorf("%d ns is %s ms", ns, MSExact(ns))
		}
	}
}
