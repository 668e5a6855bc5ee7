package decode_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dagscope/read/fxt/decode"
	"dagscope/read/fxt/internal/fxttest"
)

// TestGapsAreLogged: what lies between events is counted, in bytes and places.
func TestGapsAreLogged(t *testing.T) {
	s := newScript(t, "1.4")
	s.machine(8)
	var form fxttest.Form
	var body []byte
	n := len(s.events)
	for _, part := range [][]fxttest.Event{s.events[:n/3], s.events[n/3 : 2*n/3], s.events[2*n/3:]} {
		body = append(form.Body(body, part), bytes.Repeat([]byte{0}, 64)...)
	}
	file := fxttest.File(nil, form) // a block without events, of 16 bytes
	path := filepath.Join(t.TempDir(), "prof_file_me_0")
	if err := os.WriteFile(path, append(file[:len(file)-16], form.Block(body[:len(body)-64])...), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := decode.Read([]string{path}, decode.Options{Version: "1.4"})
	if err != nil {
		t.Fatal(err)
	}
	for i, code := range p.Log.Code.Index {
		if p.Log.Code.Dict[code] == "gap" {
			if p.Log.Count[i] != 2 || !strings.HasPrefix(p.Log.Message.At(i), "found 128 bytes between events") {
				t.Errorf("found %d gaps, %q, want 2 of 64 bytes", p.Log.Count[i], p.Log.Message.At(i))
			}
			return
		}
	}
	t.Error("found no gap in the log, want 2")
}
