package fxt_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"dagscope/internal/budget"
	"dagscope/read/fxt"
	"dagscope/read/fxt/internal/fxttest"

	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"
)

// drawEvents draws events as one program writes them: times are near each other,
// and threads are logged or not.
func drawEvents(t *rapid.T) []fxttest.Event {
	now := rapid.Uint64Range(1<<40, 1<<63).Draw(t, "begin")
	logged := rapid.Uint64Range(0, 1).Draw(t, "threads")
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) fxttest.Event {
		now += rapid.Uint64Range(0, 1e9).Draw(t, "step")
		e := fxttest.Event{
			Time:   now - rapid.Uint64Range(0, 1e8).Draw(t, "late"),
			Thread: logged * rapid.SampledFrom([]uint64{5, 7, 1 << 31}).Draw(t, "thread"),
			Code:   rapid.Uint32Range(0x100, 1<<24-1).Draw(t, "code"),
			Args:   rapid.SliceOfN(rapid.Uint64Range(0, 1<<32-1), 0, 12).Draw(t, "args"),
		}
		if rapid.Bool().Draw(t, "with text") {
			e.Text = []byte(rapid.StringMatching(`[a-z/]{1,40}`).Draw(t, "text"))
		}
		return e
	}), 0, 40).Draw(t, "events")
}

func drawForm(t *rapid.T) fxttest.Form {
	return fxttest.Form{
		BigEndian: rapid.Bool().Draw(t, "big endian"),
		Narrow:    rapid.Bool().Draw(t, "32-bit"),
		Blocks:    rapid.IntRange(1, 3).Draw(t, "blocks"),
		Uname:     "Linux host",
		Names:     map[uint64]string{1: "init", 4711: "a.out"},
		Symbols:   map[uint64]string{0xffff0000: "start"},
		CPUs:      rapid.IntRange(1, 200).Draw(t, "CPUs"),
	}
}

// readAll reads a file in chunks; what it gives is good also after an error.
func readAll(b []byte, chunk int) ([]fxttest.Event, *fxt.File, error) {
	f, err := fxt.NewChunked(bytes.NewReader(b), "test", chunk)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	var events []fxttest.Event
	err = f.Each(func(e *fxt.Event) error {
		events = append(events, fxttest.Event{Time: e.Time, Thread: e.Thread, Code: e.Code, Args: slices.Clone(e.Args), Text: bytes.Clone(e.Raw)})
		return nil
	})
	return events, f, err
}

// same compares what was written with what was read, as numbers and as bytes.
func same(t interface {
	Helper()
	Fatalf(string, ...any)
}, form fxttest.Form, got, want []fxttest.Event) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("found %d events, want %d", len(got), len(want))
	}
	for i, g := range got {
		w, word := want[i], form.Word()
		if g.Time != w.Time || g.Thread != w.Thread || g.Code != w.Code || !slices.Equal(g.Args[:len(w.Args)], w.Args) {
			t.Fatalf("event %d: found %+v, want %+v", i, g, w)
		}
		if text := g.Text[len(w.Args)*word:]; !bytes.Equal(bytes.TrimRight(text, "\x00"), w.Text) || len(text)%word != 0 {
			t.Fatalf("event %d: found text %q, want %q", i, text, w.Text)
		}
	}
}

func TestEveryFormIsReadAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events, form := drawEvents(t), drawForm(t)
		chunk := rapid.IntRange(1, 3000).Draw(t, "chunk")
		got, f, err := readAll(fxttest.File(events, form), chunk)
		if err != nil {
			t.Fatal(err)
		}
		same(t, form, got, events)
		h := f.Header()
		if h.Arch != form.Arch() || h.Word != form.Word() || h.CPUs != form.CPUs || h.Start.Unix() != fxttest.Start {
			t.Fatalf("found header %+v", h)
		}
		if f.Beyond() {
			t.Fatal("found events beyond their block")
		}
	})
}

func TestWrongSizesLoseNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events, form := drawEvents(t), drawForm(t)
		if form.Blocks = 1; rapid.Bool().Draw(t, "no size") {
			form.NoSize = true
		} else {
			form.Short = rapid.Int64Range(0, int64(len(form.Body(nil, events)))).Draw(t, "too short by")
		}
		got, f, err := readAll(fxttest.File(events, form), 100)
		if err != nil {
			t.Fatal(err)
		}
		same(t, form, got, events)
		if f.Beyond() != (form.Short > 0) {
			t.Fatalf("found beyond %v of a size too short by %d", f.Beyond(), form.Short)
		}
	})
}

