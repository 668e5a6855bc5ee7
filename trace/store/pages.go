package store

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// The checksums in a Parquet file cover the contents of pages, not their
// headers, and a reader allocates what a header asks for: one flipped bit is
// two gigabytes. So the headers of a column chunk are walked before any page is
// decoded, and whatever cannot be right is refused.

const (
	// maxHeader is the number of bytes a page header may take; ours hold no
	// statistics and take about fifty.
	maxHeader = 4096
	// maxInflation is the most that zstd makes of a byte: a block of 128 KiB that
	// repeats one byte takes four. Small pages may hold more.
	maxInflation = 1 << 15
	smallPage    = 1 << 20
)

// checkChunk walks the pages of a column chunk of that many rows in a file of
// that size.
func checkChunk(file io.ReaderAt, size, rows int64, meta *format.ColumnMetaData) error {
	if meta.Codec != format.Zstd {
		// Decoders of other codecs guess sizes, some without a bound.
		return fmt.Errorf("%w: compressed by %v, want ZSTD", errDamaged, meta.Codec)
	}
	at := meta.DataPageOffset
	if meta.DictionaryPageOffset != 0 {
		at = meta.DictionaryPageOffset
	}
	end := at + meta.TotalCompressedSize
	if at < 4 || end < at || end > size {
		return fmt.Errorf("%w: pages from byte %d to %d in a file of %d", errDamaged, at, end, size)
	}
	found := int64(0)
	for at < end {
		header, length, err := readHeader(file, at, end)
		if err != nil {
			return fmt.Errorf("%w: page header at byte %d: %w", errDamaged, at, err)
		}
		n, err := checkHeader(header, end-at-length, rows-found)
		if err != nil {
			return fmt.Errorf("%w: page at byte %d: %w", errDamaged, at, err)
		}
		found += n
		at += length + int64(header.CompressedPageSize)
	}
	if found != rows {
		return fmt.Errorf("%w: pages hold %d rows of %d", errDamaged, found, rows)
	}
	return nil
}

// readHeader decodes the page header at an offset and returns its length.
func readHeader(file io.ReaderAt, at, end int64) (*format.PageHeader, int64, error) {
	buf := make([]byte, min(maxHeader, end-at))
	if _, err := file.ReadAt(buf, at); err != nil {
		return nil, 0, err
	}
	header := new(format.PageHeader)
	r := new(thrift.CompactProtocol).NewReaderFromBytes(buf)
	if err := thrift.NewDecoder(r).Decode(header); err != nil {
		return nil, 0, err
	}
	return header, int64(r.BytesRead()), nil
}

// checkHeader returns the number of rows of a page of at most that many bytes
// and rows.
func checkHeader(h *format.PageHeader, bytes, rows int64) (int64, error) {
	packed, full := int64(h.CompressedPageSize), int64(h.UncompressedPageSize)
	if packed < 0 || packed > bytes {
		return 0, fmt.Errorf("%d bytes, %d are left", packed, bytes)
	}
	if full < 0 || full > smallPage && full/maxInflation > packed {
		return 0, fmt.Errorf("%d bytes cannot come of %d", full, packed)
	}
	switch h.Type {
	case format.DictionaryPage:
		// Each text starts with its length in four bytes.
		if n := int64(h.DictionaryPageHeader.V.NumValues); n < 0 || 4*n > full {
			return 0, fmt.Errorf("dictionary of %d texts in %d bytes", n, full)
		}
		return 0, nil
	case format.DataPageV2:
		v := &h.DataPageHeaderV2.V
		n := int64(v.NumValues)
		if n < 0 || n > rows || int64(v.NumRows) != n || v.NumNulls < 0 || v.NumNulls > v.NumValues {
			return 0, fmt.Errorf("%d values, %d rows, %d nulls where %d rows are left", n, v.NumRows, v.NumNulls, rows)
		}
		levels := int64(v.DefinitionLevelsByteLength)
		if v.RepetitionLevelsByteLength != 0 || levels < 0 || levels > packed {
			return 0, fmt.Errorf("levels of %d bytes in a page of %d", levels, packed)
		}
		return n, nil
	}
	return 0, errors.New("neither a dictionary nor a data page of version 2")
}
