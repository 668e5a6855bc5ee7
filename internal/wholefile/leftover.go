package wholefile

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Names next to the final one end in the writer's process number, so that the next
// writer can remove those of dead writers and leave those of living ones alone.
const (
	temporary = ".tmp-"
	replaced  = ".old-" // what was there, between two renames
)

// Beside is a name next to path that says who made it: path.tmp-PID-X. The first
// eight digits of X stand for the machine, because process numbers mean nothing on
// another one that shares the file system.
func Beside(path string) string { return side(path, temporary) }

func side(path, kind string) string {
	var random [4]byte
	rand.Read(random[:]) // never fails
	return stem(path) + kind + strconv.Itoa(os.Getpid()) + "-" + machine() + hex.EncodeToString(random[:])
}

// maxStem is how much of a name is kept, so that there is room for what follows.
const maxStem = 200

func stem(path string) string {
	dir, name := filepath.Split(path)
	return dir + name[:min(len(name), maxStem)]
}

// machine identifies the space in which process numbers are unique.
func machine() string {
	h := fnv.New32a()
	host, _ := os.Hostname() // without a name the machine counts as nameless
	space, _ := os.Readlink("/proc/self/ns/pid")
	fmt.Fprint(h, host, "\x00", space)
	return hex.EncodeToString(h.Sum(nil))
}

// ownerOf takes the name of something next to path apart; ok is false if it is not
// a leftover of a writer of path on this machine.
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

// leftovers lists what dead writers of path left next to it.
func leftovers(path, kind string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	var found []string
	for _, e := range entries {
		if pid, ok := ownerOf(e.Name(), filepath.Base(stem(path)), kind); ok && !alive(pid) {
			found = append(found, filepath.Join(filepath.Dir(path), e.Name()))
		}
	}
	return found, nil
}

// Clear puts back what was at path and lost its name, and removes the rest of what
// dead writers left.
func Clear(path string) error {
	old, err := leftovers(path, replaced)
	if err != nil {
		return fmt.Errorf("look for leftovers: %w", err)
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) && len(old) > 0 {
		if err := os.Rename(old[0], path); err != nil {
			return fmt.Errorf("put back what was there: %w", err)
		}
		old = old[1:]
	}
	other, err := leftovers(path, temporary)
	if err != nil {
		return fmt.Errorf("look for leftovers: %w", err)
	}
	for _, name := range append(old, other...) {
		if err := os.RemoveAll(name); err != nil {
			return fmt.Errorf("remove leftover: %w", err)
		}
	}
	return nil
}

// Interrupted is where what was at path is, "" if nothing was: on a file system
// that cannot exchange names a replacement was interrupted.
func Interrupted(path string) string {
	if old, _ := filepath.Glob(stem(path) + replaced + "*"); len(old) > 0 {
		return old[0]
	}
	return ""
}

// TempDir makes a directory for temporary files that nobody else can enter, and
// removes those of the same name that dead processes left.
func TempDir(name string) (string, error) {
	path := filepath.Join(os.TempDir(), name)
	_ = Clear(path) // best effort: other users' are theirs
	dir := Beside(path)
	return dir, os.Mkdir(dir, 0o700)
}
