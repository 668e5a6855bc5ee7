package show_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dagscope/read/fxt"
	"dagscope/read/fxt/internal/fxttest"
	"dagscope/read/fxt/show"

	"pgregory.net/rapid"
)

// open opens a trace, whose file is gone when the test ends.
func open(t interface{ Fatal(...any) }, b []byte) *fxt.File {
	dir, err := os.MkdirTemp("", "show")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir) // the open file stays readable
	path := filepath.Join(dir, "test")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := fxt.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func shown(t interface{ Fatal(...any) }, b []byte, o show.Options) string {
	f := open(t, b)
	defer f.Close()
	var out strings.Builder
	if _, err := show.Write(&out, f, o); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

var some = []fxttest.Event{
	{Time: 1000, Code: 0x5105, Args: []uint64{7, minus(2), 4711}},
	{Time: 1_001_234, Code: 0x511d, Args: []uint64{0xabc}, Text: []byte("A\"\n\xff")},
	{Time: 2_000_000, Code: 0x511e, Args: []uint64{0xabc, 2, 3, minus(1)}},
	{Time: 2_001_000, Code: 0x511e, Args: []uint64{0xabc, 0}},
	{Time: 3_000_999, Code: 0x5105, Args: []uint64{7}},
	{Time: 4_000_000, Code: 0xabcde, Args: []uint64{1, 0xff}},
	{Time: 4_000_000, Code: 0xabcdf},
	{Time: 999, Code: 0xfffc},
}

func minus(n int64) uint64 { return uint64(-n) }

func TestLines(t *testing.T) {
	want := `0.000000 JOB_POP job=7 prio=-2 thread=4711
1.000234 DATA_NAME handle=0xabc name="A\"\n\xff"
1.999000 DATA_COORDINATES handle=0xabc dims=2 coordinates=3,-1
2.000000 DATA_COORDINATES handle=0xabc dims=0
2.999999 JOB_POP words=0x7
3.999000 0xabcde words=0x1,0xff
3.999000 0xabcdf
-0.000001 FUT_CALIBRATE0
`
	for _, form := range []fxttest.Form{{}, {Narrow: true}, {BigEndian: true}, {BigEndian: true, Narrow: true}} {
		if got := shown(t, fxttest.File(some, form), show.Options{Version: "1.4"}); got != want {
			t.Errorf("%+v: found\n%s, want\n%s", form, got, want)
		}
	}
}

// TestJSON reads the objects back.
func TestJSON(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(shown(t, fxttest.File(some, fxttest.Form{}), show.Options{Version: "1.4", JSON: true})), "\n")
	want := []string{
		`map[event:JOB_POP job:7 ms:0 prio:-2 thread:4711]`,
		"map[event:DATA_NAME handle:0xabc ms:1.000234 name:A\"\n\ufffd]",
		`map[coordinates:[3 -1] dims:2 event:DATA_COORDINATES handle:0xabc ms:1.999]`,
		`map[dims:0 event:DATA_COORDINATES handle:0xabc ms:2]`,
		`map[event:JOB_POP ms:2.999999 words:[0x7]]`,
		`map[event:0xabcde ms:3.999 words:[0x1 0xff]]`,
		`map[event:0xabcdf ms:3.999 words:[]]`,
		`map[event:FUT_CALIBRATE0 ms:-1e-06]`,
	}
	if len(lines) != len(want) {
		t.Fatalf("found %d lines, want %d: %s", len(lines), len(want), lines)
	}
	for i, line := range lines {
		var o map[string]any
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		if got := fmt.Sprint(o); got != want[i] {
			t.Errorf("found %s, want %s", got, want[i])
		}
	}
}

// TestFilters holds times and names against a filter of the lines themselves.
func TestFilters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := []fxttest.Event{{Code: 0x5100}}
		for range rapid.IntRange(0, 30).Draw(t, "events") {
			events = append(events, fxttest.Event{
				Time: rapid.Uint64Range(0, 20).Draw(t, "time"),
				Code: rapid.SampledFrom([]uint32{0x5100, 0x5101, 0x5104, 0x5105, 0x99999}).Draw(t, "code"),
			})
		}
		o := show.Options{Version: "1.4", From: rapid.Int64Range(0, 20).Draw(t, "from"), To: rapid.Int64Range(1, 20).Draw(t, "to")}
		codes := map[string]uint32{"JOB_POP": 0x5105, "job_push": 0x5104, "*_INIT_END": 0x5101, "0x99999": 0x99999}
		for name := range codes {
			if rapid.Bool().Draw(t, name) {
				o.Codes = append(o.Codes, name)
			}
		}
		var want []string
		for _, e := range events {
			ok := len(o.Codes) == 0
			for _, name := range o.Codes {
				ok = ok || codes[name] == e.Code
			}
			if ok && int64(e.Time) >= o.From && int64(e.Time) <= o.To {
				want = append(want, shown(t, fxttest.File([]fxttest.Event{{Code: 0x5100}, e}, fxttest.Form{}), show.Options{Version: "1.4"}))
				want[len(want)-1] = strings.SplitAfterN(want[len(want)-1], "\n", 2)[1]
			}
		}
		if got := shown(t, fxttest.File(events, fxttest.Form{}), o); got != strings.Join(want, "") {
			t.Fatalf("%+v: found\n%s, want\n%s", o, got, strings.Join(want, ""))
		}
	})
}

