package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"dagscope/internal/testenv"
	"dagscope/trace/store"
)

// These tests run the program as users and their machines treat it: killed,
// out of space, without permission, with its output gone.

const tiny, larger = "../../testdata/starpu/native-chol-tiny", "../../testdata/starpu/sg-mirage-n12-dmdas"

// dagscope runs the program and returns its exit code and what it printed.
func dagscope(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	return finish(t, exec.Command("dagscope", args...))
}

func finish(t *testing.T, cmd *exec.Cmd) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	if cmd.Stdout == nil {
		cmd.Stdout = &o
	}
	cmd.Stderr = &e
	err := cmd.Run()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), o.String(), e.String()
}

// refuses wants exit code 1 and one line on standard error that has all words.
func refuses(t *testing.T, code int, out, errs string, words ...string) {
	t.Helper()
	if code != 1 || out != "" || strings.Count(errs, "\n") != 1 {
		t.Errorf("found exit code %d, output %q and errors %q, wanted 1, nothing and one line", code, out, errs)
	}
	for _, w := range words {
		if !strings.Contains(errs, w) {
			t.Errorf("found error %q, wanted it to have %q", errs, w)
		}
	}
}

// complete wants a run directory that is whole, and returns its tasks.
func complete(t *testing.T, path string) int {
	t.Helper()
	d, err := store.Open(path)
	if err != nil {
		t.Fatalf("the run is not whole: %v", err)
	}
	if err := d.Verify(); err != nil {
		t.Fatalf("the run is not whole: %v", err)
	}
	return d.Rows("task")
}

// TestKilledImport kills imports at random moments: there is the old run or
// the new one, whole, and never anything else that the next import does not
// clear away.
func TestKilledImport(t *testing.T) {
	dir := t.TempDir()
	run := filepath.Join(dir, "run.dsr")
	if code, _, errs := dagscope(t, "import", tiny, "-o", run); code != 0 {
		t.Fatal(errs)
	}
	oldTasks := complete(t, run)
	begin := time.Now()
	if code, _, errs := dagscope(t, "import", larger, "-o", filepath.Join(dir, "new.dsr")); code != 0 {
		t.Fatal(errs)
	}
	usual := time.Since(begin)
	newTasks := complete(t, filepath.Join(dir, "new.dsr"))
	rounds := 30
	if testing.Short() {
		rounds = 5
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range rounds {
		cmd := exec.Command("dagscope", "import", larger, "-o", run)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(r.Int64N(int64(usual) * 5 / 4)))
		cmd.Process.Kill() // it may have ended by itself
		cmd.Wait()
		switch tasks := complete(t, run); tasks {
		case newTasks: // back to the old one
			if code, _, errs := dagscope(t, "import", tiny, "-o", run); code != 0 {
				t.Fatal(errs)
			}
		case oldTasks:
		default:
			t.Fatalf("found a run of %d tasks, wanted %d or %d", tasks, oldTasks, newTasks)
		}
	}
	if code, _, errs := dagscope(t, "import", tiny, "-o", run); code != 0 {
		t.Fatal(errs)
	}
	wantOnly(t, dir, "new.dsr", "run.dsr")
}

// wantOnly wants nothing else in a directory: no leftovers.
func wantOnly(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, e := range entries {
		found = append(found, e.Name())
	}
	if fmt.Sprint(found) != fmt.Sprint(names) {
		t.Errorf("found %v in the directory, wanted %v", found, names)
	}
}

// TestInterruptedImport interrupts imports: they end soon, say so, and leave
// the old run.
func TestInterruptedImport(t *testing.T) {
	dir := t.TempDir()
	run := filepath.Join(dir, "run.dsr")
	if code, _, errs := dagscope(t, "import", tiny, "-o", run); code != 0 {
		t.Fatal(errs)
	}
	before := complete(t, run)
	source := filepath.Join(dir, "many")
	copyRepeated(t, source, 60)
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		cmd := exec.Command("dagscope", "import", source, "-o", run)
		var errs bytes.Buffer
		cmd.Stderr = &errs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(150 * time.Millisecond)
		begin := time.Now()
		cmd.Process.Signal(signal)
		cmd.Wait()
		if waited := time.Since(begin); waited > 10*time.Second {
			t.Errorf("%v: ended after %v", signal, waited)
		}
		refuses(t, cmd.ProcessState.ExitCode(), "", errs.String(), "interrupted")
		if tasks := complete(t, run); tasks != before {
			t.Errorf("%v: found a run of %d tasks, wanted the old one of %d", signal, tasks, before)
		}
	}
	wantOnly(t, dir, "many", "run.dsr")
}

