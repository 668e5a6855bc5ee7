package store

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"dagscope/internal/testenv"
	"dagscope/trace"
	"dagscope/trace/tracetest"

	"pgregory.net/rapid"
)

// What goes in comes out, whatever it is.
func TestRoundTrip(t *testing.T) {
	parent := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		run := drawRun(t)
		path := filepath.Join(parent, "r.dsr")
		if err := Write(path, run); err != nil {
			t.Fatal(err)
		}
		d, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Verify(); err != nil {
			t.Fatal(err)
		}
		got, err := d.Load()
		if err != nil {
			t.Fatal(err)
		}
		if diff := diffRuns(run, got); diff != "" {
			t.Fatal(diff)
		}
		for _, table := range run.Tables() {
			if d.Rows(table.Name) != table.Rows() {
				t.Fatalf("table %s has %d rows, want %d", table.Name, d.Rows(table.Name), table.Rows())
			}
		}
	})
}

// Several row groups and many pages, whose dictionaries and prefixes differ.
func TestRoundTripRowGroups(t *testing.T) {
	testenv.Slow(t)
	run := &trace.Run{}
	tr := &run.Account
	rows := 2*rowGroupRows + 12345
	for i := range rows {
		tr.Source.Append(strings.Repeat("x", i*7/rows))                  // appears late
		tr.Record.Append([]string{"c", "b", "a"}[(rows-i)*3/(rows+1)%3]) // differs by group
		if i%5 == 0 {
			tr.Table.AppendIndex(trace.None)
		} else {
			tr.Table.Append([]string{"t", "u"}[i%2])
		}
		tr.Lines = append(tr.Lines, int64(i)*int64(i))
	}
	ta := benchRun(rows)
	run.Task = ta.Task
	for i := rowGroupRows; i < rows; i += 3 {
		run.Task.Key.Code[i] = run.Task.Key.Encode([]byte{"late_"[i%5], '7'})
	}
	path := filepath.Join(t.TempDir(), "r.dsr")
	mustWrite(t, path, run)
	got := mustLoad(t, path)
	if diff := diffRuns(run, got); diff != "" {
		t.Fatal(diff)
	}
	for i, code := range run.Task.Key.Code {
		if got.Task.Key.Code[i] != code {
			t.Fatalf("code of row %d is %x, want %x", i, got.Task.Key.Code[i], code)
		}
	}
}

// Tables may be sorted by dictionary index, so the order of a dictionary is
// part of the run, unused entries included.
func TestDictionaryOrder(t *testing.T) {
	run := smallRun(3, 0)
	run.State.Type = trace.Strings{Dict: []string{"unused", "b", "a", "\xff"}, Index: []int32{2, 1, trace.None}}
	run.Transfer.Key = trace.Keys{}
	run.Transfer.Key.Encode([]byte("zeroth"))
	for _, name := range []string{"com_3", "mpicom_1", "com_2"} {
		run.Transfer.Key.AppendString(name)
	}
	path := filepath.Join(t.TempDir(), "r.dsr")
	mustWrite(t, path, run)
	got := mustLoad(t, path)
	if d := got.State.Type.Dict; !sameStrings(d, run.State.Type.Dict) {
		t.Errorf("dictionary is %q, want %q", d, run.State.Type.Dict)
	}
	if p := got.Transfer.Key.Prefix; !sameStrings(p, run.Transfer.Key.Prefix) {
		t.Errorf("prefixes are %q, want %q", p, run.Transfer.Key.Prefix)
	}
	if i := got.State.Type.Find("a"); i != 2 {
		t.Errorf("text a has index %d, want 2", i)
	}
	if row := got.Transfer.Key.Find("mpicom_1"); row != 1 {
		t.Errorf("mpicom_1 is in row %d, want 1", row)
	}
}

