//go:build linux

package store

import (
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"dagscope/internal/testenv"
)

func init() { children["limited"] = writeLimited }

// writeLimited writes under a limit on the size of files, which fails in the
// middle of a table as a full disk does.
func writeLimited(path string) error {
	signal.Ignore(syscall.SIGXFSZ)
	limit := syscall.Rlimit{Cur: 100_000, Max: 100_000}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	err := Write(path, benchRun(200_000))
	if !errors.Is(err, syscall.EFBIG) {
		return errors.Join(errors.New("want that the file is too large"), err)
	}
	return nil
}

// A failure to write leaves the old run and nothing else.
func TestFailedWrite(t *testing.T) {
	parent := t.TempDir()
	path := filepath.Join(parent, "r.dsr")
	mustWrite(t, path, smallRun(childRows, 4))
	if out, err := child(t, "limited", path).Output(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	checkOnly(t, parent, path)
}

func checkOnly(t *testing.T, parent, path string) {
	t.Helper()
	if seed := checkWhole(t, path); seed != 4 {
		t.Errorf("run %d is in place, want the old one, 4", seed)
	}
	if left := list(t, parent); !sameStrings(left, []string{"r.dsr"}) {
		t.Errorf("left are %q", left)
	}
}

// The same on a disk that is really full, where the test may mount one.
func TestFullDisk(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=2m"); err != nil {
		testenv.Missing(t, testenv.Mounting, err.Error(), "run as root")
	}
	defer func() {
		if err := syscall.Unmount(disk, 0); err != nil {
			t.Error(err)
		}
	}()
	path := filepath.Join(disk, "r.dsr")
	mustWrite(t, path, smallRun(childRows, 4))
	err := Write(path, benchRun(400_000))
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error is %v, want that no space is left", err)
	}
	t.Logf("the error reads: %v", err)
	checkOnly(t, disk, path)
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}
