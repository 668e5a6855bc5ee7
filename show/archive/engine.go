package archive

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"dagscope/internal/trusted"
)

// The engine that `make build` puts here is part of the program. `make demo` does
// without: compiling it takes as long as half of the program.
//
//go:embed all:engine
var built embed.FS

// engineDir is where the engine is, from the root of the sources.
const engineDir = "show/archive/engine"

// FindEngine returns the engine that this program carries. Without one it is
// built by make where the sources of the program are, which say is told the
// first time; where they are not at hand, that is the error.
func FindEngine(say func(format string, args ...any)) (Engine, error) {
	if e, err := readEngine(built, "engine"); err == nil {
		return e, nil
	}
	root, err := findSources()
	if err != nil {
		return Engine{}, err
	}
	if root == "" {
		return Engine{}, errors.New("this dagscope was built without the engine of archives, and its sources are not here: build it with make build")
	}
	return buildEngine(root, say)
}

func buildEngine(root string, say func(format string, args ...any)) (Engine, error) {
	sources := os.DirFS(root)
	if _, err := readEngine(sources, engineDir); err != nil {
		say("building the engine of archives in %s", root)
	}
	cmd := exec.Command("make", "--no-print-directory", "-C", root, "engine")
	if out, err := cmd.CombinedOutput(); err != nil {
		return Engine{}, fmt.Errorf("build the engine of archives in %s: %w: %s", root, err, strings.TrimSpace(string(out)))
	}
	return readEngine(sources, engineDir)
}

func readEngine(files fs.FS, dir string) (Engine, error) {
	wasm, err := fs.ReadFile(files, dir+"/engine.wasm.gz")
	exec, execErr := fs.ReadFile(files, dir+"/wasm_exec.js")
	return Engine{wasm, exec}, errors.Join(err, execErr)
}

// findSources finds the sources that the program was built from: where the
// compiler read them, or above the folder of the program, as in a checkout that
// was moved.
//
// Their Makefile is run, so nobody else may have put it there: the folder that a
// program was built in may be gone, and its name free for everybody (/tmp/build).
func findSources() (root string, err error) {
	var places []string
	// A program built with -trimpath knows no more than "dagscope/show/archive",
	// which would be searched where the user happens to be.
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) {
		places = append(places, filepath.Join(filepath.Dir(file), "..", ".."))
	}
	self, err := os.Executable()
	if err == nil {
		places = append(places, filepath.Join(filepath.Dir(self), ".."))
	}
	for _, place := range places {
		if isSources(place) {
			return place, checkSources(place, trusted.OwnersOf(self)...)
		}
	}
	return "", nil
}

func checkSources(root string, owners ...uint32) error {
	real, err := filepath.EvalSymlinks(filepath.Join(root, "Makefile"))
	if err == nil {
		err = trusted.Check(real, true, owners...)
	}
	if err != nil {
		return fmt.Errorf("build the engine of archives in %s: %w", root, err)
	}
	return nil
}

func isSources(root string) bool {
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	return err == nil && strings.HasPrefix(string(text), "module dagscope\n")
}
