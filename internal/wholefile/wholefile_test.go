package wholefile_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"dagscope/internal/wholefile"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

// A failure leaves the old file and nothing beside it; a success keeps its
// permissions.
func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	fails := func(w io.Writer) error { return errors.Join(text("half")(w), errors.New("no")) }
	if err := errors.Join(wholefile.Write(path, text("one")), os.Chmod(path, 0o604)); err != nil {
		t.Fatal(err)
	}
	if err := wholefile.Write(path, fails); err == nil {
		t.Error("found no error")
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "one" {
		t.Errorf("found %q, %v, want the old file", got, err)
	}
	if err := wholefile.Write(path, text("two")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if got, _ := os.ReadFile(path); err != nil || string(got) != "two" || info.Mode().Perm() != 0o604 {
		t.Errorf("found %q, %v, %v, want the new file with the old permissions", got, info, err)
	}
	if all, err := os.ReadDir(filepath.Dir(path)); err != nil || len(all) != 1 {
		t.Errorf("found %v, %v, want one file", all, err)
	}
}
