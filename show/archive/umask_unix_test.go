//go:build unix

package archive

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
)

// An archive, written first or over an older one, is open to whom the umask lets in.
func TestUmask(t *testing.T) {
	parent := t.TempDir()
	before := syscall.Umask(0)
	defer syscall.Umask(before)
	for umask, want := range map[int]fs.FileMode{0o077: 0o600, 0o027: 0o640, 0o022: 0o644} {
		syscall.Umask(umask)
		dir := filepath.Join(parent, want.String())
		for range 2 {
			if err := Write(dir, "1", page, Engine{}, []Run{{Name: "a", Files: fstest.MapFS{"manifest.json": {Data: []byte("{}")}}}}); err != nil {
				t.Fatal(err)
			}
		}
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if d.IsDir() && info.Mode().Perm() != 0o777&^fs.FileMode(umask) || !d.IsDir() && info.Mode().Perm() != want {
				t.Errorf("umask %03o: %s is %v", umask, path, info.Mode())
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if all, err := os.ReadDir(parent); err != nil || len(all) != 3 {
		t.Errorf("found %v, %v, want the three archives and nothing else", all, err)
	}
}

// A Makefile that another user could have put where the sources were is not run.
func TestPlantedSources(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "Makefile"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := checkSources(root); err != nil {
		t.Fatalf("a folder of one's own: %v", err)
	}
	if err := os.Chmod(root, 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	if err := checkSources(root); err == nil || !strings.Contains(err.Error(), "writable by others") {
		t.Errorf("a folder of everybody: found error %v", err)
	}
}
