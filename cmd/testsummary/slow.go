package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// slowTests finds the tests of a module that call testenv.Slow, directly or
// through functions of their package: the folders of their packages, as go test
// takes them, and their names. Functions are distinguished by name only, so that a
// test may be found that calls another of the same name: it is run once more.
func slowTests(module string) (folders, tests []string, err error) {
	calls := map[string]map[string][]string{} // by folder and function
	files := token.NewFileSet()
	err = filepath.WalkDir(module, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); file != module && (name == "testdata" || name == "node_modules" || strings.HasPrefix(name, ".") || isModule(file)) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(file, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(files, file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir := filepath.Dir(file)
		if calls[dir] == nil {
			calls[dir] = map[string][]string{}
		}
		for _, d := range f.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				calls[dir][f.Name.Name] = append(calls[dir][f.Name.Name], named(f)...)
			}
		}
		return nil
	})
	for _, dir := range slices.Sorted(maps.Keys(calls)) {
		found := false
		for name := range calls[dir] {
			if strings.HasPrefix(name, "Test") && reaches(calls[dir], name, "testenv.Slow", map[string]bool{}) {
				found = true
				tests = append(tests, name)
			}
		}
		if found {
			rel, err := filepath.Rel(module, dir)
			if err != nil {
				return nil, nil, err
			}
			folders = append(folders, "./"+path.Clean(filepath.ToSlash(rel)))
		}
	}
	slices.Sort(tests)
	return folders, slices.Compact(tests), err
}

// named are the functions that a function names, those of other packages with
// the package.
func named(f *ast.FuncDecl) (names []string) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			names = append(names, n.Name)
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok {
				names = append(names, x.Name+"."+n.Sel.Name)
			}
		}
		return true
	})
	return names
}

func reaches(calls map[string][]string, from, to string, seen map[string]bool) bool {
	if from == to {
		return true
	}
	if seen[from] {
		return false
	}
	seen[from] = true
	return slices.ContainsFunc(calls[from], func(next string) bool { return reaches(calls, next, to, seen) })
}

func isModule(dir string) bool {
	found, err := filepath.Glob(filepath.Join(dir, "go.mod"))
	return err == nil && len(found) > 0
}
