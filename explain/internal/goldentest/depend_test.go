package goldentest

import (
	"slices"
	"strings"
	"testing"

	"dagscope/explain/depend"
	"dagscope/trace"
)

// StarVZ drops the analysis step of qr_mumps from its tables, so that what
// depends on it has no last dependency there.
func hidden(run *trace.Run, l *depend.Last, node int32) bool {
	_, transfer := l.Transfer(node)
	return !transfer && run.Task.Kind.At(int(node)) == "analysis"
}

func TestLastDependencies(t *testing.T) {
	each(t, func(t *testing.T, name string, run *trace.Run) {
		want := csv(t, name, "last")
		l := depend.Find(run)
		rows, transfers := run.Task.Key.Rows(), run.Transfer.Key.Rows()
		compared := 0
		for i := range want.Len() {
			key := want.Text(i, "JobId")
			if strings.Contains(key, "->") {
				continue // a dashed edge of the drawing, which StarVZ takes for a task
			}
			var node int32
			if code, ok := run.Task.Key.Lookup(key); ok {
				node = rows[code]
			} else if code, ok := run.Transfer.Key.Lookup(key); ok {
				node = transfers[code] + int32(l.Tasks)
			} else {
				t.Fatalf("%s is neither a task nor a transfer", key)
			}
			if want.Text(i, "End") == "" {
				continue // did not run: StarVZ contracts it
			}
			last := l.Of[node]
			if last != trace.None && hidden(run, l, last) {
				last = trace.None
			}
			compared++
			switch wantKey := want.Text(i, "Last"); {
			case last == trace.None:
				if wantKey != "" && wantKey != "0" {
					t.Errorf("%s has no last dependency, want %s", key, wantKey)
				}
			case l.Key(last) != wantKey:
				if l.End(last) != ns(want, i, "LastEnd")+0 {
					t.Errorf("last dependency of %s is %s at %d, want %s at %d", key, l.Key(last), l.End(last), wantKey, ns(want, i, "LastEnd"))
				}
			}
		}
		t.Logf("compared %d last dependencies", compared)
	})
}

func TestLastPaths(t *testing.T) {
	each(t, func(t *testing.T, name string, run *trace.Run) {
		want := csv(t, name, "last_path_of_final_task")
		l := depend.Find(run)
		var got, keys []string
		for _, v := range l.LastPath() {
			if !hidden(run, l, v) {
				got = append(got, l.Key(v))
			}
		}
		for i := range want.Len() {
			keys = append(keys, want.Text(i, "JobId"))
		}
		if !slices.Equal(got, keys) {
			t.Errorf("last path %v, want %v", got, keys)
		}
	})
}
