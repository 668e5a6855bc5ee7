package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dagscope/explain/chain"
	"dagscope/internal/testenv"
	"dagscope/read"
)

// The bundled runs, a line in each table.
func TestBundledRuns(t *testing.T) {
	page := filepath.Join(t.TempDir(), "chain.md")
	if err := write([]string{filepath.Join(testenv.Repo(), "testdata", "starpu")}, page); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"sg-mirage-n12-dmdas", "native-chol-tiny", "nativempi-np2-n8-lws"} {
		if n := strings.Count(string(text), "| "+name+" |"); n != 4 {
			t.Errorf("%s is in %d tables, want 4", name, n)
		}
	}
}

func TestNoRuns(t *testing.T) {
	for _, dir := range []string{t.TempDir(), "absent"} {
		if _, err := divide([]string{dir}, io.Discard); err == nil {
			t.Errorf("found no error of %s", dir)
		}
	}
}

// Tables that do not add up are an error.
func TestSums(t *testing.T) {
	rows := []chain.Row{{By: chain.ByClass, Class: "runtime", NS: 3}, {By: chain.ByClass, Class: "execute", NS: 4}, {By: chain.ByNode, Class: "execute", NS: 7}}
	if got, err := sums(rows, 7); err != nil || got["runtime"] != 3 || got["execute"] != 4 {
		t.Errorf("found %v, %v", got, err)
	}
	for what, bad := range map[string][]chain.Row{"a dimension": rows[:2], "none": nil, "too little": rows[1:]} {
		if what == "a dimension" {
			bad = append(bad, chain.Row{By: chain.ByNode, NS: 6})
		}
		if _, err := sums(bad, 7); err == nil {
			t.Errorf("%s: found no error", what)
		}
	}
}

// On runs with little memory, with a disk and on several nodes, what transfers
// waited for after the last writer is known, also of those that nobody waited
// for, and late pushes are rare.
func TestTransfersAreExplained(t *testing.T) {
	testenv.Slow(t)
	for _, name := range []string{"sg-mirage-ooc-n20-dmdas", "sgmpi-np4-n20-dmdas", "sgmpi-np8-n40-dmdas"} {
		run, err := read.Read(testenv.Reference(t, "data", "starpu", name), read.Options{})
		if err != nil {
			t.Fatal(err)
		}
		l, err := newLine(name, run)
		if err != nil {
			t.Fatal(err)
		}
		if share := l.waits.Explained(); l.waits.Transfers < 500 || share < 0.98 {
			t.Errorf("%s: %.1f %% of what %d transfers waited is explained, want 98 %%", name, 100*share, l.waits.Transfers)
		}
		if known := 1 - float64(l.blame[chain.Unexplained.String()])/float64(l.makespan); known < 0.99 {
			t.Errorf("%s: %.1f %% of the chain is explained, want 99 %%", name, 100*known)
		}
		if l.late > 4 {
			t.Errorf("%s: %d late pushes, want 4 at most", name, l.late)
		}
	}
}
