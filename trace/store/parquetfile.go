package store

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"strconv"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// parquetFile is a Parquet file that is being written.
type parquetFile struct {
	w      io.Writer
	at     int64
	meta   *format.FileMetaData
	groups [][]chunk // their pages are gone
}

const parquetMagic = "PAR1"

// writeParquet writes the table as a Parquet file.
func (t *table) writeParquet(w io.Writer) error {
	meta, err := t.describe()
	if err != nil {
		return err
	}
	f := &parquetFile{w: w, meta: meta}
	if err := f.write([]byte(parquetMagic)); err != nil {
		return err
	}
	for from := 0; from < t.rows; from += rowGroupRows {
		if err := f.writeGroup(t.sources, from, min(from+rowGroupRows, t.rows)); err != nil {
			return err
		}
	}
	return f.finish()
}

// describe is the footer of the table without rows, which the Parquet library
// makes: schema, logical types, metadata.
func (t *table) describe() (*format.FileMetaData, error) {
	options, err := t.metadata()
	if err != nil {
		return nil, err
	}
	var empty bytes.Buffer
	pw := parquet.NewGenericWriter[any](&empty, append(options,
		parquet.NewSchema(t.Name, newTableNode(t.sources)),
		parquet.CreatedBy("dagscope", strconv.Itoa(SchemaVersion), ""))...)
	if err := pw.Close(); err != nil {
		return nil, err
	}
	file, err := parquet.OpenFile(bytes.NewReader(empty.Bytes()), int64(empty.Len()))
	if err != nil {
		return nil, fmt.Errorf("read footer: %w", err)
	}
	return file.Metadata(), nil
}

func (f *parquetFile) write(b []byte) error {
	n, err := f.w.Write(b)
	f.at += int64(n)
	return err
}

// encode writes a structure of the format and tells its place and length.
func (f *parquetFile) encode(v any) (at int64, length int32, err error) {
	text, err := thrift.Marshal(new(thrift.CompactProtocol), v)
	if err != nil {
		return 0, 0, err
	}
	at = f.at
	return at, int32(len(text)), f.write(text)
}

// writeGroup writes a row group, whose columns are encoded in parallel.
func (f *parquetFile) writeGroup(sources []*source, from, to int) error {
	chunks := make([]chunk, len(sources))
	err := try(len(sources), func(i int) error {
		return sources[i].encode(&chunks[i], from, to)
	})
	if err != nil {
		return err
	}
	group := format.RowGroup{NumRows: int64(to - from), FileOffset: f.at, Ordinal: int16(len(f.groups))}
	for i := range chunks {
		c := &chunks[i]
		c.place(f.at)
		group.TotalByteSize += c.meta.TotalUncompressedSize
		group.TotalCompressedSize += c.meta.TotalCompressedSize
		if err := f.write(c.dictionary); err != nil {
			return err
		}
		if err := f.write(c.pages); err != nil {
			return err
		}
		c.dictionary, c.pages = nil, nil
		group.Columns = append(group.Columns, format.ColumnChunk{MetaData: c.meta})
	}
	f.meta.NumRows += group.NumRows
	f.meta.RowGroups = append(f.meta.RowGroups, group)
	f.groups = append(f.groups, chunks)
	return nil
}

// encode makes a chunk of rows from … to-1.
func (s *source) encode(c *chunk, from, to int) error {
	c.meta.Type = format.Type(s.node.Type().Kind())
	c.meta.PathInSchema = []string{s.Name}
	c.scratch = scratches.Get().(*scratch)
	defer func() {
		scratches.Put(c.scratch)
		c.scratch = nil
	}()
	if err := s.pages(c, from, to); err != nil {
		return fmt.Errorf("column %s: %w", s.Name, err)
	}
	return nil
}

// finish writes the bounds of pages, their places and the footer.
func (f *parquetFile) finish() (err error) {
	for g, chunks := range f.groups {
		for i := range chunks {
			c, column := &chunks[i], &f.meta.RowGroups[g].Columns[i]
			if len(c.index.NullPages) == 0 || c.unbounded {
				continue
			}
			c.index.BoundaryOrder = c.order()
			if column.ColumnIndexOffset, column.ColumnIndexLength, err = f.encode(&c.index); err != nil {
				return err
			}
		}
	}
	for g, chunks := range f.groups {
		for i := range chunks {
			column := &f.meta.RowGroups[g].Columns[i]
			if column.OffsetIndexOffset, column.OffsetIndexLength, err = f.encode(&chunks[i].offsets); err != nil {
				return err
			}
		}
	}
	_, length, err := f.encode(f.meta)
	if err != nil {
		return err
	}
	return f.write(append(binary.LittleEndian.AppendUint32(nil, uint32(length)), parquetMagic...))
}
