package report_test

import (
	"slices"
	"strings"
	"testing"

	"dagscope/diagnose/report"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// What enters memories is what leaves them, and what the flows sum up to.
func TestMemorySums(t *testing.T) {
	m := report.Compute("n12", readRun(t, "sg-mirage-n12-dmdas"), report.Options{}).Memory
	if m == nil || len(m.Places) != 4 || !m.Coherence {
		t.Fatalf("found %+v, want four memories", m)
	}
	var in, out, inBytes, outBytes, moved, bytes int64
	for _, p := range m.Places {
		in, out, inBytes, outBytes = in+p.In, out+p.Out, inBytes+p.InBytes, outBytes+p.OutBytes
		if p.After > p.Present || p.Dead > p.After || p.Owned > p.Present {
			t.Errorf("%s: %+v", p.Place, *p.MemoryTimes)
		}
	}
	for _, f := range m.Flows {
		moved, bytes = moved+f.Number, bytes+f.Bytes
	}
	if in != 298 || out != in || moved != in || bytes != 298*3686400 || inBytes != bytes || outBytes != bytes {
		t.Errorf("in %d, out %d, flows %d; bytes %d, %d, %d", in, out, moved, inBytes, outBytes, bytes)
	}
	if len(m.Blocks) != 78 {
		t.Errorf("%d blocks, want the 78 of the lower triangle", len(m.Blocks))
	}
}

// Memories have the names that figures give them.
func TestNamesOfMemories(t *testing.T) {
	for name, want := range map[string]string{"sg-mirage-n12-dmdas": "RAM CUDA0 CUDA1 CUDA2", "nativempi-np2-n8-lws": "0 RAM 1 RAM"} {
		var names []string
		m := report.Compute("run", readRun(t, name), report.Options{}).Memory
		for _, p := range m.Places {
			names = append(names, p.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: memories %q, want %q", name, got, want)
		}
		for _, f := range m.Flows {
			if !slices.Contains(names, f.Source) || !slices.Contains(names, f.Target) {
				t.Errorf("%s: flow from %q to %q", name, f.Source, f.Target)
			}
		}
	}
}

// Attempts to allocate count in their memory even where the trace does not name
// their blocks.
func TestAllocationsOfUnknownBlocks(t *testing.T) {
	run := readRun(t, "sg-mirage-n12-dmdas")
	want := report.Compute("n12", run, report.Options{}).Memory
	for i := range run.Event.Handle {
		run.Event.Handle[i] = trace.None
	}
	got := report.Compute("n12", run, report.Options{}).Memory
	if got == nil || len(got.Places) != len(want.Places) {
		t.Fatalf("found %+v", got)
	}
	all := int64(0)
	for k, p := range got.Places {
		all += p.Allocations
		if p.Allocations != want.Places[k].Allocations || p.Unknown != p.Allocations {
			t.Errorf("%s: %d allocations, %d of unknown blocks, want %d of both", p.Place, p.Allocations, p.Unknown, want.Places[k].Allocations)
		}
	}
	if all == 0 {
		t.Error("the run has no allocations, so nothing was tested")
	}
}

// Runs of one memory have no section on memories.
func TestNoMemorySection(t *testing.T) {
	if m := report.Compute("tiny", tracetest.Chain(4), report.Options{}).Memory; m != nil {
		t.Errorf("found %+v, want none", m)
	}
}
