package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"dagscope/internal/wholefile"
	"dagscope/trace"

	"github.com/parquet-go/parquet-go"
)

// rowGroupRows is the unit of parallel work and of what readers may skip.
const rowGroupRows = 1 << 20

// Write stores run as the run directory path, replacing a run that is there.
// After a failure or a kill at any moment, path holds what it held before or
// the new run. It refuses to replace anything but a run directory (see
// [CheckTarget]), and a run that does not hold together: columns of one table
// that differ in length, missing required columns, texts outside their
// dictionary. Attachments are kept with the run; those of a run that is replaced
// go with it.
func Write(path string, run *trace.Run, attachments ...Attachment) error {
	path, err := resolveTarget(path)
	if err != nil {
		return err
	}
	// Everything that can be wrong with the run shows before a byte is written.
	tables, err := prepare(run)
	if err := errors.Join(err, checkAttachments(attachments)); err != nil {
		return fmt.Errorf("write run %s: %w", path, err)
	}
	if err := wholefile.Clear(path); err != nil {
		return fmt.Errorf("write run %s: %w", path, err)
	}
	dir := wholefile.Beside(path)
	if err := os.Mkdir(dir, 0o777); err != nil {
		return fmt.Errorf("write run %s: %w", path, err)
	}
	if err := writeDir(dir, run.Meta, tables, attachments); err != nil {
		return errors.Join(fmt.Errorf("write run %s: %w", path, err), os.RemoveAll(dir))
	}
	if err := wholefile.Install(dir, path); err != nil {
		return errors.Join(fmt.Errorf("write run %s: %w", path, err), os.RemoveAll(dir))
	}
	return nil
}

// table is a table on its way to disk.
type table struct {
	trace.Table
	rows    int
	sources []*source
}

// prepare checks and describes all tables that have rows.
func prepare(run *trace.Run) ([]table, error) {
	var tables []table
	for _, t := range run.Tables() {
		rows := t.Rows()
		if rows == 0 {
			continue
		}
		found := make([]*source, len(t.Columns))
		err := try(len(t.Columns), func(i int) (err error) {
			found[i], err = sourceOf(t.Columns[i], rows)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("table %s: %w", t.Name, err)
		}
		present := found[:0]
		for _, s := range found {
			if s != nil {
				present = append(present, s)
			}
		}
		tables = append(tables, table{t, rows, present})
	}
	return tables, nil
}

// writeDir fills dir and makes sure that it is on disk. Files are synced while
// the next ones are written: a run has many small tables, and each sync waits
// for the disk.
func writeDir(dir string, meta trace.Meta, tables []table, attachments []Attachment) error {
	var syncs syncing
	if err := writeFiles(dir, meta, tables, attachments, &syncs); err != nil {
		return errors.Join(err, syncs.wait())
	}
	if err := syncs.wait(); err != nil {
		return err
	}
	return wholefile.SyncDir(dir)
}

func writeFiles(dir string, meta trace.Meta, tables []table, attachments []Attachment, syncs *syncing) error {
	m := Manifest{Format: formatName, Schema: SchemaVersion, Tables: []TableFile{}, Meta: meta}
	for i := range tables {
		entry, err := writeTable(dir, &tables[i], syncs)
		if err != nil {
			return fmt.Errorf("table %s: %w", tables[i].Name, err)
		}
		m.Tables = append(m.Tables, entry)
	}
	for i := range attachments {
		entry, err := writeAttachment(dir, &attachments[i], syncs)
		if err != nil {
			return fmt.Errorf("attachment %s: %w", attachments[i].Name, err)
		}
		m.Attachments = append(m.Attachments, entry)
	}
	text, err := m.encode()
	if err != nil {
		return err
	}
	_, err = writeFile(filepath.Join(dir, ManifestName), syncs, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
	return err
}

// writeTable writes one Parquet file and describes it.
func writeTable(dir string, t *table, syncs *syncing) (TableFile, error) {
	entry := TableFile{Name: t.Name, File: t.Name + ".parquet", Rows: int64(t.rows)}
	for _, s := range t.sources {
		entry.Columns = append(entry.Columns, ColumnInfo{s.Name, s.kind, s.nulls})
	}
	sum, err := writeFile(filepath.Join(dir, entry.File), syncs, t.writeParquet)
	entry.Bytes, entry.SHA256 = sum.bytes, sum.sha256
	return entry, err
}

// Keys of the metadata in each Parquet file.
const (
	metaSchema = "dagscope.schema" // SchemaVersion
	metaTable  = "dagscope.table"  // what the table holds
	metaDoc    = "dagscope.doc."   // + column: what it holds
	metaUnit   = "dagscope.unit."  // + column: "ns", "bytes", …
	metaRef    = "dagscope.ref."   // + column: the table whose rows it names
	metaDict   = "dagscope.dict."  // + column: order of its dictionary, JSON array of base64
)

func (t *table) metadata() ([]parquet.WriterOption, error) {
	options := []parquet.WriterOption{
		parquet.KeyValueMetadata(metaSchema, strconv.Itoa(SchemaVersion)),
		parquet.KeyValueMetadata(metaTable, t.Doc),
	}
	for _, s := range t.sources {
		options = append(options, parquet.KeyValueMetadata(metaDoc+s.Name, s.Doc))
		if s.Unit != "" {
			options = append(options, parquet.KeyValueMetadata(metaUnit+s.Name, s.Unit))
		}
		if s.Ref != "" {
			options = append(options, parquet.KeyValueMetadata(metaRef+s.Name, s.Ref))
		}
		if s.dict == nil {
			continue
		}
		// Bytes, not strings: JSON strings cannot hold invalid UTF-8.
		dict := make([][]byte, len(s.dict))
		for i, text := range s.dict {
			dict[i] = []byte(text)
		}
		text, err := json.Marshal(dict)
		if err != nil {
			return nil, fmt.Errorf("encode dictionary of column %s: %w", s.Name, err)
		}
		options = append(options, parquet.KeyValueMetadata(metaDict+s.Name, string(text)))
	}
	return options, nil
}
