package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"dagscope/internal/budget"
	"dagscope/trace"
)

// damageable writes a run and returns its directory and the run.
func damageable(t testing.TB) (string, *trace.Run) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "r.dsr")
	run := smallRun(400, 3)
	mustWrite(t, path, run)
	return path, run
}

func rewrite(t testing.TB, file string, text []byte) {
	t.Helper()
	if err := os.WriteFile(file, text, 0o666); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// checkDamaged loads a run of which one file was changed: Verify must notice,
// Load must fail or return what was written.
func checkDamaged(t *testing.T, path string, run *trace.Run, what string, at int) {
	t.Helper()
	d, err := Open(path)
	if err != nil {
		return
	}
	if err := d.Verify(); err == nil {
		t.Errorf("%s at %d: verify finds nothing", what, at)
	}
	name, _, isTable := strings.Cut(what, ".parquet")
	if !isTable {
		t.Errorf("%s at %d: open finds nothing", what, at)
		return
	}
	got, err := d.Load(name)
	if err != nil {
		return
	}
	want, _ := run.Table(name)
	for _, c := range want.Columns {
		table, _ := got.Table(name)
		loaded, _ := table.Column(c.Name)
		if diff := diffColumns(c, loaded); diff != "" {
			t.Errorf("%s at %d: load returns wrong data: %s", what, at, diff)
		}
	}
}

func TestFlippedBits(t *testing.T) {
	path, run := damageable(t)
	r := rand.New(rand.NewPCG(7, 7))
	for _, name := range list(t, path) {
		file := filepath.Join(path, name)
		whole := read(t, file)
		for range 40 {
			at := r.IntN(len(whole))
			flipped := bytes.Clone(whole)
			flipped[at] ^= 1 << r.IntN(8)
			rewrite(t, file, flipped)
			checkDamaged(t, path, run, name+": bit flipped", at)
		}
		rewrite(t, file, whole)
	}
	if diff := diffRuns(run, mustLoad(t, path)); diff != "" {
		t.Fatal(diff)
	}
}

func TestTruncated(t *testing.T) {
	path, run := damageable(t)
	for _, name := range list(t, path) {
		file := filepath.Join(path, name)
		whole := read(t, file)
		for _, n := range []int{0, 1, 7, 11, 12, len(whole) / 2, len(whole) - 8, len(whole) - 1} {
			rewrite(t, file, whole[:n])
			checkDamaged(t, path, run, name+": truncated", n)
			d, err := Open(path)
			if err == nil {
				_, err = d.Load()
			}
			if err == nil || !strings.Contains(err.Error(), strings.TrimSuffix(name, ".json")) {
				t.Errorf("%s cut to %d bytes: error is %v", name, n, err)
			}
		}
		rewrite(t, file, whole)
	}
	if err := os.Remove(filepath.Join(path, "task.parquet")); err != nil {
		t.Fatal(err)
	}
	if _, err := mustOpen(t, path).Load("task.start"); err == nil || !strings.Contains(err.Error(), "task.parquet") {
		t.Errorf("error is %v, want that task.parquet is missing", err)
	}
}

// forge gives the directory a manifest that agrees with its files except for
// what change does.
func forge(t testing.TB, path string, change func(*Manifest)) {
	t.Helper()
	m, err := decodeManifest(read(t, filepath.Join(path, ManifestName)))
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.Tables {
		text := read(t, filepath.Join(path, m.Tables[i].File))
		sum := sha256.Sum256(text)
		m.Tables[i].Bytes, m.Tables[i].SHA256 = int64(len(text)), hex.EncodeToString(sum[:])
	}
	change(m)
	text, err := m.encode()
	if err != nil {
		t.Fatal(err)
	}
	rewrite(t, filepath.Join(path, ManifestName), text)
}

// Manifests with a good checksum that do not tell the truth.
func TestForgedManifest(t *testing.T) {
	for want, change := range map[string]func(*Manifest){
		"manifest says 1000000":  func(m *Manifest) { m.Tables[0].Rows = 1_000_000 },
		"manifest says 399":      func(m *Manifest) { m.Tables[0].Rows = 399 },
		"has 4294967296 rows":    func(m *Manifest) { m.Tables[0].Rows = 1 << 32 },
		"has -1 rows":            func(m *Manifest) { m.Tables[0].Rows = -1 },
		"want a plain name":      func(m *Manifest) { m.Tables[0].File = "../../etc/passwd" },
		"appears twice":          func(m *Manifest) { m.Tables[1].Name = m.Tables[0].Name },
		"required column is mis": func(m *Manifest) { m.Tables[0].Columns = nil },
		"not in the file":        func(m *Manifest) { m.Tables[0].File = m.Tables[1].File; m.Tables[0].Bytes = m.Tables[1].Bytes },
		"no such file":           func(m *Manifest) { m.Tables[0].File = "resources.parquet" },
		"schema version 2":       func(m *Manifest) { m.Schema = 2 },
		"schema version 0":       func(m *Manifest) { m.Schema = 0 },
	} {
		path, _ := damageable(t)
		forge(t, path, change)
		d, err := Open(path)
		if err == nil {
			_, err = d.Load()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want %q", err, want)
		}
	}
}

// A column of another type, or a table of other columns, under a good manifest.
func TestForgedTable(t *testing.T) {
	path, _ := damageable(t)
	other := filepath.Join(t.TempDir(), "other.dsr")
	run := smallRun(400, 3)
	run.Counter, run.Access = trace.Counters{}, trace.Accesses{}
	mustWrite(t, other, run)
	// counter.task, event, value against access.task, handle, mode, bytes
	rewrite(t, filepath.Join(path, "counter.parquet"), read(t, filepath.Join(path, "access.parquet")))
	forge(t, path, func(*Manifest) {})
	if _, err := mustOpen(t, path).Load("counter"); err == nil || !strings.Contains(err.Error(), "not in the file") {
		t.Errorf("error is %v, want that a column is not in the file", err)
	}
	// sample.value is a float64, counter.value an int64
	rewrite(t, filepath.Join(path, "counter.parquet"), read(t, filepath.Join(path, "sample.parquet")))
	forge(t, path, func(*Manifest) {})
	if _, err := mustOpen(t, path).Load("counter.value"); err == nil || !strings.Contains(err.Error(), "Parquet type DOUBLE, want INT64") {
		t.Errorf("error is %v, want that the type is wrong", err)
	}
}

// FuzzLoad loads any bytes as the file of a table: no panic, and no more rows
// than the manifest says.
//
//fuzz:class file
func FuzzLoad(f *testing.F) {
	path, _ := damageable(f)
	schema := trace.Schema()
	for i, table := range schema {
		if text, err := os.ReadFile(filepath.Join(path, table.Name+".parquet")); err == nil {
			f.Add(i, text)
		}
	}
	path = f.TempDir()
	f.Fuzz(func(t *testing.T, which int, text []byte) {
		budget.Watch(t)
		if len(text) == 0 {
			return
		}
		rewrite(t, filepath.Join(path, "t.parquet"), text)
		table := schema[uint(which)%uint(len(schema))] // one: all take twenty times as long
		m := Manifest{Format: formatName, Schema: 1}
		entry := TableFile{Name: table.Name, File: "t.parquet", Rows: 400, Bytes: int64(len(text))}
		for _, c := range table.Columns {
			entry.Columns = append(entry.Columns, ColumnInfo{Name: c.Name})
		}
		m.Tables = []TableFile{entry}
		if err := m.check(); err != nil {
			t.Fatal(err)
		}
		d := &Dir{path: path, open: inDirectory(path), manifest: &m}
		for _, c := range table.Columns {
			run, err := d.Load(table.Name + "." + c.Name)
			if err != nil {
				continue
			}
			if got, _ := run.Table(table.Name); got.Rows() != 400 {
				t.Errorf("%s.%s has %d rows, want 400", table.Name, c.Name, got.Rows())
			}
		}
	})
}

// A run that was rewritten since it was opened is not called damaged.
func TestReplacedUnderReader(t *testing.T) {
	path, _ := damageable(t)
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, smallRun(400, 3), Attachment{"index", []byte("old")}); err != nil {
		t.Fatal(err)
	}
	d, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(path, smallRun(700, 4), Attachment{"index", []byte("newer")}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Load(); !errors.Is(err, ErrReplaced) {
		t.Errorf("load: error %v", err)
	}
	if _, err := d.Attachment("index"); !errors.Is(err, ErrReplaced) {
		t.Errorf("attachment: error %v", err)
	}
}

// Files of a run that took the place of another are not taken for those of the
// other, even if they have the sizes and rows that it had.
func TestReplacedBySameSizes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.dsr")
	mustWrite(t, path, smallRun(childRows, 1))
	d := mustOpen(t, path)
	next := smallRun(childRows, 1)
	next.Meta.Origin++
	mustWrite(t, path, next)
	if !reflect.DeepEqual(d.manifest.Tables, mustOpen(t, path).manifest.Tables) {
		t.Fatal("the tables differ: the test could not fail")
	}
	if _, err := d.Load("task.start"); !errors.Is(err, ErrReplaced) {
		t.Errorf("found error %v, want %v", err, ErrReplaced)
	}
}
