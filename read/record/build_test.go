package record_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dagscope/internal/testenv"
	"dagscope/read/ompt/event"
	"dagscope/read/record"
)

// Any compiler builds the library, without a warning.
func TestCompilers(t *testing.T) {
	files, err := unpack(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, compiler := range []string{"gcc", clang, "cc"} {
		if _, err := exec.LookPath(compiler); err != nil {
			continue
		}
		found = true
		if err := compile(compiler, libraryArgs(filepath.Join(t.TempDir(), record.Library), files)...); err != nil {
			t.Error(err)
		}
	}
	if !found {
		testenv.Missing(t, "a C compiler", "", "apt-get install gcc")
	}
}

// The sources declare the interface themselves; the runtime's own header must agree.
func TestDeclarations(t *testing.T) {
	runtimes := needRuntimes(t)
	dir := t.TempDir()
	if _, err := unpack(dir); err != nil {
		t.Fatal(err)
	}
	ours, err := os.ReadFile(filepath.Join(dir, "ompt.h"))
	if err != nil {
		t.Fatal(err)
	}
	check := "#include <omp-tools.h>\n"
	pairs := map[string]string{}
	for _, event := range []string{"thread_begin", "thread_end", "parallel_begin", "parallel_end", "task_create",
		"task_schedule", "implicit_task", "control_tool", "sync_region_wait", "dependences", "work", "sync_region", "cancel",
		"mutex_acquire", "mutex_acquired", "mutex_released", "nest_lock", "masked", "dispatch"} {
		pairs["OMPT_"+strings.ToUpper(event)] = "ompt_callback_" + event
	}
	pairs["OMPT_SCOPE_BEGIN"], pairs["OMPT_SCOPE_END"] = "ompt_scope_begin", "ompt_scope_end"
	pairs["OMPT_SYNC_TASKGROUP"], pairs["OMPT_TASK_IMPLICIT"] = "ompt_sync_region_taskgroup", "ompt_task_implicit"
	pairs["OMPT_STATUS_YIELD"], pairs["OMPT_STATUS_SWITCH"] = "ompt_task_yield", "ompt_task_switch"
	pairs["OMPT_DISPATCH_ITERATION"], pairs["OMPT_DISPATCH_SECTION"] = "ompt_dispatch_iteration", "ompt_dispatch_section"
	for name, theirs := range pairs {
		value := valueOf(string(ours), name)
		if value == "" {
			t.Errorf("ompt.h does not declare %s", name)
			continue
		}
		check += "_Static_assert(" + theirs + " == " + value + ", \"" + name + "\");\n"
	}
	source := filepath.Join(dir, "check.c")
	if err := os.WriteFile(source, []byte(check), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := compile(clang, "-fsyntax-only", "-I", runtimes[0].dir, source); err != nil {
		t.Error(err)
	}
}

// valueOf finds "NAME = 12" in a header.
func valueOf(header, name string) string {
	fields := strings.Fields(strings.ReplaceAll(header, ",", " "))
	i := slices.Index(fields, name)
	if i < 0 || i+2 >= len(fields) {
		return ""
	}
	return fields[i+2]
}

// A program of gcc's runs on libomp, whose entry points for it are preloaded.
func TestGCCProgram(t *testing.T) {
	runtimes := needRuntimes(t)
	testenv.Need(t, "apt-get install gcc", "gcc")
	path := filepath.Join(tools.dir, "gcc-taskwait")
	if err := compile("gcc", "-O1", "-g", "-fopenmp", "-o", path, filepath.Join("testdata", "conformance", "taskwait.c")); err != nil {
		t.Fatal(err)
	}
	tools.programs.Store("gcc-taskwait", func() (string, error) { return path, nil })
	r := recordProgram(t, session{program: "gcc-taskwait", runtime: runtimes[0],
		env: []string{"LD_PRELOAD=" + filepath.Join(runtimes[0].dir, "libomp.so.5")}})
	f := follow(t, r.events())
	if f.created != 7 || f.ended[complete] != 7 {
		t.Errorf("found %d tasks, %d complete, want 7", f.created, f.ended[complete])
	}
	r.run()
}

// Where the recording comes from is in the file.
func TestMeta(t *testing.T) {
	runtimes := needRuntimes(t)
	r := recordProgram(t, session{program: "many", args: []string{"2", "1", "a \"quoted\" argument\n"}, runtime: runtimes[0],
		env: []string{"OMPI_COMM_WORLD_RANK=3", "OMPI_COMM_WORLD_SIZE=4", "OMP_PLACES=threads", "OMP_PROC_BIND=close"}})
	rec := r.open()
	m := rec.Processes[0].Meta
	host, _ := os.Hostname()
	if m.Host != host || len(m.Command) != 4 || m.Command[3] != "a \"quoted\" argument\n" || m.Rank == nil || *m.Rank != 3 || m.Ranks != 4 {
		t.Errorf("host %q, command %q, rank %v of %d", m.Host, m.Command, m.Rank, m.Ranks)
	}
	if m.Callbacks["task_create"] != 5 || len(m.Callbacks) != 19 || m.Environment["OMP_PLACES"] != "threads" || !strings.Contains(m.Runtime, "LLVM") {
		t.Errorf("callbacks %v, environment %v, runtime %q", m.Callbacks, m.Environment, m.Runtime)
	}
	if len(m.Affinity) == 0 || len(m.Places) != len(m.Affinity) {
		t.Errorf("affinity %v, places %v, want one place for each processor", m.Affinity, m.Places)
	}
	for _, thread := range rec.Threads {
		if thread.Place < 0 || len(thread.Processors) != 1 {
			t.Errorf("thread %d is at place %d, processors %v, want it bound to one", thread.Number, thread.Place, thread.Processors)
		}
	}
}

// A library that is loaded late and gone at the end can be looked up all the same.
func TestPlugin(t *testing.T) {
	runtimes := needRuntimes(t)
	plugin := filepath.Join(tools.dir, "plugin.so")
	source := filepath.Join("testdata", "conformance", "plugin.c")
	if err := compile(clang, "-O1", "-g", "-fopenmp", "-shared", "-fPIC", "-DPLUGIN", "-o", plugin, source); err != nil {
		t.Fatal(err)
	}
	r := recordProgram(t, session{program: "plugin", args: []string{plugin}, runtime: runtimes[0]})
	rec := r.open()
	found := false
	for _, e := range r.events() {
		if e.Type == event.TaskCreate {
			place := rec.Symbolize(e.Thread, e.Code)
			found = true
			if !strings.Contains(place.Function, "plugin_run") || filepath.Base(place.File) != "plugin.c" {
				t.Errorf("the task is at %+v, want plugin_run in plugin.c", place)
			}
		}
	}
	if !found {
		t.Error("found no task")
	}
}
