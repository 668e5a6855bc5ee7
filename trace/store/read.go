package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"dagscope/internal/regular"
	"dagscope/internal/wholefile"
	"dagscope/trace"

	"github.com/parquet-go/parquet-go"
)

// Dir is a run directory whose manifest has been read. It holds no file open;
// its methods may be called from several goroutines.
type Dir struct {
	path     string
	onDisk   bool        // path is a directory, rather than a name for files that are elsewhere
	opened   os.FileInfo // the directory when it was opened; nil unless onDisk
	checked  bool        // Load checks bounds
	open     opener
	manifest *Manifest
}

// File is an open file of a run directory.
type File interface {
	io.Reader
	io.ReaderAt
	io.Closer
	Stat() (fs.FileInfo, error)
}

// opener opens a file of a run directory by its name there.
type opener func(name string) (File, error)

// maxManifest bounds what Open reads into memory.
const maxManifest = 256 << 20

// Open reads the manifest of a run directory, nothing else. The error tells
// whether the path does not exist, is no run directory, was written by a newer
// dagscope, or is damaged.
func Open(path string) (*Dir, error) {
	path = filepath.Clean(path)
	open := inDirectory(path)
	f, err := open(ManifestName)
	if err != nil {
		return nil, explainOpen(path, err)
	}
	defer f.Close()
	d, err := openDir(path, f, open)
	if err != nil {
		return nil, err
	}
	d.onDisk = true
	if d.opened, err = os.Stat(path); err != nil {
		return nil, explainOpen(path, err)
	}
	return d, nil
}

// inDirectory opens the files of a directory.
func inDirectory(path string) opener {
	return func(name string) (File, error) { return regular.Open(filepath.Join(path, name), regular.Any) }
}

// OpenFiles opens a run directory whose files are not in a file system, such as
// one that a page holds in memory. Errors call it path.
func OpenFiles(path string, open func(name string) (File, error)) (*Dir, error) {
	f, err := open(ManifestName)
	if err != nil {
		return nil, fmt.Errorf("open run %s: %w", path, err)
	}
	defer f.Close()
	return openDir(path, f, open)
}

// openDir reads the manifest.
func openDir(path string, f File, open opener) (*Dir, error) {
	text, err := io.ReadAll(io.LimitReader(f, maxManifest+1))
	if err != nil {
		return nil, fmt.Errorf("open run %s: %w", path, err)
	}
	if len(text) > maxManifest {
		return nil, fmt.Errorf("open run %s: damaged manifest: more than %d bytes", path, maxManifest)
	}
	m, err := decodeManifest(text)
	if err != nil {
		return nil, fmt.Errorf("open run %s: %w", path, err)
	}
	return &Dir{path: path, open: open, manifest: m}, nil
}

// explainOpen says why a path has no manifest.
func explainOpen(path string, err error) error {
	info, statErr := os.Stat(path)
	switch {
	case errors.Is(statErr, fs.ErrNotExist):
		if old := wholefile.Interrupted(path); old != "" {
			return fmt.Errorf("open run %s: a replacement was interrupted, the run is %s: rename it back: %w", path, old, statErr)
		}
		return fmt.Errorf("open run: %w", statErr)
	case statErr != nil:
		return fmt.Errorf("open run: %w", statErr)
	case !info.IsDir():
		return fmt.Errorf("open run %s: a file, want a run directory (NAME.dsr)", path)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("open run %s: not a run directory: no %s in it: %w", path, ManifestName, err)
	}
	return fmt.Errorf("open run %s: %w", path, err)
}

// Path is the directory's path.
func (d *Dir) Path() string { return d.path }

// Meta says where the run comes from.
func (d *Dir) Meta() trace.Meta { return d.manifest.Meta }

// Manifest describes the files. The caller must not change it.
func (d *Dir) Manifest() *Manifest { return d.manifest }

// Rows is the number of rows of a table, 0 if the run has none.
func (d *Dir) Rows(table string) int {
	if t, ok := d.manifest.Table(table); ok {
		return int(t.Rows)
	}
	return 0
}

// Load reads columns into a Run, with Meta filled in. Each want is a table
// ("task") or a column ("task.start"); none at all means everything. Columns
// that were not asked for, and optional ones that the run does not have, stay
// nil. A name that is not in the schema is an error, as is a missing required
// column, and any file that is not what the manifest says.
func (d *Dir) Load(want ...string) (*trace.Run, error) {
	run := &trace.Run{Meta: d.manifest.Meta}
	wanted, err := choose(run, want)
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", d.path, err)
	}
	if err := d.load(wanted); err != nil {
		return nil, fmt.Errorf("load %s: %w", d.path, d.replaced(err))
	}
	if d.checked {
		if err := run.CheckBounds(d.Rows); err != nil {
			return nil, fmt.Errorf("load %s: %w: %w", d.path, errDamaged, err)
		}
	}
	return run, nil
}

