package cli

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"dagscope/internal/testenv"
	"dagscope/read"
	"dagscope/show/archive"
	"dagscope/trace"
	"dagscope/trace/store"

	"github.com/parquet-go/parquet-go"
)

// needles must not be in what is shared.
var needles = []string{"alicebob", "alicework", "node17", "cluster.example", "/home", "secretproject", "hunter2", "hunter3", "deadbeefcafe", "dgxmachine", "typedaccount"}

// planted is a run with origins in every text that may hold some.
func planted(t *testing.T) *trace.Run {
	t.Helper()
	run, err := read.Read(testenv.Repo("testdata", "starpu", "native-chol-n10-dmdas"), read.Options{Generation: trace.DefaultGeneration})
	if err != nil {
		t.Fatal(err)
	}
	m := &run.Meta
	m.Command = []string{"/home/alicebob/bin/dagscope", "import", "--token=hunter2"}
	m.Environment = map[string]string{"host": "node17.cluster.example", "directory": "/home/alicebob/secretproject", "LICENCE": "hunter3",
		"USER": "alicework", trace.ProcessorTime: "3s", // and what a recording keeps of a command that was typed
		"command": "srun --account typedaccount /home/alicebob/secretproject/app --token=hunter2", "executable": "/home/alicebob/secretproject/app"}
	m.Sources[0].Path, m.Sources[0].SHA256 = "../secretproject/prof_file_alicebob_0", "deadbeefcafe"
	m.Colors = map[string]string{"/home/alicebob/secretproject/k.c": "#102030"}
	m.Derived = map[string]string{"task.ready": "said /home/alicebob/x"}
	m.Platform = &trace.Platform{Host: "dgxmachine", XML: "dgxmachine.platform.xml", Models: "models: [] # node17\n"}
	texts := []string{"/home/alicebob/secretproject/k.c", "k.c", "on node17.cluster.example by AliceWork", "~/secretproject/z.c", `C:\home\alicebob\z.c`,
		"secretproject/prof_file_alicebob_0", "alicebob", "dgxmachine_cpu 3", "0 (node17)"}
	for _, table := range run.Tables() {
		for _, c := range table.Columns {
			data, ok := c.Data.(*trace.Strings)
			name := table.Name + "." + c.Name
			if !ok || len(data.Dict) == 0 || slices.Contains([]string{"resource.level", "resource.arch", "dep.kind", "transfer.kind", "transfer.mode",
				"access.mode", "importlog.severity", "importlog.code", "account.record", "account.table", "handle.key"}, name) {
				continue
			}
			for i := 0; i < len(data.Index); i++ { // some rows of the column, and texts that no row has
				if data.Index[i] >= 0 && i%7 == 3 && name != "state.type" && name != "sample.metric" {
					data.Index[i] = data.Intern(texts[i%len(texts)])
				}
			}
			data.Intern("nobody has /home/alicebob/unused.c")
		}
	}
	run.Log.Add(trace.Warning, "../secretproject/prof_file_alicebob_0", 1, "odd", "cannot read ../secretproject/prof_file_alicebob_0: see /home/alicebob/x")
	return run
}

// decoded is everything that a file of a run directory holds: its bytes, and what
// pages and texts in them unpack to.
func decoded(t *testing.T, name string, data []byte) []byte {
	t.Helper()
	all := bytes.NewBuffer(slices.Clone(data))
	if !strings.HasSuffix(name, ".parquet") {
		return all.Bytes()
	}
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for _, kv := range f.Metadata().KeyValueMetadata {
		texts := [][]byte{}
		if json.Unmarshal([]byte(kv.Value), &texts) == nil { // base64
			for _, text := range texts {
				fmt.Fprintf(all, "%s\n", text)
			}
		}
	}
	values := make([]parquet.Value, 1000)
	for _, group := range f.RowGroups() {
		for _, column := range group.ColumnChunks() {
			pages := column.Pages()
			for {
				page, err := pages.ReadPage()
				if errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatal(err)
				}
				if d := page.Dictionary(); d != nil {
					for i := range d.Len() {
						fmt.Fprintf(all, "%s\n", d.Index(int32(i)))
					}
				}
				for r := page.Values(); ; {
					n, err := r.ReadValues(values)
					for _, v := range values[:n] {
						fmt.Fprintf(all, "%s\n", v)
					}
					if err != nil {
						break
					}
				}
			}
			pages.Close()
		}
	}
	return all.Bytes()
}

// found counts each needle in all files.
func found(t *testing.T, files map[string][]byte) map[string][]string {
	t.Helper()
	where := map[string][]string{}
	for name, data := range files {
		text := bytes.ToLower(decoded(t, name, data))
		for _, needle := range needles {
			if at := bytes.Index(text, []byte(needle)); at >= 0 {
				where[needle] = append(where[needle], fmt.Sprintf("%s: %q", name, text[max(at-30, 0):min(at+30, len(text))]))
			}
		}
	}
	return where
}

