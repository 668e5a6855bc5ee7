package record

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dagscope/internal/testenv"
)

// compiled builds a program of one task, or skips the test.
func compiled(t *testing.T, cc string, flags ...string) string {
	t.Helper()
	testenv.Need(t, "apt-get install "+cc, cc)
	dir := t.TempDir()
	in, out := filepath.Join(dir, "p.c"), filepath.Join(dir, "p")
	source := "int main(void) {\n#pragma omp parallel\n#pragma omp single\n#pragma omp task\n;\nreturn 0; }\n"
	if err := os.WriteFile(in, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := exec.Command(cc, append([]string{in, "-o", out}, flags...)...).CombinedOutput(); err != nil {
		testenv.Missing(t, cc+" "+strings.Join(flags, " "), string(text), "install the libraries that the compiler asks for")
	}
	return out
}

func TestInspect(t *testing.T) {
	gnu := compiled(t, "gcc", "-fopenmp")
	plain := compiled(t, "gcc")
	for _, c := range []struct {
		command []string
		path    string
		gnu     bool
	}{
		{[]string{gnu}, gnu, true},
		{[]string{plain}, plain, false},
		{[]string{"env", "A=1", gnu, plain}, gnu, true},
		{[]string{plain, "-n", "4", gnu}, gnu, true},
		{[]string{"sh", "-c", gnu + " x"}, "", false}, // not to be seen
		{[]string{"/none"}, "", false},
		{[]string{filepath.Dir(gnu)}, "", false},
	} {
		p := Inspect(c.command)
		if p.GNU != c.gnu || p.LLVM || p.Static || c.path != "" && p.Path != c.path {
			t.Errorf("%v: found %+v, want %s, needs libgomp: %v", c.command, p, c.path, c.gnu)
		}
	}
	p := Inspect([]string{gnu})
	if !strings.Contains(filepath.Base(p.Runtime), "libgomp.so") || !slices.Contains(p.Calls, "GOMP_parallel") {
		t.Errorf("found runtime %s and calls %v", p.Runtime, p.Calls)
	}
	if missing := Missing(p, p.Runtime); len(missing) > 0 {
		t.Errorf("found that libgomp has no %v", missing)
	}
	if missing := Missing(p, gnu); !slices.Contains(missing, "GOMP_parallel") {
		t.Errorf("found only %v missing in a program", missing)
	}
}

// TestInspectRenamed sees libomp behind the name that gcc's programs ask for.
func TestInspectRenamed(t *testing.T) {
	libomp, err := FindLibomp()
	if err != nil {
		testenv.Missing(t, "libomp", err.Error(), "apt-get install libomp-19-dev")
	}
	gnu := compiled(t, "gcc", "-fopenmp")
	dir := t.TempDir()
	if err := os.Symlink(libomp, filepath.Join(dir, "libgomp.so.1")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("LD_LIBRARY_PATH", dir)
	if p := Inspect([]string{gnu}); !p.LLVM || p.GNU {
		t.Errorf("found %+v, want a program that runs on libomp", p)
	}
}

func TestInspectStatic(t *testing.T) {
	if p := Inspect([]string{compiled(t, "gcc", "-fopenmp", "-static")}); !p.Static || !p.GNU {
		t.Errorf("found %+v, want a static program of libgomp", p)
	}
}

func TestInspectLLVM(t *testing.T) {
	p := Inspect([]string{compiled(t, "clang-19", "-fopenmp")})
	if !p.LLVM || p.GNU || !isLibomp(p.Runtime) {
		t.Errorf("found %+v, want a program of libomp", p)
	}
	if path, err := FindLibomp(); err != nil || !isLibomp(path) {
		t.Errorf("found %q, %v, want a libomp", path, err)
	}
}

func TestEnvironment(t *testing.T) {
	o := Options{Command: []string{"/usr/bin/mpirun", "-n", "4", "./p"}, Tool: "/t.so", Dir: "/a%b", Ring: 8, Limit: 16, NoLocks: true, NoChunks: true, Clock: "tsc", Paused: true, Preload: "/libomp.so"}
	got := o.Environment([]string{"A=1", "OMP_TOOL=disabled", "OMP_TOOL_LIBRARIES=/other.so", "LD_PRELOAD=/x.so", "DAGSCOPE_OMPT_FILE=/y"})
	slices.Sort(got)
	want := []string{
		"A=1", "DAGSCOPE_OMPT_CHUNKS=off", "DAGSCOPE_OMPT_CLOCK=tsc", "DAGSCOPE_OMPT_FILE=/a%%b/%h.%p.dsom", "DAGSCOPE_OMPT_LIMIT=16",
		"DAGSCOPE_OMPT_LOCKS=off", "DAGSCOPE_OMPT_RING=8", "DAGSCOPE_OMPT_START=paused",
		"LD_PRELOAD=/libomp.so:/x.so",
		"OMPI_MCA_mca_base_env_list=DAGSCOPE_OMPT_CHUNKS;DAGSCOPE_OMPT_CLOCK;DAGSCOPE_OMPT_FILE;DAGSCOPE_OMPT_LIMIT;DAGSCOPE_OMPT_LOCKS;DAGSCOPE_OMPT_RING;DAGSCOPE_OMPT_START;LD_PRELOAD;OMP_TOOL;OMP_TOOL_LIBRARIES",
		"OMP_TOOL=enabled", "OMP_TOOL_LIBRARIES=/t.so:/other.so",
	}
	if !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

// TestForward leaves Open MPI alone where it is told of variables otherwise,
// and other launchers always.
func TestForward(t *testing.T) {
	for _, command := range [][]string{{"mpirun", "-x", "A", "./p"}, {"srun", "./p"}, {"./p"}, nil} {
		for _, v := range (Options{Command: command}).Environment(nil) {
			if strings.HasPrefix(v, openMPI) {
				t.Errorf("%v: found %s", command, v)
			}
		}
	}
}

// TestFindTool builds the recorder once and finds it again.
func TestFindTool(t *testing.T) {
	if _, err := compiler(); err != nil {
		testenv.Missing(t, "a C compiler", err.Error(), "apt-get install gcc")
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv(ToolVariable, "")
	said := 0
	say := func(string, ...any) { said++ }
	first, err := FindTool(say)
	if err != nil {
		t.Fatal(err)
	}
	second, err := FindTool(say)
	if err != nil || first != second || said != 1 {
		t.Errorf("found %v and %v, %v, built %d times, want one built once", first, second, err, said)
	}
	t.Setenv(ToolVariable, filepath.Join(t.TempDir(), "none"))
	if _, err := FindTool(say); err == nil {
		t.Error("found a recorder that is not there")
	}
}

func TestRun(t *testing.T) {
	for command, want := range map[string]Outcome{
		"exit 0": {}, "exit 9": {Code: 9}, "kill -TERM $$": {Code: 143, Signal: 15},
	} {
		got, err := Run([]string{"sh", "-c", command}, os.Environ(), "", nil, nil, nil)
		if err != nil || got != want {
			t.Errorf("%s: found %+v, %v, want %+v", command, got, err, want)
		}
	}
	if _, err := Run([]string{"/none"}, nil, "", nil, nil, nil); err == nil || !strings.Contains(err.Error(), "run /none: no such file") {
		t.Errorf("found error %v", err)
	}
}
