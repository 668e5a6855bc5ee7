package main

import (
	"bytes"
	"encoding/json"
	"runtime/debug"
	"strings"
	"testing"

	"dagscope/internal/licenses"
)

func info(deps ...*debug.Module) *debug.BuildInfo {
	return &debug.BuildInfo{GoVersion: "go1.26.8", Deps: deps, Settings: []debug.BuildSetting{{Key: "GOOS", Value: "linux"}}}
}

// module is one that the program contains.
func module(t *testing.T, path string) *debug.Module {
	t.Helper()
	all, err := licenses.Components()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		if c.Name == path {
			return &debug.Module{Path: path, Version: c.Version, Sum: "h1:x="}
		}
	}
	t.Fatalf("found no module %s", path)
	return nil
}

// The list names every module of the binary with its license, and a module that
// nobody has looked at is an error.
func TestBill(t *testing.T) {
	cobra := module(t, "github.com/spf13/cobra")
	var out bytes.Buffer
	if err := write(&out, info(cobra), "1.2.3", "2026-11-22T10:00:00Z"); err != nil {
		t.Fatal(err)
	}
	var b bill
	if err := json.Unmarshal(out.Bytes(), &b); err != nil {
		t.Fatal(err)
	}
	if len(b.Components) != 2 || b.Components[0].PURL != "pkg:golang/std@1.26.8" ||
		b.Components[1].PURL != "pkg:golang/github.com/spf13/cobra@"+cobra.Version || b.Components[1].Licenses[0].Expression != "Apache-2.0" {
		t.Errorf("found %s", out.String())
	}
	if len(b.Dependencies) != 1 || len(b.Dependencies[0].DependsOn) != 2 {
		t.Errorf("found dependencies %+v, want all components", b.Dependencies)
	}

	for name, m := range map[string]*debug.Module{
		"unknown":  {Path: "example.org/unknown", Version: "v1.0.0"},
		"version":  {Path: "github.com/spf13/cobra", Version: "v0.0.1"},
		"replaced": {Path: cobra.Path, Version: cobra.Version, Replace: &debug.Module{Path: "../cobra"}},
	} {
		if err := write(&out, info(m), "1.2.3", ""); err == nil || !strings.Contains(err.Error(), m.Path) {
			t.Errorf("%s: found error %v, want one that names the module", name, err)
		}
	}
}
