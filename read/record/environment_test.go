package record_test

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"dagscope/internal/testenv"
	"dagscope/read/ompt/dsom"
	"dagscope/read/record"
)

// No secret of the environment is anywhere in a file, under whatever name; what
// the user names is; and import keeps what the recorder keeps.
func TestEnvironment(t *testing.T) {
	text, err := os.ReadFile(testenv.Repo("read", "ompt", "dsom", "testdata", "secrets.txt"))
	if err != nil {
		t.Fatal(err)
	}
	secrets := strings.Fields(string(text))
	env := []string{"STARPU_SERVER=https://me:hunter2@host/", "STARPU_IDENTITY=/hunter2/.ssh/key", "OMP_X=eyJhunter2",
		"OMP_PLACES=threads", "STARPU_SCHED=dmdas", "SLURM_JOB_ID=7", "MY_TOKEN=asked", "UNASKED=hunter2",
		"DAGSCOPE_OMPT_ENV=NOT_THERE,MY_TOKEN"}
	all := map[string]string{}
	for i, name := range secrets {
		env = append(env, fmt.Sprintf("%s=hunter2-%d", name, i))
	}
	for _, v := range append(os.Environ(), env...) {
		name, value, _ := strings.Cut(v, "=")
		all[name] = value
	}
	r := recordProgram(t, session{program: "many", args: []string{"2", "1"}, runtime: needRuntimes(t)[0], env: env})
	data, err := os.ReadFile(r.one())
	if err != nil {
		t.Fatal(err)
	}
	if at := bytes.Index(data, []byte("hunter2")); at >= 0 {
		t.Errorf("found a secret: %q", data[max(at-60, 0):at+20])
	}
	m := r.open().Processes[0].Meta
	if !slices.Equal(m.Named, []string{"MY_TOKEN"}) || m.Environment["MY_TOKEN"] != "asked" {
		t.Errorf("found %v named, MY_TOKEN=%q", m.Named, m.Environment["MY_TOKEN"])
	}
	ours := dsom.Meta{Environment: all, Named: m.Named}
	want, _ := ours.Kept()
	for name := range want {
		if _, ok := m.Environment[name]; !ok {
			t.Errorf("import would keep %s, the recorder does not", name)
		}
	}
	if kept, left := m.Kept(); len(left) > 0 || kept["STARPU_SCHED"] != "dmdas" || kept["SLURM_JOB_ID"] != "7" || kept["OMP_PLACES"] != "threads" {
		t.Errorf("found %v kept, and %v that import does not keep", kept, left)
	}
}

// The two lists are the same, item by item.
func TestEnvironmentLists(t *testing.T) {
	theirs, err := record.Sources.ReadFile("recorder/environment.c")
	if err != nil {
		t.Fatal(err)
	}
	ours, err := os.ReadFile(testenv.Repo("read", "ompt", "dsom", "environment.go"))
	if err != nil {
		t.Fatal(err)
	}
	for c, goes := range map[string]string{"prefixes": "keptPrefixes", "names": "keptNames", "secret_parts": "secretParts",
		"secret_words": "secretWords", "secret_values": "secretValues"} {
		a, b := list(string(theirs), " "+c+"[] = {"), list(string(ours), "var "+goes+" = []string{")
		if len(a) == 0 || !slices.Equal(a, b) {
			t.Errorf("found %s %q of the recorder, %q of import", c, a, b)
		}
	}
}

// list are the strings between the beginning of a list and its brace.
func list(text, begin string) (found []string) {
	_, text, _ = strings.Cut(text, begin)
	text, _, _ = strings.Cut(text, "}")
	for i, part := range strings.Split(text, `"`) {
		if i%2 == 1 {
			found = append(found, part)
		}
	}
	return found
}
