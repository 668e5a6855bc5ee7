package store

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"

	"dagscope/internal/parallel"
)

// Verify reads every file of the run and compares it with the checksums of the
// manifest, which Open has compared with its own. The error names each file
// that differs.
func (d *Dir) Verify() error {
	files := d.manifest.files()
	return parallel.TryAll(len(files), func(i int) error {
		if err := d.verifyFile(&files[i]); err != nil {
			return fmt.Errorf("verify %s: %w", filepath.Join(d.path, files[i].name), err)
		}
		return nil
	})
}

// expected is what the manifest says of a file.
type expected struct {
	name string // within the run directory
	fileSum
}

// files lists all files but the manifest itself.
func (m *Manifest) files() []expected {
	var files []expected
	for _, t := range m.Tables {
		files = append(files, expected{t.File, fileSum{t.Bytes, t.SHA256}})
	}
	for _, a := range m.Attachments {
		files = append(files, expected{a.File, fileSum{a.Bytes, a.SHA256}})
	}
	return files
}

func (d *Dir) verifyFile(want *expected) error {
	f, err := d.open(want.name)
	if err != nil {
		return err
	}
	defer f.Close()
	hash := sha256.New()
	n, err := io.CopyBuffer(hash, f, make([]byte, 64<<10))
	if err != nil {
		return err
	}
	if n != want.bytes {
		return fmt.Errorf("%w: %d bytes, manifest says %d", errDamaged, n, want.bytes)
	}
	if got := hex.EncodeToString(hash.Sum(nil)); got != want.sha256 {
		return fmt.Errorf("%w: SHA-256 is %s, manifest says %s", errDamaged, got, want.sha256)
	}
	return nil
}
