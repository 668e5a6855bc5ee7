package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const sweepSpec = `
workload: {kind: cholesky, tiles: 16, tile: 960}
platform: {cpus: 4}
models: {durations: {potrf: 9ms, trsm: 18ms, syrk: 17ms, gemm: 33ms}}
scheduler: lws
`

// program is this test's binary under the name by which it is the program.
func program(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "dagscope")
	if err := os.Link(self, path); err == nil {
		return path
	}
	from, err := os.Open(self)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	to, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o755)
	if err == nil {
		_, err = io.Copy(to, from)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// lines of a table's file that are whole.
func lines(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	whole := string(text[:bytes.LastIndexByte(text, '\n')+1])
	return strings.Split(strings.TrimSuffix(whole, "\n"), "\n")
}

// kill starts a campaign and kills it when its table has some lines, which it
// returns.
func kill(t *testing.T, campaign *exec.Cmd, table string) []string {
	t.Helper()
	if err := campaign.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); len(lines(t, table)) < 5; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no run ended within a minute")
		}
	}
	if err := campaign.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = campaign.Wait()
	return lines(t, table)
}

// A campaign that is killed (SIGKILL) goes on where it was: the lines that were
// there, with the time that each run took, stay as they are.
func TestSweepIsKilled(t *testing.T) {
	dagscope, dir := program(t), t.TempDir()
	spec, out := filepath.Join(dir, "spec.yaml"), filepath.Join(dir, "c")
	if err := os.WriteFile(spec, []byte(sweepSpec), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{"sweep", spec, "--over", "seed=1..300", "-o", out, "--jobs", "2"}
	table := filepath.Join(out, "results.csv")
	before := kill(t, exec.Command(dagscope, args...), table)
	for range 3 { // a busy machine may let it end first
		if len(before) < 301 {
			break
		}
		if err := os.RemoveAll(out); err != nil {
			t.Fatal(err)
		}
		before = kill(t, exec.Command(dagscope, args...), table)
	}
	if len(before) >= 301 {
		t.Fatal("the campaign was over each time before it was killed")
	}
	again := exec.Command(dagscope, args...)
	if text, err := again.CombinedOutput(); err != nil {
		t.Fatalf("going on: %v\n%s", err, text)
	}
	after := make(map[string]bool)
	for _, line := range lines(t, table) {
		after[line] = true
	}
	if len(after) != 301 {
		t.Errorf("the table has %d different lines, want 301", len(after))
	}
	for _, line := range before {
		if !after[line] {
			t.Errorf("a run was repeated: %s", line)
		}
	}
}
