package serve

import (
	"encoding/json"
	"net/http/httptest"
	"slices"
	"testing"

	"dagscope/diagnose/report"
)

// The server's report is that of the command line.
func TestReport(t *testing.T) {
	s := newTest(t, Options{}, simulated, native)
	ready(t, s)
	info := getJSON[Session](t, s, "session").Runs
	for i, r := range s.runs {
		run, err := r.src.Load(report.Needs...)
		if err != nil {
			t.Fatal(err)
		}
		want := report.Compute(r.src.Name(), run, report.Options{Window: report.Window{Extent: report.ToEnd}})
		got := getJSON[report.Report](t, s, "runs/"+info[i].ID+"/report")
		a, _ := json.Marshal(got.Findings)
		b, _ := json.Marshal(want.Findings)
		if len(want.Findings) == 0 || string(a) != string(b) {
			t.Errorf("run %d: found findings %s, want %s", i, a, b)
		}
		if got.Makespan != want.Makespan || info[i].Tasks != want.Tasks || info[i].Makespan != want.Makespan {
			t.Errorf("run %d: found %d tasks in %d ns, session has %+v, want %d in %d", i, got.Tasks, got.Makespan, info[i], want.Tasks, want.Makespan)
		}
	}
}

// Names may hold commas: a list is between commas, or has a parameter for each
// item.
func TestLists(t *testing.T) {
	for query, want := range map[string][]string{
		"": nil, "k=": nil, "k=a": {"a"}, "k=a,b": {"a", "b"}, "k=a,b&k=c": {"a,b", "c"}, "k=a,b&k=": {"a,b"}, "k=&k=": nil,
	} {
		p := readParameters(httptest.NewRequest("GET", "/?"+query, nil))
		if got := p.list("k"); !slices.Equal(got, want) || p.err != nil {
			t.Errorf("%s: found %q (%v), want %q", query, got, p.err, want)
		}
	}
}
