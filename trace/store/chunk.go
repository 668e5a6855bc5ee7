package store

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"runtime"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// The writer of the Parquet library takes values one by one, each as an object
// of 24 bytes: several times the work of encoding them. So pages are made here,
// of columns as they lie in memory, by the library's encodings.

// pageRows is the most rows of a page: what a reader may skip by time.
const pageRows = 1 << 16

// chunk is one column of a row group on its way to disk.
type chunk struct {
	dictionary []byte // its page, empty without one
	pages      []byte // data pages with their headers
	meta       format.ColumnMetaData
	offsets    format.OffsetIndex // from the first data page
	index      format.ColumnIndex
	unbounded  bool // the index is not to be written
	ascending  bool // bounds of pages that have some
	last       lastPage
	*scratch
}

// lastPage is the page before. If all its rows were equal, the next one may be
// the same, byte for byte.
type lastPage struct {
	rows int
	size int // in pages
	full int // before compression, with its header
}

// scratch is memory that chunks use one after the other.
type scratch struct {
	encoded []byte  // values of a page
	packed  []byte  // the same, compressed
	levels  []byte  // definition levels, one byte a row
	runs    []byte  // the same, encoded
	mapped  []int32 // indexes of texts
	int32s  []int32 // that are not null
	int64s  []int64
	texts   []byte
	ends    []uint32 // of texts, after a 0
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// packWindow is how far back compression looks: nearly all pages are smaller.
// The library's own window takes eight times the memory, whose clearing took
// half as long as compressing.
const packWindow = 1 << 20

// packer compresses pages, as many at a time as there are processors.
var packer = sync.OnceValues(func() (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(packWindow),
		zstd.WithEncoderConcurrency(runtime.GOMAXPROCS(0)), zstd.WithLowerEncoderMem(true),
		zstd.WithZeroFrames(true), zstd.WithEncoderCRC(false)) // pages have checksums of their own
})

// addPage adds a data page of rows, some of them null, whose values are in
// c.encoded and whose definition levels are in c.runs.
func (c *chunk) addPage(rows, nulls int, encoding format.Encoding) (err error) {
	header := format.PageHeader{
		Type: format.DataPageV2,
		DataPageHeaderV2: thrift.New(format.DataPageHeaderV2{
			NumValues: int32(rows), NumNulls: int32(nulls), NumRows: int32(rows),
			Encoding:                   encoding,
			DefinitionLevelsByteLength: int32(len(c.runs)),
			IsCompressed:               thrift.New(true),
		}),
	}
	from, full := len(c.pages), c.meta.TotalUncompressedSize
	if c.pages, err = c.page(c.pages, &header, c.runs, c.encoded); err != nil {
		return err
	}
	c.last = lastPage{rows, len(c.pages) - from, int(c.meta.TotalUncompressedSize - full)}
	c.count(rows, nulls)
	return nil
}

// again adds the page before once more, which had no nulls.
func (c *chunk) again() {
	end := len(c.pages)
	c.pages = append(c.pages, c.pages[end-c.last.size:end]...)
	c.meta.TotalUncompressedSize += int64(c.last.full)
	c.count(c.last.rows, 0)
}

// page appends a page: its header, which is completed, levels and values.
func (c *chunk) page(to []byte, header *format.PageHeader, levels, values []byte) ([]byte, error) {
	full := len(levels) + len(values)
	if full > math.MaxInt32 {
		return nil, fmt.Errorf("found a page of %d bytes, want at most %d", full, math.MaxInt32)
	}
	z, err := packer()
	if err != nil {
		return nil, fmt.Errorf("compress page: %w", err)
	}
	c.packed = z.EncodeAll(values, c.packed[:0])
	header.UncompressedPageSize, header.CompressedPageSize = int32(full), int32(len(levels)+len(c.packed))
	header.CRC = int32(crc32.Update(crc32.ChecksumIEEE(levels), crc32.IEEETable, c.packed))
	text, err := thrift.Marshal(new(thrift.CompactProtocol), header)
	if err != nil {
		return nil, fmt.Errorf("encode page header: %w", err)
	}
	c.meta.TotalUncompressedSize += int64(len(text) + full)
	to = roomFor(to, len(text)+int(header.CompressedPageSize))
	return append(append(append(to, text...), levels...), c.packed...), nil
}

// roomFor is a slice that n bytes can be appended to: growing it by doubling
// would leave as much behind as the chunk takes.
func roomFor(to []byte, n int) []byte {
	if cap(to)-len(to) >= n {
		return to
	}
	return append(make([]byte, 0, len(to)+4*n), to...)
}

// count notes the page that was added.
func (c *chunk) count(rows, nulls int) {
	c.offsets.PageLocations = append(c.offsets.PageLocations, format.PageLocation{
		Offset:             int64(len(c.pages) - c.last.size),
		CompressedPageSize: int32(c.last.size),
		FirstRowIndex:      c.meta.NumValues,
	})
	c.meta.NumValues += int64(rows)
	c.meta.Statistics.NullCount += int64(nulls)
	c.index.NullCounts = append(c.index.NullCounts, int64(nulls))
}

// addDictionary adds the page of a dictionary of n texts, each after its length.
func (c *chunk) addDictionary(texts []byte, n int) (err error) {
	header := format.PageHeader{
		Type:                 format.DictionaryPage,
		DictionaryPageHeader: thrift.New(format.DictionaryPageHeader{NumValues: int32(n), Encoding: format.Plain}),
	}
	c.dictionary, err = c.page(nil, &header, nil, texts)
	return err
}

// sameLevel makes the levels of a page whose rows have one: a single run.
func (c *chunk) sameLevel(rows int, level byte) {
	c.runs = append(binary.AppendUvarint(c.runs[:0], uint64(rows)<<1), level)
}

// describe completes the description of a chunk whose data pages have one
// encoding.
func (c *chunk) describe(encoding format.Encoding) {
	m := &c.meta
	m.Codec = format.Zstd
	m.Encoding = thrift.Slice[format.Encoding]{encoding, format.RLE}
	m.EncodingStats = thrift.Slice[format.PageEncodingStats]{
		{PageType: format.DataPageV2, Encoding: encoding, Count: int32(len(c.offsets.PageLocations))},
	}
	if len(c.dictionary) > 0 {
		m.Encoding = append(m.Encoding, format.Plain)
		m.EncodingStats = append(m.EncodingStats, format.PageEncodingStats{PageType: format.DictionaryPage, Encoding: format.Plain, Count: 1})
	}
	m.TotalCompressedSize = int64(len(c.dictionary) + len(c.pages))
}

// place tells the chunk where in the file it begins.
func (c *chunk) place(at int64) {
	if len(c.dictionary) > 0 {
		c.meta.DictionaryPageOffset = at
	}
	c.meta.DataPageOffset = at + int64(len(c.dictionary))
	for i := range c.offsets.PageLocations {
		c.offsets.PageLocations[i].Offset += c.meta.DataPageOffset
	}
}

// order tells whether bounds of pages that hold values ascend.
func (c *chunk) order() format.BoundaryOrder {
	if c.ascending {
		return format.Ascending
	}
	return format.Unordered
}
