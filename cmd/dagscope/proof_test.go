package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// lwsRun is a simulated run of a scheduler that ignores how fast workers are.
func lwsRun(t *testing.T, tiles int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a dir") // commands quote it
	spec := filepath.Join(t.TempDir(), "lws.yaml")
	platform, err := filepath.Abs("../../docs/examples/workstation.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("workload: {kind: cholesky, tiles: %d}\nplatform: {file: %s}\nmodels: {durations: {potrf: 9ms, trsm: 4ms, syrk: 4ms, gemm: {cpu: 33ms, cuda: 1ms}}}\nscheduler: lws\n", tiles, platform)
	if err := os.WriteFile(spec, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	run := filepath.Join(dir, "lws.dsr")
	if code, _, errs := dagscope(t, "simulate", spec, "-o", run); code != 0 {
		t.Fatal(errs)
	}
	return run
}

// The command of a finding, copied into a shell, gives the numbers of the finding.
func TestProofIsRepeated(t *testing.T) {
	run := lwsRun(t, 9)
	code, out, errs := dagscope(t, "report", run, "--json", "--budget", "0")
	if code != 0 {
		t.Fatal(errs)
	}
	type gain struct {
		NS   int64 `json:"gain_ns"`
		Low  int64 `json:"gain_low_ns"`
		High int64 `json:"gain_high_ns"`
	}
	var report struct {
		Findings []struct {
			gain
			ID      string `json:"id"`
			Basis   string `json:"basis"`
			Command string `json:"command"`
		} `json:"findings"`
	}
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatal(err)
	}
	proved := 0
	for _, f := range report.Findings {
		if f.Basis != "simulated" {
			continue
		}
		proved++
		code, out, errs := finish(t, exec.Command("sh", "-c", f.Command+" --json"))
		if code != 0 {
			t.Fatalf("%s: %s", f.Command, errs)
		}
		var again struct {
			Changes []gain `json:"changes"`
		}
		if err := json.Unmarshal([]byte(out), &again); err != nil {
			t.Fatal(err)
		}
		if len(again.Changes) != 1 || again.Changes[0] != f.gain {
			t.Errorf("%s: found %+v, the finding has %+v", f.Command, again.Changes, f.gain)
		}
	}
	if proved == 0 {
		t.Errorf("found no finding with a simulated gain in %s", out)
	}
}

// An interrupted report prints what is known.
func TestInterruptedReport(t *testing.T) {
	run := lwsRun(t, 60)
	cmd := exec.Command("dagscope", "report", run, "--budget", "0")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(3 * time.Second) // the exact part is known, the simulations are not done
	begin := time.Now()
	_ = cmd.Process.Signal(os.Interrupt)
	_ = cmd.Wait()
	if waited := time.Since(begin); waited > 10*time.Second {
		t.Errorf("ended after %v", waited)
	}
	if cmd.ProcessState.ExitCode() != 0 || !strings.Contains(out.String(), "Critical chain") || !strings.Contains(out.String(), "interrupted") {
		t.Errorf("found exit code %d, output %q and errors %q, want the report as far as it is known", cmd.ProcessState.ExitCode(), out.String(), errs.String())
	}
}
