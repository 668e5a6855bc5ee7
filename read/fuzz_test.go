package read_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dagscope/internal/budget"
	"dagscope/read"
)

// FuzzFile reads any bytes under any of the names that formats go by: a run that
// is valid and whose account adds up, or an error that names the file.
//
//fuzz:class file
func FuzzFile(f *testing.F) {
	names := []string{"paje.trace", "tasks.csv", "events.csv", "prof_file_root_0", "app.dsom", "x", "tasks.rec", "entities.csv", "cpu.prv", "stream.obs"}
	seeds := []string{
		"kind,worker,start,end\na,w,0,1\n", "prefix,time\n", "Name: GEMM\nJobId: 1\nStartTime: 1\nEndTime: 1.5\nWorkerId: 0\n\n",
		"%EventDef PajeDefineContainerType 1\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n1 P 0 Program\n", "DSOMCHNK", "#Paraver (1/1/26 at 1:1):9_ns:0:1:1(1:1)\n1:1:1:1:1:0:9:1\n", "ovni\x01\x00\x00\x00", "\x28\xb5\x2f\xfd", "\x1f\x8b",
	}
	for i := range names {
		for _, s := range seeds {
			f.Add(i, []byte(s))
		}
	}
	if text, err := os.ReadFile("../testdata/starpu/native-chol-tiny/fxt/prof_file_root_0.zst"); err == nil && len(text) < 20_000 {
		f.Add(3, text)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, which int, content []byte) {
		budget.Watch(t)
		path := filepath.Join(dir, names[uint(which)%uint(len(names))])
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		defer os.Remove(path)
		run, err := read.Read(path, read.Options{})
		if err != nil {
			if !strings.Contains(err.Error(), filepath.Base(path)) {
				t.Errorf("error %q names no file", err)
			}
			return
		}
		if err := run.Validate(); err != nil {
			t.Error(err)
		}
		if why := unbalanced(run); why != "" {
			t.Error(why)
		}
	})
}
