package arch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// Documents rot where nobody looks. These tests read every page of the
// documentation and every comment of the code, and check that what they name
// exists: pages, sections ("docs/design/methods.md, Bounds"), relative links
// and their anchors, papers ("Garcia Pinto 2018, section 5.1.3"), and on the
// pages that map the code its packages, functions and files.

const bibliography = "docs/design/bibliography.md"

// maps are the pages whose `names in backticks` are names of the code.
var maps = []string{"docs/design/architecture.md", "CONTRIBUTING.md"}

func TestCitations(t *testing.T) {
	c := newCitations(t)
	papers := 0
	for _, file := range c.files {
		text := c.text(t, file)
		for _, problem := range c.check(file, text) {
			t.Errorf("%s: %s", file, problem)
		}
		papers += len(citedPapers(prose(file, text)))
	}
	if len(c.pages) < 30 || papers < 50 {
		t.Errorf("found %d pages and %d citations of papers: the test looks at the wrong files", len(c.pages), papers)
	}
}

// TestCitationsFail: each check finds what is wrong with a made-up text, and
// nothing wrong with one that is right.
func TestCitationsFail(t *testing.T) {
	c := &citations{
		pages: map[string]*mdPage{
			"docs/a.md":  readPage("# A\n\n## 4. Time breakdown\n\n### 4.1 Area bound\n\n## Time\n\n## Twice\n\n## Twice\n"),
			bibliography: readPage("# Bibliography\n\n### GarciaPinto2018\n\n### Chacon2015\n\n### He2010\n\n### Agullo2015a\n"),
		},
		paths: map[string]bool{"docs": true, "docs/a.md": true, bibliography: true, "docs/img": true, "cli": true, "cli/import.go": true, "CONTRIBUTING.md": true},
		names: map[string]bool{"trace": true, "trace.Run": true, "Run.Validate": true},
	}
	for _, test := range []struct{ file, text, want string }{
		{"x.go", "// See docs/a.md.", ""},
		{"x.go", "// See docs/b.md.", "page docs/b.md"},
		{"x.go", "// (docs/a.md, Time breakdown): all of\n// it.", ""},
		{"x.go", "// As in docs/a.md, Area\n// bound.", ""},
		{"x.go", "// (docs/a.md, Time and Area bound)", ""},
		{"x.go", "// docs/a.md, Time and of course more", ""},
		{"x.go", "// “docs/a.md, Time”", ""},
		{"x.go", "// docs/a.md, Timetable", `section "Timetable"`},
		{"x.go", "// (docs/a.md, Space)", `section "Space"`},
		{"x.go", "// (docs/a.md, Time and Space)", `section "Space"`},
		{"x.go", "// (docs/a.md, which says so)", ""},
		{"x.go", "// (docs/a.md#time)", ""},
		{"x.go", "// (docs/a.md#nothing)", "anchor #nothing"},
		{"x.go", `var s = "docs/b.md"`, "page docs/b.md"},
		{"x.go", "// Garcia Pinto 2018, section 5", ""},
		{"x.go", "// after Garcia\n// Pinto 2018", ""},
		{"x.go", "// As He 2010 and Chacón 2015 say", ""},
		{"x.go", "// (Agullo 2015a)", ""},
		{"x.go", "// (Agullo 2015)", "paper Agullo 2015"},
		{"x.go", "// (Garcia Pinto 2019)", "paper Garcia Pinto 2019"},
		{"x.go", "// (Nobody, Else and Third 1999)", "paper Nobody 1999"},
		{"x.go", "// Nobody et al. (1999)", "paper Nobody 1999"},
		{"x.go", "// in November 2026, RFC 4180, version 2015", ""},
		{"x.go", `var s = "Nobody 1999"`, ""},
		{"x.go", "// METHODS 3", "METHODS"},
		{"x_test.go", "// METHODS 3", ""},
		{"x_test.go", `const d = "../shared/data"`, ""},
		{"x.go", `const d = "../shared/data"`, "../shared"},
		{"docs/a.md", "[a](a.md), [b](../docs/a.md#time), [c](#twice-1), [d](https://example.org/x.md), [e](img)", ""},
		{"docs/a.md", "[a](b.md)", "link b.md"},
		{"docs/a.md", "[a](a.md#4-time-breakdown) [a](a.md#41-area-bound)", ""},
		{"docs/a.md", "[a](a.md#time-breakdown)", "anchor #time-breakdown"},
		{"docs/a.md", "[a](#twice-2)", "anchor #twice-2"},
		{"docs/a.md", "```\n[a](b.md) Nobody 1999 docs/b.md\n```", "page docs/b.md"},
		{"CONTRIBUTING.md", "`cli`, `cli/import.go`, `import.go`, `trace.Run`, `Run.Validate`, `--set a.b`, `…/x.go`", ""},
		{"CONTRIBUTING.md", "`cli/export.go`", "file cli/export.go"},
		{"CONTRIBUTING.md", "`trace.Walk`", "name trace.Walk"},
		{"CONTRIBUTING.md", "`Run.Walk`", "name Run.Walk"},
	} {
		got := strings.Join(c.check(test.file, test.text), "\n")
		if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s %q: found %q, want %q", test.file, test.text, got, test.want)
		}
	}
}

