//go:build unix

package regular_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"dagscope/internal/regular"
)

// TestOpen opens what is no file, and files of some sizes. None of it may wait.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, at("file"), 100)
	if err := syscall.Mkfifo(at("fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	socket, err := net.Listen("unix", at("socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	for link, to := range map[string]string{"loop": "loop", "to fifo": "fifo", "to file": "file"} {
		if err := os.Symlink(to, at(link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		path  string
		limit int64
		want  string // "" for none
	}{
		{at("file"), 100, ""},
		{at("to file"), regular.Any, ""},
		{at("file"), 99, "found 100 bytes, wanted 99 at most"},
		{at("fifo"), 100, "found a pipe, wanted a regular file"},
		{at("to fifo"), 100, "found a pipe"},
		{at("socket"), 100, "found a socket"},
		{at("loop"), 100, "too many levels of symbolic links"},
		{dir, 100, "found a directory"},
		{"/dev/zero", 100, "found a device"},
		{"/proc/self/maps", 10, "found a file of /proc or /sys"},
		{at("none"), 100, "no such file"},
	} {
		done := make(chan error, 2) // by its path, and in its directory
		go func() {
			_, err := regular.Read(c.path, c.limit)
			done <- err
			_, err = regular.ReadFS(os.DirFS(filepath.Dir(c.path)), filepath.Base(c.path), c.limit)
			done <- err
		}()
		for range cap(done) {
			select {
			case err := <-done:
				if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
					t.Errorf("%s: found error %v, want %q", c.path, err, c.want)
				}
			case <-time.After(10 * time.Second):
				t.Fatalf("%s: reading does not end", c.path)
			}
		}
	}
}

func write(t *testing.T, path string, n int) {
	t.Helper()
	if err := os.WriteFile(path, make([]byte, n), 0o600); err != nil {
		t.Fatal(err)
	}
}
