package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"dagscope/internal/testenv"
)

// A few of the simulated cases from spec to verdict, the detectors and their advice; with
// all of them, how many are found, and that no advice does harm.
func TestSimulated(t *testing.T) {
	only := "^sim-(pci-lab-lu|mem-lab-qr|submit-cores-chol|ok-cores-chol)$"
	path := filepath.Join("testdata", "simulated", "cases.yaml")
	try := func(t *testing.T, only string) *score {
		cases, err := readSimulated(path, regexp.MustCompile(only))
		if err != nil {
			t.Fatal(err)
		}
		o := options{work: t.TempDir(), call: inProcess}
		truths, err := o.makeSimulated(path, cases)
		if err != nil {
			t.Fatal(err)
		}
		s, err := scoreAll(truths, o.detect, o.follow, func(v *verdict) { t.Log(v.Case, v.word()) })
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	t.Run("some", func(t *testing.T) {
		s := try(t, only)
		if s.Recall.Of != 3 || s.Recall.N != 3 || s.Alarms > 0 || s.Harm.N > 0 || s.Harm.Of == 0 {
			t.Errorf("found %+v of the faults, %d alarms, harm %+v", s.Recall, s.Alarms, s.Harm)
		}
		for _, v := range s.Cases {
			if len(v.Accepted) > 0 && v.TruthNS <= 0 {
				t.Errorf("%s costs %d ns", v.Case, v.TruthNS)
			}
		}
	})
	t.Run("all", func(t *testing.T) {
		testenv.Slow(t)
		s := try(t, "")
		if 10*s.Recall.N < 9*s.Recall.Of || 10*s.Alarmed.N > s.Alarmed.Of || s.Harm.N > 0 {
			t.Errorf("found %+v of the faults, alarms in %+v, harm %+v", s.Recall, s.Alarmed, s.Harm)
		}
	})
}

func TestBadSimulated(t *testing.T) {
	for text, want := range map[string]string{
		"- {id: a}": "without id or base", "- {id: a, base: b}\n- {id: a, base: b}": "twice", "- {id: a, base: b, sets: []}": "sets", "{": "read simulated",
	} {
		path := filepath.Join(t.TempDir(), "cases.yaml")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := readSimulated(path, regexp.MustCompile("")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: found error %v, want one with %q", text, err, want)
		}
	}
}