// citations is what may be cited.
type citations struct {
	root  string
	files []string           // below root, with slashes
	pages map[string]*mdPage // by file
	paths map[string]bool    // files and folders
	names map[string]bool    // of the code: package, package.Name, Type.Method
}

// mdPage is a page of the documentation.
type mdPage struct {
	titles  []string // of its sections, without numbers
	anchors map[string]bool
}

var (
	heading = regexp.MustCompile(`^(#{1,6}) +(.*?) *$`)
	number  = regexp.MustCompile(`^\d+(\.\d+)*\.? +`)
	mdLink  = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)

// readPage finds the sections of a page, and the anchors that GitHub gives them.
func readPage(text string) *mdPage {
	p := &mdPage{anchors: map[string]bool{}}
	fenced := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		m := heading.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil || fenced {
			continue
		}
		title := strings.NewReplacer("`", "", "*", "").Replace(mdLink.ReplaceAllString(m[2], "$1"))
		p.titles = append(p.titles, number.ReplaceAllString(title, ""))
		anchor := slug(title)
		for n := 1; p.anchors[anchor]; n++ {
			anchor = fmt.Sprintf("%s-%d", slug(title), n)
		}
		p.anchors[anchor] = true
	}
	// Longer titles first: a citation of "Time breakdown" is none of "Time".
	slices.SortFunc(p.titles, func(a, b string) int { return len(b) - len(a) })
	return p
}

// slug is the anchor of a heading.
func slug(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
			return unicode.ToLower(r)
		case r == ' ':
			return '-'
		}
		return -1
	}, title)
}

// check says what a file cites that is not there.
func (c *citations) check(file, text string) (problems []string) {
	words := prose(file, text)
	problems = append(problems, c.checkPages(words, file, text)...)
	for _, p := range citedPapers(words) {
		if file != bibliography && !c.known(p) {
			problems = append(problems, fmt.Sprintf("found no paper %s in %s", p, bibliography))
		}
	}
	if strings.HasSuffix(file, ".md") {
		problems = append(problems, c.checkLinks(file, text)...)
	}
	if slices.Contains(maps, file) {
		problems = append(problems, c.checkNames(text)...)
	}
	if !isTest(file) {
		for _, outside := range []string{"METHODS", "../shared"} {
			if regexp.MustCompile(`(^|\W)` + regexp.QuoteMeta(outside) + `(\W|$)`).MatchString(text) {
				problems = append(problems, "names "+outside+", which is not in the repository")
			}
		}
	}
	return problems
}

func isTest(file string) bool {
	return strings.HasSuffix(file, "_test.go") || strings.HasPrefix(file, "internal/testenv/") || strings.HasPrefix(file, ".ci/") || strings.HasSuffix(file, ".test.ts")
}

var (
	pageCited   = regexp.MustCompile(`(?:^|[^\w./])(docs/[\w./-]*\w\.md)(#[\w-]+)?(, )?`)
	andAnother  = regexp.MustCompile(`^(?:, | and )(\p{Lu}[\p{L}-]*)`)
	firstOfName = regexp.MustCompile(`^\p{Lu}[\p{L}-]*`)
)

