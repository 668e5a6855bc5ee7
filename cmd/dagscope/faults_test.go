//go:build linux && amd64

package main

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"dagscope/internal/faulty"
	"dagscope/internal/testenv"
)

// These tests let every system call that changes a file fail, one at a time, and
// kill the program at each of them. Afterwards there is what was there before, or
// what an undisturbed run leaves, and nothing else that the next run does not
// remove.

var faultsMost = flag.Int("faults", 4, "how many calls of a command fail at most, with slow tests: make faults has 150")

// writing is a command that writes.
type writing struct {
	name    string // row of the table in docs/reference/faults.md
	args    []string
	prepare [][]string // commands that make what is there before
	target  string     // what is written
	stdout  string     // file below the directory that standard output is, "" for none
	env     []string
	quick   bool                                  // also without slow tests
	steps   bool                                  // several things are written one after the other: each is old or new, and going on ends where an undisturbed run does
	normal  func(name string, text []byte) []byte // [snapper]
}

// writings are all commands of the table.
func writings(t *testing.T) []writing {
	t.Helper()
	one, other := testenv.Repo("testdata/starpu/native-chol-tiny"), testenv.Repo("testdata/starpu/sg-mirage-n12-dmdas")
	spec := filepath.Join(t.TempDir(), "spec.yaml")
	write(t, spec, choleskySpec)
	run, second := filepath.Join(t.TempDir(), "run.dsr"), filepath.Join(t.TempDir(), "second.dsr")
	for source, out := range map[string]string{one: run, other: second} {
		if code, _, errs := dagscope(t, "import", source, "-o", out); code != 0 {
			t.Fatal(errs)
		}
	}
	matrix := testenv.Repo("testdata/reference/sparse/matrices/TF14.mtx.gz")
	all := []writing{
		{name: "import, new name", args: []string{"import", one, "-o", "r.dsr"}, target: "r.dsr"},
		{name: "import, over a run", quick: true, args: []string{"import", one, "-o", "r.dsr"}, prepare: [][]string{{"import", other, "-o", "r.dsr"}}, target: "r.dsr"},
		{name: "simulate -o, over a run", args: []string{"simulate", spec, "-o", "r.dsr"}, prepare: [][]string{{"import", one, "-o", "r.dsr"}}, target: "r.dsr"},
		{name: "strip, over a run", args: []string{"strip", run, "-o", "r.dsr"}, prepare: [][]string{{"simulate", spec, "-o", "r.dsr"}}, target: "r.dsr"},
		{name: "archive, new name", args: []string{"archive", run, "-o", "a"}, target: "a"},
		{name: "archive, over an archive", args: []string{"archive", run, "-o", "a"}, prepare: [][]string{{"archive", "--anonymous", run, "-o", "a"}}, target: "a"},
		{name: "archive --anonymous", args: []string{"archive", "--anonymous", run, "-o", "a"}, target: "a"},
		{name: "sweep", args: []string{"sweep", spec, "--over", "seed=1..4", "-o", "c", "--jobs", "2"}, target: "c", steps: true, normal: withoutTimes},
		{name: "sweep, more points", quick: true, args: []string{"sweep", spec, "--over", "seed=1..4", "-o", "c", "--jobs", "2"},
			prepare: [][]string{{"sweep", spec, "--over", "seed=1,2", "-o", "c"}}, target: "c", steps: true, normal: withoutTimes},
		{name: "sweep --fresh", args: []string{"sweep", spec, "--over", "seed=1..3", "-o", "c", "--fresh"},
			prepare: [][]string{{"sweep", spec, "--over", "platform.cpus=1,2", "-o", "c"}}, target: "c", steps: true, normal: withoutTimes},
		{name: "sweep --keep-runs", args: []string{"sweep", spec, "--over", "seed=1,2", "-o", "c", "--keep-runs"}, target: "c", steps: true, normal: withoutTimes},
		{name: "query --parquet", quick: true, args: []string{"query", run, "SELECT * FROM tasks", "--parquet", "q.parquet"},
			prepare: [][]string{{"query", run, "SELECT 1 AS one", "--parquet", "q.parquet"}}, target: "q.parquet"},
		{name: "query --csv > file", args: []string{"query", run, "SELECT * FROM tasks", "--csv"}, stdout: "out"},
		{name: "report > file", args: []string{"report", run}, stdout: "out"},
		{name: "sparse analyze", args: []string{"sparse", "analyze", matrix, "--fronts", "fronts.csv", "--tasks", "tasks.csv.gz", "--write-perm", "perm.csv", "--tree", "tree.svg", "--json"},
			prepare: [][]string{{"sparse", "analyze", matrix, "--ordering", "natural", "--fronts", "fronts.csv", "--tree", "tree.svg"}}, steps: true},
		{name: "calibrate", args: []string{"calibrate", run, "-o", "models.yaml"}, prepare: [][]string{{"calibrate", second, "-o", "models.yaml"}}, target: "models.yaml"},
	}
	for _, format := range []string{"svg", "png", "pdf", "gif"} {
		file := "f." + format
		panels := []string{"--panels", "st"}
		if format == "gif" {
			panels = []string{"--panels", "snapshot", "--frames", "2"}
		}
		all = append(all, writing{name: "plot -o " + file, args: append([]string{"plot", run, "-o", file}, panels...),
			prepare: [][]string{append([]string{"plot", run, "-o", file, "--width", "300"}, panels...)}, target: file})
	}
	return all
}

