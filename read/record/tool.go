package record

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"dagscope/internal/trusted"
	"dagscope/internal/wholefile"
)

// ToolVariable names the recorder's library where it is not found by itself.
const ToolVariable = "DAGSCOPE_OMPT_TOOL"

// Tool is a recorder's library that may be loaded into the user's programs:
// nobody else could have put it where it is.
type Tool struct {
	Path   string
	folder string // private, for this recording only; "" if there is none
}

// Close removes what was made for one recording.
func (t Tool) Close() error {
	if t.folder == "" {
		return nil
	}
	return os.RemoveAll(t.folder)
}

// FindTool finds the recorder's library: named by the environment, beside the
// running program, among those built before, or built now from the sources that
// the program carries. What is built, and what is passed over because others could
// have planted it, is reported through say.
func FindTool(say func(format string, args ...any)) (Tool, error) {
	if path := os.Getenv(ToolVariable); path != "" {
		return CheckTool(path)
	}
	if path, ok := besideProgram(say); ok {
		return Tool{Path: path}, nil
	}
	if path, ok := cached(say); ok {
		return Tool{Path: path}, nil
	}
	return buildPrivately(say)
}

// cached finds the library in the user's cache, or builds it there. Without a
// cache that can be written to, by the user alone, there is none.
func cached(say func(format string, args ...any)) (string, bool) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", false
	}
	dir = filepath.Join(dir, "dagscope", "ompt-"+sourcesSum())
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", false
	}
	dir, err = filepath.EvalSymlinks(dir)
	if err == nil {
		err = trusted.Check(dir, false)
	}
	if err != nil {
		say("the recorder is not kept in the cache: %v", err)
		return "", false
	}
	path := filepath.Join(dir, Library)
	if _, err := os.Lstat(path); err == nil {
		if err := trusted.Check(path, false); err != nil {
			say("the recorder in the cache is not used: %v", err)
			return "", false
		}
		if isTool(path) {
			return path, true
		}
	}
	if err := build(path); err != nil {
		return "", false // where it is built privately, the error is the same
	}
	say("built the recorder: %s", path)
	return path, true
}

// buildPrivately builds the library in a fresh directory of the user's.
func buildPrivately(say func(format string, args ...any)) (t Tool, err error) {
	if t.folder, err = wholefile.TempDir("dagscope-ompt"); err != nil {
		return Tool{}, fmt.Errorf("find a place to build the recorder: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, t.Close())
		}
	}()
	dir, err := filepath.EvalSymlinks(t.folder)
	if err == nil {
		err = trusted.Check(dir, false)
	}
	if err != nil {
		return t, fmt.Errorf("find a place to build the recorder: %w; name another with TMPDIR", err)
	}
	t.Path = filepath.Join(dir, Library)
	if err := build(t.Path); err != nil {
		return t, fmt.Errorf("build the recorder: %w", err)
	}
	say("built the recorder for this recording only: %s", t.Path)
	return t, nil
}

// CheckTool makes sure that a file is a tool that an OpenMP runtime can load, and
// that others could not have put there.
func CheckTool(path string) (Tool, error) {
	abs, err := filepath.Abs(path)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return Tool{}, fmt.Errorf("find the recorder: %w", err)
	}
	if err := trusted.Check(abs, false); err != nil {
		return Tool{}, fmt.Errorf("load the recorder %s: %w; copy it into a directory of yours", path, err)
	}
	if !isTool(abs) {
		return Tool{}, fmt.Errorf("found no function ompt_start_tool in %s, want the recorder's library (%s)", path, Library)
	}
	return Tool{Path: abs}, nil
}

func isTool(path string) bool { return len(exported(path, "ompt_start_tool")) == 1 }

// besideProgram looks where an installation puts the library. Whoever owns the
// program, and the group that may replace it, could do worse than plant a library.
func besideProgram(say func(format string, args ...any)) (string, bool) {
	self, err := os.Executable()
	if err != nil {
		return "", false
	}
	if target, err := filepath.EvalSymlinks(self); err == nil {
		self = target
	}
	dir := filepath.Dir(self)
	for _, place := range []string{".", "../lib/dagscope", "../lib"} {
		path, err := filepath.EvalSymlinks(filepath.Join(dir, place, Library))
		if err != nil {
			continue
		}
		if err := trusted.Check(path, true, trusted.OwnersOf(self)...); err != nil {
			say("the recorder beside the program is not used: %v", err)
		} else if isTool(path) {
			return path, true
		}
	}
	return "", false
}

// sourcesSum identifies the library of these very sources for this kind of machine.
func sourcesSum() string {
	sum := sha256.New()
	fmt.Fprintln(sum, runtime.GOARCH, Flags)
	_ = eachSource(func(name string, text []byte) error { // embedded: cannot fail
		fmt.Fprintf(sum, "%s %d\n%s", name, len(text), text)
		return nil
	})
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

func eachSource(do func(name string, text []byte) error) error {
	return fs.WalkDir(Sources, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := Sources.ReadFile(path)
		if err != nil {
			return err
		}
		return do(filepath.Base(path), text)
	})
}

// build compiles the library in a folder of its own and moves it to path. What the
// compiler writes is not writable by others, whatever the umask.
func build(path string) error {
	cc, err := compiler()
	if err != nil {
		return err
	}
	folder := filepath.Join(filepath.Dir(path), "build")
	if err := wholefile.Clear(folder); err != nil {
		return err
	}
	dir := wholefile.Beside(folder)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	args := append(append([]string{}, Flags...), "-o", Library)
	err = eachSource(func(name string, text []byte) error {
		if strings.HasSuffix(name, ".c") {
			args = append(args, name)
		}
		return os.WriteFile(filepath.Join(dir, name), text, 0o600)
	})
	if err != nil {
		return err
	}
	command := exec.Command(cc, args...)
	command.Dir = dir
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", cc, err, strings.TrimSpace(string(out)))
	}
	if err := os.Chmod(filepath.Join(dir, Library), 0o755); err != nil {
		return err
	}
	return os.Rename(filepath.Join(dir, Library), path)
}

// compiler is $CC or the first that is installed.
func compiler() (string, error) {
	for _, name := range []string{os.Getenv("CC"), "cc", "gcc", "clang", "clang-19"} {
		if name == "" {
			continue
		}
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("found no C compiler (cc, gcc, clang), want one, or the built library named with --tool")
}