func filesOf(t *testing.T, files fs.FS) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	err := fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all[path], err = fs.ReadFile(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Nothing of the origin is in any byte of a stripped run, in the pages of its
// tables neither, and every number is that of the run.
func TestStrip(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "alicebob")
	in, out := filepath.Join(dir, "in.dsr"), filepath.Join(dir, "out.dsr")
	run := planted(t)
	if err := errors.Join(os.Mkdir(dir, 0o755), run.Validate(), store.Write(in, run, indexOf(run))); err != nil {
		t.Fatal(err)
	}
	if before := found(t, filesOf(t, os.DirFS(in))); len(before) != len(needles) {
		t.Fatalf("found before only %v of %v: the test looks at too little", before, needles)
	}
	var said bytes.Buffer
	if code := Main([]string{"strip", in, "-o", out}, nil, &said, &said); code != 0 {
		t.Fatalf("exit code %d: %s", code, said.String())
	}
	files := filesOf(t, os.DirFS(out))
	if left := found(t, files); len(left) > 0 {
		t.Errorf("found %v", left)
	}
	if !bytes.Equal(files["index.bin"], filesOf(t, os.DirFS(in))["index.bin"]) {
		t.Error("the index differs: the tasks are no longer those of the run")
	}
	copied, err := openRun(out)
	if err != nil {
		t.Fatal(err)
	}
	got, err := copied.Load()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range run.Tables() {
		for j, c := range want.Columns {
			g := got.Tables()[i].Columns[j]
			switch data := c.Data.(type) {
			case *trace.Strings:
				sameClasses(t, want.Name+"."+c.Name, data, g.Data.(*trace.Strings))
			case *trace.Keys:
			default:
				// As text: a NaN is not equal to itself.
				if fmt.Sprint(reflect.ValueOf(c.Data).Elem()) != fmt.Sprint(reflect.ValueOf(g.Data).Elem()) {
					t.Errorf("%s.%s differs", want.Name, c.Name)
				}
			}
		}
	}
	if m := copied.Meta(); m.Environment[trace.ProcessorTime] != "3s" || len(m.Environment) != 1 || m.Sources[0].Path != "source 1" || m.Sources[0].Bytes == 0 {
		t.Errorf("found %+v", m)
	}
}

// sameClasses wants rows equal where they were, except messages, which may have
// become equal.
func sameClasses(t *testing.T, name string, a, b *trace.Strings) {
	t.Helper()
	to, from := map[string]string{}, map[string]string{}
	for row := range a.Index {
		x, y := a.At(row), b.At(row)
		if z, ok := to[x]; ok && z != y {
			t.Errorf("%s: %q became %q and %q", name, x, y, z)
		}
		if z, ok := from[y]; ok && z != x && name != "importlog.message" {
			t.Errorf("%s: %q and %q became %q", name, x, z, y)
		}
		to[x], from[y] = y, x
	}
}

// An anonymous archive holds no more than a stripped run, and not the run's name.
func TestArchiveAnonymous(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "alicebob.dsr")
	run := planted(t)
	if err := store.Write(dir, run, indexOf(run)); err != nil {
		t.Fatal(err)
	}
	page := fstest.MapFS{"index.html": {Data: []byte("<head></head><script></script>")}}
	for _, anonymous := range []bool{false, true} {
		runs, err := archivedRuns([]string{dir}, t.TempDir(), anonymous)
		if err != nil {
			t.Fatal(err)
		}
		view := filepath.Join(parent, fmt.Sprint(anonymous))
		if err := archive.Write(view, version, page, archive.Engine{}, runs); err != nil {
			t.Fatal(err)
		}
		left := found(t, unpacked(t, view))
		if !anonymous && len(left) != len(needles) {
			t.Errorf("found only %v of %v in an archive that is not anonymous: the test looks at too little", left, needles)
		}
		if anonymous && len(left) > 0 {
			t.Errorf("found %v", left)
		}
	}
}

// The whole command, with the client and the engine: nothing of the run's origin is
// in any byte of the folder, nor of the machine that wrote it.
func TestArchiveCommandAnonymous(t *testing.T) {
	testenv.Slow(t) // it builds the engine where there is none
	parent := filepath.Join(t.TempDir(), "alicebob")
	in, view := filepath.Join(parent, "secretproject.dsr"), filepath.Join(parent, "view")
	run := planted(t)
	if err := errors.Join(os.Mkdir(parent, 0o755), store.Write(in, run, indexOf(run))); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	if code := Main([]string{"archive", "--anonymous", in, "-o", view}, nil, &said, &said); code != 0 {
		t.Fatalf("exit code %d: %s", code, said.String())
	}
	all := unpacked(t, view)
	packed, err := gzip.NewReader(bytes.NewReader(all["engine.wasm.gz"]))
	if err != nil {
		t.Fatal(err)
	}
	if all["engine.wasm"], err = io.ReadAll(packed); err != nil || !bytes.HasPrefix(all["engine.wasm"], []byte("\x00asm")) {
		t.Fatalf("found %d bytes of an engine, %v", len(all["engine.wasm"]), err)
	}
	left := found(t, all)
	if len(left) > 0 {
		t.Errorf("found %v", left)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	here := []string{testenv.Repo(), parent, strings.TrimSpace(string(root))}
	if host, err := os.Hostname(); err == nil && len(host) > 4 && host != "localhost" {
		here = append(here, host)
	}
	for name, data := range all {
		for _, needle := range here {
			if bytes.Contains(data, []byte(needle)) {
				t.Errorf("%s names %s", name, needle)
			}
		}
	}
}

// unpacked are an archive's files; of scripts that hold parts of files, those files.
func unpacked(t *testing.T, view string) map[string][]byte {
	t.Helper()
	all := filesOf(t, os.DirFS(view))
	text := bytes.TrimSuffix(bytes.TrimPrefix(all["data/index.js"], []byte("window.dagscopeArchive = ")), []byte(";\n"))
	var index struct {
		Parts []struct{ Script, File string }
	}
	if err := json.Unmarshal(text, &index); err != nil {
		t.Fatal(err)
	}
	held := regexp.MustCompile(`"(.*)"`)
	for _, part := range index.Parts {
		data, err := base64.StdEncoding.DecodeString(string(held.FindSubmatch(all[part.Script])[1]))
		if err != nil {
			t.Fatal(err)
		}
		all[part.File] = append(all[part.File], data...)
		delete(all, part.Script) // whose base64 may have any word in it by chance
	}
	return all
}
