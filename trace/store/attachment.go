package store

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
)

// Attachment is what a program keeps with a run besides its tables: bytes under
// a name, an index that is quick to compute again and quicker to read. It is no
// part of what the run says: readers that do not know the name leave it alone,
// and [Dir.Checksum] does not depend on it.
type Attachment struct {
	Name string // lower-case letters, digits and hyphens, at most 40, a letter first
	Data []byte
}

// AttachmentFile is one attachment on disk.
type AttachmentFile struct {
	Name   string `json:"name"`
	File   string `json:"file"` // within the run directory
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// attachmentSuffix keeps attachments apart from tables.
const attachmentSuffix = ".bin"

// maxAttachment bounds what Attachment reads into memory.
const maxAttachment = 1 << 36

// Attachment reads an attachment and compares it with the manifest. The error
// wraps [fs.ErrNotExist] where the run has none of that name.
func (d *Dir) Attachment(name string) ([]byte, error) {
	for i := range d.manifest.Attachments {
		if a := &d.manifest.Attachments[i]; a.Name == name {
			data, err := d.readAttachment(a)
			if err != nil {
				return nil, fmt.Errorf("read attachment %s: %w", filepath.Join(d.path, a.File), d.replaced(err))
			}
			return data, nil
		}
	}
	return nil, fmt.Errorf("read attachment %q of %s: none of that name: %w", name, d.path, fs.ErrNotExist)
}

// readAttachment reads no more than the manifest says and trusts no size before
// it has seen the file's.
func (d *Dir) readAttachment(a *AttachmentFile) (data []byte, err error) {
	f, err := d.open(a.File)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() != a.Bytes {
		return nil, fmt.Errorf("%w: %d bytes, manifest says %d", errDamaged, info.Size(), a.Bytes)
	}
	data = make([]byte, a.Bytes)
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	if got := hex.EncodeToString(sum[:]); got != a.SHA256 {
		return nil, fmt.Errorf("%w: SHA-256 is %s, manifest says %s", errDamaged, got, a.SHA256)
	}
	return data, nil
}

// checkAttachments makes sure that names can be files.
func checkAttachments(attachments []Attachment) error {
	met := make(map[string]bool)
	for _, a := range attachments {
		if err := checkAttachmentName(a.Name, met); err != nil {
			return err
		}
	}
	return nil
}

func checkAttachmentName(name string, met map[string]bool) error {
	if !plainName(name) {
		return fmt.Errorf("found attachment %q, want lower-case letters, digits and hyphens, at most 40", name)
	}
	if met[name] {
		return fmt.Errorf("attachment %q appears twice", name)
	}
	met[name] = true
	return nil
}

func plainName(name string) bool {
	for i, c := range name {
		letter := c >= 'a' && c <= 'z'
		if !letter && (i == 0 || c != '-' && (c < '0' || c > '9')) {
			return false
		}
	}
	return name != "" && len(name) <= 40
}

// checkAttachments makes sure that the rest of the package can rely on names.
func (m *Manifest) checkAttachments() error {
	met := make(map[string]bool)
	for _, a := range m.Attachments {
		if err := checkAttachmentName(a.Name, met); err != nil {
			return fmt.Errorf("damaged manifest: %w", err)
		}
		if a.File != a.Name+attachmentSuffix {
			return fmt.Errorf("damaged manifest: attachment %q has file %q, want %q", a.Name, a.File, a.Name+attachmentSuffix)
		}
		if a.Bytes < 0 || a.Bytes > maxAttachment {
			return fmt.Errorf("damaged manifest: attachment %q has %d bytes", a.Name, a.Bytes)
		}
	}
	return nil
}

func writeAttachment(dir string, a *Attachment, syncs *syncing) (AttachmentFile, error) {
	entry := AttachmentFile{Name: a.Name, File: a.Name + attachmentSuffix}
	sum, err := writeFile(filepath.Join(dir, entry.File), syncs, func(w io.Writer) error {
		_, err := w.Write(a.Data)
		return err
	})
	entry.Bytes, entry.SHA256 = sum.bytes, sum.sha256
	return entry, err
}
