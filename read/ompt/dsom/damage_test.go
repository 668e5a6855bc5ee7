package dsom

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dagscope/internal/budget"
	"dagscope/read/ompt/event"
)

// maxRead ends reading a damaged file that claims to be endless.
const maxRead = 1 << 20

// survive reads a file in every way; only a panic or an endless loop is wrong.
func survive(t *testing.T, path string) {
	t.Helper()
	r, err := Open([]string{path})
	if err != nil {
		return
	}
	defer r.Close()
	source, err := r.Events()
	if err != nil {
		return
	}
	var e event.Event
	last := int64(-1 << 63)
	for n := 0; ; n++ {
		more, err := source.Next(&e)
		if err != nil || !more {
			break
		}
		if n == maxRead {
			t.Fatalf("read %d events of a small file", n)
		}
		if e.Time < last {
			t.Fatalf("found event %d at %d ns after one at %d ns", n, e.Time, last)
		}
		last = e.Time
		if e.Thread < 0 || int(e.Thread) >= len(r.Threads) {
			t.Fatalf("found thread %d of %d", e.Thread, len(r.Threads))
		}
		for _, id := range []event.ID{e.Task, e.Task2} {
			if id != 0 && (id.Thread() < 0 || int(id.Thread()) >= len(r.Threads)) {
				t.Fatalf("found task %x, wanted one of %d threads", uint64(id), len(r.Threads))
			}
		}
		if n < 10 {
			r.Symbolize(e.Thread, e.Code)
		}
	}
	if _, err := Check(path); err != nil {
		return
	}
}

// TestDamage changes words and bytes of files at random, most of them where
// there is something, and cuts them off.
func TestDamage(t *testing.T) {
	dir := t.TempDir()
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 2))
		whole, err := os.ReadFile(pack(t, random(r, 60, 3)))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "d.dsom")
		if err := os.WriteFile(path, damage(r, whole), 0o600); err != nil {
			t.Fatal(err)
		}
		survive(t, path)
	}
}

func damage(r *rand.Rand, b []byte) []byte {
	for range 1 + r.IntN(20) {
		at := r.IntN(len(b)/unit)*unit + r.IntN(2000)&^7
		switch {
		case at+8 > len(b):
		case r.IntN(3) == 0:
			little.PutUint64(b[at:], r.Uint64()>>r.IntN(64))
		case r.IntN(2) == 0:
			b[at+r.IntN(8)] ^= 1 << r.IntN(8)
		default:
			little.PutUint64(b[at:], 0)
		}
	}
	if r.IntN(3) == 0 {
		b = b[:r.IntN(len(b))]
	}
	return b
}

// small is a file of a few events and every kind of chunk.
func small(t testing.TB) []byte {
	b, err := os.ReadFile(pack(t, recursive(20, 2)))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// FuzzFile changes the first bytes of the chunks of a small file.
//
//fuzz:class file
func FuzzFile(f *testing.F) {
	f.Add(small(f)[:4096], []byte("DSOMCHNK"), uint32(1))
	whole := small(f)
	for at := packHeader; at < len(whole); at += unit {
		f.Add(whole[:fileHeaderSize], whole[at:at+1024], uint32(at/unit))
	}
	f.Fuzz(func(t *testing.T, header, piece []byte, at uint32) {
		budget.Watch(t)
		b := append([]byte{}, whole...)
		copy(b, header)
		copy(b[int(at)%(len(b)/unit)*unit:], piece)
		path := filepath.Join(t.TempDir(), "f.dsom")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		survive(t, path)
	})
}

// TestCheck finds what was changed, and where.
func TestCheck(t *testing.T) {
	const first = packHeader + unit // chunk of thread 0, behind the meta chunk
	const record = first + chunkHeaderSize
	for _, c := range []struct {
		name   string
		change func(b []byte)
		want   string
	}{
		{"nothing", func([]byte) {}, ""},
		{"type of a record", func(b []byte) { b[record+32] = b[record+32]&^31 | 30 }, "byte 131232: found a record of type 30"},
		{"kind of a record", func(b []byte) { b[record] |= 31 << 5 & 0xe0; b[record+1] |= 3 }, "byte 131200: found kind 31 of a record implicit_begin"},
		{"flags of a record", func(b []byte) { b[record+1] |= 0x20 }, "byte 131200: found flags 0x8 of a record implicit_begin"},
		{"thread of a task", func(b []byte) { b[record+8+7] = 9 }, "byte 131200: found task or region 0x900"},
		{"chunk's number", func(b []byte) { b[first+24] = 7 }, ""},
		{"behind the end", func(b []byte) { b[first+60000] = 1 }, "byte 191072: found something behind the end"},
		{"kind of a chunk", func(b []byte) { b[first+8] = 9 }, "byte 131072: found a chunk of kind 9"},
		{"thread of a chunk", func(b []byte) { b[first+19] = 9 }, "byte 131072: found a chunk of thread 150994944"},
		{"meta", func(b []byte) { b[packHeader+chunkHeaderSize] = 'x' }, "byte 65536: read meta chunk"},
		{"no meta", func(b []byte) { clear(b[packHeader : packHeader+8]) }, "found no meta chunk"},
		{"state", func(b []byte) { b[96] = 8 }, "byte 96: found state 8"},
		{"threads", func(b []byte) { b[108] = 1 }, "byte 108: found 1 threads"},
		{"taken", func(b []byte) { b[118] = 1 }, "byte 112: found"},
	} {
		b := small(t)
		c.change(b)
		path := filepath.Join(t.TempDir(), "c.dsom")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		got := problemsOf(t, path)
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: found %q, want %q", c.name, got, c.want)
		}
	}
	for change, want := range map[string]func(b []byte) []byte{
		"found a file that begins with": func(b []byte) []byte { return b[100:] },
		"found version 3 of the format": func(b []byte) []byte { b[8] = 3; return b },
		"found chunks in units of":      func(b []byte) []byte { b[17] = 2; return b },
		"found clock 7":                 func(b []byte) []byte { b[20] = 7; return b },
		"found a header of 100 bytes":   func(b []byte) []byte { return b[:100] },
	} {
		path := filepath.Join(t.TempDir(), "c.dsom")
		if err := os.WriteFile(path, want(small(t)), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Check(path); err == nil || !strings.Contains(err.Error(), change) {
			t.Errorf("found error %v, want %s", err, change)
		}
	}
}

func problemsOf(t *testing.T, path string) string {
	c, err := Check(path)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, p := range c.Problems {
		lines = append(lines, fmtProblem(p))
	}
	return strings.Join(lines, "\n")
}

func fmtProblem(p Problem) string { return fmt.Sprintf("byte %d: %s", p.Offset, p.Text) }
