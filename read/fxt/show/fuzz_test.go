package show_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dagscope/internal/budget"
	"dagscope/read/fxt"
	"dagscope/read/fxt/internal/fxttest"
	"dagscope/read/fxt/show"
)

// FuzzWrite shows any bytes as a raw trace: a line for each event, each line of
// JSON an object.
//
//fuzz:class file
func FuzzWrite(f *testing.F) {
	for _, form := range []fxttest.Form{{}, {NoSize: true}, {BigEndian: true, Blocks: 2}, {Narrow: true}} {
		f.Add(fxttest.File(some, form), "", false)
		f.Add(fxttest.File(some, form), "0x51*", true)
	}
	f.Fuzz(func(t *testing.T, b []byte, code string, asJSON bool) {
		budget.Watch(t)
		path := filepath.Join(t.TempDir(), "trace")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		in, err := fxt.Open(path)
		if err != nil {
			return
		}
		defer in.Close()
		o := show.Options{JSON: asJSON}
		if code != "" {
			o.Codes = []string{code}
		}
		var out strings.Builder
		result, err := show.Write(&out, in, o)
		if err != nil && !errors.As(err, new(*fxt.Truncated)) && code == "" {
			t.Fatalf("found %v, want a truncated file", err)
		}
		if n := int64(strings.Count(out.String(), "\n")); n != result.Shown {
			t.Fatalf("found %d lines of %d events", n, result.Shown)
		}
		if asJSON {
			for line := range strings.Lines(out.String()) {
				if !json.Valid([]byte(line)) {
					t.Fatalf("found %q, want JSON", line)
				}
			}
		}
	})
}