// trial is a command with the states that it may leave.
type trial struct {
	writing
	snapper
	root, dir, template string
	program             string
	before, after       files
	calls               []faulty.Call
}

// newTrial makes what is there before, and counts the calls of an undisturbed run.
func newTrial(t *testing.T, w writing) *trial {
	t.Helper()
	path, err := exec.LookPath("dagscope")
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f := &trial{writing: w, snapper: snapper{w.normal}, root: filepath.Join(root, "world"), template: filepath.Join(root, "template"), program: path}
	f.dir = filepath.Join(f.root, "dir")
	for _, d := range []string{"dir", "tmp"} {
		if err := os.MkdirAll(filepath.Join(f.template, d), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range w.prepare {
		cmd := exec.Command(path, args...)
		cmd.Dir = filepath.Join(f.template, "dir")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
	}
	f.reset(t)
	f.before = f.snapshot(t, f.root)
	r := f.run(t, faulty.Fault{})
	if r.Code != 0 || len(r.Calls) == 0 {
		t.Fatalf("found exit code %d, %d calls: %s", r.Code, len(r.Calls), r.Stderr)
	}
	f.calls, f.after = r.Calls, f.snapshot(t, f.root)
	if maps.Equal(f.before, f.after) {
		t.Fatal("the command changes nothing: the test could not fail")
	}
	return f
}

// reset makes what was there before.
func (f *trial) reset(t *testing.T) {
	t.Helper()
	if err := os.RemoveAll(f.root); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(f.root, os.DirFS(f.template)); err != nil {
		t.Fatal(err)
	}
}

func (f *trial) run(t *testing.T, fault faulty.Fault) faulty.Result {
	t.Helper()
	p := faulty.Program{Path: f.program, Args: f.args, Dir: f.dir, Under: f.root,
		Env: append(append(os.Environ(), "TMPDIR="+filepath.Join(f.root, "tmp"), "GOTMPDIR="+os.TempDir()), f.env...)} // what go leaves is not ours
	if f.stdout != "" {
		p.Stdout = filepath.Join(f.dir, f.stdout)
	}
	r, err := faulty.Run(p, fault)
	if errors.Is(err, faulty.ErrUnsupported) {
		testenv.Missing(t, "the right to trace programs (ptrace, seccomp)", err.Error(), "run where ptrace is allowed")
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// leftovers are names that neither state has.
func (f *trial) leftovers(now files) (names []string) {
	for name := range now {
		if f.before[name] == "" && f.after[name] == "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// whole reports whether each file is that of one of the states, and all are of
// the same one where the command writes one thing.
func (f *trial) whole(now files) bool {
	rest := maps.Clone(now)
	for _, name := range f.leftovers(now) {
		delete(rest, name)
	}
	return maps.Equal(rest, f.before) || maps.Equal(rest, f.after) || f.steps
}

// reason is what an error says in words.
var reason = map[syscall.Errno]string{
	syscall.ENOSPC: "no space left on device", syscall.EDQUOT: "disk quota exceeded", syscall.EIO: "input/output error",
}

// fails lets a call fail and says what is wrong with how the program takes it.
func (f *trial) fails(t *testing.T, fault faulty.Fault) (wrong []string, hit *faulty.Call) {
	t.Helper()
	f.reset(t)
	r := f.run(t, fault)
	now := f.snapshot(t, f.root)
	complain := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if r.Hit == nil {
		if r.Code != 0 || !maps.Equal(now, f.after) {
			complain("no call failed, and found exit code %d, %s: %s", r.Code, now.differences(f.after), r.Stderr)
		}
		return wrong, nil
	}
	switch {
	case r.Code == 0 && maps.Equal(now, f.after): // what failed did not matter
	case r.Code != 1:
		complain("found exit code %d (%s)", r.Code, now.differences(f.after))
	case strings.Count(r.Stderr, "\n") != 1 || !strings.Contains(r.Stderr, reason[fault.Errno]):
		complain("found errors %q, want one line with %q", r.Stderr, reason[fault.Errno])
	case f.target != "" && !strings.Contains(r.Stderr, f.target):
		complain("found error %q, want it to name %s", r.Stderr, f.target)
	}
	if r.Code == 1 && f.target != "" && !f.steps {
		rest := maps.Clone(now)
		for _, name := range f.leftovers(now) {
			delete(rest, name)
		}
		if !maps.Equal(rest, f.before) && !(maps.Equal(rest, f.after) && strings.Contains(r.Stderr, "the new one is in place")) {
			complain("found neither what was there before (%s) nor that the new one is in place: %s", rest.differences(f.before), r.Stderr)
		}
	}
	left := f.leftovers(now)
	if len(left) > 0 && !(r.Hit.Removes()) {
		complain("left %q: %s", left, r.Stderr)
	}
	if f.steps || len(left) > 0 {
		wrong = append(wrong, f.goesOn(t)...)
	}
	return wrong, r.Hit
}

// dies kills the program and says what is wrong with what is left.
func (f *trial) dies(t *testing.T, fault faulty.Fault) (wrong []string, hit *faulty.Call) {
	t.Helper()
	f.reset(t)
	r := f.run(t, fault)
	now := f.snapshot(t, f.root)
	if r.Hit == nil {
		return nil, nil
	}
	if f.target != "" && !f.whole(now) {
		wrong = append(wrong, fmt.Sprintf("found neither old (%s) nor new (%s)", now.differences(f.before), now.differences(f.after)))
	}
	return append(wrong, f.goesOn(t)...), r.Hit
}

// goesOn runs the command once more, which must end as if nothing had been.
func (f *trial) goesOn(t *testing.T) (wrong []string) {
	t.Helper()
	r := f.run(t, faulty.Fault{})
	now := f.snapshot(t, f.root)
	if r.Code != 0 || !maps.Equal(now, f.after) {
		wrong = append(wrong, fmt.Sprintf("the next run ends with code %d and %s: %s", r.Code, now.differences(f.after), r.Stderr))
	}
	return wrong
}

// numbers are up to most of 1 to n, evenly.
func numbers(n, most int) []int {
	var all []int
	for k := range min(n, most) {
		all = append(all, 1+k*n/min(n, most))
	}
	return all
}

// kinds are the columns of the table.
var kinds = []faulty.Fault{
	{Mode: faulty.Once, Errno: syscall.ENOSPC}, {Mode: faulty.Once, Errno: syscall.EDQUOT}, {Mode: faulty.Once, Errno: syscall.EIO},
	{Mode: faulty.Full, Errno: syscall.ENOSPC}, {Mode: faulty.Kill}, {Mode: faulty.Torn},
}

func title(f faulty.Fault) string {
	switch f.Mode {
	case faulty.Full:
		return "disk full"
	case faulty.Kill:
		return "killed before"
	case faulty.Torn:
		return "killed in"
	}
	return map[syscall.Errno]string{syscall.ENOSPC: "ENOSPC", syscall.EDQUOT: "EDQUOT", syscall.EIO: "EIO"}[f.Errno]
}

// TestFaults lets calls fail. Without the slow tests it takes some calls of some
// commands.
func TestFaults(t *testing.T) {
	most := 3
	if os.Getenv(testenv.SlowVariable) != "" {
		most = *faultsMost
	}
	for _, w := range writings(t) {
		t.Run(w.name, func(t *testing.T) {
			if !w.quick {
				testenv.Slow(t)
			}
			f := newTrial(t, w)
			for _, kind := range kinds {
				injected, violations, said := 0, 0, map[string]bool{}
				for _, n := range numbers(len(f.calls), most) {
					fault := kind
					fault.At = n
					try := f.fails
					if kind.Mode == faulty.Kill || kind.Mode == faulty.Torn {
						try = f.dies
					}
					wrong, hit := try(t, fault)
					if hit != nil {
						injected++
					}
					for _, line := range wrong {
						what := "none"
						if hit != nil {
							what = hit.String()
						}
						if key := what + line; !said[key] {
							said[key] = true
							violations++
							t.Errorf("%v (%s): %s", fault, what, line)
						}
					}
				}
				count(w.name, kind, injected, violations, len(f.calls))
				t.Logf("%s: %d of %d calls", title(kind), injected, len(f.calls))
			}
		})
	}
}

// TestFaultsRecord records a program while calls of the program or of dagscope
// fail, or while both are killed: the old run is there, or a whole one. What was
// recorded and not imported is in the folder that the error names, or that the next
// record refuses to overwrite.
func TestFaultsRecord(t *testing.T) {
	testenv.Slow(t)
	bin, cache := t.TempDir(), t.TempDir()
	program := filepath.Join(bin, "program")
	compile(t, program, "clang", "clang-22", "clang-19", "clang-16", "clang-15", "clang-14")
	w := writing{name: "record, over a run", args: []string{"record", "-o", "r.dsr", "--", program, "quiet"}, target: "r.dsr",
		prepare: [][]string{{"import", testenv.Repo("testdata/starpu/native-chol-tiny"), "-o", "r.dsr"}},
		env:     []string{"XDG_CACHE_HOME=" + cache, "OMP_NUM_THREADS=2"}}
	f := newTrial(t, w) // builds the recorder, too
	f.reset(t)
	f.calls = f.run(t, faulty.Fault{}).Calls
	for _, kind := range kinds {
		injected, violations, kept := 0, 0, 0
		for _, n := range numbers(len(f.calls), *faultsMost) {
			fault := kind
			fault.At = n
			f.reset(t)
			r := f.run(t, fault)
			if r.Hit == nil {
				continue
			}
			injected++
			now := f.snapshot(t, f.root)
			left := f.leftovers(now)
			folder := slices.ContainsFunc(left, func(name string) bool { return strings.HasPrefix(name, "dir/r.dsom") })
			old := f.holds(now, "dir/r.dsr", f.before)
			if !old {
				complete(t, filepath.Join(f.dir, "r.dsr"))
			}
			killed := kind.Mode == faulty.Kill || kind.Mode == faulty.Torn
			// The recorder's file says that there was no room, not why.
			says := strings.Contains(strings.ToLower(r.Stderr), strings.ToLower(reason[fault.Errno])) || strings.Contains(r.Stderr, "no room for events")
			complain := func(format string, args ...any) {
				violations++
				t.Errorf("%v (%v): %s; found exit code %d and %s", fault, r.Hit, fmt.Sprintf(format, args...), r.Code, r.Stderr)
			}
			if folder {
				kept++
			}
			switch {
			case killed:
			case r.Code == 0 && old, r.Code != 0 && r.Code != 1:
				complain("wanted the new run and exit code 0, or 1")
			case r.Code == 0 && !strings.Contains(r.Stderr, "53 tasks") && !says && !strings.Contains(r.Stderr, "import log"):
				complain("lost tasks without a word")
			case r.Code == 1 && !old && !strings.Contains(r.Stderr, "the new one is in place"), r.Code == 1 && !says:
				complain("wanted the old run, and the reason")
			case folder && !strings.Contains(r.Stderr, "r.dsom"):
				complain("left %q without a word", left)
			case len(left) > 0 && !folder && !r.Hit.Removes():
				complain("left %q", left)
			}
			if !folder && len(left) == 0 {
				continue
			}
			next := f.run(t, faulty.Fault{})
			if next.Code == 1 && folder && strings.Contains(next.Stderr, "earlier recording") {
				if err := os.RemoveAll(filepath.Join(f.dir, "r.dsom")); err != nil {
					t.Fatal(err)
				}
				next = f.run(t, faulty.Fault{})
			}
			if left := f.leftovers(f.snapshot(t, f.root)); next.Code != 0 || len(left) > 0 {
				complain("the next run ends with code %d, %s and %q", next.Code, next.Stderr, left)
			}
			complete(t, filepath.Join(f.dir, "r.dsr"))
		}
		count(w.name, kind, injected, violations, len(f.calls))
		t.Logf("%s: %d of %d calls, %d recordings kept", title(kind), injected, len(f.calls), kept)
	}
}

// holds reports whether the files below a name are those of a state.
func (f *trial) holds(now files, name string, state files) bool {
	of := func(all files) files {
		below := files{}
		for path, sum := range all {
			if path == name || strings.HasPrefix(path, name+"/") {
				below[path] = sum
			}
		}
		return below
	}
	return maps.Equal(of(now), of(state))
}

// TestFaultsTable writes the table of what the tests above did, if that is asked for.
func TestFaultsTable(t *testing.T) {
	page := testenv.Setting(t, "DAGSCOPE_FAULTS_TABLE", "the page whose table is written")
	if len(table) == 0 {
		t.Fatal("found no counts, want TestFaults to run before")
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), tableBegins)
	_, after, ends := strings.Cut(rest, tableEnds)
	if !ok || !ends {
		t.Fatalf("%s: found no %q and %q", page, tableBegins, tableEnds)
	}
	var b strings.Builder
	b.WriteString("| command | calls |")
	for _, k := range kinds {
		b.WriteString(" " + title(k) + " |")
	}
	b.WriteString(" not as promised |\n|--|--:|" + strings.Repeat("--:|", len(kinds)) + "--:|\n")
	total := 0
	for _, c := range table {
		fmt.Fprintf(&b, "| `%s` | %d |", c.name, c.calls)
		for _, k := range kinds {
			fmt.Fprintf(&b, " %d |", c.injected[title(k)])
			total += c.injected[title(k)]
		}
		fmt.Fprintf(&b, " %d |\n", c.violations)
	}
	fmt.Fprintf(&b, "\n%d faults in all.\n", total)
	if err := os.WriteFile(page, []byte(before+tableBegins+b.String()+tableEnds+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
