package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dagscope/cli"
	"dagscope/internal/testenv"
	"dagscope/trace/store"
)

// small is how many inputs of each reader are tried as part of the tests, after
// those with long lines: a few seconds of CPU time.
const small = 12

func readersOf(t *testing.T) []reader {
	t.Helper()
	readers, err := samples(testenv.Repo(), "")
	if err != nil {
		t.Fatal(err)
	}
	return readers
}

// verdicts tries the inputs of a reader with a program, but for long lines.
func verdicts(t *testing.T, r *reader, p program, inputs int, of func(*input) bool) map[outcome][]string {
	t.Helper()
	dir := t.TempDir()
	sound := map[*sample]answer{}
	for i := range r.samples {
		a, err := ask(cli.Main, &input{sample: &r.samples[i]}, dir)
		if err != nil || a.code != 0 || a.unreadable != nil {
			t.Fatalf("%s: exit %d for the sound input: %s %v %v", r.name, a.code, a.stderr, a.unreadable, err)
		}
		sound[&r.samples[i]] = a
	}
	found, tried := map[outcome][]string{}, 0
	for in := range r.inputs(1, 100*inputs) {
		if in.giant != 0 || !of(in) {
			continue
		}
		if tried++; tried > inputs {
			break
		}
		a, err := ask(p, in, dir)
		if err != nil {
			t.Fatal(err)
		}
		s := sound[in.sample]
		o, why := judge(in, &s, &a)
		found[o] = append(found[o], fmt.Sprintf("%s, %s: %s: %s", in.file, in.how, o, why))
	}
	return found
}

func every(*input) bool { return true }

// TestConformance tries a few inputs of every reader. What takes too long or too
// much memory is left to `make conformance`.
func TestConformance(t *testing.T) {
	readers := readersOf(t)
	for i := range readers {
		t.Run(readers[i].name, func(t *testing.T) {
			found := verdicts(t, &readers[i], cli.Main, small, every)
			for _, why := range found[violated] {
				t.Error(why)
			}
			if n := len(found[refused]) + len(found[logged]) + len(found[same]) + len(found[other]) + len(found[excused]) + len(found[violated]); n != small {
				t.Errorf("tried %d inputs, want %d", n, small)
			}
		})
	}
}

// TestInputsRepeat: a seed and a number name an input, no input comes twice, and
// each kind of damage is among them.
func TestInputsRepeat(t *testing.T) {
	readers := readersOf(t)
	r := &readers[0]
	var first []string
	seen, used := map[string]bool{}, map[string]int{}
	for in := range r.inputs(7, 200) {
		s := fmt.Sprint(in.sample.name, in.file, in.packing, in.giant, string(in.content))
		if seen[s] || in.giant == 0 && bytes.Equal(in.content, in.sample.files[in.file]) {
			t.Errorf("input %d is another one, or the sound one: %s", in.number, in.how)
		}
		seen[s] = true
		first = append(first, s)
		used[in.kind.name]++
	}
	var again []string
	for in := range r.inputs(7, 200) {
		again = append(again, fmt.Sprint(in.sample.name, in.file, in.packing, in.giant, string(in.content)))
	}
	if !slices.Equal(first, again) || len(first) != 200 {
		t.Errorf("found %d and %d inputs, want the same 200", len(first), len(again))
	}
	for _, k := range kinds {
		if used[k.name] == 0 {
			t.Errorf("no input of kind %s among %v", k.name, used)
		}
	}
}