// TestVersionIsGuessed shows more events than are held back for the guess.
func TestVersionIsGuessed(t *testing.T) {
	many := make([]fxttest.Event, 70_000)
	for i := range many {
		many[i] = fxttest.Event{Time: uint64(i), Code: 0x5105, Args: []uint64{uint64(i), 0, 1}}
	}
	b := fxttest.File(many, fxttest.Form{})
	guessed := shown(t, b, show.Options{})
	if guessed != shown(t, b, show.Options{Version: "1.4"}) {
		t.Error("found other events when the version is guessed")
	}
	if n := strings.Count(guessed, "\n"); n != len(many) {
		t.Errorf("found %d lines, want %d", n, len(many))
	}
}

func TestDamagedTracesAreShownAsFarAsTheyGo(t *testing.T) {
	b := fxttest.File(some, fxttest.Form{})
	f := open(t, b[:len(b)-1])
	defer f.Close()
	var out strings.Builder
	r, err := show.Write(&out, f, show.Options{From: -10})
	if damage := (*fxt.Truncated)(nil); !errors.As(err, &damage) || r.Shown != int64(len(some)-1) || strings.Count(out.String(), "\n") != len(some)-1 {
		t.Errorf("found %+v, %v\n%s", r, err, out.String())
	}
}

func TestLateEventsEndReading(t *testing.T) {
	events := []fxttest.Event{{Time: 0, Code: 0x101}, {Time: 2e9, Code: 0x101}, {Time: 15e8, Code: 0x101}, {Time: 35e8, Code: 0x101}, {Time: 3e9, Code: 0x101}}
	got := shown(t, fxttest.File(events, fxttest.Form{}), show.Options{Version: "1.4", To: 2e9})
	if want := "0.000000 0x101\n2000.000000 0x101\n1500.000000 0x101\n"; got != want {
		t.Errorf("found %q, want %q", got, want)
	}
}

func TestErrors(t *testing.T) {
	for what, o := range map[string]show.Options{
		`"2.0"`:       {Version: "2.0"},
		`"NO_SUCH"`:   {Codes: []string{"JOB_POP", "NO_SUCH"}},
		`"NO_SUCH[*"`: {Codes: []string{"NO_SUCH[*"}, Version: "1.4"},
	} {
		f := open(t, fxttest.File(some, fxttest.Form{}))
		if _, err := show.Write(&strings.Builder{}, f, o); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("found %v, want one about %s", err, what)
		}
		f.Close()
	}
	f := open(t, fxttest.File(some, fxttest.Form{}))
	defer f.Close()
	if _, err := show.Write(broken{}, f, show.Options{}); !errors.Is(err, errBroken) {
		t.Errorf("found %v", err)
	}
}

type broken struct{}

var errBroken = errors.New("no space left")

func (broken) Write([]byte) (int, error) { return 0, errBroken }

func TestCounts(t *testing.T) {
	var c show.Counts
	for range 2 {
		f := open(t, fxttest.File(some, fxttest.Form{}))
		if err := c.Add(f); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	var out strings.Builder
	if _, err := c.Write(&out, show.Options{Version: "1.4"}); err != nil {
		t.Fatal(err)
	}
	want := "0x5105\t4\tJOB_POP\n0x511d\t2\tDATA_NAME\n0x511e\t4\tDATA_COORDINATES\n0xfffc\t2\tFUT_CALIBRATE0\n0xabcde\t2\tunknown\n0xabcdf\t2\tunknown\n"
	if out.String() != want {
		t.Errorf("found\n%s, want\n%s", out.String(), want)
	}
	out.Reset()
	if _, err := c.Write(&out, show.Options{Codes: []string{"DATA_*"}}); err != nil || strings.Count(out.String(), "\n") != 2 {
		t.Errorf("found %q, %v", out.String(), err)
	}
}

func BenchmarkWrite(b *testing.B) {
	many := make([]fxttest.Event, 200_000)
	for i := range many {
		many[i] = fxttest.Event{Time: uint64(i) * 977, Code: 0x5105, Args: []uint64{uint64(i), 0, 4711}}
	}
	file := fxttest.File(many, fxttest.Form{})
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		f := open(b, file)
		if _, err := show.Write(&discard{}, f, show.Options{Version: "1.4"}); err != nil {
			b.Fatal(err)
		}
		f.Close()
	}
	b.ReportMetric(float64(len(many))*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mevents/s")
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// TestEventsBeforeTheFirst have earlier times than the file's first event.
func TestEventsBeforeTheFirst(t *testing.T) {
	file := fxttest.File([]fxttest.Event{
		{Time: 1e9, Code: 0x99999}, {Time: 1e9 - 2e6, Code: 0x99998}, {Time: 1e9 - 5e6, Code: 0x99997}}, fxttest.Form{})
	for _, c := range []struct {
		from, to int64
		want     string
	}{
		{0, 0, "0.000000 0x99999\n-2.000000 0x99998\n-5.000000 0x99997\n"},
		{-3e6, 0, "0.000000 0x99999\n-2.000000 0x99998\n"},
		{-3e6, -1e6, "-2.000000 0x99998\n"},
		{1, 0, ""},
	} {
		if got := shown(t, file, show.Options{Version: "1.4", From: c.from, To: c.to}); got != c.want {
			t.Errorf("from %d to %d: found %q, want %q", c.from, c.to, got, c.want)
		}
	}
	far := fxttest.File([]fxttest.Event{{Time: 0, Code: 0x5100}, {Time: 1 << 63, Code: 0x5101}}, fxttest.Form{})
	if got := shown(t, far, show.Options{Version: "1.4", Codes: []string{"0x5101"}}); !strings.HasPrefix(got, "-9223372036854.775808 WORKER_INIT_END") {
		t.Errorf("found %q", got)
	}
}