// checkPages checks pages that are cited by path, and their sections by title.
// Comments are looked at as words, so that a citation may span lines; the rest
// of a file (texts for users) is looked at as it is.
func (c *citations) checkPages(words, file, text string) (problems []string) {
	if !strings.HasSuffix(file, ".md") {
		for _, m := range pageCited.FindAllStringSubmatch(text, -1) {
			if c.pages[m[1]] == nil && !c.paths[m[1]] {
				problems = append(problems, "found no page "+m[1])
			}
		}
	}
	for _, at := range pageCited.FindAllStringSubmatchIndex(words, -1) {
		name := words[at[2]:at[3]]
		p := c.pages[name]
		switch {
		case p == nil:
			if message := "found no page " + name; !slices.Contains(problems, message) {
				problems = append(problems, message)
			}
		case at[4] >= 0:
			if anchor := words[at[4]:at[5]]; !p.anchors[anchor[1:]] {
				problems = append(problems, fmt.Sprintf("found no anchor %s in %s", anchor, name))
			}
		case at[6] >= 0:
			if missing := p.missing(words[at[7]:]); missing != "" {
				problems = append(problems, fmt.Sprintf("found no section %q in %s", missing, name))
			}
		}
	}
	return problems
}

// missing is the section that what follows a page names and that the page does
// not have; "" if all are there, or none is named.
func (p *mdPage) missing(rest string) string {
	for firstOfName.MatchString(rest) {
		found := slices.IndexFunc(p.titles, func(title string) bool {
			after, ok := strings.CutPrefix(rest, title)
			next, _ := utf8.DecodeRuneInString(after)
			return ok && !unicode.IsLetter(next)
		})
		if found < 0 {
			return firstOfName.FindString(rest)
		}
		rest = rest[len(p.titles[found]):]
		next := andAnother.FindStringSubmatchIndex(rest)
		if next == nil || strings.HasPrefix(rest, ", ") {
			return ""
		}
		rest = rest[next[2]:]
	}
	return ""
}

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// checkLinks checks the relative links of a page outside of blocks of code.
func (c *citations) checkLinks(file, text string) (problems []string) {
	for _, m := range link.FindAllStringSubmatch(outsideBlocks(text), -1) {
		if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
			continue
		}
		target, anchor, _ := strings.Cut(m[1], "#")
		to := file
		if target != "" {
			to = path.Join(path.Dir(file), target)
		}
		p := c.pages[to]
		switch {
		case p == nil && !c.paths[to]:
			problems = append(problems, "found no target of link "+m[1])
		case anchor != "" && (p == nil || !p.anchors[anchor]):
			problems = append(problems, fmt.Sprintf("found no anchor #%s in %s", anchor, to))
		}
	}
	return problems
}

// outsideBlocks is a page without its blocks of code.
func outsideBlocks(text string) string {
	var out strings.Builder
	fenced := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimLeft(line, " "), "```") {
			fenced = !fenced
		} else if !fenced {
			out.WriteString(line)
		}
	}
	return out.String()
}

// A paper is cited by its first author and year. Other authors may follow the
// first.
var (
	surname = `\p{Lu}\p{L}*\p{Ll}[\p{L}’'-]*`
	cited   = regexp.MustCompile(`((?:De |van der )?` + surname + `(?: ` + surname + `)?)` +
		`(?:(?:, ` + surname + `)*,? and (?:van der )?` + surname + `| et al\.)?,? \(?((?:19|20)\d\d[a-z]?)(?:[^\w-]|$)`)
	notAuthors = regexp.MustCompile(`^(January|February|March|April|May|June|July|August|September|October|November|December|RFC|Since|In|Version|Debian|Ubuntu|Unicode|OpenMP|Go)$`)
)

// paper is a citation.
type paper struct{ author, year string }

func (p paper) String() string { return p.author + " " + p.year }

// citedPapers are the papers that words cite.
func citedPapers(words string) (all []paper) {
	for _, m := range cited.FindAllStringSubmatch(words, -1) {
		last := m[1][strings.LastIndex(m[1], " ")+1:]
		if !notAuthors.MatchString(last) {
			all = append(all, paper{m[1], m[2]})
		}
	}
	return all
}

// known says whether the bibliography has a paper. The word in front of a name
// may be the beginning of a sentence.
func (c *citations) known(p paper) bool {
	keys := c.pages[bibliography].titles
	for name := p.author; ; {
		if slices.Contains(keys, plain(name)+p.year) {
			return true
		}
		_, rest, more := strings.Cut(name, " ")
		if !more {
			return false
		}
		name = rest
	}
}

// plain is a name as keys spell it.
func plain(name string) string {
	return strings.NewReplacer(" ", "", "á", "a", "ó", "o", "é", "e", "ç", "c", "í", "i", "ü", "u", "ö", "o").Replace(name)
}

