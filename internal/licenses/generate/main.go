// Command generate answers which licenses the program must carry: it writes
// components.json and texts/ of package licenses.
//
// It asks the go tool which modules are compiled into dagscope on each platform
// of a release, and into the engine of archives, and takes from each the files
// that are named as licenses are, at the module's root and in the folders of the
// packages that are used. What they are is recognised by licensecheck, as
// pkg.go.dev does. A module without a license, or with one that is not
// recognised, is an error.
//
// It does not judge whether licenses are compatible.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"dagscope/internal/licenses"

	"github.com/google/licensecheck"
)

func main() {
	out := flag.String("o", "internal/licenses", "folder of package licenses")
	flag.Parse()
	if err := generate(*out); err != nil {
		fmt.Fprintln(os.Stderr, "generate licenses:", err)
		os.Exit(1)
	}
}

func generate(out string) error {
	wanted, err := collect(filepath.Join(out, "..", ".."))
	if err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(out, "texts")); err != nil {
		return err
	}
	for name, text := range wanted {
		path := filepath.Join(out, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, text, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// collect makes the generated files, by their names in package licenses.
func collect(repository string) (map[string][]byte, error) {
	modules, err := compiledIn(repository)
	if err != nil {
		return nil, err
	}
	goroot, err := command(repository, nil, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	root := strings.TrimSpace(string(goroot))
	modules = slices.Insert(modules, 0, module{path: licenses.Go, dir: root, folders: map[string]bool{root: true}})
	made := map[string][]byte{}
	var all []licenses.Component
	for _, m := range modules {
		c, texts, err := m.component()
		if err != nil {
			return nil, err
		}
		all = append(all, c)
		for _, file := range c.Files {
			made[path.Join("texts", c.Folder(), file)] = texts[file]
		}
	}
	list, err := json.MarshalIndent(all, "", "  ")
	made["components.json"] = append(list, '\n')
	return made, err
}

// module is one whose packages are compiled in.
type module struct {
	path, version, dir string
	folders            map[string]bool // of the packages that are, and those above them
}

// compiledIn asks the go tool for the modules of the program on every platform.
func compiledIn(repository string) ([]module, error) {
	text, err := os.ReadFile(filepath.Join(repository, "packaging", "platforms"))
	if err != nil {
		return nil, err
	}
	found := map[string]module{}
	for _, platform := range append(strings.Fields(string(text)), "js/wasm") {
		system, processor, _ := strings.Cut(platform, "/")
		program := "./cmd/dagscope"
		if system == "js" {
			program = "./cmd/engine"
		}
		const format = "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}\t{{$.Dir}}{{end}}{{end}}"
		packages, err := command(repository, []string{"GOOS=" + system, "GOARCH=" + processor, "CGO_ENABLED=0"},
			"list", "-mod=readonly", "-deps", "-f", format, program)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(packages)) {
			f := strings.Split(strings.TrimSpace(line), "\t")
			if len(f) != 4 {
				return nil, fmt.Errorf("list packages for %s: found %q, want module, version and two folders", platform, line)
			}
			m, ok := found[f[0]]
			if !ok {
				m = module{f[0], f[1], f[2], map[string]bool{f[2]: true}}
				if others := filepath.Join(m.dir, "THIRD_PARTY_LICENSES"); isFolder(others) {
					m.folders[others] = true
				}
				found[f[0]] = m
			}
			for dir := f[3]; len(dir) > len(m.dir); dir = filepath.Dir(dir) {
				m.folders[dir] = true
			}
		}
	}
	return slices.SortedFunc(maps.Values(found), func(a, b module) int { return cmp.Compare(a.path, b.path) }), nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func command(dir string, environment []string, arguments ...string) ([]byte, error) {
	c := exec.Command("go", arguments...)
	c.Dir, c.Env = dir, append(os.Environ(), environment...)
	out, err := c.Output()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		return nil, fmt.Errorf("go %s: %w: %s", arguments[0], err, bytes.TrimSpace(failed.Stderr))
	}
	return out, err
}

// legal matches the names of files that a copy of the program must carry.
var legal = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying|copyright|notice|patents)([-._].*)?$|-licen[cs]e$`)

// license matches those that must contain a license.
var license = regexp.MustCompile(`(?i)licen[cs]e|copying`)

// known are license files that licensecheck does not know, with words that they
// must contain and their identifier; "" where nothing that is compiled in is meant.
var known = map[string]struct{ words, id string }{
	"modernc.org/sqlite/LICENSE-SQLITE":       {"SQLite Is Public Domain", "blessing"},
	"modernc.org/sqlite/LICENSE-3RD-PARTY.md": {"## 1. Components linked into your program", ""}, // these have a row each here
	"modernc.org/memory/LICENSE-LOGO":         {"Memory_infra_logo.png", ""},                     // the origin of a picture
	"go.yaml.in/yaml/v4/NOTICE":               {"original MIT license", "MIT"},

	// Of gonum's, two are about packages that are not compiled in.
	gonum + "Sun-LICENSE":           {"Developed at SunPro", "SunPro"},
	gonum + "Bogaert-LICENSE":       {"Gauss-Legendre", ""},
	gonum + "W3C-TestSuite-LICENSE": {"Test Suites", ""},
}

const gonum = "gonum.org/v1/gonum/THIRD_PARTY_LICENSES/"

// component finds the texts of a module, and what they are.
func (m module) component() (licenses.Component, map[string][]byte, error) {
	c := licenses.Component{Name: m.path, Version: m.version}
	texts, ids := map[string][]byte{}, map[string]bool{}
	for dir := range m.folders {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return c, nil, err
		}
		for _, e := range entries {
			if e.IsDir() || !legal.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") {
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				return c, nil, err
			}
			relative, err := filepath.Rel(m.dir, filepath.Join(dir, e.Name()))
			if err != nil {
				return c, nil, err
			}
			name := filepath.ToSlash(relative)
			found, err := identify(path.Join(m.path, name), text)
			if err != nil {
				return c, nil, err
			}
			texts[name] = text
			for _, id := range found {
				ids[id] = true
			}
		}
	}
	if len(ids) == 0 {
		return c, nil, fmt.Errorf("identify the license of %s %s: found no file with one in %s", m.path, m.version, m.dir)
	}
	c.Files = slices.Sorted(maps.Keys(texts))
	c.License = strings.Join(slices.Sorted(maps.Keys(ids)), " AND ")
	return c, texts, nil
}

// identify returns the SPDX identifiers of the licenses in a file. Only notices
// and patents may be without: they add to a license that is in another file.
func identify(name string, text []byte) ([]string, error) {
	if k, ok := known[name]; ok && strings.Contains(string(text), k.words) {
		return strings.Fields(k.id), nil
	}
	var ids []string
	for _, match := range licensecheck.Scan(text).Match {
		if !match.IsURL && match.ID != "GooglePatentsFile" && !slices.Contains(ids, match.ID) {
			ids = append(ids, match.ID)
		}
	}
	if len(ids) == 0 && license.MatchString(path.Base(name)) {
		return nil, fmt.Errorf("identify the license in %s: found none that is known: read it, and add it to the table known", name)
	}
	return ids, nil
}
