package record

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// ToolVariable names the recorder's library where it is not found by itself.
const ToolVariable = "DAGSCOPE_OMPT_TOOL"

// FindTool finds the recorder's library: named by the environment, beside the
// running program, among those built before, or built now from the sources that
// the program carries. What is built is told to say.
func FindTool(say func(format string, args ...any)) (string, error) {
	if path := os.Getenv(ToolVariable); path != "" {
		return CheckTool(path)
	}
	if path, ok := besideProgram(); ok {
		return path, nil
	}
	path, err := builtPath()
	if err != nil {
		return "", fmt.Errorf("find a place to build the recorder: %w", err)
	}
	if isTool(path) {
		return path, nil
	}
	if err := build(path); err != nil {
		return "", fmt.Errorf("build the recorder: %w", err)
	}
	say("built the recorder: %s", path)
	return path, nil
}

// CheckTool makes sure that a file is a tool that an OpenMP runtime can load.
func CheckTool(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(abs); err != nil {
		return "", fmt.Errorf("find the recorder: %w", err)
	}
	if !isTool(abs) {
		return "", fmt.Errorf("found no function ompt_start_tool in %s, want the recorder's library (%s)", path, Library)
	}
	return abs, nil
}

func isTool(path string) bool { return len(exported(path, "ompt_start_tool")) == 1 }

// besideProgram looks where an installation puts the library.
func besideProgram() (string, bool) {
	self, err := os.Executable()
	if err != nil {
		return "", false
	}
	if target, err := filepath.EvalSymlinks(self); err == nil {
		self = target
	}
	dir := filepath.Dir(self)
	for _, place := range []string{".", "../lib/dagscope", "../lib"} {
		if path := filepath.Join(dir, place, Library); isTool(path) {
			return path, true
		}
	}
	return "", false
}

// builtPath is where the library of these very sources is kept for this kind of
// machine.
func builtPath() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = filepath.Join(os.TempDir(), fmt.Sprintf("dagscope-%d", os.Getuid()))
	}
	sum := sha256.New()
	fmt.Fprintln(sum, runtime.GOARCH, Flags)
	err = eachSource(func(name string, text []byte) error {
		fmt.Fprintf(sum, "%s %d\n%s", name, len(text), text)
		return nil
	})
	return filepath.Join(dir, "dagscope", "ompt-"+hex.EncodeToString(sum.Sum(nil)[:8]), Library), err
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

// build compiles the library in a folder of its own and moves it to path.
func build(path string) error {
	cc, err := compiler()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(filepath.Dir(path), "build-")
	if err != nil {
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