// prose are the words of a file that people read: of a page all outside of
// code, of code its comments.
func prose(file, text string) string {
	switch {
	case strings.HasSuffix(file, ".md"):
		return strings.Join(strings.Fields(text), " ")
	case strings.HasSuffix(file, ".go"):
		return goComments(text)
	}
	var words []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		for _, mark := range []string{"//", "/*", "*", "#"} {
			if rest, ok := strings.CutPrefix(line, mark); ok {
				words = append(words, strings.Fields(strings.TrimSuffix(rest, "*/"))...)
				break
			}
		}
	}
	return strings.Join(words, " ")
}

func goComments(text string) string {
	var s scanner.Scanner
	fset := token.NewFileSet()
	s.Init(fset.AddFile("", fset.Base(), len(text)), []byte(text), nil, scanner.ScanComments)
	var words []string
	for {
		_, tok, lit := s.Scan()
		if tok == token.EOF {
			return strings.Join(words, " ")
		}
		if tok == token.COMMENT {
			lit = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(lit, "//"), "/*"), "*/")
			words = append(words, strings.Fields(lit)...)
		}
	}
}

var (
	quoted   = regexp.MustCompile("`([^`\n]+)`")
	fileName = regexp.MustCompile(`^[\w./-]+\.(go|ts|md|yaml)$`)
	codeName = regexp.MustCompile(`^([A-Za-z]\w*)\.([A-Z]\w*)(\.[A-Z]\w*)?$`)
)

// checkNames checks the names of code and files in backticks.
func (c *citations) checkNames(text string) (problems []string) {
	for _, m := range quoted.FindAllStringSubmatch(outsideBlocks(text), -1) {
		name := m[1]
		if fileName.MatchString(name) {
			if !c.hasFile(name) {
				problems = append(problems, "found no file "+name)
			}
		} else if n := codeName.FindStringSubmatch(name); n != nil && !c.names[n[1]+"."+n[2]] {
			problems = append(problems, "found no name "+name+" in the code")
		}
	}
	return problems
}

// hasFile says whether some path ends with a name.
func (c *citations) hasFile(name string) bool {
	if c.paths[name] {
		return true
	}
	for p := range c.paths {
		if strings.HasSuffix(p, "/"+name) {
			return true
		}
	}
	return false
}

func (c *citations) text(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(c.root, filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// newCitations reads the repository.
func newCitations(t *testing.T) *citations {
	t.Helper()
	root, _ := moduleRoot(t)
	c := &citations{root: root, pages: map[string]*mdPage{}, paths: map[string]bool{}, names: map[string]bool{}}
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		c.paths[rel] = true
		if d.IsDir() {
			if skipped(rel, d.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		switch path.Ext(rel) {
		case ".go", ".md", ".ts", ".c", ".h", ".sh", ".yaml":
			if rel != "internal/arch/citations_test.go" && !strings.Contains(rel, "testdata/") && !strings.HasPrefix(rel, "internal/licenses/texts/") {
				c.files = append(c.files, rel)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range c.files {
		switch {
		case strings.HasSuffix(file, ".md"):
			c.pages[file] = readPage(c.text(t, file))
		case strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_test.go"):
			c.addNames(t, file)
		}
	}
	return c
}

// skipped are folders that hold what others wrote or what is built.
func skipped(rel, name string) bool {
	return rel != "." && (name == "node_modules" || strings.HasPrefix(name, ".") && name != ".ci") ||
		slices.Contains([]string{"build", "bin", "web/dist"}, rel)
}

// addNames adds what a file declares.
func (c *citations) addNames(t *testing.T, file string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, c.text(t, file), parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	pkg := f.Name.Name
	c.names[pkg] = true
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			c.names[receiver(d, pkg)+"."+d.Name.Name] = true
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					c.names[pkg+"."+s.Name.Name] = true
				case *ast.ValueSpec:
					for _, n := range s.Names {
						c.names[pkg+"."+n.Name] = true
					}
				}
			}
		}
	}
}

// receiver is the type of a method, or the package of a function.
func receiver(d *ast.FuncDecl, pkg string) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return pkg
	}
	of := d.Recv.List[0].Type
	if p, ok := of.(*ast.StarExpr); ok {
		of = p.X
	}
	switch of := of.(type) {
	case *ast.Ident:
		return of.Name
	case *ast.IndexExpr:
		if id, ok := of.X.(*ast.Ident); ok {
			return id.Name
		}
	}
	return pkg
}
