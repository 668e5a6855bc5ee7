package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dagscope/predict/whatif"
)

// Makespans are read with their lines, and a damaged line is named.
func TestReadMakespans(t *testing.T) {
	path := filepath.Join(t.TempDir(), "makespans.tsv")
	write := func(text string) {
		if err := os.WriteFile(path, []byte("machine\tsched\tn\ttile\tvariant\tms\tgflops\tmakespan_us\n"+text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("mirage\teager\t5\t960\tdefault\t305\t120.8\t305261\n")
	got, err := readMakespans(path)
	if err != nil || len(got) != 1 || got[0] != (measured{"mirage", "eager", "default", 5, 960, 305261000}) {
		t.Errorf("found %+v (%v)", got, err)
	}
	for _, wrong := range []string{"mirage\teager\n", "mirage\teager\tfive\t960\tdefault\t305\t120.8\t305261\n"} {
		write(wrong)
		if _, err := readMakespans(path); err == nil || !strings.Contains(err.Error(), ":2:") {
			t.Errorf("%q: found %v, want the line", wrong, err)
		}
	}
}

// Faults are repaired by experiments of the registry.
func TestRepairs(t *testing.T) {
	known := map[string]bool{}
	for _, e := range whatif.Registry {
		known[e.ID] = true
	}
	for _, class := range []string{"communication", "distribution", "load-imbalance", "memory", "disturbance", "submission", "runtime-overhead", "prefetch", "priority", "scheduler", "slow-node", "slow-worker", "synchronisation", "submission-window", "constraint"} {
		if r, err := (&truth{Class: class}).repair(); err != nil || !known[r.id] {
			t.Errorf("%s: found %+v (%v)", class, r, err)
		}
	}
	if _, err := (&truth{Class: "tile-size"}).repair(); err == nil {
		t.Error("a fault that no experiment repairs has one")
	}
}

// Tables have a line for each prediction, also for those that cannot be made.
func TestTables(t *testing.T) {
	text := makespanTable([]prediction{
		{"run", measured{"mirage", "lws", "default", 5, 960, 1e9}, outcome{err: 0.02}, outcome{failed: "no | models"}},
		{"run", measured{"mirage", "dm", "default", 5, 960, 1e9}, outcome{err: -0.04}, outcome{err: 0}},
	})
	for _, want := range []string{"| run | 2 | 3.00 % | 1 | 1 | 0.00 % | 1 |", "| +2.0 % | – (no / models) |"} {
		if !strings.Contains(text, want) {
			t.Errorf("found no %q in\n%s", want, text)
		}
	}
	if text := twinTable([]twin{{truth: truth{ID: "x", Faulty: 2, Healthy: 1}, why: "reason"}}); !strings.Contains(text, "– (reason)") || !strings.Contains(text, "0 faults predicted of 1") {
		t.Errorf("found\n%s", text)
	}
}
