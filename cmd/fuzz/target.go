package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// class is a kind of targets: what executing one of their inputs costs.
type class struct {
	Name  string
	Speed float64 // executions per second of CPU time that a target must reach
	What  string
}

// classes of targets. A line //fuzz:class NAME at the end of a target's comment
// says its class; a target without one is of the first. Minima are a fraction of
// what today's targets reach. They are per CPU second, since a machine that others
// use too makes no target slow; a target that waits fails by [waiting].
var classes = []class{
	{"memory", 100, "reads bytes in memory"},
	{"file", 50, "writes files and opens them"},
	{"run", 10, "assembles a run from damaged files, all of them"},
}

// waiting is how many times slower than its class a target may be by the clock.
const waiting = 20

const directive = "//fuzz:class "

// target is a function that go test -fuzz runs.
type target struct {
	Package, Name string // the package's import path
	Dir           string
	Class         class
}

func (t *target) String() string { return strings.TrimPrefix(t.Package, "dagscope/") + "." + t.Name }

// targets finds those of the module in the working directory, by package and name.
func targets(ctx context.Context) ([]*target, error) {
	text, err := output(ctx, ".", "go", "list", "-json=Dir,ImportPath,TestGoFiles,XTestGoFiles", "./...")
	if err != nil {
		return nil, err
	}
	var all []*target
	for packages := json.NewDecoder(strings.NewReader(text)); ; {
		var p struct {
			Dir, ImportPath           string
			TestGoFiles, XTestGoFiles []string
		}
		if err := packages.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("read what go list prints: %w", err)
		}
		for _, file := range slices.Concat(p.TestGoFiles, p.XTestGoFiles) {
			found, err := targetsIn(filepath.Join(p.Dir, file))
			if err != nil {
				return nil, err
			}
			for _, t := range found {
				t.Package, t.Dir = p.ImportPath, p.Dir
				all = append(all, t)
			}
		}
	}
	slices.SortFunc(all, func(a, b *target) int {
		return cmp.Or(strings.Compare(a.Package, b.Package), strings.Compare(a.Name, b.Name))
	})
	return all, nil
}

// targetsIn finds the targets of a file.
func targetsIn(path string) ([]*target, error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return nil, err
	}
	var all []*target
	for _, d := range parsed.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv != nil || !isTarget(f.Name.Name) {
			continue
		}
		t := &target{Name: f.Name.Name, Class: classes[0]}
		if f.Doc != nil {
			for _, line := range f.Doc.List {
				name, ok := strings.CutPrefix(line.Text, directive)
				if !ok {
					continue
				}
				i := slices.IndexFunc(classes, func(c class) bool { return c.Name == name })
				if i < 0 {
					return nil, fmt.Errorf("%v: read %s: found %q, want a class of cmd/fuzz", files.Position(line.Pos()), strings.TrimSpace(directive), name)
				}
				t.Class = classes[i]
			}
		}
		all = append(all, t)
	}
	return all, nil
}

// isTarget is go test's rule: no small letter follows.
func isTarget(name string) bool {
	rest, ok := strings.CutPrefix(name, "Fuzz")
	first, _ := utf8.DecodeRuneInString(rest)
	return ok && !unicode.IsLower(first)
}
