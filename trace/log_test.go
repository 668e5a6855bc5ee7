package trace

import (
	"testing"

	"pgregory.net/rapid"
)

// TestLogCounts compares the log with a map from entry to count.
func TestLogCounts(t *testing.T) {
	type entry struct {
		severity     Severity
		source, code string
	}
	rapid.Check(t, func(t *rapid.T) {
		var l Log
		want := map[entry]int64{}
		first := map[entry]int64{}
		for i := range rapid.IntRange(0, 30).Draw(t, "additions") {
			e := entry{
				rapid.SampledFrom([]Severity{Info, Warning, Error}).Draw(t, "severity"),
				rapid.SampledFrom([]string{"", "paje.trace"}).Draw(t, "source"),
				rapid.SampledFrom([]string{"task-without-end", "other"}).Draw(t, "code"),
			}
			if rapid.Bool().Draw(t, "read from a store") {
				l.rows = nil
			}
			if l.Seen(e.severity, e.source, e.code) != (want[e] > 0) {
				t.Fatalf("%v: seen is wrong", e)
			}
			n := rapid.Int64Range(-1, 3).Draw(t, "n")
			l.AddN(e.severity, e.source, int64(i), e.code, "message", n)
			if n > 0 && want[e] == 0 {
				first[e] = int64(i)
			}
			want[e] += max(n, 0)
		}
		total := map[Severity]int64{}
		rows := 0
		for e, n := range want {
			total[e.severity] += n
			if n > 0 {
				rows++
			}
		}
		if len(l.Count) != rows {
			t.Fatalf("found %d rows, wanted %d", len(l.Count), rows)
		}
		for i, n := range l.Count {
			e := entry{Severity(l.Severity.At(i)), l.Source.At(i), l.Code.At(i)}
			if n != want[e] || l.Position[i] != first[e] {
				t.Fatalf("%v: found %d since %d, wanted %d since %d", e, n, l.Position[i], want[e], first[e])
			}
		}
		for _, s := range []Severity{Info, Warning, Error} {
			if l.Total(s) != total[s] {
				t.Fatalf("total of %s: found %d, wanted %d", s, l.Total(s), total[s])
			}
		}
	})
}

func TestAccountLeavesOutNothing(t *testing.T) {
	var a Account
	a.Add("paje.trace", "20 PajeSetState", "state", 5)
	a.Add("paje.trace", "blank", "log", 0)
	if len(a.Lines) != 1 || a.Lines[0] != 5 || a.Table.At(0) != "state" || a.Record.At(0) != "20 PajeSetState" || a.Source.At(0) != "paje.trace" {
		t.Errorf("found %+v, wanted one row of 5 lines", a)
	}
}
