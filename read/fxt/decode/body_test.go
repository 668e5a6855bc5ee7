package decode_test

import (
	"testing"

	"dagscope/read/assemble"
)

// TestDataWithoutLayout: programs describe the data of their own interfaces.
func TestDataWithoutLayout(t *testing.T) {
	s := newScript(t, "1.4")
	s.machine(1)
	s.add("TASK_SUBMIT", 1, -1, -1, 1, 0, 0, 100)
	s.add("START_CODELET_BODY", 1, 0, 0, 0)
	s.add("CODELET_DATA", 0, "  ")
	s.add("CODELET_DATA", 0, "\t")
	s.add("CODELET_DETAILS", 0, 8, 0xff, 0, 0, 0, 1)
	s.add("END_CODELET_BODY", 1, 8, 0xff, 0, 100, "cpu0")
	p := decodeScripts(t, s)
	if got := p.Task.Parameters.At(0); got != "" {
		t.Errorf("the task's data are laid out as %q, want nothing", got)
	}
}

// TestLayoutsOfTheirTask: the layouts of data are those of the task that runs,
// not of one before whose details were not recorded, nor of one whose were.
func TestLayoutsOfTheirTask(t *testing.T) {
	s := newScript(t, "1.4")
	s.machine(1)
	s.add("START_CODELET_BODY", 1, 0, 0, 0)
	s.add("CODELET_DATA", 0, "V1x4")
	s.add("CODELET_DETAILS", 0, 8, 0xff, 0, 0, 0, 2) // of another task
	s.add("START_CODELET_BODY", 3, 0, 0, 0)
	s.add("CODELET_DATA", 0, "M2x2x4")
	s.add("CODELET_DATA", 0, "V3x4")
	s.add("CODELET_DETAILS", 0, 8, 0xff, 0, 0, 0, 3)
	s.add("CODELET_DATA", 0, "V4x4")
	s.add("CODELET_DETAILS", 0, 8, 0xff, 0, 0, 0, 3)
	p := decodeScripts(t, s)
	got := ""
	for row := range p.Extended.Order {
		got += p.Extended.Parameters.At(row) + "\n"
	}
	check(t, "layouts", got, "nodata\nM2x2x4_V3x4\nV4x4\n")
}

// TestPriorityOutOfRange: a priority beyond 32 bits is told once for its task.
func TestPriorityOutOfRange(t *testing.T) {
	s := newScript(t, "1.4")
	s.machine(1)
	s.add("TASK_SUBMIT", 1, -1, -1, 1, int64(-1<<31), 0, 100)
	s.add("TASK_NAME", 1, 1, "a")
	s.add("START_CODELET_BODY", 1, 0, 0, 0)
	s.add("CODELET_DETAILS", 0, 8, 0xff, 0, 0, 0, 1)
	s.add("END_CODELET_BODY", 1, 8, 0xff, 0, 100, "cpu0")
	run, err := assemble.Assemble(decodeScripts(t, s), assemble.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := run.Task.Priority; len(got) != 1 || got[0] != -1<<31+1 {
		t.Errorf("found priorities %d, want the nearest that a run has", got)
	}
	told := int64(0)
	for i, n := range run.Log.Count {
		if run.Log.Code.At(i) == "priority-range" {
			told += n
		}
	}
	if told != 1 {
		t.Errorf("found %d priorities out of range, want 1", told)
	}
}
