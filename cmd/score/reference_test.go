package main

import (
	"bytes"
	"fmt"
	"regexp"
	"testing"

	"dagscope/cli"
	"dagscope/internal/testenv"
)

// The detectors on the reference data. Every third case was left out where limits
// were set, after a first look at all of them: what holds for the others must hold
// for these, too.
func TestDetectorsOnFaults(t *testing.T) {
	testenv.Slow(t)
	cases, err := readCases(testenv.Reference(t, "data/faults"), regexp.MustCompile(""))
	if err != nil {
		t.Fatal(err)
	}
	o := options{work: t.TempDir(), call: inProcess}
	s, err := scoreAll(cases, o.detect, nil, func(v *verdict) { t.Log(v.Case, v.word()) })
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Cases) < 30 || len(s.Healthy) < 20 {
		t.Errorf("found %d cases and %d healthy runs, want 30 and 20 to say anything", len(s.Cases), len(s.Healthy))
	}
	if 10*s.Recall.N < 9*s.Recall.Of {
		t.Errorf("found %d of %d faults, want nine tenths", s.Recall.N, s.Recall.Of)
	}
	if 10*s.Alarmed.N > s.Alarmed.Of {
		t.Errorf("found false alarms in %d of %d healthy runs, want a tenth at most", s.Alarmed.N, s.Alarmed.Of)
	}
	aside := &score{}
	for i, v := range s.Cases {
		if i%3 == 2 {
			aside.Cases = append(aside.Cases, v)
		}
	}
	aside.sum()
	t.Logf("of the cases kept aside: %d of %d", aside.Recall.N, aside.Recall.Of)
	if 10*aside.Recall.N < 9*aside.Recall.Of {
		t.Errorf("found %d of the %d faults kept aside, want nine tenths", aside.Recall.N, aside.Recall.Of)
	}
}

// inProcess is the program without a process.
func inProcess(arguments ...string) ([]byte, error) {
	var out, log bytes.Buffer
	if code := cli.Main(arguments, &bytes.Buffer{}, &out, &log); code != 0 {
		return nil, fmt.Errorf("dagscope %s: %d: %s", arguments[0], code, log.String())
	}
	return out.Bytes(), nil
}
