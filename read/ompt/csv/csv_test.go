package csv

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dagscope/internal/budget"
	"dagscope/internal/text"
	"dagscope/internal/words"
	"dagscope/read/ompt/event"
	"dagscope/read/ompt/internal/replay"
	"dagscope/trace"

	"pgregory.net/rapid"
)

// parsed reads events from text.
func parsed(t interface {
	Helper()
	Fatal(...any)
}, content string) (events []event.Event, log *trace.Log, account *trace.Account, err error) {
	t.Helper()
	r, err := text.New(strings.NewReader(content), "events.csv")
	if err != nil {
		t.Fatal(err)
	}
	log, account = &trace.Log{}, &trace.Account{}
	err = Read(r, log, account, func(e *event.Event) {
		own := *e
		own.Deps = slices.Clone(e.Deps)
		events = append(events, own)
	})
	return events, log, account, err
}

func drawEvent(t *rapid.T) event.Event {
	task := func(name string) event.ID {
		if rapid.Bool().Draw(t, "no "+name) {
			return 0
		}
		return event.NewID(rapid.Int32Range(0, 1<<20-1).Draw(t, name+" thread"), rapid.Uint64Range(0, 1<<40-1).Draw(t, name+" number"))
	}
	e := event.Event{
		Time: rapid.Int64Range(-1e9, 1<<60).Draw(t, "time"), Thread: rapid.Int32Range(0, 1<<20-1).Draw(t, "thread"),
		Type: event.Type(rapid.IntRange(1, int(event.Other)).Draw(t, "type")), Task: task("task"),
	}
	if e.Type == event.Other {
		e.Name = rapid.SampledFrom([]string{"task_dependence", "device_load"}).Draw(t, "name")
		e.Task2 = task("task2")
		return e
	}
	if rapid.Bool().Draw(t, "region") {
		e.Parallel = rapid.Uint64Range(1, 1<<60).Draw(t, "parallel")
	} else {
		e.Task2 = task("task2")
	}
	e.Kind = uint8(rapid.IntRange(0, 255).Draw(t, "kind"))
	switch e.Type {
	case event.TaskCreate, event.Cancel, event.ParallelBegin:
		e.Flags = rapid.Uint32().Draw(t, "flags")
	}
	switch e.Type {
	case event.SyncBegin, event.WaitBegin:
		e.Value = 1
	case event.SyncEnd, event.WaitEnd:
		e.Value = 2
	case event.Work, event.Masked:
		e.Value = rapid.Int64Range(1, 2).Draw(t, "begin or end")
	case event.Dependences:
		for range rapid.IntRange(0, 4).Draw(t, "dependences") {
			e.Deps = append(e.Deps, event.Dep{Type: uint8(rapid.IntRange(0, 255).Draw(t, "dep")), Address: rapid.Uint64().Draw(t, "address")})
		}
		e.Value = int64(len(e.Deps))
	default:
		e.Value = rapid.Int64().Draw(t, "value")
	}
	switch e.Type {
	case event.Work, event.Dispatch, event.Skipped:
		e.Count = rapid.Uint64Range(0, 1<<62).Draw(t, "count")
	case event.Processor:
		if e.Kind == event.ProcessorQueue {
			e.Count = rapid.Uint64().Draw(t, "queued")
		}
	}
	if e.Type == event.Dispatch || e.Type == event.Skipped {
		e.Value = 0
	}
	switch e.Type {
	case event.Processor:
	case event.ImplicitBegin, event.ImplicitEnd, event.Carry:
		e.Index = rapid.Int32Range(0, 1<<30).Draw(t, "index")
	case event.Control:
		if rapid.Bool().Draw(t, "named") {
			e.Name = rapid.SampledFrom([]string{"begin", "cafe", "end of it"}).Draw(t, "mark")
			break
		}
		e.Code = rapid.Uint64().Draw(t, "code")
	case event.Binding:
		e.Name = event.Processors(rapid.SliceOfN(rapid.Uint64(), 0, 3).Draw(t, "processors"))
	default:
		if e.Type != event.Dependences {
			e.Code = rapid.Uint64().Draw(t, "code")
		}
	}
	return e
}

func TestEventsAreReadAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawEvent(t)
		line := string(Append(nil, &want))
		got, log, _, err := parsed(t, Header+"\n"+line+"\n")
		if err != nil || len(got) != 1 {
			t.Fatalf("%s: found %d events, error %v, log %v", line, len(got), err, log.Message.Dict)
		}
		want.Position = 2
		if g := got[0]; !slices.Equal(g.Deps, want.Deps) {
			t.Fatalf("%s: found %v, wanted %v", line, g.Deps, want.Deps)
		}
		got[0].Deps, want.Deps = nil, nil
		if !same(&got[0], &want) {
			t.Fatalf("%s: found\n%+v, wanted\n%+v", line, got[0], want)
		}
	})
}

func same(a, b *event.Event) bool {
	x, y := *a, *b
	x.Deps, y.Deps = nil, nil
	return x.Time == y.Time && x.Thread == y.Thread && x.Index == y.Index && x.Type == y.Type && x.Kind == y.Kind && x.Flags == y.Flags &&
		x.Task == y.Task && x.Task2 == y.Task2 && x.Parallel == y.Parallel && x.Value == y.Value && x.Count == y.Count && x.Code == y.Code &&
		x.Position == y.Position && x.Name == y.Name
}

