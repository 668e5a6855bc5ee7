package csvhead

import (
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"dagscope/internal/text"

	"pgregory.net/rapid"
)

func TestNamesAndUnits(t *testing.T) {
	start := &Term{Words: []string{"start", "begin", "cpu time"}, Timed: true}
	count := &Term{Words: []string{"start"}}
	for name, want := range map[string]struct {
		is, inUnit bool
		unit       text.Unit
	}{
		"start": {is: true}, " Start ": {is: true}, "BEGIN": {is: true}, "cpu time": {is: true},
		"start_us": {true, true, text.Micro}, "start [us]": {true, true, text.Micro}, "start (µs)": {true, true, text.Micro},
		"start[ms]": {true, true, text.Milli}, "start_[ns]": {true, true, text.Nano}, "start s": {true, true, text.Sec},
		"Cpu Time_ms": {true, true, text.Milli}, "cpu time (ms)": {true, true, text.Milli},
		"start_h": {}, "start_": {}, "restart_us": {}, "us_start": {}, "": {}, "_us": {}, "start_time": {},
	} {
		c := NewColumn(name)
		is, inUnit := c.Is(start)
		if is != want.is || inUnit != want.inUnit || inUnit && c.Unit != want.unit {
			t.Errorf("%q: found %v, in a unit %v, %v, want %+v", name, is, inUnit, c.Unit, want)
		}
		if is, inUnit := c.Is(count); inUnit || is != (strings.EqualFold(strings.TrimSpace(name), "start")) {
			t.Errorf("%q: found %v, %v of a term that is no time", name, is, inUnit)
		}
	}
}

// The first word that any column has decides, not the first column.
func TestFind(t *testing.T) {
	h := Parse([]byte("begin;x;start_ms;Start"))
	if h.Comma != ';' || len(h.Columns) != 4 {
		t.Fatalf("found separator %q and %d columns", h.Comma, len(h.Columns))
	}
	for _, c := range []struct {
		term   Term
		at     int
		inUnit bool
	}{
		{Term{Words: []string{"start", "begin"}, Timed: true}, 2, true},
		{Term{Words: []string{"start", "begin"}}, 3, false},
		{Term{Words: []string{"begin", "start"}, Timed: true}, 0, false},
		{Term{Words: []string{"end"}}, -1, false},
	} {
		if at, inUnit := h.Find(&c.term); at != c.at || inUnit != c.inUnit {
			t.Errorf("%v: found column %d, %v, want %d, %v", c.term, at, inUnit, c.at, c.inUnit)
		}
	}
	if got := h.NearMiss(&Term{Words: []string{"end"}, Near: []string{"y", "x"}}); got != ` (is it column "x"?)` {
		t.Errorf("found advice %q", got)
	}
	if got := h.NearMiss(&Term{Words: []string{"end"}}); got != "" {
		t.Errorf("found advice %q, want none", got)
	}
}

func TestHeaderInMessages(t *testing.T) {
	if got := Parse([]byte("a, b ,c")).String(); got != "a,b,c" {
		t.Errorf("found %q", got)
	}
	long := Parse([]byte(strings.Repeat("column,", 200)))
	if got := long.String(); len(got) > 410 || !strings.HasSuffix(got, ",…") {
		t.Errorf("found %d bytes, ending in %q", len(got), got[len(got)-5:])
	}
}

// Lines that encoding/csv writes are split into what was written.
func TestSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fields := rapid.SliceOfN(rapid.StringMatching(`[a",; \t]{0,6}`), 1, 6).Draw(t, "fields")
		comma := rapid.SampledFrom([]rune{',', ';', '\t'}).Draw(t, "comma")
		var out strings.Builder
		w := csv.NewWriter(&out)
		w.Comma = comma
		if err := w.Write(fields); err != nil {
			t.Fatal(err)
		}
		w.Flush()
		line := strings.TrimSuffix(out.String(), "\n")
		s := Splitter{Comma: byte(comma)}
		var got []string
		for _, f := range s.Split([]byte(line)) {
			got = append(got, string(f))
		}
		if !slices.Equal(got, fields) {
			t.Errorf("%q: found %q, want %q", line, got, fields)
		}
	})
}
