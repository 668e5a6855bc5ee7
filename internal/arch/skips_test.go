package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"dagscope/internal/testenv"
)

// Tests are skipped by package testenv only, which says what is missing in words
// that can be counted, and fails where it must not be. Draws of package rapid
// may be thrown away.
func TestSkipsGoThroughTestenv(t *testing.T) {
	seen := 0
	err := filepath.WalkDir(testenv.Repo(), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && d.Name() != "." || d.Name() == "node_modules" || path == testenv.Repo("internal/testenv")) {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		seen++
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, pos := range ownSkips(f) {
			t.Errorf("%s: skips a test: use package testenv", files.Position(pos))
		}
		return nil
	})
	if err != nil || seen < 200 {
		t.Errorf("read %d files of tests: %v", seen, err)
	}
}

// ownSkips are the calls of Skip, Skipf and SkipNow outside functions that take a
// *rapid.T.
func ownSkips(f *ast.File) (found []token.Pos) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return !takesRapid(n.Type)
		case *ast.FuncDecl:
			return !takesRapid(n.Type)
		case *ast.CallExpr:
			if s, ok := n.Fun.(*ast.SelectorExpr); ok && strings.HasPrefix(s.Sel.Name, "Skip") && len(s.Sel.Name) < 8 {
				if x, ok := s.X.(*ast.Ident); ok && len(x.Name) <= 2 {
					found = append(found, n.Pos())
				}
			}
		}
		return true
	})
	return found
}

func takesRapid(f *ast.FuncType) bool {
	for _, p := range f.Params.List {
		if star, ok := p.Type.(*ast.StarExpr); ok {
			if s, ok := star.X.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && x.Name == "rapid" {
					return true
				}
			}
		}
	}
	return false
}

func TestOwnSkips(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "x_test.go", `package x
func TestA(t *testing.T) { t.Skip("no") }
func BenchmarkA(b *testing.B) { if true { b.Skipf("no") } }
func TestB(t *testing.T) { rapid.Check(t, func(t *rapid.T) { t.Skip("no draw") }); testenv.Slow(t); r.SkipLine() }
`, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := ownSkips(f); len(got) != 2 {
		t.Errorf("found %d skips, want 2", len(got))
	}
}