// TestCutFilesGiveTheirWholeEvents cuts a file after each of its bytes.
func TestCutFilesGiveTheirWholeEvents(t *testing.T) {
	events := []fxttest.Event{{Time: 1, Code: 0x5100, Args: []uint64{1, 2}}, {Time: 2, Code: 0x5101},
		{Time: 3, Code: 0x511c, Args: []uint64{9}, Text: []byte("potrf")}}
	for _, form := range []fxttest.Form{{}, {NoSize: true}, {BigEndian: true, Narrow: true}, {Short: -1000}} {
		whole := fxttest.File(events, form)
		first := len(form.Head(nil)) + 16
		ends := []int{first}
		for i := range events {
			ends = append(ends, first+len(form.Body(nil, events[:i+1])))
		}
		for n := range whole {
			got, _, err := readAll(whole[:n], 64)
			want := max(0, sortedBefore(ends, n)-1)
			if n >= 4 && len(got) != want {
				t.Fatalf("%+v cut to %d of %d bytes: found %d events, want %d", form, n, len(whole), len(got), want)
			}
			damage := (*fxt.Truncated)(nil)
			switch atEnd := slices.Contains(ends, n); {
			case n < 4 && err == nil:
				t.Fatalf("found no error in %d bytes", n)
			case n >= 4 && form.NoSize && atEnd && err != nil:
				t.Fatalf("%d bytes: %v", n, err)
			case n >= 4 && !(form.NoSize && atEnd) && (!errors.As(err, &damage) || damage.Events != int64(want)):
				t.Fatalf("%d bytes: found error %v, want a truncated file of %d events", n, err, want)
			case damage != nil && n >= first && (damage.Offset != int64(ends[want]) || damage.Lost != int64(n-ends[want])):
				t.Fatalf("%d bytes: found damage at %d, %d lost, want %d", n, damage.Offset, damage.Lost, ends[want])
			}
		}
	}
}

// sortedBefore counts the ends that are not beyond n.
func sortedBefore(ends []int, n int) int {
	i, found := slices.BinarySearch(ends, n)
	if found {
		i++
	}
	return i
}

