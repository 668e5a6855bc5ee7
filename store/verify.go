package store

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Verify reads every file of the run and compares it with the checksums of the
// manifest, which Open has compared with its own. The error names each file
// that differs.
func (d *Dir) Verify() error {
	tables := d.manifest.Tables
	return parallelAll(len(tables), func(i int) error {
		if err := d.verifyFile(&tables[i]); err != nil {
			return fmt.Errorf("verify %s: %w", filepath.Join(d.path, tables[i].File), err)
		}
		return nil
	})
}

func (d *Dir) verifyFile(t *TableFile) error {
	f, err := os.Open(filepath.Join(d.path, t.File))
	if err != nil {
		return err
	}
	defer f.Close()
	hash := sha256.New()
	n, err := io.CopyBuffer(hash, f, make([]byte, 64<<10))
	if err != nil {
		return err
	}
	if n != t.Bytes {
		return fmt.Errorf("%w: %d bytes, manifest says %d", errDamaged, n, t.Bytes)
	}
	if got := hex.EncodeToString(hash.Sum(nil)); got != t.SHA256 {
		return fmt.Errorf("%w: SHA-256 is %s, manifest says %s", errDamaged, got, t.SHA256)
	}
	return nil
}
