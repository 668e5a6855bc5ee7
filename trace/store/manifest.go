package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"dagscope/trace"
)

// SchemaVersion is the version of the run directory that this package writes.
// It reads this version and older ones.
const SchemaVersion = 1

// ManifestName is the file that makes a directory a run directory.
const ManifestName = "manifest.json"

const formatName = "dagscope run"

// Manifest says what a run directory holds. It carries its own checksum, so a
// changed manifest is noticed as soon as a run is opened.
type Manifest struct {
	Format string      `json:"format"` // always "dagscope run"
	Schema int         `json:"schema"` // SchemaVersion of the writer
	Tables []TableFile `json:"tables"` // those that have rows, in the order of trace.Run.Tables
	// Attachments are kept with the run and no part of what it says.
	Attachments []AttachmentFile `json:"attachments,omitempty"`

	Meta    trace.Meta `json:"meta"`
	SHA256  string     `json:"manifest_sha256"` // of this file with this value as 64 zeros
	tableOf map[string]int
}

// TableFile is one table on disk.
type TableFile struct {
	Name    string       `json:"name"`
	File    string       `json:"file"` // within the run directory
	Rows    int64        `json:"rows"`
	Bytes   int64        `json:"bytes"`
	SHA256  string       `json:"sha256"`
	Columns []ColumnInfo `json:"columns"` // those present, in file order
}

// ColumnInfo is one column on disk. Type is one of int32, int64, uint32,
// uint64, float64, bool, text and key, with " (binary)" appended to the last
// two where some text is not valid UTF-8.
type ColumnInfo struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Nulls int64  `json:"nulls"` // the Parquet column is REQUIRED if 0, else OPTIONAL
}

// Table returns the entry of a table; ok is false if the table has no rows.
func (m *Manifest) Table(name string) (t *TableFile, ok bool) {
	i, ok := m.tableOf[name]
	if !ok {
		return nil, false
	}
	return &m.Tables[i], true
}

// Has tells whether the file holds the column.
func (t *TableFile) Has(column string) bool {
	for _, c := range t.Columns {
		if c.Name == column {
			return true
		}
	}
	return false
}

const checksumKey = `"manifest_sha256": "`

var blankChecksum = strings.Repeat("0", 2*sha256.Size)

// encode renders the manifest with its checksum in place.
func (m *Manifest) encode() ([]byte, error) {
	m.SHA256 = blankChecksum
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode manifest: %w", err)
	}
	text = append(text, '\n')
	sum := sha256.Sum256(text)
	m.SHA256 = hex.EncodeToString(sum[:])
	at := bytes.LastIndex(text, []byte(checksumKey)) + len(checksumKey)
	copy(text[at:], m.SHA256)
	return text, nil
}

// decodeManifest is the inverse of encode. The version is looked at first: a
// newer manifest may differ in everything else.
func decodeManifest(text []byte) (*Manifest, error) {
	var head struct {
		Format string `json:"format"`
		Schema int    `json:"schema"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, fmt.Errorf("damaged manifest: %w", err)
	}
	if head.Format != formatName {
		return nil, fmt.Errorf("not a run directory: manifest has format %q, want %q", head.Format, formatName)
	}
	if head.Schema > SchemaVersion {
		return nil, fmt.Errorf("run has schema version %d, this program reads up to %d: update dagscope", head.Schema, SchemaVersion)
	}
	m := new(Manifest)
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("damaged manifest: %w", err)
	}
	if err := m.checkSum(text); err != nil {
		return nil, err
	}
	return m, m.check()
}

func (m *Manifest) checkSum(text []byte) error {
	at := bytes.LastIndex(text, []byte(checksumKey))
	if at < 0 || len(m.SHA256) != len(blankChecksum) || len(text) < at+len(checksumKey)+len(blankChecksum) {
		return errors.New("damaged manifest: no checksum")
	}
	blank := bytes.Clone(text)
	copy(blank[at+len(checksumKey):], blankChecksum)
	sum := sha256.Sum256(blank)
	if got := hex.EncodeToString(sum[:]); got != m.SHA256 {
		return fmt.Errorf("damaged manifest: checksum is %s, want %s", got, m.SHA256)
	}
	return nil
}

// check makes sure that the rest of the package can rely on names and counts.
func (m *Manifest) check() error {
	if m.Schema < 1 {
		return fmt.Errorf("damaged manifest: schema version %d", m.Schema)
	}
	m.tableOf = make(map[string]int, len(m.Tables))
	for i, t := range m.Tables {
		if _, twice := m.tableOf[t.Name]; twice {
			return fmt.Errorf("damaged manifest: table %q appears twice", t.Name)
		}
		m.tableOf[t.Name] = i
		if t.File == ManifestName || !filepath.IsLocal(t.File) || filepath.Base(t.File) != t.File {
			return fmt.Errorf("damaged manifest: table %q has file %q, want a plain name", t.Name, t.File)
		}
		// Rows are named by int32 everywhere.
		if t.Rows < 1 || t.Rows > math.MaxInt32 || t.Bytes < 1 {
			return fmt.Errorf("damaged manifest: table %q has %d rows in %d bytes", t.Name, t.Rows, t.Bytes)
		}
	}
	return m.checkAttachments()
}
