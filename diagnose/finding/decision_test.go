package finding

import (
	"strings"
	"testing"

	"dagscope/explain/decision"
)

func TestMisjudgedTransfers(t *testing.T) {
	for _, c := range []struct {
		a    *decision.Accuracy
		want string
	}{
		{nil, ""},
		{&decision.Accuracy{}, ""},
		{&decision.Accuracy{Tasks: 9, Expected: 100e6, Transferred: 90e6, Lasted: 500e6}, ""},    // nearly right
		{&decision.Accuracy{Tasks: 9, Expected: 100e6, Transferred: 40e6, Lasted: 60_000e6}, ""}, // does not matter
		{&decision.Accuracy{Tasks: 9, Expected: 100e6, Transferred: 40e6, Lasted: 500e6}, "expected the data of the tasks that it placed to take 100.0 ms, it took 40.00 ms"},
		{&decision.Accuracy{Tasks: 9, Expected: 0, Transferred: 40e6, Lasted: 500e6}, "to take 0 ns, it took 40.00 ms"},
	} {
		found := Find(Input{Makespan: 1000, Decisions: c.a})
		title := ""
		if len(found) > 0 {
			title = found[0].Title
		}
		if len(found) > 1 || !strings.Contains(title, c.want) || c.want == "" && title != "" {
			t.Errorf("%+v gives %v, want %q", c.a, found, c.want)
		}
	}
}
