package fxt_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"dagscope/internal/budget"
	"dagscope/read/fxt"
	"dagscope/read/fxt/internal/fxttest"

	"pgregory.net/rapid"
)

func strip(t interface{ Fatal(...any) }, b []byte) ([]byte, fxt.Stripped, error) {
	f, err := fxt.NewChunked(bytes.NewReader(b), "test", 500)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out bytes.Buffer
	s, err := f.Strip(&out)
	return out.Bytes(), s, err
}

func TestStrippedFilesKeepTheirEventsAndNothingElse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events, form := drawEvents(t), drawForm(t)
		form.CPUs, form.Uname = 3, "Linux secret-host"
		form.Names = map[uint64]string{1: "secret-init", 4242: "secret-job"}
		out, s, err := strip(t, fxttest.File(events, form))
		if err != nil || s.Events != int64(len(events)) || s.Names != 2 || s.Size != nil {
			t.Fatalf("found %+v, %v", s, err)
		}
		if bytes.Contains(out, []byte("secret")) {
			t.Fatalf("found a secret in %q", out)
		}
		form.Names, form.Symbols, form.Uname, form.Bare = nil, nil, "", true
		if want := fxttest.File(events, form); !bytes.Equal(out, want) {
			t.Fatalf("found\n%x, want\n%x", out, want)
		}
		if again, _, err := strip(t, out); err != nil || !bytes.Equal(again, out) {
			t.Fatalf("found another file when stripped again: %v", err)
		}
	})
}

func TestStripOverwritesTheRecordersID(t *testing.T) {
	for _, form := range []fxttest.Form{{}, {Narrow: true}, {BigEndian: true}} {
		events := []fxttest.Event{{Code: 0xffff, Args: []uint64{0xf, 4711, 64}}, {Code: 0x5100, Args: []uint64{4711, 4711}}, {Code: 0xfffe, Args: []uint64{1}}}
		out, s, err := strip(t, fxttest.File(events, form))
		if err != nil || s.IDs != 1 {
			t.Fatalf("found %+v, %v", s, err)
		}
		events[0].Args[1] = 0
		got, _, err := readAll(out, 100)
		if err != nil {
			t.Fatal(err)
		}
		same(t, form, got, events)
	}
}

func TestStripCorrectsSizesInFiles(t *testing.T) {
	events := []fxttest.Event{{Code: 0x5100, Args: []uint64{1}}, {Code: 0x5101}}
	whole := fxttest.File(events, fxttest.Form{Bare: true})
	for what, b := range map[string][]byte{
		"no size":   fxttest.File(events, fxttest.Form{NoSize: true}),
		"too short": fxttest.File(events, fxttest.Form{Short: 20}),
		"too long":  fxttest.File(events, fxttest.Form{Short: -20}),
		"cut":       append(fxttest.File(events, fxttest.Form{}), 1, 2, 3),
	} {
		file, err := os.Create(filepath.Join(t.TempDir(), "out"))
		if err != nil {
			t.Fatal(err)
		}
		f, err := fxt.New(bytes.NewReader(b), what)
		if err != nil {
			t.Fatal(err)
		}
		s, err := f.Strip(file)
		damage := (*fxt.Truncated)(nil)
		if s.Size != nil || s.Events != 2 || err != nil && !errors.As(err, &damage) {
			t.Errorf("%s: found %+v, %v", what, s, err)
		}
		f.Close()
		file.Close()
		if got, _ := os.ReadFile(file.Name()); !bytes.Equal(got, whole) {
			t.Errorf("%s: found\n%x, want\n%x", what, got, whole)
		}
		if _, s, _ := strip(t, b); s.Size == nil && what != "cut" {
			t.Errorf("%s: found no word of a size that could not be corrected", what)
		}
	}
}

// FuzzStrip holds stripped copies of whatever input against what is read of it.
func FuzzStrip(f *testing.F) {
	events := []fxttest.Event{{Time: 1, Code: 0xffff, Args: []uint64{1, 4711}}, {Time: 3, Code: 0x511c, Args: []uint64{9}, Text: []byte("potrf")}}
	for _, form := range []fxttest.Form{{Names: map[uint64]string{1: "init"}}, {NoSize: true}, {BigEndian: true, Blocks: 2}, {Narrow: true, Short: 20}} {
		f.Add(fxttest.File(events, form))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		budget.Watch(t)
		if len(b) > 1<<16 {
			return
		}
		want, _, err := readAll(b, 1000)
		if damage := (*fxt.Truncated)(nil); err != nil && !errors.As(err, &damage) {
			return
		}
		out, s, _ := strip(t, b)
		if s.Events != int64(len(want)) {
			t.Fatalf("found %d events, want %d", s.Events, len(want))
		}
		if s.Size != nil {
			return // the copy's blocks do not say how long they are
		}
		got, _, _ := readAll(out, 1000)
		if len(got) != len(want) {
			t.Fatalf("found %d events in the copy, want %d", len(got), len(want))
		}
		for i, g := range got {
			w := want[i]
			own := g.Code >= 0xfffd && g.Code <= 0xffff
			if g.Time != w.Time || g.Thread != w.Thread || g.Code != w.Code || !own && !bytes.Equal(g.Text, w.Text) {
				t.Fatalf("event %d: found %+v, want %+v", i, g, w)
			}
		}
	})
}
