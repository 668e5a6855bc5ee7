package main

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A truth and what is found: the verdict.
func TestJudge(t *testing.T) {
	for name, c := range map[string]struct {
		truth, report string
		want          string
		good          string // of the gain: yes, no or nothing
	}{
		"second finding": {
			`"accepted":["slow-link"],"at":{"memories":["CUDA1"]}`,
			`{"id":"outliers"},{"id":"slow-link","where":{"memories":["CUDA1"]},"gain_ns":80000000,"basis":"simulated"}`, "found, finding 2", "yes",
		},
		"third finding":   {`"accepted":["a"]`, `{"id":"x"},{"id":"y"},{"id":"a"}`, "late, finding 3", ""},
		"another id":      {`"accepted":["a","b"]`, `{"id":"x"}`, "not found", ""},
		"nothing found":   {`"accepted":["a"]`, ``, "not found", ""},
		"wrong place":     {`"accepted":["a"],"at":{"nodes":[3]}`, `{"id":"a","where":{"nodes":[2]}}`, "not its place, finding 1", ""},
		"one node more":   {`"accepted":["a"],"at":{"nodes":[3]}`, `{"id":"a","where":{"nodes":[2,3]}}`, "not its place, finding 1", ""},
		"no place at all": {`"accepted":["a"],"at":{"kinds":["GEMM"]}`, `{"id":"a"}`, "not its place, finding 1", ""},
		"place in the second": {
			`"accepted":["a","b"],"at":{"kinds":["GEMM"]}`, `{"id":"a","where":{"kinds":["SYRK"]}},{"id":"b","where":{"kinds":["GEMM"]}}`, "found, finding 2", "",
		},
		"half of the workers":      {`"accepted":["a"],"at":{"workers":["CPU0","CPU1"]}`, `{"id":"a","where":{"workers":["CPU1"]}}`, "found, finding 1", ""},
		"too many workers":         {`"accepted":["a"],"at":{"workers":["CPU0"]}`, `{"id":"a","where":{"workers":["CPU0","CPU1","CPU2"]}}`, "not its place, finding 1", ""},
		"window":                   {`"accepted":["a"],"at":{"window_ns":[100,200]}`, `{"id":"a","where":{"window_ns":[120,260]}}`, "found, finding 1", ""},
		"window too long":          {`"accepted":["a"],"at":{"window_ns":[100,200]}`, `{"id":"a","where":{"window_ns":[0,1000]}}`, "not its place, finding 1", ""},
		"no window":                {`"accepted":["a"],"at":{"window_ns":[100,200]}`, `{"id":"a"}`, "not its place, finding 1", ""},
		"links say which memory":   {`"accepted":["a"],"at":{"memories":["CUDA1"]}`, `{"id":"a","where":{"links":[["RAM","CUDA1"],["CUDA1","RAM"],["CUDA0","CUDA1"]]}}`, "found, finding 1", ""},
		"one link does not":        {`"accepted":["a"],"at":{"memories":["CUDA1"]}`, `{"id":"a","where":{"links":[["RAM","CUDA1"]]}}`, "not its place, finding 1", ""},
		"links both ways":          {`"accepted":["a"],"at":{"links":[["RAM","CUDA1"]]}`, `{"id":"a","where":{"links":[["RAM","CUDA1"],["CUDA1","RAM"]]}}`, "found, finding 1", ""},
		"gain too small":           {`"accepted":["a"]`, `{"id":"a","gain_ns":70000000,"basis":"simulated"}`, "found, finding 1", "no"},
		"gain within the makespan": {`"accepted":["a"],"gain_of_repair_ms":10`, `{"id":"a","gain_ns":29000000,"basis":"simulated"}`, "found, finding 1", "yes"},
		"gain not simulated":       {`"accepted":["a"]`, `{"id":"a","gain_ns":1,"basis":"bound"}`, "found, finding 1", ""},
		"unpriced":                 {`"accepted":["a"]`, `{"id":"a","gain_ns":null,"basis":"unpriced"}`, "found, finding 1", ""},
		"healthy":                  {`"class":"healthy"`, `{"id":"a","severity":"low"},{"id":"b","severity":"medium"},{"id":"c","severity":"high"}`, "healthy, 2 false alarms", ""},
	} {
		tr, err := parseTruth([]byte(made(c.truth)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		f, err := parseReport([]byte(`{"makespan_ns":1000000000,"findings":[` + c.report + `]}`))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		v := judge(tr, f)
		good := ""
		if v.GainGood != nil {
			good = map[bool]string{true: "yes", false: "no"}[*v.GainGood]
		}
		if v.word() != c.want || good != c.good {
			t.Errorf("%s: found %q with gain %q, want %q with %q", name, v.word(), good, c.want, c.good)
		}
	}
}

// made is a truth.json with some of its keys as given.
func made(keys string) string {
	for _, usual := range []string{`"id":"x"`, `"class":"fault"`, `"gain_of_repair_ms":100`, `"faulty_run":"faulty"`, `"healthy_run":"healthy"`} {
		if !strings.Contains(keys, strings.SplitN(usual, ":", 2)[0]) {
			keys += "," + usual
		}
	}
	return "{" + strings.TrimPrefix(keys, ",") + "}"
}

func TestBadTruths(t *testing.T) {
	for keys, want := range map[string]string{
		`"accepted":["a"],"at":{"node":[3]}`:        "unknown field",
		`"accepted":["a"],"at":{"nodes":["3"]}`:     "read at",
		`"accepted":["a"],"at":{"window_ns":[5]}`:   "window_ns",
		`"accepted":["a"],"at":{"window_ns":[5,5]}`: "window_ns",
		`"accepted":[]`:                               "class",
		`"accepted":["a"],"class":"healthy"`:          "class",
		`"accepted":["a"],"id":""`:                    "no id",
		`"accepted":["a"],"gain_of_repair_ms":null`:   "gain_of_repair_ms",
		`"accepted":["a"],"gain_of_repair_ms":"much"`: "gain_of_repair_ms",
		`"accepted":["a"],"faulty_run":""`:            "faulty_run",
		`"accepted":[""]`:                             "without letters",
		`"accepted":["a"],"at":{"nodes":[3]`:          "unexpected end",
	} {
		if _, err := parseTruth([]byte(made(keys))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: found error %v, want one with %q", keys, err, want)
		}
	}
	for text, want := range map[string]string{
		`{}`: "makespan_ns", `[]`: "cannot unmarshal", `{"makespan_ns":5,"findings":[{}]}`: "without id", `{"makespan_ns":5,"findings":[{"id":"a","where":3}]}`: "cannot unmarshal",
	} {
		if _, err := parseReport([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: found error %v, want one with %q", text, err, want)
		}
	}
}

// Wilson's interval against the values of Newcombe 1998, table I.
func TestShare(t *testing.T) {
	for _, c := range []struct {
		n, of   int
		low, up float64
	}{{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611}, {1, 29, 0.0061, 0.1718}, {29, 29, 0.8830, 1}, {0, 0, 0, 1}} {
		s := newShare(c.n, c.of)
		if math.Abs(s.Low-c.low) > 5e-5 || math.Abs(s.Up-c.up) > 5e-5 {
			t.Errorf("%d of %d: found %.4f to %.4f, want %.4f to %.4f", c.n, c.of, s.Low, s.Up, c.low, c.up)
		}
	}
}

// Two cases with the same twin and one in which nothing is wrong: the twin is
// looked at once, and everything is counted.
func TestScoreAll(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a": made(`"id":"a","accepted":["slow-node"]`), "b": made(`"id":"b","accepted":["slow-link"],"healthy_run":"../a/healthy"`), "ok": made(`"id":"ok","class":"healthy"`),
	} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name, "truth.json"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cases, err := readCases(dir, regexp.MustCompile(""))
	if err != nil {
		t.Fatal(err)
	}
	asked := map[string]int{}
	gain := int64(90e6)
	s, err := scoreAll(cases, func(run string) (*findings, error) {
		run, err := filepath.Rel(dir, run)
		asked[run]++
		f := &findings{Makespan: 1e9}
		switch run {
		case "a/faulty":
			f.Findings = []finding{{ID: "slow-node", Severity: "medium", Gain: &gain, Basis: "simulated"}}
		case "a/healthy":
			f.Findings = []finding{{ID: "ramp", Severity: "medium"}, {ID: "prefetch", Severity: "low"}}
		}
		return f, err
	}, nil, func(*verdict) {})
	if err != nil {
		t.Fatal(err)
	}
	for run, n := range asked {
		if n != 1 {
			t.Errorf("%s was looked at %d times", run, n)
		}
	}
	if len(s.Cases) != 3 || len(s.Healthy) != 3 || s.Alarms != 1 {
		t.Errorf("found %d cases, %d healthy runs, %d alarms, want 3, 3, 1", len(s.Cases), len(s.Healthy), s.Alarms)
	}
	for name, c := range map[string][2]share{
		"recall": {s.Recall, newShare(1, 2)}, "first": {s.First, newShare(1, 2)}, "gain": {s.Gain, newShare(1, 1)}, "simulated": {s.Simulated, newShare(1, 1)}, "alarmed": {s.Alarmed, newShare(1, 3)},
	} {
		if c[0] != c[1] {
			t.Errorf("%s: found %v, want %v", name, c[0], c[1])
		}
	}
	if page := scorePage([]*score{s}, options{}); !strings.Contains(page, "| a | slow-node | found, finding 1 | slow-node | 90.0 | 100.0 | simulated |") || !strings.Contains(page, "| a/healthy | ramp | ramp, prefetch |") {
		t.Errorf("found page\n%s", page)
	}
	if _, err := readCases(filepath.Join(dir, "none"), regexp.MustCompile("")); err == nil {
		t.Error("there are no cases, and there is no error")
	}
}
