package dsom

import (
	"os"
	"path/filepath"
	"testing"

	"dagscope/read/ompt/event"
)

// A process that is killed while it copies a window leaves part of the copy, which
// may lie before or after the window: the window counts.
func TestWindowBeforeItsCopy(t *testing.T) {
	header, chunk := killedFile(t)
	part := append([]byte(nil), chunk...)
	clear(part[chunkHeaderSize+32:]) // two records came through
	window := append([]byte(nil), chunk...)
	little.PutUint32(window[108:], 1)
	for name, chunks := range map[string][][]byte{"before": {part, window}, "after": {window, part}} {
		path := filepath.Join(t.TempDir(), "a.dsom")
		data := append([]byte(nil), header...)
		for _, c := range chunks {
			data = append(data, c...)
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		c, err := Check(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range c.Problems {
			if p.Text != "found no meta chunk" {
				t.Errorf("copy %s: %s", name, p.Text)
			}
		}
		if c.Events != 12 {
			t.Errorf("copy %s: found %d events, want the window's 12", name, c.Events)
		}
	}
}

// killedFile is the header of a file without an end, and one chunk of 12 events.
func killedFile(t *testing.T) (header, chunk []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "whole.dsom")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPacker(f, Meta{})
	if err != nil {
		t.Fatal(err)
	}
	initial := event.NewID(0, 1)
	add := func(e event.Event) {
		if err := p.Add(&e); err != nil {
			t.Fatal(err)
		}
	}
	add(event.Event{Time: 1, Type: event.ThreadBegin, Kind: event.ThreadInitial})
	add(event.Event{Time: 2, Type: event.ImplicitBegin, Kind: event.TaskInitial, Task: initial})
	for i := range int64(10) {
		add(event.Event{Time: 3 + i, Type: event.TaskCreate, Task: event.NewID(0, uint64(2+i)), Task2: initial, Flags: event.FlagExplicit})
	}
	if _, err := p.Finish(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return cut(t, path)
}

// cut takes a packed file's header, as it is before the end, and its first chunk of
// events, filled up to a unit.
func cut(t *testing.T, path string) (header, chunk []byte) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	h, err := parseFileHeader(data)
	if err != nil {
		t.Fatal(err)
	}
	header = data[:h.size:h.size]
	clear(header[64:100]) // no end, no state
	for at := int(h.size); at < len(data); at += unit {
		if c, ok := parseChunk(data[at:], int64(at), int64(len(data))); ok && c.kind == chunkEvents {
			chunk = make([]byte, unit)
			copy(chunk, data[at:])
			little.PutUint32(chunk[12:], 1)
			return header, chunk
		}
	}
	t.Fatal("found no chunk of events")
	return nil, nil
}
