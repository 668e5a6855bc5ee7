package decode_test

import "testing"

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
	p := read(t, s)
	if got := p.Task.Parameters.At(0); got != "" {
		t.Errorf("the task's data are laid out as %q, want nothing", got)
	}
}