// Checked has Load refuse columns whose references lead nowhere or in a circle: who reads runs
// of others and follows their references wants it (trace's CheckBounds).
func (d *Dir) Checked() *Dir {
	d.checked = true
	return d
}

// ErrReplaced is the error of a run directory that is another one than when it
// was opened.
var ErrReplaced = errors.New("the run was rewritten since it was opened: open it again")

// replaced tells whether a file does not fit the manifest because the directory
// was replaced, perhaps even while it is read.
func (d *Dir) replaced(err error) error {
	if errors.Is(err, ErrReplaced) {
		return err
	}
	if same, openErr := d.same(); openErr == nil && !same || errors.Is(openErr, fs.ErrNotExist) || d.another() {
		return fmt.Errorf("%w (%w)", ErrReplaced, err)
	}
	return err
}

// another reports whether the directory is another one than when it was opened,
// though it may hold the same run again: one that was replaced twice does.
func (d *Dir) another() bool {
	if !d.onDisk {
		return false
	}
	now, err := os.Stat(d.path)
	return err != nil || !os.SameFile(now, d.opened) || !now.ModTime().Equal(d.opened.ModTime())
}

// same reports whether the manifest is that which was read.
func (d *Dir) same() (bool, error) {
	f, err := d.open(ManifestName)
	if err != nil {
		return false, err
	}
	defer f.Close()
	now, err := openDir(d.path, f, d.open)
	return err == nil && reflect.DeepEqual(now.manifest, d.manifest), err
}

// Steady has files of the directory opened, or read by their paths, which are then
// all of the run that d is, or returns an error: a file of another run may have the
// size that the manifest says. The directory is held open, so that no other can
// have its identity meanwhile.
func (d *Dir) Steady(open func() error) error {
	if !d.onDisk {
		return open()
	}
	held, err := os.Open(d.path)
	if err != nil {
		return err
	}
	defer held.Close()
	before, err := held.Stat()
	if err != nil {
		return err
	}
	if err := open(); err != nil {
		return err
	}
	same, err := d.same()
	if err != nil {
		return err
	}
	now, err := os.Stat(d.path)
	if err != nil {
		return err
	}
	if !same || !os.SameFile(before, now) {
		return ErrReplaced
	}
	return nil
}

// choose returns the tables of run cut down to what is wanted.
func choose(run *trace.Run, want []string) ([]trace.Table, error) {
	tables := run.Tables()
	if len(want) == 0 {
		return tables, nil
	}
	chosen := make([]map[string]bool, len(tables))
	for _, w := range want {
		name, column, _ := strings.Cut(w, ".")
		at := -1
		for i, t := range tables {
			if t.Name == name {
				at = i
			}
		}
		if at < 0 {
			return nil, fmt.Errorf("no table %q (of %q)", name, w)
		}
		if chosen[at] == nil {
			chosen[at] = make(map[string]bool)
		}
		if err := chooseColumns(tables[at], column, strings.Contains(w, "."), chosen[at]); err != nil {
			return nil, err
		}
	}
	var cut []trace.Table
	for i, t := range tables {
		var columns []trace.Column
		for _, c := range t.Columns {
			if chosen[i][c.Name] {
				columns = append(columns, c)
			}
		}
		if t.Columns = columns; len(columns) > 0 {
			cut = append(cut, t)
		}
	}
	return cut, nil
}

func chooseColumns(t trace.Table, column string, one bool, chosen map[string]bool) error {
	if one {
		if _, ok := t.Column(column); !ok {
			return fmt.Errorf("table %s has no column %q", t.Name, column)
		}
		chosen[column] = true
		return nil
	}
	for _, c := range t.Columns {
		chosen[c.Name] = true
	}
	return nil
}