// Recorded files are written again byte by byte, but for events that mean
// nothing here.
func TestRecordedFilesAreWrittenAgain(t *testing.T) {
	files, err := filepath.Glob("../testdata/*.csv.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("found no files: %v", err)
	}
	for _, file := range files {
		var lines []string
		r, err := text.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Blocks(func(block []byte, _ int64) error {
			lines = append(lines, strings.Split(strings.TrimSuffix(string(block), "\n"), "\n")...)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		r.Close()
		events, _, _, err := parsed(t, strings.Join(lines, "\n"))
		if err != nil || len(events) != len(lines)-1 {
			t.Fatalf("%s: found %d events, wanted %d; error %v", file, len(events), len(lines)-1, err)
		}
		for i := range events {
			// libomp writes code 0x0 where there is none, and a kind 0 at the end of threads.
			if e := &events[i]; e.Type != event.Other && e.Type != event.Work && e.Type != event.ThreadEnd && e.Code > 1 {
				if got := string(Append(nil, e)); got != lines[i+1] {
					t.Errorf("%s line %d: found %s, wanted %s", file, i+2, got, lines[i+1])
				}
			}
		}
	}
}

func TestWhatIsNoEventIsCounted(t *testing.T) {
	content := "thread,time_ns,colour,event,task\n" +
		"0,5,red,thread_begin,\n" +
		"x,5,red,thread_begin,\n" +
		"0,5,red,thread_begin\n" +
		"\n" +
		"0,6,red,birthday,\n" +
		"0,7,red,birthday,0.x\n" +
		"0,8,red,implicit_begin,0.1\n"
	events, log, account, err := parsed(t, content)
	if err != nil || len(events) != 3 || events[1].Name != "birthday" || events[2].Task != event.NewID(0, 1) || events[2].Time != 8 {
		t.Fatalf("found %+v, error %v", events, err)
	}
	want := map[string]int64{"unknown-column": 1, "damaged-row-thread": 1, "damaged-row-columns": 1, "damaged-row-task": 1, "unknown-event-birthday": 1}
	for i, n := range log.Count {
		if want[log.Code.At(i)] != n {
			t.Errorf("found %s %d times, wanted %d", log.Code.At(i), n, want[log.Code.At(i)])
		}
		delete(want, log.Code.At(i))
	}
	if len(want) > 0 {
		t.Errorf("not logged: %v", want)
	}
	lines := int64(0)
	for _, n := range account.Lines {
		lines += n
	}
	if lines != 8 {
		t.Errorf("found %d lines in the account, wanted 8", lines)
	}
}

func TestHeadersWithoutTime(t *testing.T) {
	for content, want := range map[string]string{
		"":                     "found no header",
		"thread,event\n":       "found no column time_ns",
		"time_ns,event\n0,x\n": "found no column thread",
	} {
		if _, _, _, err := parsed(t, content); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: found error %v, wanted %q", content, err, want)
		}
		if IsEvents([]byte(content)) {
			t.Errorf("%q is taken for events", content)
		}
	}
	if !IsEvents([]byte(Header + "\n0,0")) {
		t.Error("the header is not taken for that of events")
	}
}

// FuzzRead: whatever the file, what is read makes a valid run.
func FuzzRead(f *testing.F) {
	files, _ := filepath.Glob("../testdata/m0*.csv.gz")
	for _, file := range files {
		if head, err := text.Head(file, 3000); err == nil {
			f.Add(head)
		}
	}
	f.Add([]byte(Header + "\n0,0,task_schedule,,0.1,complete,,,\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		budget.Watch(t)
		r, err := text.New(bytes.NewReader(content), "events.csv")
		if err != nil {
			return
		}
		var account trace.Account
		tables := replay.NewTables()
		process := tables.Begin(replay.Process{Source: "events.csv", Name: "node"})
		if err := Read(r, &trace.Log{}, &account, process.Event); err != nil {
			return
		}
		process.End()
		run := tables.Run()
		if err := run.SetGeneration(""); err != nil {
			t.Fatal(err)
		}
		if err := run.Validate(); err != nil {
			t.Fatal(err)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	var content []byte
	for range 200 {
		head, err := os.ReadFile("../testdata/dpotrf-small.csv.gz")
		if err != nil {
			b.Fatal(err)
		}
		r, err := text.New(bytes.NewReader(head), "x")
		if err != nil {
			b.Fatal(err)
		}
		if err := r.Blocks(func(block []byte, line int64) error {
			if len(content) > 0 && line == 1 {
				_, block = text.Line(block)
			}
			content = append(content, block...)
			return nil
		}); err != nil {
			b.Fatal(err)
		}
	}
	events := 0
	for b.Loop() {
		r, err := text.New(bytes.NewReader(content), "x")
		if err != nil {
			b.Fatal(err)
		}
		if err := Read(r, &trace.Log{}, &trace.Account{}, func(*event.Event) { events++ }); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(events)/b.Elapsed().Seconds()/1e6, "Mevents/s")
}

// Names of recordings keep to their line and control no terminal.
func TestAppendEscapes(t *testing.T) {
	for _, e := range []event.Event{
		{Type: event.Other, Name: "x\x1b[31m\n0,0,task"},
		{Type: event.Control, Name: "x\u202ey\u009b"},
		{Type: event.Binding, Name: "x\x7f\r"},
	} {
		line := string(Append(nil, &e))
		if strings.ContainsFunc(line, words.Controls) || !strings.Contains(line, `x\`) {
			t.Errorf("found %q", line)
		}
	}
}
