package anonymous_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"dagscope/trace"
	"dagscope/trace/anonymous"
	"dagscope/trace/tracetest"
)

// Texts that say who and where change; those that only look so do not.
func TestTexts(t *testing.T) {
	for text, want := range map[string]string{
		"GEMM": "GEMM", "GB/s": "GB/s", "read/write": "read/write", "1/2": "1/2", "rooted": "rooted", "annabelle": "annabelle",
		"/home/anna/a.c": "a.c", "main@/opt/src/b.c:12": "main@b.c:12", "src/lib/c.f90": "c.f90", "../x/prof": "prof", "~anna/d.h": "d.h",
		`D:\work\e.cpp`: "e.cpp", "anna": "user1", "ANNA's": "user1's", "N7.site.org": "host2", "on n7, rank 1": "on host1, rank 1",
		"file:///home/anna/f.c": "file://f.c", "cases/big": "big", "two words/g.c": "two g.c",
		"/home/anna/My Docs/secret plan/x.c": "x.c", "@/scratch(bob)/plan/x.c": "@x.c", "lib.so(/lustre/erin/z.c)": "lib.so(z.c)",
		"$HOME/ida/z": "z", "${WORK}/ida/z": "z", ".../ida/z": "z", "from /a/b.c to /c/d.c": "from b.c to d.c",
		`\\fileserv\share\x.c`: "x.c", `C:\My Docs\plan\y.c`: "y.c", "C:/My Docs/plan/z.c": "C:z.c",
	} {
		run := tracetest.Tiny()
		run.Meta.Environment = map[string]string{"host": "n7.site.org", "directory": "/home/anna/cases/today"}
		at := run.Task.Kind.Intern(text)
		run.Task.Kind.Index[0] = at
		if err := anonymous.Strip(run); err != nil {
			t.Fatal(err)
		}
		if got := run.Task.Kind.At(0); got != want {
			t.Errorf("%q: found %q, want %q", text, got, want)
		}
	}
}

// Kinds that differ in nothing but their directory stay different, and the one
// that says nothing keeps its name. Keys of rows change too.
func TestDifferentStayDifferent(t *testing.T) {
	run := tracetest.Tiny()
	for row, text := range []string{"/a/x.c", "/b/x.c", "x.c"} {
		run.Task.Kind.Index[row] = run.Task.Kind.Intern(text)
	}
	run.Meta.Colors = map[string]string{"/b/x.c": "#123456"}
	keys := trace.Keys{}
	for row := range run.Task.Key.Code {
		keys.AppendString(map[bool]string{true: "/home/anna/t7", false: run.Task.Key.At(row)}[row == 0])
	}
	run.Task.Key = keys
	if err := anonymous.Strip(run); err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for row := range 3 {
		kinds = append(kinds, run.Task.Kind.At(row))
	}
	if want := []string{"x.c (2)", "x.c (3)", "x.c"}; !slices.Equal(kinds, want) || run.Meta.Colors["x.c (3)"] != "#123456" {
		t.Errorf("found %q, colours %v, want %q", kinds, run.Meta.Colors, want)
	}
	if got := run.Task.Key.At(0); got != "t7" {
		t.Errorf("found key %q, want t7", got)
	}
}

// What decides how a run is computed with stays, and nothing else of the environment.
func TestEnvironment(t *testing.T) {
	run := tracetest.Tiny()
	run.Meta.Environment = map[string]string{"scheduler": "lws", "seed": "7", "DAGSCOPE_OMPT_START": "paused", "OMP_NUM_THREADS": "2", "machine": "mine", "kernel": "Linux 6"}
	run.Meta.Platform = &trace.Platform{Host: "mine", Machine: "name: mine\nworkers:\n- {arch: cpu}\n"}
	if err := anonymous.Strip(run, "eve"); err != nil {
		t.Fatal(err)
	}
	if got := slices.Sorted(maps.Keys(run.Meta.Environment)); !slices.Equal(got, []string{"DAGSCOPE_OMPT_START", "scheduler", "seed"}) {
		t.Errorf("found %v", got)
	}
	if m := run.Meta.Platform.Machine; strings.Contains(m, "mine") || !strings.Contains(m, "arch: cpu") {
		t.Errorf("found machine %q", m)
	}
}

// The host of a run is found among those of its models, though none keeps its
// name.
func TestHostsOfModels(t *testing.T) {
	run := tracetest.Tiny()
	run.Meta.Platform = &trace.Platform{Host: "mirage"}
	m := &run.Model
	for _, host := range []string{"attila", "mirage"} {
		m.Symbol.Append("gemm")
		m.Host.Append(host)
		m.Arch.Append("cpu")
		m.Device, m.Cores, m.Impl = append(m.Device, 0), append(m.Cores, 1), append(m.Impl, 0)
		m.Footprint, m.Bytes, m.GFlop = append(m.Footprint, 1), append(m.Bytes, 1), append(m.GFlop, 1)
		m.Mean, m.Deviation, m.Count = append(m.Mean, 1), append(m.Deviation, 0), append(m.Count, 1)
	}
	if err := anonymous.Strip(run); err != nil {
		t.Fatal(err)
	}
	own := run.Meta.Platform.Host
	if own == "mirage" || own == "" || m.Host.At(1) != own || m.Host.At(0) == own || m.Host.At(0) == "attila" {
		t.Errorf("the run is of host %q, models of %q and %q", own, m.Host.At(0), m.Host.At(1))
	}
}
