package archive

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

var page = fstest.MapFS{
	"index.html":    {Data: []byte("<head></head>\n    <script defer src=\"./app.js\"></script>")},
	"app.js":        {Data: []byte("1")},
	"more/font.bin": {Data: []byte{1, 2}},
}

func noise(n int) []byte {
	b := make([]byte, n)
	r := rand.New(rand.NewPCG(1, uint64(n)))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// What the page puts together from the parts is what the run directory holds.
func TestPartsAreTheFiles(t *testing.T) {
	files := map[string][]byte{"manifest.json": []byte("{}"), "empty.parquet": nil,
		"task.parquet": noise(2*partBytes + 5), "state.parquet": noise(partBytes)}
	held := fstest.MapFS{}
	for name, data := range files {
		held[name] = &fstest.MapFile{Data: data}
	}
	dir := filepath.Join(t.TempDir(), "view")
	engine := Engine{Wasm: noise(100), Exec: []byte("go")}
	if err := Write(dir, "1.2", page, engine, []Run{{Name: "a", Files: held}, {Name: "b", Files: fstest.MapFS{"manifest.json": {Data: []byte("b")}}}}); err != nil {
		t.Fatal(err)
	}
	x, got := load(t, dir)
	if x.Version != "1.2" || len(x.Runs) != 2 || x.Runs[0].Name != "a" || x.Runs[1].Name != "b" {
		t.Errorf("index %+v", x)
	}
	for name, want := range files {
		if data, ok := got[x.Runs[0].Files[name]]; !ok || !bytes.Equal(data, want) {
			t.Errorf("%s: %d bytes (there: %v), want %d", name, len(data), ok, len(want))
		}
	}
	if string(got[x.Runs[1].Files["manifest.json"]]) != "b" {
		t.Error("files of the second run are not its own")
	}
	if !bytes.Equal(got[x.Engine[0]], engine.Wasm) || string(got[x.Engine[1]]) != "go" {
		t.Error("the engine is not what was given")
	}
	text, err := os.ReadFile(filepath.Join(dir, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	if i, j := strings.Index(string(text), marker), strings.Index(string(text), "app.js"); i < 0 || j < i {
		t.Errorf("the page must load %s before the client: %s", marker, text)
	}
	if i, j := strings.Index(string(text), `http-equiv="Content-Security-Policy"`), strings.Index(string(text), "<script"); i < 0 || j < i {
		t.Errorf("the page's policy must come before its scripts: %s", text)
	}
	for _, name := range []string{"app.js", "more/font.bin"} {
		if data, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Equal(data, page[name].Data) {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
}

var taking = regexp.MustCompile(`^dagscopeArchive\.take\((\d+),"([A-Za-z0-9+/=]*)"\);\n$`)

// load does what the page does.
func load(t *testing.T, dir string) (x index, files map[string][]byte) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, marker))
	if err != nil {
		t.Fatal(err)
	}
	list := strings.TrimSuffix(strings.TrimPrefix(string(text), "window.dagscopeArchive = "), ";\n")
	if err := json.Unmarshal([]byte(list), &x); err != nil {
		t.Fatal(err)
	}
	files = make(map[string][]byte)
	for i, p := range x.Parts {
		script, err := os.ReadFile(filepath.Join(dir, p.Script))
		if err != nil {
			t.Fatal(err)
		}
		m := taking.FindSubmatch(script)
		if m == nil || string(m[1]) != strconv.Itoa(i) {
			t.Fatalf("%s is not part %d", p.Script, i)
		}
		data, err := base64.StdEncoding.DecodeString(string(m[2]))
		if err != nil || len(data) != p.Bytes || int64(len(files[p.File])) != p.At {
			t.Fatalf("%s: %d bytes at %d of %s, %v", p.Script, len(data), p.At, p.File, err)
		}
		files[p.File] = append(files[p.File], data...)
	}
	return x, files
}

// An archive is replaced whole; what is no archive is left alone.
func TestReplace(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "view")
	run := []Run{{Name: "a", Files: fstest.MapFS{"manifest.json": {Data: []byte("{}")}}}}
	for range 2 {
		if err := Write(dir, "1", page, Engine{}, run); err != nil {
			t.Fatal(err)
		}
	}
	if err := Write(dir, "1", fstest.MapFS{"index.html": {Data: []byte("no script")}}, Engine{}, run); err == nil {
		t.Error("a page without scripts was taken")
	}
	if x, _ := load(t, dir); len(x.Runs) != 1 {
		t.Error("the failed write harmed the archive that was there")
	}
	if left, _ := os.ReadDir(parent); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
	foreign := filepath.Join(parent, "home")
	if err := os.Mkdir(foreign, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(foreign, "thesis.tex"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Write(foreign, "1", page, Engine{}, run); err == nil || !strings.Contains(err.Error(), "other things") {
		t.Errorf("a foreign directory: %v", err)
	}
	if err := Write(filepath.Join(parent, "no", "such"), "1", page, Engine{}, run); err == nil {
		t.Error("a directory without parent was made")
	}
}
