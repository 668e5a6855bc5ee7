package spec

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dagscope/internal/budget"
	"dagscope/internal/testenv"
	"dagscope/trace"
)

// FuzzParse reads specs and settings, and builds what is small: an error says
// which, and nothing is taken without bound.
//
//fuzz:class file
func FuzzParse(f *testing.F) {
	f.Add(small, "seed=2")
	f.Add(small, "platform.gpus=1")
	f.Add(small+"costs: {base: default, transfer: 0}\noptions: {prefetch: true, pipeline: 2, gpu_memory: 500MiB}\nseed: 1\n", "costs.decision=1us")
	f.Add("workload: {run: r}\nplatform: {run: r}\nmodels: {run: r}\n", "models={run: r}")
	files, err := filepath.Glob(testenv.Repo("docs/examples/*.yaml"))
	if err != nil || len(files) == 0 {
		f.Fatalf("found examples %v, %v", files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		if len(text) < 2000 {
			f.Add(string(text), "seed=3")
		}
	}
	none := func(string) (*trace.Run, error) { return nil, errors.New("found no run") }
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text, setting string) {
		budget.Watch(t)
		s, err := Parse(filepath.Join(dir, "f.yaml"), []byte(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "read ") {
				t.Errorf("error %q", err)
			}
			return
		}
		_ = s.Set(setting) // an error leaves the spec, changed or not, to be built
		w := &s.Workload
		if w.Tiles > 30 || strings.ContainsAny(text+setting, "/\\") {
			return // large graphs are allowed, and other files are none of ours
		}
		if b, err := s.Build(none); err == nil && b == nil {
			t.Error("found neither a simulation nor an error")
		}
	})
}
