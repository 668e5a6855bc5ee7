package symbols

import (
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dagscope/internal/testenv"
)

func TestReadable(t *testing.T) {
	for name, want := range map[string]string{
		"main":                                 "main",
		"main.omp_outlined":                    "main",
		"main.omp_outlined_debug__":            "main",
		"main._omp_fn.0":                       "main",
		".omp_task_entry.":                     "",
		".omp_task_entry..2":                   "",
		".omp_outlined..1":                     "",
		".omp_outlined._debug__.17":            "",
		"_ZN2ns3LagER1Di.omp_outlined":         "Lag",
		"_ZL13LagrangeNodalR6Domain._omp_fn.3": "LagrangeNodal",
		"_Z3fibi":                              "fib",
		"_ZNK4Grid4stepEv":                     "step",
		"_ZplRK1DS1_":                          "_ZplRK1DS1_",
		"_ZN99999999999999999999xE":            "_ZN99999999999999999999xE",
		"_Z":                                   "_Z",
		"spin_us.constprop.0":                  "spin_us",
		"work.part.0.isra.0":                   "work",
		"leaf<D>":                              "leaf<D>",
		"":                                     "",
	} {
		if got := Readable(name); got != want {
			t.Errorf("Readable(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestParseMaps(t *testing.T) {
	maps := ParseMaps(`55e078758000-55e078770000 r-xp 00002000 fe:00 10707020                   /src/a program/lulesh build-id=29cc8e
7f5c30c32000-7f5c30d88000 r--p 00026000 fe:00 326269                     /usr/lib/libc.so.6
7f5c30dee000-7f5c30f0e000 r-xp 00000000 fe:00 6668578                    /usr/lib/libomp.so.5 (deleted)
7f5c312e5000-7f5c312e7000 r-xp 00000000 00:00 0                          [vdso]
7f5c312e5000-7f5c312e7000 r-xp 00000000 00:00 0
nonsense
9-1 r-xp 0 0 0 /x
7f5c`)
	want := []Map{
		{0x55e078758000, 0x55e078770000, 0x2000, "/src/a program/lulesh", "29cc8e"},
		{0x7f5c30dee000, 0x7f5c30f0e000, 0, "/usr/lib/libomp.so.5", ""},
	}
	if fmt.Sprint(maps) != fmt.Sprint(want) {
		t.Errorf("found %v, want %v", maps, want)
	}
	for address, want := range map[uint64]string{
		0x55e078757fff: "", 0x55e078758000: "/src/a program/lulesh", 0x55e07876ffff: "/src/a program/lulesh", 0x55e078770000: "",
	} {
		if m, _ := find(order(maps), address); m.File != want {
			t.Errorf("at %#x found %q, want %q", address, m.File, want)
		}
	}
}

// program is built by every compiler that there is; each task creation has its
// own line.
const program = `
#include <stdio.h>
#include <stdlib.h>
volatile int sink;
static inline __attribute__((always_inline)) void leaf(int n) {
  printf("%d\n", n);
  sink += n;
}
__attribute__((noinline)) int twice(int n) {
  leaf(n);
  leaf(2 * n);
  return sink;
}
int main(int argc, char **argv) {
  for (int i = 0; i < argc; i++)
    twice(i + atoi(argv[i]));
  return 0;
}
`

// build compiles a C program, or skips the test without the compiler.
func build(t *testing.T, compiler, source string, flags ...string) string {
	t.Helper()
	testenv.Need(t, "apt-get install "+compiler, compiler)
	dir := t.TempDir()
	in, out := filepath.Join(dir, "p.c"), filepath.Join(dir, "p")
	if err := os.WriteFile(in, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	args := append([]string{in, "-o", out}, flags...)
	if text, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
		testenv.Missing(t, compiler+" "+strings.Join(flags, " "), string(text), "install the libraries that the compiler asks for")
	}
	return out
}

// TestAgainstAddr2line asks for every address of the program's own functions.
func TestAgainstAddr2line(t *testing.T) {
	testenv.Need(t, "apt-get install binutils", "addr2line")
	for _, compiler := range []string{"gcc", "clang-19", "clang"} {
		for _, flags := range [][]string{{"-g", "-O0"}, {"-g", "-O2"}, {"-g", "-O2", "-gdwarf-4"}, {"-g", "-O1", "-static"}, {"-g", "-O2", "-gz"}} {
			t.Run(compiler+strings.Join(flags, ""), func(t *testing.T) {
				path := build(t, compiler, program, flags...)
				compareAll(t, path)
			})
		}
	}
}

func compareAll(t *testing.T, path string) {
	o, err := openObject(path)
	if err != nil {
		t.Fatal(err)
	}
	var addresses []uint64
	for _, s := range o.symbols {
		for a := s.Value; a < s.Value+s.Size && (s.Name == "main" || s.Name == "twice"); a++ {
			addresses = append(addresses, a)
		}
	}
	named := map[string]bool{}
	for a, want := range addr2line(t, path, addresses) {
		name, _, line, _ := o.lines.at(a)
		if name != want.name || line != want.line && want.line != 0 {
			t.Errorf("%#x: found %s:%d, want %s:%d", a, name, line, want.name, want.line)
		}
		named[name] = true
	}
	for _, f := range []string{"main", "twice", "leaf"} {
		if !named[f] {
			t.Errorf("found functions %v, want %s among them", named, f)
		}
	}
}

type named struct {
	name string
	line int
}

// addr2line asks binutils for the innermost function and line at addresses.
func addr2line(t *testing.T, path string, addresses []uint64) map[uint64]named {
	command := exec.Command("addr2line", "-a", "-f", "-i", "-e", path)
	command.Stdin = strings.NewReader(strings.ReplaceAll(strings.Trim(fmt.Sprintf("%#x", addresses), "[]"), " ", "\n"))
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	found := map[uint64]named{}
	lines := strings.Split(string(out), "\n")
	for i, line := range lines { // each address, then pairs of function and place
		if a, err := strconv.ParseUint(line, 0, 64); err == nil && strings.HasPrefix(line, "0x") {
			_, place, _ := strings.Cut(filepath.Base(lines[i+2]), ":")
			place, _, _ = strings.Cut(place, " ")
			n, _ := strconv.Atoi(place)
			found[a] = named{lines[i+1], n}
		}
	}
	if len(found) != len(addresses) {
		t.Fatalf("addr2line answers for %d of %d addresses", len(found), len(addresses))
	}
	return found
}

const tasks = `
__attribute__((noinline)) int fib(int n) {
  int a, b;
  if (n < 2) return n;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b)
  {
    b = fib(n - 2);
#pragma omp task
    b += 0;
  }
#pragma omp taskwait
  return a + b;
}
int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
  fib(5);
  }
  return 0;
}
`

// TestTasks looks up the calls that create tasks, wherever the compiler put
// them: in bodies of parallel regions and of other tasks.
func TestTasks(t *testing.T) {
	for _, compiler := range []string{"gcc", "clang-19"} {
		t.Run(compiler, func(t *testing.T) {
			path := build(t, compiler, tasks, "-g", "-O2", "-fopenmp")
			got := map[string]bool{}
			for _, code := range calls(t, path, "omp_task>", "omp_task@", "GOMP_task@") {
				p := NewLoader().Table([][]Map{wholeFile(t, path)}).Lookup(code)
				got[fmt.Sprintf("%s %s:%d", p.Function, filepath.Base(p.File), p.Line)] = true
				got[p.Function] = true
				if want := filepath.Join(filepath.Dir(path), "p.c"); p.File != want {
					t.Errorf("found file %s, want %s", p.File, want)
				}
			}
			// gcc gives the task in the parallel region that region's line.
			for _, want := range []string{"fib p.c:5", "fib p.c:7", "fib p.c:10", "main"} {
				if !got[want] {
					t.Errorf("found %v, want %s among them", got, want)
				}
			}
		})
	}
}

// TestStripped falls back from lines to symbols to nothing.
func TestStripped(t *testing.T) {
	path := build(t, "clang-19", tasks, "-O1", "-fopenmp")
	codes := calls(t, path, "omp_task@")
	want := map[bool]string{false: "[fib fib task@ main]", true: "[task@ task@ task@ task@]"}
	for _, strip := range []bool{false, true} {
		if strip {
			if out, err := exec.Command(testenv.Need(t, "apt-get install binutils", "strip"), path).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
		}
		var places []Place
		table := NewLoader().Table([][]Map{wholeFile(t, path)})
		for _, c := range codes {
			places = append(places, table.Lookup(c))
		}
		var names []string
		for _, name := range Kinds(codes, places) {
			name, rest, _ := strings.Cut(name, "@")
			if rest != "" {
				name += "@"
			}
			name, _, _ = strings.Cut(name, ":")
			names = append(names, name)
		}
		if got := fmt.Sprint(names); got != want[strip] {
			t.Errorf("stripped %v: found %v, want %v", strip, got, want[strip])
		}
	}
}

// wholeFile maps a file's code as if it were loaded at 0x10000000.
func wholeFile(t *testing.T, path string) []Map {
	o, err := openObject(path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return []Map{{Low: base, High: base + uint64(info.Size()), File: path, BuildID: o.buildID}}
}

const base = 0x10000000

// calls lists the return addresses of calls of some functions, as mapped by
// wholeFile.
func calls(t *testing.T, path string, functions ...string) (codes []uint64) {
	out, err := exec.Command(testenv.Need(t, "apt-get install binutils", "objdump"), "-d", "--no-show-raw-insn", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	o, err := openObject(path)
	if err != nil {
		t.Fatal(err)
	}
	after := false
	for line := range strings.Lines(string(out)) {
		if after {
			code, _ := strconv.ParseUint(strings.Trim(strings.SplitN(strings.TrimSpace(line), ":", 2)[0], " "), 16, 64)
			codes = append(codes, base+fileOffset(o, code))
		}
		after = false
		for _, f := range functions {
			after = after || strings.Contains(line, "call") && strings.Contains(line, f)
		}
	}
	return codes
}

func fileOffset(o *object, address uint64) uint64 {
	for _, p := range o.loads {
		if p.Type == elf.PT_LOAD && address >= p.Vaddr && address-p.Vaddr < p.Filesz {
			return address - p.Vaddr + p.Off
		}
	}
	return 0
}

func TestKinds(t *testing.T) {
	codes := []uint64{1, 2, 3, 4, 5, 6}
	places := []Place{
		{Function: "main", File: "a.c", Line: 3}, {Function: "fib", File: "a.c", Line: 7}, {Function: "fib", File: "a.c", Line: 9},
		{}, {Object: "/p", Offset: 0x20}, {Function: "fib", File: "a.c", Line: 9},
	}
	if got, want := fmt.Sprint(Kinds(codes, places)), "[main fib:7 fib:9 task@0x4 task@0x20 fib:9]"; got != want {
		t.Errorf("found %s, want %s", got, want)
	}
}

// TestKindsOfFiles: static functions of one name are different functions.
func TestKindsOfFiles(t *testing.T) {
	codes := []uint64{1, 2, 3, 4, 5, 6, 7}
	places := []Place{
		{Function: "f", File: "src/a.c", Line: 3}, {Function: "f", File: "src/b.c", Line: 3}, {Function: "f", File: "src/b.c", Line: 5},
		{Function: "g", File: "x/util.c", Line: 1}, {Function: "g", File: "y/util.c", Line: 1},
		{Function: "h", Object: "/lib/one.so", Offset: 0x20}, {Function: "h", Object: "/lib/two.so", Offset: 0x20},
	}
	if got, want := strings.Join(Kinds(codes, places), ", "), "f a.c, f b.c:3, f b.c:5, g x/util.c, g y/util.c, h one.so, h two.so"; got != want {
		t.Errorf("found %s, want %s", got, want)
	}
}

// TestProblems counts what cannot be read, once per file, and goes on.
func TestProblems(t *testing.T) {
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("no ELF file"), 0o600); err != nil {
		t.Fatal(err)
	}
	l := NewLoader()
	table := l.Table([][]Map{{{Low: 0x1000, High: 0x2000, File: text}, {Low: 0x3000, High: 0x4000, File: "/dev/zero"}, {Low: 0x5000, High: 0x6000, File: "/none"}}})
	for _, code := range []uint64{0, 1, 0x1001, 0x1002, 0x3005, 0x5005} {
		if p := table.Lookup(code); p.Function != "" {
			t.Errorf("%#x: found %+v, want no function", code, p)
		}
	}
	if got := l.Problems(); len(got) != 3 {
		t.Errorf("found problems %q, want one of each file", got)
	}
}

// TestOtherBuild names nothing by a program that is not the one recorded.
func TestOtherBuild(t *testing.T) {
	path := build(t, "gcc", program, "-g", "-Wl,--build-id")
	maps := wholeFile(t, path)
	o, err := openObject(path)
	if err != nil || maps[0].BuildID == "" {
		t.Fatalf("found build id %q, %v", maps[0].BuildID, err)
	}
	i := slices.IndexFunc(o.symbols, func(s elf.Symbol) bool { return s.Name == "main" })
	code := base + fileOffset(o, o.symbols[i].Value) + 1
	for id, want := range map[string]string{maps[0].BuildID: "main", "": "main", "0123": ""} {
		maps[0].BuildID = id
		l := NewLoader()
		if p := l.Table([][]Map{maps}).Lookup(code); p.Function != want {
			t.Errorf("build id %q: found function %q, want %q", id, p.Function, want)
		}
		if got := strings.Join(l.Problems(), ""); strings.Contains(got, "build id differs") != (want == "") {
			t.Errorf("build id %q: found problems %q", id, got)
		}
	}
}
