package cli

import (
	"os"
	"path/filepath"
	"testing"
)

// Models replace models, and no other file.
func TestCalibrateReplacesModelsOnly(t *testing.T) {
	dir := t.TempDir()
	for name, file := range map[string]struct {
		text string
		ok   bool
	}{
		"spec.yaml":   {"workload: {kind: cholesky, tiles: 6}\nplatform: {cpus: 4}\n", false},
		"models.yaml": {"models:\n- {kind: GEMM, arch: cpu, mean: 3ms}\n", true},
		"empty.yaml":  {"", true},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(file.text), 0o600); err != nil {
			t.Fatal(err)
		}
		c := calibration{out: path}
		if err := c.target(); (err == nil) != file.ok {
			t.Errorf("%s: found %v", name, err)
		}
	}
	if err := (&calibration{out: filepath.Join(dir, "new.yaml")}).target(); err != nil {
		t.Error(err)
	}
}
