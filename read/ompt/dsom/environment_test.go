package dsom

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// Names of secrets are left out whatever their prefix, values that hold one
// whatever their name, and what describes the run is kept.
func TestKept(t *testing.T) {
	text, err := os.ReadFile("testdata/secrets.txt")
	if err != nil {
		t.Fatal(err)
	}
	secrets := strings.Fields(string(text))
	if len(secrets) < 40 {
		t.Fatalf("found %d names of secrets, want at least 40", len(secrets))
	}
	m := Meta{Environment: map[string]string{
		"STARPU_SERVER": "https://me:pw@host/", "STARPU_IDENTITY": "/home/me/.ssh/id_rsa", "OMP_X": "eyJhbGciOi",
	}, Named: []string{"SLURM_JOB_USER"}}
	for _, name := range secrets {
		m.Environment[name] = "1"
	}
	want := map[string]string{"OMP_NUM_THREADS": "4", "KMP_AFFINITY": "compact", "GOMP_SPINCOUNT": "100", "STARPU_SCHED": "dmdas",
		"SLURM_JOB_ID": "7", "SLURM_CPUS_PER_TASK": "8", "LD_LIBRARY_PATH": "/home/keynes/lib", "PMIX_RANK": "3"}
	for name, value := range want {
		m.Environment[name] = value
	}
	kept, left := m.Kept()
	for _, name := range secrets {
		if _, ok := kept[name]; ok != (name == "SLURM_JOB_USER") { // which the user asked for
			t.Errorf("%s: kept is %v", name, ok)
		}
	}
	for name, value := range want {
		if kept[name] != value {
			t.Errorf("found %s=%q, want %q", name, kept[name], value)
		}
	}
	for _, name := range []string{"STARPU_SERVER", "STARPU_IDENTITY", "OMP_X"} {
		if !slices.Contains(left, name) {
			t.Errorf("%s was kept, want it left out for its value", name)
		}
	}
	if len(kept)+len(left) != len(m.Environment) {
		t.Errorf("found %d kept and %d left of %d", len(kept), len(left), len(m.Environment))
	}
}