func TestCompressedFiles(t *testing.T) {
	events := slices.Repeat([]fxttest.Event{{Time: 1, Code: 0x5100, Args: []uint64{1, 2, 3}}}, 100_000)
	plain := fxttest.File(events, fxttest.Form{})
	var zipped, packed bytes.Buffer
	w := gzip.NewWriter(&zipped)
	w.Write(plain)
	w.Close()
	z, _ := zstd.NewWriter(&packed)
	z.Write(plain)
	z.Close()
	dir := t.TempDir()
	for name, b := range map[string][]byte{"plain": plain, "a.gz": zipped.Bytes(), "a.zst": packed.Bytes()} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		f, err := fxt.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		counts := map[uint32]int64{}
		var last int64
		f.Progress = func(stored int64) { last = stored }
		if err := f.Each(func(e *fxt.Event) error { counts[e.Code]++; return nil }); err != nil {
			t.Fatal(err)
		}
		source := f.Source("fxt")
		if counts[0x5100] != 100_000 || source.Bytes != int64(len(b)) || last != source.Bytes || source.Lines != 0 {
			t.Errorf("%s: found %v, %+v, progress %d", name, counts, source, last)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestDamagedCompressionKeepsTheBeginning(t *testing.T) {
	events := make([]fxttest.Event, 50_000)
	for i := range events {
		events[i] = fxttest.Event{Time: uint64(i) * 977, Code: 0x5100 + uint32(i)%7, Args: []uint64{uint64(i) * 0x9e3779b97f4a7c15}}
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write(fxttest.File(events, fxttest.Form{}))
	z.Close()
	got, _, err := readAll(packed.Bytes()[:packed.Len()/2], 1000)
	damage := (*fxt.Truncated)(nil)
	if len(got) < 10_000 || len(got) == len(events) || !errors.As(err, &damage) || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("found %d events, %v", len(got), err)
	}
}

func TestErrorsOfTheCallerEndReading(t *testing.T) {
	stop := errors.New("enough")
	b := fxttest.File(slices.Repeat([]fxttest.Event{{Code: 0x101}}, 10), fxttest.Form{})
	for _, form := range [][]byte{b, fxttest.File(slices.Repeat([]fxttest.Event{{Code: 0x101}}, 10), fxttest.Form{BigEndian: true})} {
		f, err := fxt.New(bytes.NewReader(form), "test")
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		err = f.Each(func(*fxt.Event) error {
			if n++; n == 3 {
				return stop
			}
			return nil
		})
		if err != stop || n != 3 {
			t.Errorf("found %d events and %v", n, err)
		}
		f.Close()
	}
}

func TestTextsAndNumbers(t *testing.T) {
	for _, form := range []fxttest.Form{{}, {Narrow: true}, {BigEndian: true}, {BigEndian: true, Narrow: true}} {
		minus := ^uint64(0)
		b := fxttest.File([]fxttest.Event{{Code: 0x101, Args: []uint64{minus, 5}, Text: []byte("12345678")}}, form)
		f, err := fxt.New(bytes.NewReader(b), "test")
		if err != nil {
			t.Fatal(err)
		}
		err = f.Each(func(e *fxt.Event) error {
			if e.Int(0) != -1 || e.Int(1) != 5 || string(e.Text(2)) != "12345678" || e.Text(20) != nil || e.Text(-1) != nil {
				t.Errorf("%+v: found %d, %d, %q", form, e.Int(0), e.Int(1), e.Text(2))
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		f.Close()
	}
}

func TestIs(t *testing.T) {
	good := fxttest.File(nil, fxttest.Form{})
	if !fxt.Is(good[:20]) || !fxt.Is(fxttest.File(nil, fxttest.Form{BigEndian: true})) {
		t.Error("found a trace not recognised")
	}
	for _, b := range []string{"", "%EventDef PajeDefineContainerType 1\n", "\x00\x00\x00\x02", "SQLite format 3\x00......................", "\x00\x00\x00\x02aaaaaaaaaaaaaaaaaaaaaaa"} {
		if fxt.Is([]byte(b)) {
			t.Errorf("found %q taken for a trace", b)
		}
	}
}

// FuzzEach holds the reader against damage: no input makes it fail otherwise
// than by an error, and what it gives lies in the file as it says.
func FuzzEach(f *testing.F) {
	events := []fxttest.Event{{Time: 1, Code: 0x5100, Args: []uint64{1, 2}}, {Time: 3, Code: 0x511c, Args: []uint64{9}, Text: []byte("potrf")}}
	for _, form := range []fxttest.Form{{}, {NoSize: true}, {BigEndian: true}, {Narrow: true}, {BigEndian: true, Narrow: true, Blocks: 2}, {Short: 30}} {
		f.Add(fxttest.File(events, form), 64)
	}
	f.Fuzz(func(t *testing.T, b []byte, chunk int) {
		budget.Watch(t)
		if len(b) > 1<<16 {
			return
		}
		r, err := fxt.NewChunked(bytes.NewReader(b), "fuzz", 64+int(uint(chunk)%5000))
		if err != nil {
			return
		}
		defer r.Close()
		next := int64(0)
		compressed := bytes.HasPrefix(b, []byte{0x1f, 0x8b}) || bytes.HasPrefix(b, []byte{0x28, 0xb5, 0x2f, 0xfd})
		err = r.Each(func(e *fxt.Event) error {
			if e.Offset < next || len(e.Args) > 254 || len(e.Raw)%max(len(e.Args), 1) != 0 {
				t.Fatalf("found event at %d after %d, %d parameters in %d bytes", e.Offset, next, len(e.Args), len(e.Raw))
			}
			if next = e.Offset + 16 + int64(len(e.Raw)); !compressed && next > int64(len(b)) {
				t.Fatalf("found event up to %d in %d bytes", next, len(b))
			}
			e.Text(0)
			return nil
		})
		if damage := (*fxt.Truncated)(nil); err != nil && !errors.As(err, &damage) {
			t.Fatalf("found %v, want a truncated file", err)
		}
	})
}