// load fills the columns of the tables. The jobs are the row groups of the
// columns, across all tables, so that small tables do not leave cores idle.
func (d *Dir) load(tables []trace.Table) error {
	files := make([]*tableFile, len(tables))
	defer func() {
		for _, f := range files {
			if f != nil {
				f.Close()
			}
		}
	}()
	err := d.Steady(func() (err error) {
		for i, t := range tables {
			if entry, ok := d.manifest.Table(t.Name); ok && err == nil {
				files[i], err = d.openTable(entry)
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	var readers []*columnReader
	var jobs []func() error
	for i, t := range tables {
		file := files[i]
		if file == nil {
			continue
		}
		for _, c := range t.Columns {
			var r *columnReader
			err := contain(func() (err error) {
				r, err = file.column(c)
				return err
			})
			if err != nil {
				return fmt.Errorf("%s: column %s: %w", file.name, c.Name, err)
			}
			if r == nil {
				continue
			}
			readers = append(readers, r)
			for g := range r.chunks {
				jobs = append(jobs, func() error { return r.wrap(r.readGroup(g)) })
			}
		}
	}
	if err := try(len(jobs), func(i int) error { return jobs[i]() }); err != nil {
		return err
	}
	return try(len(readers), func(i int) error { return readers[i].wrap(readers[i].sink.finish()) })
}

// tableFile is an open Parquet file whose row counts have been checked.
type tableFile struct {
	File
	name    string // within the run directory
	entry   *TableFile
	parquet *parquet.File
	groups  []parquet.RowGroup
	start   []int // first row of each group, and the end
}

// maxRowsPerByte is far above what the best compressed table reaches (constant
// columns of one type: some 3000), and keeps a forged file of a few hundred
// bytes from claiming gigabytes of rows.
const maxRowsPerByte = 1 << 14

// openTable opens the file of a table and checks its size and row counts.
func (d *Dir) openTable(entry *TableFile) (t *tableFile, err error) {
	f, err := d.open(entry.File)
	if err != nil {
		return nil, err
	}
	t = &tableFile{File: f, name: entry.File, entry: entry}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("%s: %w", entry.File, err), f.Close())
		}
	}()
	return t, contain(t.open)
}

func (t *tableFile) open() error {
	if err := t.checkSize(); err != nil {
		return err
	}
	var err error
	t.parquet, err = parquet.OpenFile(t.File, t.entry.Bytes,
		parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true), parquet.ReadBufferSize(256<<10))
	if err != nil {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	t.groups = t.parquet.RowGroups()
	t.start = []int{0}
	rows := int64(0)
	for _, g := range t.groups {
		n := g.NumRows()
		if n < 0 || n > t.entry.Rows-rows {
			return fmt.Errorf("%w: row group of %d rows, manifest says %d in all", errDamaged, n, t.entry.Rows)
		}
		rows += n
		t.start = append(t.start, int(rows))
	}
	if rows != t.entry.Rows || t.parquet.NumRows() != rows {
		return fmt.Errorf("%w: %d rows, manifest says %d", errDamaged, rows, t.entry.Rows)
	}
	return nil
}

// checkSize compares the file with the manifest, its footer with the file, and
// the rows with the bytes.
func (t *tableFile) checkSize() error {
	info, err := t.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	if size != t.entry.Bytes {
		return fmt.Errorf("%w: %d bytes, manifest says %d", errDamaged, size, t.entry.Bytes)
	}
	var tail [8]byte
	if size < 12 {
		return fmt.Errorf("%w: %d bytes are too few for a Parquet file", errDamaged, size)
	}
	if _, err := t.ReadAt(tail[:], size-8); err != nil {
		return err
	}
	if footer := int64(binary.LittleEndian.Uint32(tail[:])); footer > size-12 {
		return fmt.Errorf("%w: footer of %d bytes in a file of %d", errDamaged, footer, size)
	}
	if t.entry.Rows/maxRowsPerByte > size {
		return fmt.Errorf("%w: %d rows cannot be in %d bytes", errDamaged, t.entry.Rows, size)
	}
	return nil
}

// column prepares the reading of one column; nil if it is absent and may be.
func (t *tableFile) column(c trace.Column) (*columnReader, error) {
	if !t.entry.Has(c.Name) {
		if c.Optional {
			return nil, nil
		}
		return nil, fmt.Errorf("%w: required column is missing", errDamaged)
	}
	leaf, ok := t.parquet.Schema().Lookup(c.Name)
	if !ok {
		return nil, fmt.Errorf("%w: column is in the manifest, not in the file", errDamaged)
	}
	if leaf.MaxRepetitionLevel != 0 || leaf.MaxDefinitionLevel > 1 {
		return nil, fmt.Errorf("%w: column is nested", errDamaged)
	}
	if got, want := leaf.Node.Type().Kind(), kindOf(c); got != want {
		return nil, fmt.Errorf("%w: column has Parquet type %v, want %v", errDamaged, got, want)
	}
	r := &columnReader{file: t, name: c.Name}
	for i, g := range t.groups {
		chunk := g.ColumnChunks()[leaf.ColumnIndex]
		if n := chunk.NumValues(); n != g.NumRows() {
			return nil, fmt.Errorf("%w: %d values in row group %d of %d rows", errDamaged, n, i, g.NumRows())
		}
		meta := &t.parquet.Metadata().RowGroups[i].Columns[leaf.ColumnIndex].MetaData
		if err := checkChunk(t.File, t.entry.Bytes, g.NumRows(), meta); err != nil {
			return nil, fmt.Errorf("row group %d: %w", i, err)
		}
		r.chunks = append(r.chunks, chunk)
	}
	dict, err := t.keptDict(c.Name)
	if err != nil {
		return nil, err
	}
	r.sink = newSink(c, t.start, dict)
	return r, nil
}
