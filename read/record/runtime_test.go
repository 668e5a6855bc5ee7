package record_test

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"

	"dagscope/internal/testenv"
	"dagscope/read/record"
)

const clang = "clang-19"

// tools is what the tests build once, in a directory that TestMain removes.
var tools struct {
	dir      string
	library  func() (string, error)
	runtimes func() []libomp
	programs sync.Map // name → func() (string, error)
}

// libomp is an OpenMP runtime of clang's; dir holds its library.
type libomp struct {
	version int
	dir     string
}

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "ompt-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	tools.dir = dir
	tools.library = sync.OnceValues(buildLibrary)
	tools.runtimes = sync.OnceValue(findRuntimes)
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// compile runs a compiler; its warnings are errors.
func compile(compiler string, args ...string) error {
	if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("compile with %s: %w: %s", compiler, err, out)
	}
	return nil
}

// unpack writes the embedded sources, so that the tests build what record builds.
func unpack(dir string) (files []string, err error) {
	err = fs.WalkDir(record.Sources, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := record.Sources.ReadFile(path)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, filepath.Base(path))
		if strings.HasSuffix(to, ".c") {
			files = append(files, to)
		}
		return os.WriteFile(to, text, 0o666)
	})
	return files, err
}

func buildLibrary() (string, error) {
	files, err := unpack(tools.dir)
	if err != nil {
		return "", err
	}
	path := filepath.Join(tools.dir, record.Library)
	return path, compile(clang, libraryArgs(path, files)...)
}

func libraryArgs(path string, files []string) []string {
	args := append([]string{"-Wall", "-Wextra", "-Wshadow", "-Werror"}, record.Flags...)
	return append(append(args, "-o", path), files...)
}

// program builds testdata/conformance/NAME.c.
func program(t *testing.T, name string) string {
	t.Helper()
	build, _ := tools.programs.LoadOrStore(name, sync.OnceValues(func() (string, error) {
		path := filepath.Join(tools.dir, name)
		source := filepath.Join("testdata", "conformance", name+".c")
		return path, compile(clang, "-O1", "-g", "-fopenmp", "-pthread", "-o", path, source)
	}))
	path, err := build.(func() (string, error))()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

var versionInPath = regexp.MustCompile(`(?:llvm-|libomp5?-)(\d+)`)

// findRuntimes lists the installed libomps, and unpacks those that lie as packages in
// the directory that DAGSCOPE_LIBOMP names (/opt/libomp): Debian's cannot be
// installed together.
func findRuntimes() []libomp {
	dirs, _ := filepath.Glob("/usr/lib/llvm-*/lib/libomp.so.5")
	packages := os.Getenv("DAGSCOPE_LIBOMP")
	if packages == "" {
		packages = "/opt/libomp"
	}
	debs, _ := filepath.Glob(filepath.Join(packages, "libomp*.deb"))
	for _, deb := range debs {
		to := filepath.Join(tools.dir, filepath.Base(deb)+".unpacked")
		if exec.Command("dpkg", "-x", deb, to).Run() == nil {
			found, _ := filepath.Glob(filepath.Join(to, "usr/lib/llvm-*/lib/libomp.so.5"))
			dirs = append(dirs, found...)
		}
	}
	byVersion := map[int]libomp{}
	for _, path := range dirs {
		dir := filepath.Dir(path)
		m := versionInPath.FindAllStringSubmatch(dir, -1)
		if version, err := strconv.Atoi(m[len(m)-1][1]); err == nil {
			byVersion[version] = libomp{version, dir}
		}
	}
	var all []libomp
	for _, l := range byVersion {
		all = append(all, l)
	}
	sort.Slice(all, func(a, b int) bool { return all[a].version < all[b].version })
	return all
}

// needRuntimes skips the test where it cannot run; else it lists the runtimes, the
// compiler's own first.
func needRuntimes(t *testing.T) []libomp {
	t.Helper()
	testenv.Need(t, "apt-get install "+clang, clang)
	all := tools.runtimes()
	for i, l := range all {
		if l.version == 19 {
			all[0], all[i] = all[i], all[0]
			return all
		}
	}
	testenv.Missing(t, "libomp 19", "", "apt-get install libomp-19-dev")
	return nil
}
