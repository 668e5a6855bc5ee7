package decode_test

import (
	"testing"

	"dagscope/trace"
)

// TestWhatIsDerived: the run says which samples were computed, and of what; used
// memory and the numbers of tasks are traced.
func TestWhatIsDerived(t *testing.T) {
	alone := newScript(t, "1.4")
	alone.machine(1)
	p := decodeScripts(t, alone)
	meta := trace.Meta{Derived: p.Derived}
	for metric, want := range map[string]bool{
		"Bandwidth In (MB/s)": true, "Bandwidth Out (MB/s)": true, "GFlop/s": true, "Total GFlop/s": true,
		"Used (MB)": false, "Number of Ready Tasks": false, "Number of Submitted Uncompleted Tasks": false,
	} {
		if got := meta.SamplesDerived(metric); got != want {
			t.Errorf("%s: found computed %v, want %v", metric, got, want)
		}
	}
	if p.Derived["transfer"] != "" {
		t.Errorf("found %q of a run without messages", p.Derived["transfer"])
	}
	ranks := ranksOf(t, 2)
	ranks[0].at(2000).add("MPI_ISEND_SUBMIT_END", 0x100, 1, 5, 400, 30, 0xab10, 15, 1)
	ranks[1].at(2600).add("MPI_IRECV_TERMINATED", 0, 5, 16, 1, 0xef10)
	if p := decodeScripts(t, ranks...); p.Derived["transfer"] == "" {
		t.Error("found no word on how messages were found, want one")
	}
}