// copyRepeated makes a trace that takes a while: the states of one many times.
func copyRepeated(t *testing.T, dir string, times int) {
	t.Helper()
	all, err := os.ReadFile(filepath.Join(tiny, "paje.trace"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "paje.trace"), bytes.Repeat(all, 20*times), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestFullDisk imports into a file size limit that a run does not fit in.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	run := filepath.Join(dir, "run.dsr")
	if code, _, errs := dagscope(t, "import", tiny, "-o", run); code != 0 {
		t.Fatal(errs)
	}
	before := complete(t, run)
	limited := exec.Command("sh", "-c", `ulimit -f 8 && exec dagscope import "$1" -o "$2"`, "sh", larger, run)
	code, out, errs := finish(t, limited)
	refuses(t, code, out, errs, "file too large", "run.dsr")
	if tasks := complete(t, run); tasks != before {
		t.Errorf("found a run of %d tasks, wanted the old one of %d", tasks, before)
	}
	wantOnly(t, dir, "run.dsr")
}

// TestFullFileSystem does the same on a file system of 64 KiB, as root only.
func TestFullFileSystem(t *testing.T) {
	dir := t.TempDir()
	if err := exec.Command("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", dir).Run(); err != nil {
		testenv.Missing(t, testenv.Mounting, err.Error(), "run as root")
	}
	defer exec.Command("umount", dir).Run()
	code, out, errs := dagscope(t, "import", larger, "-o", filepath.Join(dir, "run.dsr"))
	refuses(t, code, out, errs, "no space left", "run.dsr")
	wantOnly(t, dir)
}

// TestBadOutputs names outputs that cannot be: they are refused before the
// sources are read, and stay as they are.
func TestBadOutputs(t *testing.T) {
	dir := t.TempDir()
	file, foreign := filepath.Join(dir, "file"), filepath.Join(dir, "foreign")
	write(t, file, "precious")
	if err := os.Mkdir(foreign, 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(foreign, "thesis.tex"), "precious")
	sealed := filepath.Join(dir, "sealed")
	if err := os.Mkdir(sealed, 0o555); err != nil {
		t.Fatal(err)
	}
	cases := map[string]string{
		file: "file", foreign: "refuse to replace", filepath.Join(dir, "missing", "run.dsr"): "missing",
		filepath.Join(file, "run.dsr"): "file", "/proc/run.dsr": "/proc/run.dsr",
	}
	if os.Getuid() != 0 {
		cases[filepath.Join(sealed, "run.dsr")] = "permission denied"
	}
	for path, word := range cases {
		code, out, errs := dagscope(t, "import", tiny, "-o", path)
		refuses(t, code, out, errs, word)
	}
	wantOnly(t, dir, "file", "foreign", "sealed")
	wantOnly(t, foreign, "thesis.tex")
	if content, err := os.ReadFile(file); err != nil || string(content) != "precious" {
		t.Errorf("the file holds %q: %v", content, err)
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestBadSources names sources that cannot be read: one line says why, and no
// run appears.
func TestBadSources(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, d := range []string{"empty", "pipe", "link", "raw", "raw/fxt"} {
		if err := os.Mkdir(in(d), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	write(t, in("text"), "nothing of a trace\n")
	write(t, in("nothing"), "")
	write(t, in("prof_file_me_0"), "\x00\x00\x00\x02")
	write(t, in("raw/fxt/prof_file_me_0.zst"), "?")
	if err := os.Symlink("nowhere", in("link/paje.trace")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(in("pipe/paje.trace"), 0o666); err != nil {
		t.Fatal(err)
	}
	cases := map[string][]string{
		in("absent"): {"absent", "no such file"}, in("empty"): {"empty", "found no trace", "wanted"},
		in("text"): {"text", "nothing of a trace", "wanted"}, in("nothing"): {"nothing", "wanted"},
		in("prof_file_me_0"): {"prof_file_me_0", "want a block"}, in("raw"): {"prof_file_me_0.zst", "want a trace of FxT"},
		in("link"): {"paje.trace", "no such file"}, in("pipe"): {"found no trace"}, in("pipe/paje.trace"): {"paje.trace", "wanted"},
		"/dev/zero": {"/dev/zero", "wanted"},
	}
	if os.Getuid() != 0 {
		write(t, in("secret.trace"), "%EventDef")
		if err := os.Chmod(in("secret.trace"), 0); err != nil {
			t.Fatal(err)
		}
		cases[in("secret.trace")] = []string{"secret.trace", "permission denied"}
	}
	for source, words := range cases {
		code, out, errs := dagscope(t, "import", source, "-o", in("run.dsr"))
		refuses(t, code, out, errs, words...)
		if _, err := os.Stat(in("run.dsr")); err == nil {
			t.Errorf("%s became a run", source)
		}
	}
}

// TestOutputGone closes standard output: the answer cannot be given.
func TestOutputGone(t *testing.T) {
	dir := t.TempDir()
	run := filepath.Join(dir, "run.dsr")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	cmd := exec.Command("dagscope", "import", tiny, "-o", run)
	cmd.Stdout = w
	if code, _, errs := finish(t, cmd); code == 0 || strings.Contains(errs, "panic") {
		t.Errorf("found exit code %d and errors %q, wanted a failure", code, errs)
	}
	w.Close()
	complete(t, run) // the work was done
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		testenv.Missing(t, "/dev/full", err.Error(), "run on Linux")
	}
	defer full.Close()
	cmd = exec.Command("dagscope", "info", run)
	cmd.Stdout = full
	code, out, errs := finish(t, cmd)
	refuses(t, code, out, errs, "no space left")
}

// TestWrongUsage wants exit code 2 and what is wrong.
func TestWrongUsage(t *testing.T) {
	for _, args := range [][]string{{"import"}, {"import", "--nonsense", tiny}, {"imprt", tiny}, {"info"}} {
		if code, out, errs := dagscope(t, args...); code != 2 || out != "" || !strings.Contains(errs, "usage:") {
			t.Errorf("%v: found exit code %d, output %q, errors %q, wanted 2, nothing and the usage", args, code, out, errs)
		}
	}
	code, out, errs := dagscope(t, "import", tiny, "-o", filepath.Join(t.TempDir(), "r.dsr"), "--as", "otf")
	refuses(t, code, out, errs, "otf", "ompt", "starpu", "starvz")
	code, out, errs = dagscope(t, "import", tiny, "-o", filepath.Join(t.TempDir(), "r.dsr"), "--generation", "(")
	refuses(t, code, out, errs, "generation")
}
