package store

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// The steps of a replacement of RUN, and what a kill leaves behind:
//
//	mkdir RUN.tmp-PID-X, fill, sync    old run, and a leftover
//	exchange RUN.tmp-PID-X and RUN     new run, and the old one as a leftover
//	remove RUN.tmp-PID-X               new run
//
// Where the file system cannot exchange two names, the second step is two
// renames with the old run as RUN.old-PID-X in between. A kill just there
// leaves no RUN; the next Write renames the old one back first, and Open says
// where it is. Leftovers carry the writer's process number, so that the next
// Write can remove those of dead writers and leave those of living ones alone.

const (
	sideTemporary = ".tmp-"
	sideOld       = ".old-"
)

// sideName is a name beside path that tells who made it:
// path.tmp-<pid>-<random>. The first eight digits of the random part stand for
// the machine, because process numbers mean nothing on another one that shares
// the file system.
func sideName(path, kind string) string {
	var random [4]byte
	rand.Read(random[:]) // never fails
	return path + kind + strconv.Itoa(os.Getpid()) + "-" + machine() + hex.EncodeToString(random[:])
}

// machine identifies the space in which process numbers are unique.
func machine() string {
	h := fnv.New32a()
	host, _ := os.Hostname() // without a name the machine counts as nameless
	space, _ := os.Readlink("/proc/self/ns/pid")
	fmt.Fprint(h, host, "\x00", space)
	return hex.EncodeToString(h.Sum(nil))
}

// ownerOf takes the name of something beside path apart; ok is false if it is
// not a leftover of a writer of path on this machine.
func ownerOf(name, base, kind string) (pid int, ok bool) {
	rest, ok := strings.CutPrefix(name, base+kind)
	if !ok {
		return 0, false
	}
	number, random, ok := strings.Cut(rest, "-")
	if !ok || len(random) != 16 || !strings.HasPrefix(random, machine()) {
		return 0, false
	}
	pid, err := strconv.Atoi(number)
	return pid, err == nil && pid > 0
}

// sides lists what dead writers of path left beside it.
func sides(path, kind string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	var found []string
	for _, e := range entries {
		if pid, ok := ownerOf(e.Name(), filepath.Base(path), kind); ok && !alive(pid) {
			found = append(found, filepath.Join(filepath.Dir(path), e.Name()))
		}
	}
	return found, nil
}

// removeLeftovers puts an old run back that lost its name and removes the rest
// of what dead writers left.
func removeLeftovers(path string) error {
	old, err := sides(path, sideOld)
	if err != nil {
		return fmt.Errorf("look for leftovers: %w", err)
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) && len(old) > 0 {
		if err := os.Rename(old[0], path); err != nil {
			return fmt.Errorf("put the old run back: %w", err)
		}
		old = old[1:]
	}
	temporary, err := sides(path, sideTemporary)
	if err != nil {
		return fmt.Errorf("look for leftovers: %w", err)
	}
	for _, dir := range append(old, temporary...) {
		if err := os.RemoveAll(dir); err != nil {
			return fmt.Errorf("remove leftover: %w", err)
		}
	}
	return nil
}

// CheckTarget tells whether [Write] may use path: it must not exist, be an empty
// directory, or be a run directory that holds nothing but the run. An import
// asks before hours of reading.
func CheckTarget(path string) error {
	_, err := resolveTarget(path)
	return err
}

// resolveTarget follows links, so that a link to a run stays one, and makes
// sure that nothing but a run would be replaced.
func resolveTarget(path string) (string, error) {
	if path == "" {
		return "", errors.New("write run: empty path")
	}
	path = filepath.Clean(path)
	resolved, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, checkParent(path)
	}
	if err != nil {
		return "", fmt.Errorf("write run %s: %w", path, err)
	}
	entries, err := os.ReadDir(resolved)
	if err != nil {
		return "", fmt.Errorf("write run %s: not a directory that can be replaced: %w", path, err)
	}
	if len(entries) == 0 {
		return resolved, nil
	}
	d, err := Open(resolved)
	if err != nil {
		return "", fmt.Errorf("refuse to replace %s: %w", path, err)
	}
	for _, e := range entries {
		if !d.owns(e.Name()) {
			return "", fmt.Errorf("refuse to replace %s: it holds %s, which is no part of the run", path, e.Name())
		}
	}
	return resolved, nil
}

func checkParent(path string) error {
	info, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("write run %s: %w", path, err)
	}
	if !info.IsDir() {
		return fmt.Errorf("write run %s: %s is not a directory", path, filepath.Dir(path))
	}
	return nil
}

func (d *Dir) owns(name string) bool {
	return name == ManifestName ||
		slices.ContainsFunc(d.manifest.files(), func(f expected) bool { return f.name == name })
}

// install gives the complete directory dir the name path.
func install(dir, path string) error {
	var old string
	// A rename onto an empty directory replaces it; anything else is exchanged.
	err := os.Rename(dir, path)
	if errors.Is(err, fs.ErrExist) { // which ENOTEMPTY is, too
		old, err = swap(dir, path)
	}
	if err != nil {
		return fmt.Errorf("put the new run in place: %w", err)
	}
	if err := syncDir(filepath.Dir(path)); err != nil {
		return err
	}
	if old == "" {
		return nil
	}
	if err := os.RemoveAll(old); err != nil {
		return fmt.Errorf("remove the old run (the new one is in place): %w", err)
	}
	return nil
}

// swap replaces path by dir in one step where the system can, and says where
// the old directory is.
func swap(dir, path string) (old string, err error) {
	switch err := exchange(dir, path); {
	case err == nil:
		return dir, nil
	case !errors.Is(err, errors.ErrUnsupported):
		return "", err
	}
	return swapByRenames(dir, path)
}

func swapByRenames(dir, path string) (old string, err error) {
	old = sideName(path, sideOld)
	if err := os.Rename(path, old); err != nil {
		return "", err
	}
	if err := os.Rename(dir, path); err != nil {
		return "", errors.Join(err, os.Rename(old, path))
	}
	return old, nil
}
