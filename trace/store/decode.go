package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"dagscope/trace"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
)

// columnReader reads one column of one table.
type columnReader struct {
	file   *tableFile
	name   string
	chunks []parquet.ColumnChunk // one per row group
	sink   sink
}

// wrap says which file and column an error is about.
func (r *columnReader) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: column %s: %w", r.file.name, r.name, err)
}

// readGroup hands the pages of a row group to the sink. It makes sure that they
// hold as many rows as the group.
func (r *columnReader) readGroup(g int) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: row group %d: %v", errDamaged, g, p)
		}
	}()
	pages := r.chunks[g].Pages()
	defer pages.Close()
	at, end := r.file.start[g], r.file.start[g+1]
	for {
		page, err := pages.ReadPage()
		if errors.Is(err, io.EOF) && at == end {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%w: row group %d, row %d of %d: %w", errDamaged, g, at, end, err)
		}
		n := int(page.NumValues())
		if n > end-at {
			return fmt.Errorf("%w: row group %d holds more than its %d rows", errDamaged, g, end-r.file.start[g])
		}
		err = r.sink.page(g, at, n, page)
		parquet.Release(page)
		if err != nil {
			return err
		}
		at += n
	}
}

// sink takes the pages of a column. Pages of one row group come in order,
// those of different groups concurrently.
type sink interface {
	// page takes a page of n rows from row at on, of row group g.
	page(g, at, n int, p parquet.Page) error
	// finish is called once after all pages.
	finish() error
}

// newSink allocates the column and returns what fills it; start holds the first
// row of each row group, and the end. Of dict see maxKeptDict.
func newSink(c trace.Column, start []int, dict []string) sink {
	rows := start[len(start)-1]
	switch data := c.Data.(type) {
	case *[]int32:
		null := trace.NoInt
		if c.Ref != "" {
			null = trace.None
		}
		return newNumbers(data, rows, null, (*encoding.Values).Int32)
	case *[]int64:
		return newNumbers(data, rows, trace.NoTime, (*encoding.Values).Int64)
	case *[]uint32:
		return newNumbers(data, rows, 0, (*encoding.Values).Uint32)
	case *[]uint64:
		return newNumbers(data, rows, 0, (*encoding.Values).Uint64)
	case *[]float64:
		return newNumbers(data, rows, 0, (*encoding.Values).Double)
	case *[]bool:
		*data = make([]bool, rows)
		return bits{*data}
	case *trace.Strings:
		data.Index = make([]int32, rows)
		return &texts{column: data, start: start, kept: dict, groups: make([]trace.Strings, len(start)-1)}
	case *trace.Keys:
		data.Code = make([]int64, rows)
		return &names{column: data, start: start, kept: dict, groups: make([]trace.Keys, len(start)-1)}
	}
	panic(fmt.Sprintf("store: column %s has type %T", c.Name, c.Data))
}

// kindOf is the Parquet type that a column has on disk.
func kindOf(c trace.Column) parquet.Kind {
	switch c.Data.(type) {
	case *[]int32, *[]uint32:
		return parquet.Int32
	case *[]int64, *[]uint64:
		return parquet.Int64
	case *[]float64:
		return parquet.Double
	case *[]bool:
		return parquet.Boolean
	}
	return parquet.ByteArray
}

// keptDict returns the order of a column's dictionary, nil if it is the natural
// one.
func (t *tableFile) keptDict(column string) ([]string, error) {
	text, ok := t.parquet.Lookup(metaDict + column)
	if !ok {
		return nil, nil
	}
	var raw [][]byte
	if err := json.Unmarshal([]byte(text), &raw); err != nil {
		return nil, fmt.Errorf("%w: order of the dictionary: %w", errDamaged, err)
	}
	dict := make([]string, len(raw))
	for i, b := range raw {
		dict[i] = string(b)
	}
	return dict, nil
}

var errShort = fmt.Errorf("%w: page holds fewer values than it says", errDamaged)

// numbers fills a column of any numeric type.
type numbers[T comparable] struct {
	data   []T
	null   T
	values func(*encoding.Values) []T
}

func newNumbers[T comparable](column *[]T, rows int, null T, values func(*encoding.Values) []T) numbers[T] {
	*column = make([]T, rows)
	return numbers[T]{*column, null, values}
}

func (s numbers[T]) page(_, at, n int, p parquet.Page) error {
	if p.Dictionary() != nil {
		// Ours have none; files rewritten by other tools may.
		return errors.New("numbers are dictionary-encoded, which the store does not read")
	}
	raw := p.Data()
	if spread(s.data[at:at+n], s.values(&raw), p.DefinitionLevels(), s.null) {
		return nil
	}
	return errShort
}

func (s numbers[T]) finish() error { return nil }

