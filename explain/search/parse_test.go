package search

import (
	"strings"
	"testing"

	"dagscope/internal/budget"
)

func TestParseSaysWhatItUnderstood(t *testing.T) {
	for query, want := range map[string]string{
		"":                    "all tasks",
		"  gemm\tCUDA0 ":      "tasks with “gemm” as kind, id, tag or worker and with “CUDA0” as kind, id, tag or worker",
		"gemm,trsm":           "tasks with “gemm” or “trsm” as kind, id, tag or worker",
		"-kind:gemm dur>10ms": "tasks whose kind is not gemm and whose dur is > 10ms",
		`kind:"a b",c`:        "tasks whose kind is a b or c",
		"xy:3,4,5,6 outlier":  "tasks whose xy is 3,4 or 5,6 and that are outliers",
		"-generation x>=2":    "tasks that are not generation and whose x is >= 2",
		"OUTLIER":             "tasks that are outliers",
		`"outlier"`:           "tasks with “outlier” as kind, id, tag or worker",
		"x:-3 start>-1.5µs":   "tasks whose x is -3 and whose start is > -1.5µs",
		"dur>0":               "tasks whose dur is > 0",
		"DUR<=1MS":            "tasks whose dur is <= 1MS",
	} {
		q, err := Parse(query)
		if err != nil {
			t.Errorf("%q: %v", query, err)
		} else if got := q.String(); got != want {
			t.Errorf("%q: %s, want %s", query, got, want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for query, want := range map[string][]string{
		"dur>10":                 {"character 5", `found "10"`, "unit"},
		"gemm dur>ms":            {"character 10", `"ms"`, "unit"},
		"colour:red":             {"character 1", `field "colour"`, "kind, worker"},
		"kind>a":                 {"character 5", `">"`, `":"`},
		"kind:":                  {"character 6", "the end", "a name"},
		"kind: a":                {"character 6", "a space", "a name"},
		"outlier:yes":            {"character 8", `":"`, "no value"},
		"xy:3":                   {"character 4", `"3"`, "two numbers"},
		"xy:3,a":                 {"character 4", `"3,a"`, "two numbers"},
		"tag:0xg":                {"character 5", `"0xg"`, "decimal"},
		"node:-1":                {"character 6", `"-1"`, "node"},
		"node:1e3":               {"character 6", `"1e3"`, "node"},
		"node:99999999999":       {"character 6", "node"},
		"x:NaN":                  {"character 3", `"NaN"`, "a number"},
		"start>infs":             {"character 7", `"infs"`},
		`"gemm`:                  {"character 1", "does not end"},
		"é,":                     {"character 3", "the end", "a word"},
		",":                      {"character 1", `","`, "a word"},
		"a -":                    {"character 4", "the end", "a word"},
		`kind:"a"b`:              {"character 9", `"b"`, "a space"},
		"\xff":                   {"UTF-8"},
		strings.Repeat("a ", 65): {"character 129", "at most 64"},
	} {
		_, err := Parse(query)
		if err == nil {
			t.Errorf("%q is understood", query)
			continue
		}
		for _, part := range want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q: error %q does not say %q", query, err, part)
			}
		}
	}
}

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"gemm", "gemm", true}, {"gem", "gemm", false}, {"*", "", true}, {"", "", true}, {"?", "", false},
		{"cuda*", "cuda0_0", true}, {"*_?", "cuda0_0", true}, {"*a*b*c", "xaxbxbc", true}, {"*a*b*c", "xaxcxb", false},
		{"a*a", "a", false}, {"?é", "éé", true}, {"**b", "aab", true},
	} {
		if got := matches(c.pattern, c.name); got != c.want {
			t.Errorf("%q matches %q: %v", c.pattern, c.name, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"gemm", "-kind:a,b dur>10ms", `xy:3,4 "a b"`, "tag:0x10", "é:,<=", "-", "a,,", "x:1e999"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		budget.Watch(t)
		q, err := Parse(text)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "read query") {
				t.Fatalf("%q: error %q", text, err)
			}
			return
		}
		run := smallRun()
		n := len(run.Task.Start)
		if r := q.Find(run, Options{After: -1, Limit: n}); len(r.Rows) != r.Total || r.Total > n {
			t.Fatalf("%q: %d of %d hits", text, len(r.Rows), r.Total)
		}
	})
}