func TestLoadChosen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.dsr")
	run := smallRun(20, 5)
	run.Dep = trace.Deps{}
	run.Task.Tag = nil
	mustWrite(t, path, run)
	got := mustLoad(t, path, "task.start", "task.kind", "handle", "dep", "task.tag", "handle.x")
	for _, table := range got.Tables() {
		for _, c := range table.Columns {
			want := 0
			if table.Name == "handle" || table.Name == "task" && (c.Name == "start" || c.Name == "kind") {
				want = 20
			}
			if c.Len() != want {
				t.Errorf("%s.%s has %d rows, want %d", table.Name, c.Name, c.Len(), want)
			}
		}
	}
	if got.Meta.Origin != 5 || mustOpen(t, path).Meta().Origin != 5 {
		t.Errorf("origin is %d, want 5", got.Meta.Origin)
	}
	for _, want := range []string{"tsk", "task.strt", "task.", "", "."} {
		if _, err := mustOpen(t, path).Load(want); err == nil {
			t.Errorf("load %q succeeds", want)
		}
	}
}

func TestWriteRefusesInconsistentRuns(t *testing.T) {
	for name, spoil := range map[string]func(*trace.Run){
		"task: column end has 19 rows":       func(r *trace.Run) { r.Task.End = r.Task.End[:19] },
		"task: column end has 0 rows":        func(r *trace.Run) { r.Task.End = nil },
		"column kind, row 4: text 99":        func(r *trace.Run) { r.Task.Kind.Index[4] = 99 },
		"column key, row 3: prefix 64":       func(r *trace.Run) { r.Task.Key.Code[3] = 64 << 40 },
		"task: column subiteration has 2 ro": func(r *trace.Run) { r.Task.Subiteration = make([]int32, 2) },
	} {
		path := filepath.Join(t.TempDir(), "r.dsr")
		run := smallRun(20, 0)
		spoil(run)
		err := Write(path, run)
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("error is %v, want %q", err, name)
		}
		if left := list(t, filepath.Dir(path)); len(left) > 0 {
			t.Errorf("%s left %q", name, left)
		}
	}
}

func TestEmptyRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.dsr")
	mustWrite(t, path, &trace.Run{})
	if files := list(t, path); !sameStrings(files, []string{ManifestName}) {
		t.Errorf("files are %q", files)
	}
	if got := mustLoad(t, path); len(got.Task.Start) != 0 {
		t.Errorf("%d tasks in an empty run", len(got.Task.Start))
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	manifest := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.Mkdir(path, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(path, ManifestName), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct{ path, want string }{
		{filepath.Join(dir, "none"), "no such file"},
		{file, "want a run directory"},
		{dir, "not a run directory"},
		{manifest("other", `{"name": "web app"}`), "not a run directory"},
		{manifest("newer", `{"format": "dagscope run", "schema": 99, "tables": 3}`), "schema version 99"},
		{manifest("cut", `{"format": "dagscope`), "damaged manifest"},
		{manifest("unsigned", `{"format": "dagscope run", "schema": 1}`), "no checksum"},
	} {
		if _, err := Open(c.path); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("open %s: error is %v, want %q", c.path, err, c.want)
		}
	}
}

func list(t testing.TB, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// A run directory can be read from memory, as pages without a file system do.
func TestOpenFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a.dsr")
	want := tracetest.Random(1, 500)
	if err := Write(dir, want, Attachment{"note", []byte("kept")}); err != nil {
		t.Fatal(err)
	}
	held := os.DirFS(dir)
	d, err := OpenFiles("memory", func(name string) (File, error) {
		data, err := fs.ReadFile(held, name)
		if err != nil {
			return nil, err
		}
		f, err := fstest.MapFS{name: {Data: data}}.Open(name)
		return f.(File), err
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := d.Load()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(tracetest.Format(got), tracetest.Format(want)) {
		t.Error("the run from memory differs from what was written")
	}
	if note, err := d.Attachment("note"); err != nil || string(note) != "kept" {
		t.Errorf("attachment: %q, %v", note, err)
	}
	if err := d.Verify(); err != nil {
		t.Error(err)
	}
	if _, err := OpenFiles("memory", func(string) (File, error) { return nil, fs.ErrNotExist }); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without files: %v", err)
	}
}
