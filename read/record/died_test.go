package record_test

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"dagscope/read/ompt"
	"dagscope/read/ompt/dsom"
	"dagscope/read/record"
	"dagscope/trace"
)

// Who starts a program notes when a signal ended it: what ran at its last event ran until
// then. That holds for the command itself and for what it starts.
func TestKilledBySignal(t *testing.T) {
	runtimes := needRuntimes(t)
	library, err := tools.library()
	if err != nil {
		t.Fatal(err)
	}
	path := program(t, "killed")
	for name, c := range map[string]struct {
		command []string
		outcome record.Outcome
		signal  int
	}{
		"command": {[]string{path}, record.Outcome{Code: 137, Signal: syscall.SIGKILL}, 9},
		"child":   {[]string{"sh", "-c", path + "; exit 3"}, record.Outcome{Code: 3}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			env := append(os.Environ(), "LD_LIBRARY_PATH="+runtimes[0].dir, "OMP_WAIT_POLICY=passive", "OMP_TOOL_LIBRARIES="+library,
				"DAGSCOPE_OMPT_FILE="+filepath.Join(dir, "%p.dsom"))
			got, err := record.Run(c.command, env, dir, nil, io.Discard, io.Discard)
			if err != nil || got != c.outcome {
				t.Fatalf("found %+v, %v, want %+v", got, err, c.outcome)
			}
			rec, err := dsom.Open([]string{dir})
			if err != nil {
				t.Fatal(err)
			}
			defer rec.Close()
			if p := rec.Processes[0]; p.State != dsom.Broken || p.Signal != c.signal || p.Ended == 0 {
				t.Errorf("found state %v, signal %d, end %d, want it broken by signal %d, its end known", p.State, p.Signal, p.Ended, c.signal)
			}
			run, err := ompt.Read([]string{filepath.Join(dir, filepath.Base(rec.Processes[0].Path))}, ompt.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for i := range run.Share.Start {
				if lasted := run.Share.End[i] - run.Share.Start[i]; lasted < 450e6 {
					t.Errorf("found a thread in the region for %d ns, want the 500 ms until the end", lasted)
				}
			}
			if len(run.Share.Start) != 2 {
				t.Errorf("found %d threads in the region, want 2", len(run.Share.Start))
			}
			if by := run.Meta.Environment[trace.EndedBySignal]; (by != "") != (c.signal != 0) {
				t.Errorf("found it ended by signal %q, want signal %d", by, c.signal)
			}
		})
	}
}
