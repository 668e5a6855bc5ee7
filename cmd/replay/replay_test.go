package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dagscope/internal/testenv"
)

// The bundled runs are repeated: the simulated one by its own scheduler, and
// every one with its schedule.
func TestBundledRuns(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"sg-mirage-n12-dmdas", "native-chol-tiny"} {
		if err := os.Symlink(filepath.Join(testenv.Repo(), "testdata", "starpu", name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := replay(dir, io.Discard); err == nil {
		t.Error("links are no directories: want an error")
	}
	lines, err := replay(filepath.Join(testenv.Repo(), "testdata", "starpu"), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]line{}
	for _, l := range lines {
		found[l.name] = l
	}
	n12 := found["sg-mirage-n12-dmdas"]
	if n12.base == nil || n12.base.Scheduler != "dmdas" || !n12.base.Valid() || !n12.base.CanPin() {
		t.Errorf("sg-mirage-n12-dmdas: found %+v", n12.base)
	}
	text := table(lines)
	for _, l := range lines {
		if !strings.Contains(text, "| "+l.name+" |") {
			t.Errorf("%s is not in the table", l.name)
		}
	}
}

func TestNoRuns(t *testing.T) {
	if _, err := replay(t.TempDir(), io.Discard); err == nil {
		t.Error("found no error of an empty directory")
	}
	if _, err := replay("absent", io.Discard); err == nil {
		t.Error("found no error of a directory that is not there")
	}
}

// Of a case with a fault and its healthy twin, both are runs.
func TestCases(t *testing.T) {
	dir := t.TempDir()
	for _, sub := range []string{"one/faulty", "one/healthy", "two", "three/faulty"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	found, err := find(dir)
	want := []string{filepath.Join("one", "healthy"), filepath.Join("one", "faulty"), filepath.Join("three", "faulty"), "two"}
	if err != nil || !slices.Equal(found, want) {
		t.Errorf("found %v, error %v, want %v", found, err, want)
	}
}
