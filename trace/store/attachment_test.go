package store

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// attached writes a run with two attachments, one of them empty.
func attached(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "r.dsr")
	err := Write(path, smallRun(50, 1), Attachment{"index", []byte("some bytes")}, Attachment{"more-2", nil})
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAttachments(t *testing.T) {
	path := attached(t)
	d := mustOpen(t, path)
	for name, want := range map[string]string{"index": "some bytes", "more-2": ""} {
		if got, err := d.Attachment(name); err != nil || string(got) != want {
			t.Errorf("attachment %s is %q, %v", name, got, err)
		}
	}
	if _, err := d.Attachment("other"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error is %v, want that there is none", err)
	}
	if err := d.Verify(); err != nil {
		t.Error(err)
	}
	if diff := diffRuns(smallRun(50, 1), mustLoad(t, path)); diff != "" {
		t.Error(diff)
	}
}

// A run is what its tables say, with or without attachments; replacing it by
// one without leaves none.
func TestAttachmentsAreNoPartOfTheRun(t *testing.T) {
	path := attached(t)
	before := mustOpen(t, path).Checksum()
	mustWrite(t, path, smallRun(50, 1))
	d := mustOpen(t, path)
	if got := d.Checksum(); got != before {
		t.Errorf("checksum %s without attachments, %s with", got, before)
	}
	if _, err := d.Attachment("index"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error is %v, want that there is none", err)
	}
	for _, name := range list(t, path) {
		if strings.HasSuffix(name, attachmentSuffix) {
			t.Errorf("%s is left over", name)
		}
	}
}

func TestDamagedAttachment(t *testing.T) {
	path := attached(t)
	file := filepath.Join(path, "index.bin")
	whole := read(t, file)
	flipped := bytes.Clone(whole)
	flipped[3] ^= 4
	for _, text := range [][]byte{flipped, whole[:4], nil, append(bytes.Clone(whole), 0)} {
		rewrite(t, file, text)
		d := mustOpen(t, path)
		if _, err := d.Attachment("index"); !errors.Is(err, errDamaged) {
			t.Errorf("error is %v for %q", err, text)
		}
		if err := d.Verify(); err == nil || !strings.Contains(err.Error(), "index.bin") {
			t.Errorf("verify says %v for %q", err, text)
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if _, err := mustOpen(t, path).Attachment("index"); err == nil {
		t.Error("a missing file is read")
	}
}

func TestAttachmentNames(t *testing.T) {
	for _, name := range []string{"", "A", "a/b", "../a", "a.b", "1a", "-", strings.Repeat("a", 41)} {
		path := filepath.Join(t.TempDir(), "r.dsr")
		if err := Write(path, smallRun(5, 0), Attachment{Name: name}); err == nil {
			t.Errorf("%q is a name", name)
		}
	}
	if err := Write(filepath.Join(t.TempDir(), "r.dsr"), smallRun(5, 0), Attachment{Name: "a"}, Attachment{Name: "a"}); err == nil {
		t.Error("a name may appear twice")
	}
}

func TestForgedAttachments(t *testing.T) {
	for want, change := range map[string]func(*AttachmentFile){
		"has file":          func(a *AttachmentFile) { a.File = "task.parquet" },
		"want lower-case":   func(a *AttachmentFile) { a.Name = "../x" },
		"has -1 bytes":      func(a *AttachmentFile) { a.Bytes = -1 },
		"manifest says 999": func(a *AttachmentFile) { a.Bytes = 999 },
		"appears twice":     func(a *AttachmentFile) { *a = AttachmentFile{Name: "more-2", File: "more-2.bin"} },
	} {
		path := attached(t)
		forge(t, path, func(m *Manifest) { change(&m.Attachments[0]) })
		d, err := Open(path)
		if err == nil {
			_, err = d.Attachment("index")
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want %q", err, want)
		}
	}
}