// spread copies values to the rows of dst that are present according to the
// definition levels (nil means all) and null to the others; false if there are
// not enough values.
func spread[T any](dst, values []T, levels []byte, null T) bool {
	if levels == nil {
		return copy(dst, values) == len(dst)
	}
	if len(levels) < len(dst) {
		return false
	}
	next := 0
	for i := range dst {
		switch {
		case levels[i] == 0:
			dst[i] = null
		case next == len(values):
			return false
		default:
			dst[i] = values[next]
			next++
		}
	}
	return true
}

// bits fills a column of booleans, which have no nulls.
type bits struct{ data []bool }

func (s bits) page(_, at, n int, p parquet.Page) error {
	raw := p.Data()
	packed := raw.Boolean()
	if p.DefinitionLevels() != nil || 8*len(packed) < n {
		return errShort
	}
	for i := range n {
		s.data[at+i] = packed[i>>3]>>(i&7)&1 != 0
	}
	return nil
}

func (s bits) finish() error { return nil }

// texts fills a column of interned texts. Each row group has a dictionary of
// its own on disk, whose indexes are taken over as they are; finish merges the
// dictionaries.
type texts struct {
	column *trace.Strings
	start  []int
	kept   []string
	groups []trace.Strings // Dict only
}

func (s *texts) page(g, at, n int, p parquet.Page) error {
	own := &s.groups[g]
	rows := s.column.Index[at : at+n]
	raw := p.Data()
	dict := p.Dictionary()
	if dict == nil {
		return s.plainPage(own, rows, p)
	}
	if own.Dict == nil {
		own.Dict = make([]string, dict.Len())
		for i := range own.Dict {
			own.Dict[i] = string(dict.Index(int32(i)).ByteArray())
		}
	}
	if !spread(rows, raw.Int32(), p.DefinitionLevels(), trace.None) {
		return errShort
	}
	size := int32(min(dict.Len(), len(own.Dict)))
	for _, i := range rows {
		if i >= size || i < trace.None {
			return fmt.Errorf("%w: text %d of a dictionary of %d", errDamaged, i, size)
		}
	}
	return nil
}

// plainPage takes a page without dictionary: the writer gives dictionaries up
// when they become larger than a gigabyte.
func (s *texts) plainPage(own *trace.Strings, rows []int32, p parquet.Page) error {
	return eachText(p, len(rows), func(i int, text []byte) {
		if rows[i] = trace.None; text != nil {
			rows[i] = own.InternBytes(text)
		}
	})
}

func (s *texts) finish() error {
	all := trace.Strings{Dict: s.kept}
	for g := range s.groups {
		merged := make([]int32, len(s.groups[g].Dict))
		same := true
		for i, text := range s.groups[g].Dict {
			merged[i] = all.Intern(text)
			same = same && merged[i] == int32(i)
		}
		if same {
			continue
		}
		rows := s.column.Index[s.start[g]:s.start[g+1]]
		for i, t := range rows {
			if t >= 0 {
				rows[i] = merged[t]
			}
		}
	}
	s.column.Dict = all.Dict
	return nil
}

// names fills a column of packed names, which are texts on disk. Row groups
// intern their prefixes separately; finish merges them.
type names struct {
	column *trace.Keys
	start  []int
	kept   []string
	groups []trace.Keys // Prefix only
}

func (s *names) page(g, at, n int, p parquet.Page) error {
	own := &s.groups[g]
	rows := s.column.Code[at : at+n]
	return eachText(p, n, func(i int, text []byte) { rows[i] = own.Encode(text) })
}

func (s *names) finish() error {
	all := trace.Keys{Prefix: s.kept}
	for g := range s.groups {
		own := &s.groups[g]
		if all.Prefix == nil {
			all.Prefix = own.Prefix
		}
		if slices.Equal(all.Prefix, own.Prefix) {
			continue
		}
		recode := all.Recode(own)
		rows := s.column.Code[s.start[g]:s.start[g+1]]
		for i, code := range rows {
			rows[i] = recode(code)
		}
	}
	s.column.Prefix = all.Prefix
	return nil
}

// eachText calls do with the text of each of the n rows of a page, nil for a
// null. The text is the callee's only during the call.
func eachText(p parquet.Page, n int, do func(row int, text []byte)) error {
	raw := p.Data()
	if p.Dictionary() != nil {
		return errors.New("names are dictionary-encoded, which the store does not read")
	}
	data, offsets := raw.ByteArray()
	levels := p.DefinitionLevels()
	if levels != nil && len(levels) < n {
		return errShort
	}
	next := 0
	for i := range n {
		if levels != nil && levels[i] == 0 {
			do(i, nil)
			continue
		}
		if next+1 >= len(offsets) {
			return errShort
		}
		// A slice with offsets out of order or of range panics, which readGroup
		// turns into an error. The capacity keeps an empty text from being nil.
		from, to := offsets[next], offsets[next+1]
		do(i, data[from:to:to])
		next++
	}
	return nil
}
