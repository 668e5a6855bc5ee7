package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"dagscope/cli"
	"dagscope/internal/testenv"

	"github.com/spf13/cobra"
)

func pages(t *testing.T) (dir string, files []string) {
	t.Helper()
	dir = t.TempDir()
	if err := write(dir, "2026-11-22", cli.Command()); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.1"))
	if err != nil {
		t.Fatal(err)
	}
	return dir, files
}

// Every verb has a page, with each of its options.
func TestPages(t *testing.T) {
	dir, files := pages(t)
	count := 0
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		count++
		text, err := os.ReadFile(filepath.Join(dir, name(cmd)+".1"))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(cmd.LocalFlags().FlagUsages()) {
			if _, option, ok := strings.Cut(line, "--"); ok && strings.HasPrefix(strings.TrimSpace(line), "-") {
				option = strings.FieldsFunc(option, func(r rune) bool { return r == ' ' || r == '[' || r == '\n' })[0]
				if !strings.Contains(string(text), `\fB`+literal("--"+option)+`\fR`) {
					t.Errorf("%s: the page has no --%s", cmd.CommandPath(), option)
				}
			}
		}
		for _, verb := range verbs(cmd) {
			check(verb)
		}
	}
	check(cli.Command())
	if count < 30 || len(files) != count {
		t.Errorf("found %d pages of %d commands", len(files), count)
	}
}

// Lines that begin with what roff takes for a request are text.
func TestPlainText(t *testing.T) {
	var b strings.Builder
	paragraphs(&b, ".SH is\n'no request\n\n  --indented \\n ~ lines\nthen none")
	want := ".PP\n\\&.SH is\n\\&'no request\n.PP\n.nf\n  \\-\\-indented \\en \\(ti lines\n.fi\nthen none\n"
	if b.String() != want {
		t.Errorf("found %q, want %q", b.String(), want)
	}
}

func TestMandocAccepts(t *testing.T) {
	mandoc := testenv.Need(t, "install mandoc", "mandoc")
	_, files := pages(t)
	if out, err := exec.Command(mandoc, append([]string{"-T", "lint", "-W", "error"}, files...)...).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
