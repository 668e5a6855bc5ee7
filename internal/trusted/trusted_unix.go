//go:build unix

// Package trusted finds out who could have put a file where it is, before it is run:
// a library that is loaded, a Makefile. Owners and modes along the whole path
// decide; access lists and mounts are not looked at.
package trusted

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// Check finds out whether only the user and root, and the owners given, can
// put another file in the place of the one at path, or could have put it there.
// Path is a file or a directory without links in it. Where a group is trusted
// too, it may write.
//
// A directory above may be writable by all where it is sticky (/tmp): there
// nobody else can rename what the user owns. Directories above may belong to
// whoever owns "/" too, which in a user namespace is not known as root.
func Check(path string, group bool, owners ...uint32) error {
	owners = append(owners, 0, uint32(os.Geteuid()))
	above := owners
	if root, err := os.Stat("/"); err == nil {
		above = append(slices.Clone(owners), ownerOf(root))
	}
	writers := fs.FileMode(0o022)
	if group {
		writers = 0o002
	}
	for at := path; ; at = filepath.Dir(at) {
		info, err := os.Lstat(at)
		if err != nil {
			return err
		}
		own := at == path || at == filepath.Dir(path) && !isDir(path)
		may, sticky := above, info.IsDir() && info.Mode()&fs.ModeSticky != 0
		if own {
			may, sticky = owners, false
		}
		switch owner := ownerOf(info); {
		case !slices.Contains(may, owner):
			return fmt.Errorf("found %s owned by user %d, want by you or root", at, owner)
		case info.Mode().Perm()&writers != 0 && !sticky:
			return fmt.Errorf("found %s writable by others (mode %04o), want by its owner only", at, info.Mode().Perm())
		case at == filepath.Dir(at):
			return nil
		}
	}
}

func isDir(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// ownerOf is the user that owns a file.
func ownerOf(info fs.FileInfo) uint32 { return info.Sys().(*syscall.Stat_t).Uid }

// OwnersOf are the user that owns a file, or none.
func OwnersOf(path string) []uint32 {
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	return []uint32{ownerOf(info)}
}
