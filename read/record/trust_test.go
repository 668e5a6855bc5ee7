//go:build unix

package record

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dagscope/internal/testenv"
	"dagscope/internal/trusted"
)

// planted puts a library of somebody else's in a place, which is a tool if it
// were looked into: what decides is who could have written it.
func planted(t *testing.T, path string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("planted"), 0o755)); err != nil {
		t.Fatal(err)
	}
}

// Files and directories that others own or may write are not trusted, wherever
// on the path they are; a sticky directory above is.
func TestTrusted(t *testing.T) {
	base := realTempDir(t)
	for name, make := range map[string]func(lib string) error{
		"the file is writable by all":       func(lib string) error { return os.Chmod(lib, 0o757) },
		"the file is writable by a group":   func(lib string) error { return os.Chmod(lib, 0o775) },
		"its directory is writable by all":  func(lib string) error { return os.Chmod(filepath.Dir(lib), 0o777) },
		"its directory is sticky":           func(lib string) error { return os.Chmod(filepath.Dir(lib), 0o777|os.ModeSticky) },
		"one above is writable by all":      func(lib string) error { return os.Chmod(filepath.Dir(filepath.Dir(lib)), 0o777) },
		"the file belongs to another":       func(lib string) error { return foreign(lib) },
		"its directory belongs to another":  func(lib string) error { return foreign(filepath.Dir(lib)) },
		"one above belongs to another user": func(lib string) error { return foreign(filepath.Dir(filepath.Dir(lib))) },
	} {
		t.Run(name, func(t *testing.T) {
			lib := filepath.Join(base, strings.ReplaceAll(name, " ", "-"), "a", Library)
			planted(t, lib)
			if err := trusted.Check(lib, false); err != nil {
				t.Fatalf("before: %v", err)
			}
			if err := make(lib); errors.Is(err, os.ErrPermission) {
				testenv.Missing(t, "files of other users", err.Error(), "run the test as root")
			} else if err != nil {
				t.Fatal(err)
			}
			if err := trusted.Check(lib, false); err == nil {
				t.Error("it is trusted")
			}
			if tool, err := CheckTool(lib); err == nil || !strings.Contains(err.Error(), "load the recorder") {
				t.Errorf("CheckTool: found %v, %v, want it refused for who may write it", tool, err)
			}
		})
	}
	sticky := filepath.Join(base, "sticky", "a", Library)
	planted(t, sticky)
	if err := os.Chmod(filepath.Join(base, "sticky"), 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
	if err := trusted.Check(sticky, false); err != nil {
		t.Errorf("below a sticky directory: %v", err)
	}
}

func foreign(path string) error { return os.Chown(path, 65534, 65534) }

// realTempDir is a test's directory without links in its path.
func realTempDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// Without a home, and with a library planted at every name below TMPDIR that can
// be guessed, or in a cache that others may write, the library is built in a fresh
// directory that nobody else can enter, and removed afterwards.
func TestPlanted(t *testing.T) {
	if _, err := compiler(); err != nil {
		testenv.Missing(t, "a C compiler", err.Error(), "apt-get install gcc")
	}
	temp, cache := realTempDir(t), realTempDir(t)
	if err := errors.Join(os.Chmod(temp, 0o777|os.ModeSticky), os.Chmod(cache, 0o777)); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join("dagscope", "ompt-"+sourcesSum(), Library)
	planted(t, filepath.Join(temp, fmt.Sprintf("dagscope-%d", os.Getuid()), name))
	planted(t, filepath.Join(cache, name))
	t.Setenv("TMPDIR", temp)
	t.Setenv(ToolVariable, "")
	for _, home := range []string{"", cache} {
		t.Setenv("HOME", "")
		t.Setenv("XDG_CACHE_HOME", home)
		tool, err := FindTool(func(string, ...any) {})
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(filepath.Dir(tool.Path))
		if err != nil || info.Mode().Perm() != 0o700 || filepath.Dir(filepath.Dir(tool.Path)) != temp || !isTool(tool.Path) {
			t.Errorf("cache %q: found %v, %v, %v, want a library in a private directory below %s", home, tool, info, err, temp)
		}
		if err := tool.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(tool.Path); err == nil {
			t.Errorf("%s is still there", tool.Path)
		}
	}
	if err := os.Chmod(temp, 0o777); err != nil { // whose names anybody may exchange
		t.Fatal(err)
	}
	if tool, err := FindTool(func(string, ...any) {}); err == nil {
		t.Errorf("found %v below a directory that others may write, want an error", tool)
	}
}
