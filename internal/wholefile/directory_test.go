package wholefile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"dagscope/internal/testenv"
)

// mark makes a directory that holds a file with a text.
func mark(t *testing.T, dir, text string) {
	t.Helper()
	if err := errors.Join(os.Mkdir(dir, 0o777), os.WriteFile(filepath.Join(dir, "mark"), []byte(text), 0o666)); err != nil {
		t.Fatal(err)
	}
}

func marked(t *testing.T, dir, want string) {
	t.Helper()
	if got, err := os.ReadFile(filepath.Join(dir, "mark")); err != nil || string(got) != want {
		t.Errorf("%s: found %q, %v, want %q", filepath.Base(dir), got, err, want)
	}
}

// A directory comes to a new name, an empty one and one that is replaced.
func TestInstall(t *testing.T) {
	path := filepath.Join(t.TempDir(), "d")
	for i, text := range []string{"new", "next", "last"} {
		if i == 2 {
			if err := errors.Join(os.RemoveAll(path), os.Mkdir(path, 0o777)); err != nil {
				t.Fatal(err)
			}
		}
		dir := Beside(path)
		mark(t, dir, text)
		if err := Install(dir, path); err != nil {
			t.Fatal(err)
		}
		marked(t, path, text)
		if all, err := os.ReadDir(filepath.Dir(path)); err != nil || len(all) != 1 {
			t.Errorf("found %v, %v, want one directory", all, err)
		}
	}
}

// What was replaced comes back, but not where another writer has been since.
func TestTakeBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "d")
	mark(t, path, "old")
	dir := Beside(path)
	mark(t, dir, "new")
	mine, err := os.Lstat(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := exchange(dir, path); err != nil {
		testenv.Missing(t, "a file system that exchanges names", err.Error(), "run on Linux, with TMPDIR on a local disk")
	}
	if err := takeBack(mine, dir, dir, path); err != nil {
		t.Fatal(err)
	}
	marked(t, path, "old")
	marked(t, dir, "new")
	if err := exchange(dir, path); err != nil {
		t.Fatal(err)
	}
	another := Beside(path)
	mark(t, another, "another")
	if err := Install(another, path); err != nil {
		t.Fatal(err)
	}
	if err := takeBack(mine, dir, dir, path); err == nil {
		t.Error("found no error, want that another is there")
	}
	marked(t, path, "another")
}

// Where names cannot be exchanged, two renames do, and the second is undone.
func TestSwapByRenames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "d")
	dir := Beside(path)
	mark(t, path, "old")
	mark(t, dir, "new")
	old, err := swapByRenames(dir, path)
	if err != nil {
		t.Fatal(err)
	}
	marked(t, path, "new")
	marked(t, old, "old")
	if _, err := swapByRenames(filepath.Join(filepath.Dir(path), "none"), path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error is %v, want that there is no such file", err)
	}
	marked(t, path, "new")
}

// A name as long as the file system takes leaves room for what follows it.
func TestLongName(t *testing.T) {
	long := make([]byte, 255)
	for i := range long {
		long[i] = 'x'
	}
	if name := filepath.Base(Beside(hidden(string(long)))); len(name) > 255 {
		t.Errorf("found %d bytes, want 255 at most", len(name))
	}
}
