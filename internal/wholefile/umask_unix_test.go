//go:build unix

package wholefile_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"dagscope/internal/wholefile"
)

// New files have what the umask leaves of 0666.
func TestUmask(t *testing.T) {
	dir := t.TempDir()
	before := syscall.Umask(0)
	defer syscall.Umask(before)
	for umask, want := range map[int]os.FileMode{0: 0o666, 0o022: 0o644, 0o027: 0o640, 0o077: 0o600} {
		syscall.Umask(umask)
		path := filepath.Join(dir, want.String())
		if err := wholefile.Write(path, text("x")); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("umask %03o: found %v, %v, want %v", umask, info.Mode(), err, want)
		}
	}
}
