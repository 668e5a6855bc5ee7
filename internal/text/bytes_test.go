package text

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strings"
	"testing"
)

// TestBytesAreReadAsTheyAre reads what is no text, and the whole of the stored
// file although its end is not read.
func TestBytesAreReadAsTheyAre(t *testing.T) {
	want := strings.Repeat("a\x00\xff\n", 100_000)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	io.WriteString(z, want)
	z.Close()
	for name, stored := range map[string][]byte{"plain": []byte(want), "gzip": packed.Bytes()} {
		r, err := New(bytes.NewReader(stored), name)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, len(want)/2)
		if _, err := io.ReadFull(r, got); err != nil || string(got) != want[:len(got)] {
			t.Errorf("%s: found other bytes, %v", name, err)
		}
		if err := r.Drain(); err != nil {
			t.Error(err)
		}
		sum := sha256.Sum256(stored)
		if s := r.Source("x"); r.Stored() != int64(len(stored)) || s.Bytes != r.Stored() || s.SHA256 != hex.EncodeToString(sum[:]) {
			t.Errorf("%s: found %d bytes, %+v, want %d", name, r.Stored(), s, len(stored))
		}
	}
}
