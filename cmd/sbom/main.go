// Command sbom answers what a built program consists of: it writes a bill of
// materials (CycloneDX 1.6, JSON) of a dagscope binary for any platform.
//
//	sbom -version 1.2.3 -date 2026-11-22T10:00:00Z BINARY
//
// Modules, their checksums and the settings of the build are those that the go
// tool wrote into the binary, licenses those of package licenses. A module without
// a license there is an error. The same binary gives the same bytes.
package main

import (
	"debug/buildinfo"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"dagscope/internal/licenses"
)

func main() {
	version := flag.String("version", "", "version of dagscope")
	date := flag.String("date", "", "when it was released (RFC 3339)")
	flag.Parse()
	if flag.NArg() != 1 || *version == "" {
		fmt.Fprintln(os.Stderr, "usage: sbom -version VERSION [-date DATE] BINARY")
		os.Exit(2)
	}
	info, err := buildinfo.ReadFile(flag.Arg(0))
	if err == nil {
		err = write(os.Stdout, info, *version, *date)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "sbom: describe %s: %v\n", flag.Arg(0), err)
		os.Exit(1)
	}
}

// The parts of CycloneDX that are used.
type (
	bill struct {
		Schema       string       `json:"$schema"`
		Format       string       `json:"bomFormat"`
		Spec         string       `json:"specVersion"`
		Version      int          `json:"version"`
		Metadata     metadata     `json:"metadata"`
		Components   []component  `json:"components"`
		Dependencies []dependency `json:"dependencies"`
	}
	metadata struct {
		Timestamp string    `json:"timestamp,omitempty"`
		Component component `json:"component"`
	}
	component struct {
		Type       string     `json:"type"`
		Ref        string     `json:"bom-ref"`
		Name       string     `json:"name"`
		Version    string     `json:"version"`
		Licenses   []license  `json:"licenses"`
		PURL       string     `json:"purl"`
		Properties []property `json:"properties,omitempty"`
	}
	license struct {
		Expression string `json:"expression"`
	}
	property struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	dependency struct {
		Ref       string   `json:"ref"`
		DependsOn []string `json:"dependsOn"`
	}
)

func write(w io.Writer, info *debug.BuildInfo, version, date string) error {
	all, err := licenses.Components()
	if err != nil {
		return err
	}
	known := map[string]licenses.Component{}
	for _, c := range all {
		known[c.Name] = c
	}
	self := library("dagscope", version, "Apache-2.0", "pkg:generic/dagscope@"+version)
	self.Type = "application"
	for _, s := range info.Settings {
		self.Properties = append(self.Properties, property{"go:build:" + s.Key, s.Value})
	}
	b := bill{
		Schema: "http://cyclonedx.org/schema/bom-1.6.schema.json", Format: "CycloneDX", Spec: "1.6", Version: 1,
		Metadata: metadata{date, self},
	}
	release := strings.TrimPrefix(info.GoVersion, "go")
	b.Components = append(b.Components, library("std", release, known[licenses.Go].License, "pkg:golang/std@"+release))
	for _, m := range info.Deps {
		if m.Replace != nil {
			return fmt.Errorf("found module %s replaced by %s, want none replaced", m.Path, m.Replace.Path)
		}
		c, ok := known[m.Path]
		if !ok || c.Version != m.Version {
			return fmt.Errorf("found module %s %s, want one of dagscope licenses: run go generate ./internal/licenses", m.Path, m.Version)
		}
		found := library(m.Path, m.Version, c.License, "pkg:golang/"+m.Path+"@"+m.Version)
		if m.Sum != "" {
			found.Properties = []property{{"go:sum", m.Sum}}
		}
		b.Components = append(b.Components, found)
	}
	uses := dependency{Ref: self.Ref}
	for _, c := range b.Components {
		uses.DependsOn = append(uses.DependsOn, c.Ref)
	}
	b.Dependencies = []dependency{uses}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(b)
}

func library(name, version, terms, purl string) component {
	return component{Type: "library", Ref: purl, Name: name, Version: version, Licenses: []license{{terms}}, PURL: purl}
}
