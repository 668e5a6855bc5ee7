package store

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"dagscope/internal/budget"
	"dagscope/trace"
)

// FuzzManifest opens a run under any manifest whose checksum is right, and loads
// what it promises.
//
//fuzz:class file
func FuzzManifest(f *testing.F) {
	path, _ := damageable(f)
	f.Add(read(f, filepath.Join(path, ManifestName)))
	f.Add([]byte(`{"format":"` + formatName + `","schema":1,"tables":[{"name":"task","file":"task.parquet","rows":400,"columns":[{"name":"start"}]}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		budget.Watch(t)
		if m, err := decodeManifest(text); err == nil && m.check() != nil {
			t.Error("a manifest is taken that does not pass its check")
		}
		m, err := unsigned(text)
		if err != nil {
			return
		}
		signed, err := m.encode()
		if err != nil {
			return
		}
		rewrite(t, filepath.Join(path, ManifestName), signed)
		d, err := Open(path)
		if err != nil {
			return
		}
		_ = d.Verify()
		run, err := d.Load()
		if err != nil {
			return
		}
		for _, table := range trace.Schema() {
			got, _ := run.Table(table.Name)
			if entry, ok := m.Table(table.Name); ok && int64(got.Rows()) != int64(entry.Rows) {
				t.Errorf("%s has %d rows, want %d", table.Name, got.Rows(), entry.Rows)
			}
		}
	})
}

// unsigned reads a manifest without a look at its checksum.
func unsigned(text []byte) (*Manifest, error) {
	m := new(Manifest)
	if err := json.Unmarshal(text, m); err != nil {
		return nil, err
	}
	return m, m.check()
}
