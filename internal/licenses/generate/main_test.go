package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dagscope/internal/licenses"
	"dagscope/internal/testenv"
)

// What the program carries is what the go tool compiles into it today.
func TestUpToDate(t *testing.T) {
	wanted, err := collect(testenv.Repo())
	if err != nil {
		t.Fatal(err)
	}
	folder := testenv.Repo("internal/licenses")
	found := []string{"components.json"}
	err = filepath.WalkDir(filepath.Join(folder, "texts"), func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(folder, path)
			found = append(found, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(found)
	if names := slices.Sorted(maps.Keys(wanted)); !slices.Equal(found, names) {
		t.Errorf("found the files %s, want %s", found, names)
	}
	for name, text := range wanted {
		if now, err := os.ReadFile(filepath.Join(folder, name)); err != nil || string(now) != string(text) {
			t.Errorf("%s is out of date (%v)", name, err)
		}
	}
	if t.Failed() {
		t.Error("run go generate ./internal/licenses")
	}
}

// Whatever must not go into the program without a person looking at it.
func TestRefuses(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"no license":      {"README": "MIT"},
		"only a notice":   {"NOTICE": "by somebody"},
		"unknown license": {"LICENSE": "You may use this on Tuesdays."},
	} {
		dir := t.TempDir()
		for file, text := range files {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		m := module{path: "example.org/" + strings.Fields(name)[0], version: "v1.0.0", dir: dir, folders: map[string]bool{dir: true}}
		if c, _, err := m.component(); err == nil {
			t.Errorf("%s: found %q, want an error", name, c.License)
		} else if !strings.Contains(err.Error(), m.path) {
			t.Errorf("%s: the error does not name the module: %v", name, err)
		}
	}
}

// Texts that were looked at by hand are looked at again when they change.
func TestKnownTextsAreChecked(t *testing.T) {
	for name := range known {
		if ids, err := identify(name, []byte("You may use this on Tuesdays.")); err == nil && len(ids) > 0 {
			t.Errorf("%s: found %v whatever the text is", name, ids)
		}
	}
}

// The browser's client is built from our sources only: a package of npm in it
// would need its license here.
func TestClientHasNoPackages(t *testing.T) {
	text, err := os.ReadFile(testenv.Repo("web/package.json"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), `"dependencies"`) {
		t.Error("web/package.json has dependencies that are bundled: add their licenses to internal/licenses")
	}
}

func TestEveryTextIsThere(t *testing.T) {
	all, err := licenses.Components()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 20 || all[0].Name != licenses.Go || !strings.HasPrefix(all[0].Version, "go1.") {
		t.Errorf("found %d components, the first %+v", len(all), all[0])
	}
	var out strings.Builder
	if err := licenses.WriteTexts(&out); err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		if c.Version == "" || c.License == "" || len(c.Files) == 0 {
			t.Errorf("found %+v, want version, license and files", c)
		}
		for _, file := range c.Files {
			text, err := c.Text(file)
			if err != nil || !strings.Contains(out.String(), strings.Trim(text, "\n")) {
				t.Errorf("%s: %s is not among the texts (%v)", c.Name, file, err)
			}
		}
	}
}
