package faulty

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"dagscope/internal/testenv"
)

// shell is a program of six calls: it creates a file, writes to it, renames it,
// makes a directory, and copies in a child.
func shell(t *testing.T) (Program, string) {
	t.Helper()
	sh := testenv.Need(t, "install a shell", "sh")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return Program{Path: sh, Args: []string{"-ec", "echo hello >a; mv a b; mkdir c; (cp b c/d)"}, Dir: dir, Under: dir}, dir
}

func mustRun(t *testing.T, p Program, f Fault) Result {
	t.Helper()
	r, err := Run(p, f)
	if errors.Is(err, ErrUnsupported) {
		testenv.Missing(t, "the right to trace programs (ptrace, seccomp)", err.Error(), "run where ptrace is allowed")
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// number is that of the first call whose text begins so.
func number(t *testing.T, r Result, prefix string) int {
	t.Helper()
	at := slices.IndexFunc(r.Calls, func(c Call) bool { return strings.HasPrefix(c.String(), prefix) })
	if at < 0 {
		t.Fatalf("found no call %s in %v", prefix, r.Calls)
	}
	return at + 1
}

func TestRun(t *testing.T) {
	p, dir := shell(t)
	whole := mustRun(t, p, Fault{})
	if whole.Code != 0 || whole.Stderr != "" {
		t.Fatalf("found exit code %d, %s", whole.Code, whole.Stderr)
	}
	for _, name := range []string{"open", "write a", "rename", "mkdir"} {
		number(t, whole, name)
	}
	text, err := os.ReadFile(filepath.Join(dir, "c", "d"))
	if err != nil || string(text) != "hello\n" {
		t.Errorf("found %q, %v in the copy of the child", text, err)
	}
	elsewhere := p
	elsewhere.Under = filepath.Join(dir, "none")
	os.RemoveAll(filepath.Join(dir, "c"))
	if r := mustRun(t, elsewhere, Fault{}); len(r.Calls) != 0 {
		t.Errorf("found calls %v below another directory", r.Calls)
	}
}

// Each fault has its effect: the error of the program, its signal, and what is in
// the file.
func TestFault(t *testing.T) {
	for _, x := range []struct {
		call   string
		fault  Fault
		code   int
		stderr string
		a, b   string // texts, "-" for no file
	}{
		{"write a", Fault{Mode: Once, Errno: syscall.ENOSPC}, 2, "", "", "-"},
		{"write a", Fault{Mode: Full, Errno: syscall.ENOSPC}, 2, "", "hel", "-"},
		{"write a", Fault{Mode: Kill}, -1, "", "", "-"},
		{"write a", Fault{Mode: Torn}, -1, "", "hel", "-"},
		{"rename", Fault{Mode: Once, Errno: syscall.EIO}, 1, "Input/output error", "hello\n", "-"},
		{"rename", Fault{Mode: Kill}, -1, "", "hello\n", "-"},
		{"rename", Fault{Mode: Torn}, -1, "", "-", "hello\n"},
		{"mkdir", Fault{Mode: Once, Errno: syscall.EDQUOT}, 1, "quota", "-", "hello\n"},
	} {
		p, dir := shell(t)
		count := mustRun(t, p, Fault{})
		for _, name := range []string{"a", "b", "c"} {
			os.RemoveAll(filepath.Join(dir, name))
		}
		x.fault.At = number(t, count, x.call)
		r := mustRun(t, p, x.fault)
		if r.Hit == nil || !strings.HasPrefix(r.Hit.String(), x.call) {
			t.Errorf("%s, %v: found %v", x.call, x.fault, r.Hit)
		}
		if (r.Code == 0) != (x.code == 0) || (r.Code < 0) != (x.code < 0) || !strings.Contains(r.Stderr, x.stderr) {
			t.Errorf("%s, %v: found exit code %d, %q, want %d, %q", x.call, x.fault, r.Code, r.Stderr, x.code, x.stderr)
		}
		if r.Code < 0 && r.Signal != syscall.SIGKILL {
			t.Errorf("%s, %v: found %v", x.call, x.fault, r.Signal)
		}
		for name, want := range map[string]string{"a": x.a, "b": x.b} {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if got := string(text); err != nil != (want == "-") || err == nil && got != want {
				t.Errorf("%s, %v: found %q, %v in %s, want %q", x.call, x.fault, got, err, name, want)
			}
		}
	}
}