// TestTheJudgeSees: programs that break a rule are found out.
func TestTheJudgeSees(t *testing.T) {
	readers := readersOf(t)
	starpu := &readers[0]
	cuts := func(in *input) bool { return in.kind.name == "cut" && len(in.content) > 20_000 && !in.sample.states }
	run := func(args []string) string { return args[len(args)-1] }
	for _, c := range []struct {
		name, want string
		of         func(*input) bool
		p          program
	}{
		{"drops without a word", "without a warning", cuts, func(args []string, in io.Reader, stdout, stderr io.Writer) int {
			code := cli.Main(args, in, io.Discard, io.Discard)
			rewrite(t, code, run(args), func(d *store.Dir) error {
				r, err := d.Load()
				if err != nil {
					return err
				}
				r.Log.Severity.Dict, r.Log.Severity.Index, r.Log.Code.Index, r.Log.Count = nil, nil, nil, nil
				r.Log.Source.Index, r.Log.Position, r.Log.Message.Index = nil, nil, nil
				return store.Write(run(args), r)
			})
			return code
		}},
		{"warns in the log only", "standard error has none", cuts, func(args []string, in io.Reader, stdout, stderr io.Writer) int {
			return cli.Main(args, in, stdout, io.Discard)
		}},
		{"accounts for less", "are said to have been read", every, func(args []string, in io.Reader, stdout, stderr io.Writer) int {
			code := cli.Main(args, in, stdout, stderr)
			rewrite(t, code, run(args), func(d *store.Dir) error {
				r, err := d.Load()
				if err != nil {
					return err
				}
				r.Meta.Sources[0].Bytes--
				return store.Write(run(args), r)
			})
			return code
		}},
		{"obeys a name", "control bytes", every, func(args []string, in io.Reader, stdout, stderr io.Writer) int {
			fmt.Fprintf(stderr, "warning: \x1b[2J\n")
			return cli.Main(args, in, stdout, stderr)
		}},
		{"ends badly", "exit 3", every, func([]string, io.Reader, io.Writer, io.Writer) int { return 3 }},
		{"refuses without a reason", "without a line", every, func([]string, io.Reader, io.Writer, io.Writer) int { return 1 }},
		{"fails and leaves a run", "a run was left", every, func(args []string, in io.Reader, stdout, stderr io.Writer) int {
			fmt.Fprintln(stderr, "dagscope import: found something, want nothing")
			if err := os.MkdirAll(run(args), 0o777); err != nil {
				t.Error(err)
			}
			return 1
		}},
		{"writes no run", "cannot be read", every, func([]string, io.Reader, io.Writer, io.Writer) int { return 0 }},
		{"takes memory", "MiB, want at most", every, func(args []string, in io.Reader, stdout, stderr io.Writer) int {
			much := make([]byte, maxMemory+64<<20)
			for i := 0; i < len(much); i += 4096 {
				much[i] = 1
			}
			return cli.Main(args, in, stdout, stderr)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := verdicts(t, starpu, c.p, 3, c.of)
			if !slices.ContainsFunc(found[violated], func(why string) bool { return strings.Contains(why, c.want) }) {
				t.Errorf("found %v, want a violation %q", found, c.want)
			}
		})
	}
}

// rewrite changes the run that an import wrote, if it wrote one.
func rewrite(t *testing.T, code int, path string, change func(*store.Dir) error) {
	t.Helper()
	if code != 0 {
		return
	}
	d, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := change(d); err != nil {
		t.Fatal(err)
	}
}

// TestAPanicIsOfItsInput: a child that dies leaves the input that it was at, and
// the next goes on behind it.
func TestAPanicIsOfItsInput(t *testing.T) {
	if os.Getenv("CONFORM_CHILD") != "" {
		c := campaign{count: 6, seed: 1, only: -1}
		for i, a := range os.Args {
			if a == "-from" {
				fmt.Sscan(os.Args[i+1], &c.from)
			}
		}
		readers := readersOf(t)
		r := reader{name: "tables", samples: readers[len(readers)-1].samples}
		calls := c.from
		err := c.try(&r, func(args []string, in io.Reader, stdout, stderr io.Writer) int {
			if calls++; calls == c.from+1+len(r.samples)+2 { // the third damaged input of each child
				go panic("as asked for")
				select {}
			}
			return cli.Main(args, in, stdout, stderr)
		}, os.Stdout)
		if err != nil {
			t.Fatal(err)
		}
		os.Exit(0)
	}
	t.Setenv("CONFORM_CHILD", "1")
	c := campaign{count: 6, seed: 1, only: -1, keep: t.TempDir(), command: []string{"-test.run=^TestAPanicIsOfItsInput$", "--"}}
	readers := readersOf(t)
	l, err := c.one(&reader{name: "tables", samples: readers[len(readers)-1].samples})
	if err != nil {
		t.Fatal(err)
	}
	if l.inputs != 6 || l.violations != 2 {
		t.Errorf("found %d inputs and %d violations, want 6 and 2", l.inputs, l.violations)
	}
	kept, err := filepath.Glob(c.keep + "/*/grain.csv")
	if err != nil || len(kept) != 2 {
		t.Errorf("found %q, %v, want the two inputs that ended a child", kept, err)
	}
}
