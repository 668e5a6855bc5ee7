package campaign

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestParseAxis(t *testing.T) {
	for text, want := range map[string]string{
		"platform.gpus=0,1, 2":               "0 1 2",
		"scheduler=dmdas":                    "dmdas",
		"seed=1..5":                          "1 2 3 4 5",
		"workload.tiles=10..60/10":           "10 20 30 40 50 60",
		"workload.tiles=10..65/10":           "10 20 30 40 50 60",
		"platform.cpus=1..100*2":             "1 2 4 8 16 32 64",
		"options.overhead_us=0..1/0.25":      "0.00 0.25 0.50 0.75 1.00",
		"seed=7..7":                          "7",
		"seed=1,3..5,9":                      "1 3 4 5 9",
		"platform.file=../a.yaml,../b.yaml":  "../a.yaml ../b.yaml",
		"models={file: a.yaml, x: 1},{b: 2}": "{file: a.yaml, x: 1} {b: 2}",
		"options.only_gpu=[potrf, trsm],[]":  "[potrf, trsm] []",
		`workload.kind="a,b",c`:              `"a,b" c`,
	} {
		a, err := ParseAxis(text)
		if err != nil || strings.Join(a.Values, " ") != want {
			t.Errorf("%s: %q, %v, want %s", text, a.Values, err, want)
		}
	}
	for text, want := range map[string]string{
		"seed":         "want KEY=VALUE",
		"=1":           "want KEY=VALUE",
		"seed=1,,2":    "want a value",
		"seed=1,2,1":   "found value 1 of seed twice",
		"seed=5..1":    "ends after it begins",
		"seed=1..9/0":  "step above 0",
		"seed=1..9/-1": "step above 0",
		"seed=0..9*2":  "factor above 1",
		"seed=1..9*1":  "factor above 1",
		"seed=1..x":    "want a range",
		"seed=1..1e9":  "at most 100000 values",
	} {
		if _, err := ParseAxis(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}

// A range holds what counting up by hand holds.
func TestRanges(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		from, by := rng.IntN(50)-10, 1+rng.IntN(9)
		to := from + rng.IntN(200)
		var want []string
		for v := from; v <= to; v += by {
			want = append(want, strconv.Itoa(v))
		}
		a, err := ParseAxis(fmt.Sprintf("k=%d..%d/%d", from, to, by))
		if err != nil || !slices.Equal(a.Values, want) {
			t.Fatalf("%d..%d/%d: %v, %v", from, to, by, a.Values, err)
		}
	}
}

// The points of axes are all combinations, each once, the last axis fastest.
func TestPoints(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 2))
		var axes Axes
		total := 1
		for k := range rng.IntN(4) {
			a := Axis{Key: fmt.Sprint("o", k)}
			for v := range 1 + rng.IntN(4) {
				a.Values = append(a.Values, fmt.Sprint(v))
			}
			axes.Over = append(axes.Over, a)
			total *= len(a.Values)
		}
		if rng.IntN(2) == 0 {
			axes.Zip = []Axis{{"y", []string{"1", "2", "3"}}, {"z", []string{"a", "b", "c"}}}
			total *= 3
		}
		if rng.IntN(2) == 0 {
			axes.Table = [][]string{{"t", "u"}, {"1", "x"}, {"2", "y"}}
			total *= 2
		}
		p, err := axes.points()
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, row := range p.rows {
			seen[identity(row)] = true
			if len(row) != len(p.keys) {
				t.Fatalf("point %v of keys %v", row, p.keys)
			}
			if y, z := slices.Index(p.keys, "y"), slices.Index(p.keys, "z"); y >= 0 && int(row[y][0]-'1') != int(row[z][0]-'a') {
				t.Fatalf("zipped values come apart in %v", row)
			}
		}
		if len(p.rows) != total || len(seen) != total {
			t.Fatalf("%d points, %d different ones, want %d", len(p.rows), len(seen), total)
		}
	}
	wrong := Axes{Zip: []Axis{{"a", []string{"1"}}, {"b", []string{"1", "2"}}}}
	if _, err := wrong.points(); err == nil {
		t.Error("axes of different lengths are zipped")
	}
	twice := Axes{Over: []Axis{{"a", []string{"1"}}, {"a", []string{"1", "2"}}}}
	if _, err := twice.points(); err == nil {
		t.Error("a key is there twice")
	}
}

func TestReadTable(t *testing.T) {
	for _, text := range []string{
		"# points\nplatform.gpus,scheduler\n1, dmdas\n2,lws\n",
		"# points\tof both\nplatform.gpus,scheduler\n1,dmdas \n2,lws\n",
		"\ufeff# points, of both\nplatform.gpus\tscheduler\n1\t dmdas\n2\tlws\n",
	} {
		rows, err := ReadTable(strings.NewReader(text))
		if err != nil || fmt.Sprint(rows) != "[[platform.gpus scheduler] [1 dmdas] [2 lws]]" {
			t.Errorf("%q: %v, %v", text, rows, err)
		}
	}
	for _, text := range []string{"", "a,b\n", "a,b\n1\n", "a\n1\n1\n", "a,b\n1,\n", "a\tb\n\t1\n"} {
		if _, err := ReadTable(strings.NewReader(text)); err == nil {
			t.Errorf("%q is read without error", text)
		}
	}
}

// What is written of metrics is read again.
func TestMetricsComeBack(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 3))
		m := Metrics{Makespan: rng.Int64(), Bound: rng.Float64(), Idle: math.NaN(), IdleCPU: rng.Float64(), IdleDevice: math.NaN(), Seconds: rng.Float64(), Run: "runs/a.dsr", Warnings: "a, \"b\""}
		if seed%5 == 0 {
			m = Failure(fmt.Errorf("found\nnothing, \"want\" it"))
		}
		var back Metrics
		if err := back.parse(m.cells()); err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(back) != fmt.Sprint(m) {
			t.Fatalf("%+v comes back as %+v", m, back)
		}
	}
}
