package store

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"dagscope/internal/wholefile"
)

// childEnv makes the test binary do a task of its own: "write PATH" forever,
// or whatever else registers in children.
const childEnv = "DAGSCOPE_STORE_CHILD"

var children = map[string]func(path string) error{
	"write":   writeForever,
	"nothing": func(string) error { return nil },
}

func TestMain(m *testing.M) {
	if task, path, ok := strings.Cut(os.Getenv(childEnv), " "); ok {
		if err := children[task](path); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func child(t *testing.T, task, path string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), childEnv+"="+task+" "+path)
	cmd.Stderr = os.Stderr
	return cmd
}

const childRows = 300

func writeForever(path string) error {
	fmt.Println("ready")
	for seed := int64(1); ; seed++ {
		if err := Write(path, smallRun(childRows, seed)); err != nil {
			return err
		}
	}
}

// deadPid is the number of a process that has just ended.
func deadPid(t *testing.T) int {
	t.Helper()
	cmd := child(t, "nothing", "")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid
}

// Whenever a writer is killed, the path holds a whole run.
func TestKilledWriter(t *testing.T) {
	parent := t.TempDir()
	path := filepath.Join(parent, "r.dsr")
	began := time.Now()
	mustWrite(t, path, smallRun(childRows, 0))
	span := 200*time.Millisecond + 4*time.Since(began) // in which a busy machine writes some runs too
	seen, leftovers := map[int64]bool{}, 0
	for range 25 {
		cmd := child(t, "write", path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
			t.Fatalf("child says %q, %v", line, err)
		}
		time.Sleep(rand.N(span))
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
			t.Fatalf("child ended by itself: %v", err)
		}
		seed := checkWhole(t, path)
		seen[seed] = true
		leftovers += len(list(t, parent)) - 1
	}
	if len(seen) < 2 || leftovers == 0 {
		t.Errorf("runs %v, %d leftovers: the kills hit no writer at work", seen, leftovers)
	}
	mustWrite(t, path, smallRun(1, 0))
	if left := list(t, parent); len(left) != 1 {
		t.Errorf("leftovers of dead writers remain: %q", left)
	}
}

func checkWhole(t *testing.T, path string) (seed int64) {
	t.Helper()
	d := mustOpen(t, path)
	if err := d.Verify(); err != nil {
		t.Fatal(err)
	}
	seed = d.Meta().Origin
	if diff := diffRuns(smallRun(childRows, seed), mustLoad(t, path)); diff != "" {
		t.Fatal(diff)
	}
	return seed
}

func TestReplace(t *testing.T) {
	parent := t.TempDir()
	path := filepath.Join(parent, "r.dsr")
	for seed := range int64(3) {
		mustWrite(t, path, smallRun(5, seed))
		if got := mustOpen(t, path).Meta().Origin; got != seed {
			t.Errorf("run %d is in place, want %d", got, seed)
		}
	}
	empty := filepath.Join(parent, "empty.dsr")
	if err := os.Mkdir(empty, 0o777); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, empty, smallRun(5, 1))
	link := filepath.Join(parent, "link.dsr")
	if err := os.Symlink("r.dsr", link); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, link+"/", smallRun(5, 9))
	if got := mustOpen(t, path).Meta().Origin; got != 9 {
		t.Errorf("writing through a link left run %d, want 9", got)
	}
	if left := list(t, parent); !sameStrings(left, []string{"empty.dsr", "link.dsr", "r.dsr"}) {
		t.Errorf("left are %q", left)
	}
}

func TestRefuseToReplace(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	mustWrite(t, filepath.Join(dir, "noted.dsr"), smallRun(2, 0))
	for want, path := range map[string]string{
		"not a run directory: no manifest.json": filepath.Dir(file("home/thesis.tex", "x")),
		"manifest has format \"\"":              filepath.Dir(file("web/manifest.json", "{}")),
		"not a directory":                       file("plain", "x"),
		"notes.txt, which is no part":           filepath.Dir(file("noted.dsr/notes.txt", "x")),
		"no such file":                          filepath.Join(dir, "none", "r.dsr"),
		"empty path":                            "",
	} {
		if err := CheckTarget(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("check %q: error is %v, want %q", path, err, want)
		}
		before := list(t, dir)
		if err := Write(path, smallRun(2, 1)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("write %q: error is %v, want %q", path, err, want)
		}
		if after := list(t, dir); !sameStrings(before, after) {
			t.Errorf("write %q left %q", path, after)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "home/thesis.tex")); err != nil {
		t.Error(err)
	}
}

// A replacement by two renames that was killed between them loses nothing.
func TestInterruptedReplacement(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.dsr")
	mustWrite(t, path, smallRun(2, 2))
	lost := leftover(path, ".old-", deadPid(t))
	if err := os.Rename(path, lost); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path); err == nil || !strings.Contains(err.Error(), lost) {
		t.Errorf("error is %v, want it to name %s", err, lost)
	}
	if err := wholefile.Clear(path); err != nil {
		t.Fatal(err)
	}
	if got := mustOpen(t, path).Meta().Origin; got != 2 {
		t.Errorf("run %d came back, want 2", got)
	}
}

// leftover is the name of what a process of this machine left next to path.
func leftover(path, kind string, pid int) string {
	mine := wholefile.Beside(path)
	return path + kind + strconv.Itoa(pid) + mine[strings.LastIndex(mine, "-"):]
}

// Directories of living writers, of writers on other machines, and anything
// else with a similar name stay.
func TestLeftovers(t *testing.T) {
	parent := t.TempDir()
	path := filepath.Join(parent, "r.dsr")
	dead := deadPid(t)
	for name, stays := range map[string]bool{
		leftover("r.dsr", ".tmp-", dead):                        false,
		leftover("r.dsr", ".old-", dead):                        false,
		leftover("r.dsr", ".tmp-", os.Getpid()):                 true,
		leftover("r.dsr", ".tmp-", os.Getppid()):                true,
		leftover("other.dsr", ".tmp-", dead):                    true,
		"r.dsr.tmp-" + strconv.Itoa(dead) + "-0000000012345678": true, // of another machine
		"r.dsr.tmp-notes":                                       true,
	} {
		dir := filepath.Join(parent, name)
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		mustWrite(t, path, smallRun(1, 0))
		if _, err := os.Stat(dir); (err == nil) != stays {
			t.Errorf("%s: stat says %v, want it to stay: %v", name, err, stays)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
}
