package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// truth is what is known of a case.
type truth struct {
	ID       string   `json:"id"`
	Class    string   `json:"class"`
	Accepted []string `json:"accepted"` // ids of findings that name the fault; none: nothing was put in
	At       where    `json:"at"`       // what such a finding must name
	Gain     *float64 `json:"gain_of_repair_ms"`
	Faulty   string   `json:"faulty_run"`  // folders of the traces, from the case's folder
	Healthy  string   `json:"healthy_run"` // may be that of another case
	Perfect  string   `json:"perfect_tool_says"`

	HeldOut bool `json:"-"` // kept aside while limits were set

	folder string
	spec   string   // of simulated cases
	faulty []string // keys of simulate that make the faulty run
}

// where is what a finding names, and what a truth wants named.
type where struct {
	Nodes    []int32     `json:"nodes,omitempty"`
	Workers  []string    `json:"workers,omitempty"`
	Links    [][2]string `json:"links,omitempty"`
	Memories []string    `json:"memories,omitempty"`
	Kinds    []string    `json:"kinds,omitempty"`
	Window   []int64     `json:"window_ns,omitempty"`
}

// healthy reports whether nothing was put in.
func (t *truth) healthy() bool { return len(t.Accepted) == 0 }

// faultyRun and healthyRun are the folders of the traces.
func (t *truth) faultyRun() string  { return filepath.Join(t.folder, t.Faulty) }
func (t *truth) healthyRun() string { return filepath.Join(t.folder, t.Healthy) }

// readCases reads the truths of a directory, by name.
func readCases(dir string, only *regexp.Regexp) ([]*truth, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*", "truth.json"))
	if err != nil {
		return nil, fmt.Errorf("list cases: %w", err)
	}
	var cases []*truth
	for _, path := range paths {
		if !only.MatchString(filepath.Base(filepath.Dir(path))) {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("read case: %w", err)
		}
		t, err := parseTruth(text)
		if err != nil {
			return nil, fmt.Errorf("read case %s: %w", path, err)
		}
		t.folder = filepath.Dir(path)
		cases = append(cases, t)
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("read cases of %s: found none, want folders with a truth.json", dir)
	}
	return cases, nil
}

// parseTruth reads a truth.json. What a finding must name is checked for keys that
// are not known: one that was ignored would make the fault easier to find.
func parseTruth(text []byte) (*truth, error) {
	var t struct {
		truth
		At json.RawMessage `json:"at"`
	}
	if err := json.Unmarshal(text, &t); err != nil {
		return nil, err
	}
	if len(t.At) > 0 {
		d := json.NewDecoder(bytes.NewReader(t.At))
		d.DisallowUnknownFields()
		if err := d.Decode(&t.truth.At); err != nil {
			return nil, fmt.Errorf("read at: %w", err)
		}
	}
	switch at := t.truth.At; {
	case t.ID == "":
		return nil, fmt.Errorf("found no id")
	case t.Faulty == "" || t.Healthy == "":
		return nil, fmt.Errorf("found faulty_run %q and healthy_run %q, want folders", t.Faulty, t.Healthy)
	case t.Gain == nil:
		return nil, fmt.Errorf("found no gain_of_repair_ms")
	case t.healthy() != (t.Class == "healthy"):
		return nil, fmt.Errorf("found class %q with %d accepted ids, want none for the class healthy alone", t.Class, len(t.Accepted))
	case len(at.Window) != 0 && (len(at.Window) != 2 || at.Window[0] >= at.Window[1]):
		return nil, fmt.Errorf("found window_ns %v, want a beginning and a later end", at.Window)
	case slices.Contains(t.Accepted, ""):
		return nil, fmt.Errorf("found an accepted id without letters")
	}
	return &t.truth, nil
}
