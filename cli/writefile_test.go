package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"dagscope/internal/testenv"
)

func sayHello(w io.Writer) error { _, err := io.WriteString(w, "hello"); return err }

// wantFile wants a file of the kind, with the text.
func wantFile(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil || info.Mode().Type() != mode {
		t.Errorf("%s: found %v, %v, want type %v", path, info, err, mode)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != text {
		t.Errorf("%s: found %q, %v, want %q", path, got, err, text)
	}
}

// Links stay links, and what they lead to is written, there or not.
func TestWriteFileFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	old, link, dangling := filepath.Join(dir, "old"), filepath.Join(dir, "link"), filepath.Join(dir, "dangling")
	if err := errors.Join(os.WriteFile(old, []byte("a longer text"), 0o600), os.Symlink("old", link), os.Symlink("new", dangling)); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(writeFile(link, sayHello), writeFile(dangling, sayHello)); err != nil {
		t.Fatal(err)
	}
	wantFile(t, link, "hello", os.ModeSymlink)
	wantFile(t, dangling, "hello", os.ModeSymlink)
	wantFile(t, old, "hello", 0)
	if info, _ := os.Stat(old); info.Mode().Perm() != 0o600 {
		t.Errorf("found permissions %v, want those that were there", info.Mode())
	}
}

// A pipe gets what its reader waits for, and stays.
func TestWriteFileIntoPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		testenv.Missing(t, "a file system with pipes", err.Error(), "set TMPDIR to a folder of one")
	}
	read := make(chan string)
	go func() {
		text, _ := os.ReadFile(pipe)
		read <- string(text)
	}()
	if err := writeFile(pipe, sayHello); err != nil {
		t.Fatal(err)
	}
	if got := <-read; got != "hello" {
		t.Errorf("found %q", got)
	}
	if info, err := os.Lstat(pipe); err != nil || info.Mode().Type() != os.ModeNamedPipe {
		t.Errorf("found %v, %v, want a pipe", info, err)
	}
}

// What another process has open is written in place, even without a name; a
// device stays one.
func TestWriteFileIntoDevices(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("/dev/fd", strconv.Itoa(int(w.Fd())))
	if _, err := os.Stat(path); err != nil {
		testenv.Missing(t, "/dev/fd", err.Error(), "run on Linux")
	}
	if err := errors.Join(writeFile(path, sayHello), w.Close()); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(r); err != nil || string(got) != "hello" {
		t.Errorf("found %q, %v", got, err)
	}
	link := filepath.Join(t.TempDir(), "null") // whoever fails here replaces the link, not the machine's device
	if err := errors.Join(os.Symlink(os.DevNull, link), writeFile(link, sayHello)); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(link); err != nil || info.Mode()&os.ModeDevice == 0 {
		t.Errorf("found %v, %v, want a device", info, err)
	}
}

// A failure leaves what was there, and nothing beside it.
func TestWriteFileFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "old")
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := writeFile(path, func(w io.Writer) error { return errors.Join(sayHello(w), errors.New("no")) }); err == nil {
		t.Error("found no error")
	}
	if err := writeFile(dir, sayHello); err == nil {
		t.Error("found no error of a directory")
	}
	wantFile(t, path, "old", 0)
	if all, err := os.ReadDir(dir); err != nil || len(all) != 1 {
		t.Errorf("found %v, %v, want one file", all, err)
	}
}
