package cli

import (
	"bytes"
	"testing"
)

// However a text is cut into writes, the terminal gets the same; what is raw
// gets the bytes.
func TestTerminalShowsControls(t *testing.T) {
	const text = "a – b\n\x1b[31m\tc\u009b\u202ed\xff\xe2\x80"
	const want = "a – b\n" + `\x1b[31m` + "\t" + `c\u009b\u202ed\xff\xe2\x80`
	for size := 1; size <= len(text); size++ {
		var out, below bytes.Buffer
		w, direct := &terminal{w: &out}, &terminal{w: &below}
		for at := 0; at < len(text); at += size {
			part := []byte(text[at:min(at+size, len(text))])
			if n, err := w.Write(part); n != len(part) || err != nil {
				t.Fatalf("Write took %d bytes of %d: %v", n, len(part), err)
			}
			if _, err := raw(direct).Write(part); err != nil {
				t.Fatal(err)
			}
		}
		w.end()
		direct.end()
		if out.String() != want {
			t.Errorf("in parts of %d: found %q, want %q", size, out.String(), want)
		}
		if below.String() != text {
			t.Errorf("raw: found %q, want %q", below.String(), text)
		}
	}
}
