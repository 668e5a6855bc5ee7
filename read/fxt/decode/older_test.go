package decode_test

import (
	"path/filepath"
	"strings"
	"testing"

	"dagscope/internal/testenv"
	"dagscope/read"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// olderReasons says, by table and column, why runs of StarPU 1.3 read from raw
// traces are not as those from its converter's files.
var olderReasons = map[string]string{
	"sample[GFlop/s]":                    "the converter smooths rates",
	"sample[GFlop/s].value":              "the converter smooths rates",
	"sample[Total GFlop/s]":              "the converter smooths rates",
	"sample[Total GFlop/s].value":        "the converter smooths rates",
	"sample[Bandwidth In (MB/s)]":        "times of messages, see transfer.start",
	"sample[Bandwidth Out (MB/s)]":       "times of messages, see transfer.start",
	"sample[Bandwidth In (MB/s)].value":  "the converter writes six decimals",
	"sample[Bandwidth Out (MB/s)].value": "the converter writes six decimals",
	"sample[Used (MB)].value":            "the converter writes six decimals",
	"transfer.start":                     "the converter keeps times of messages in single precision",
	"transfer.end":                       "the converter keeps times of messages in single precision",
	"transfer.handle":                    "1.3 writes links without the handle",
	"transfer.send_task":                 "1.3 writes no comms.rec",
	"transfer.recv_task":                 "1.3 writes no comms.rec",
	"transfer[absent].send_task":         "1.3 writes no comms.rec",
	"transfer[absent].recv_task":         "1.3 writes no comms.rec",
	"state[Communication Thread State]":  "the converter puts scheduling by the communication thread into a container that it does not make",
}

// TestOlderReleases compares runs of StarPU 1.3 read from raw traces and from
// what its converter made of them.
func TestOlderReleases(t *testing.T) {
	dirs, err := filepath.Glob(testenv.Repo("testdata/starpu13/*"))
	if err != nil || len(dirs) < 4 {
		t.Fatalf("found %d runs (%v), wanted those that are bundled", len(dirs), err)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			raw, converted := older(t, dir, read.FxT), older(t, dir, read.StarPU)
			if v := raw.Meta.Environment["events of StarPU"]; !strings.HasPrefix(v, "1.3 (") {
				t.Errorf("the version is %q, want 1.3", v)
			}
			for _, d := range tracetest.Compare(raw, converted) {
				if d.Table != "importlog" && d.Table != "account" && olderReasons[d.Where()] == "" {
					t.Errorf("not explained: %s\n    %s", d, strings.Join(d.Examples, "\n    "))
				}
			}
		})
	}
}

func older(t *testing.T, dir, as string) *trace.Run {
	t.Helper()
	run, err := read.Read(dir, read.Options{As: as})
	if err != nil {
		t.Fatal(err)
	}
	return run
}
