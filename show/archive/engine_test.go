package archive

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dagscope/internal/testenv"
)

// The engine is built by the make of the sources and said once; what make says
// is the error where it fails.
func TestBuildEngine(t *testing.T) {
	testenv.Need(t, "apt-get install make", "make")
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	said := 0
	say := func(string, ...any) { said++ }
	write("Makefile", "engine:\n\t@echo out of disk; exit 1\n")
	if _, err := buildEngine(root, say); err == nil || !strings.Contains(err.Error(), "out of disk") {
		t.Errorf("found %v, want what make said", err)
	}
	write("Makefile", "engine:\n\tmkdir -p "+engineDir+"; echo w > "+engineDir+"/engine.wasm.gz; echo x > "+engineDir+"/wasm_exec.js\n")
	for range 2 {
		e, err := buildEngine(root, say)
		if err != nil || string(e.Wasm) != "w\n" || string(e.Exec) != "x\n" {
			t.Errorf("found %q, %v", e, err)
		}
	}
	if said != 2 { // where it failed, and the first time
		t.Errorf("said %d times that it is built, want 2", said)
	}
}

func TestFindSources(t *testing.T) {
	if root, err := findSources(); err != nil || root != testenv.Repo() {
		t.Errorf("found %q, want %s", root, testenv.Repo())
	}
	if isSources(t.TempDir()) {
		t.Error("took an empty folder for the sources")
	}
	if !isSources(testenv.Repo()) || isSources(testenv.Repo("web/e2e")) {
		t.Error("the sources are those of module dagscope")
	}
}
