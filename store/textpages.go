package store

import (
	"encoding/binary"
	"slices"

	"dagscope/trace"

	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/format"
)

// maxDictionary is the size in bytes up to which a row group's texts are kept
// as a dictionary: it is one page.
var maxDictionary = 1 << 28

// pageText is the size in bytes from which on a page of texts takes no more.
const pageText = 1 << 20

// writeTexts makes the pages of interned texts: the row group's own dictionary,
// by first appearance, and indexes.
func (s *source) writeTexts(c *chunk, t *trace.Strings, from, to int) error {
	d := dictionary{of: t.Dict, number: make([]int32, len(t.Dict))}
	for _, i := range t.Index[from:to] {
		if i >= 0 && d.number[i] == 0 {
			d.add(i)
		}
	}
	if len(d.page) > maxDictionary {
		return s.writeBytes(c, from, to, func(buf []byte, row int) ([]byte, bool) {
			i := t.Index[row]
			if i < 0 {
				return buf, false
			}
			return append(buf, t.Dict[i]...), true
		})
	}
	if err := c.addDictionary(d.page, d.texts); err != nil {
		return err
	}
	pages := numbersOf[int32]{
		rows:     func(c *chunk, from, to int) []int32 { return d.mapped(c, t.Index[from:to]) },
		null:     trace.None,
		nullable: s.nulls > 0,
		exact:    true,
		encoding: format.RLEDictionary,
		encode:   new(rle.DictionaryEncoding).EncodeInt32,
		present:  func(s *scratch) *[]int32 { return &s.int32s },
	}
	return pages.write(c, from, to)
}

// dictionary is that of one row group.
type dictionary struct {
	of     []string
	number []int32 // by index in of: from 1, 0 for those that are not in it
	texts  int
	page   []byte
}

func (d *dictionary) add(i int32) {
	d.texts++
	d.number[i] = int32(d.texts)
	d.page = binary.LittleEndian.AppendUint32(d.page, uint32(len(d.of[i])))
	d.page = append(d.page, d.of[i]...)
}

// mapped turns indexes into those of the row group's dictionary.
func (d *dictionary) mapped(c *chunk, index []int32) []int32 {
	c.mapped = sized(c.mapped, len(index))
	for k, i := range index {
		c.mapped[k] = trace.None
		if i >= 0 {
			c.mapped[k] = d.number[i] - 1
		}
	}
	return c.mapped
}

// writeBytes makes the pages of texts one by one: add appends the text of a row
// to a buffer, or returns false for null.
func (s *source) writeBytes(c *chunk, from, to int, add func(buf []byte, row int) ([]byte, bool)) (err error) {
	for from < to {
		begin := from
		c.texts, c.ends, c.levels = c.texts[:0], append(c.ends[:0], 0), sized(c.levels, min(pageRows, to-from))
		for ; from < to && from-begin < pageRows && len(c.texts) < pageText; from++ {
			text, ok := add(c.texts, from)
			if c.levels[from-begin] = 0; ok {
				c.texts, c.ends = text, append(c.ends, uint32(len(text)))
				c.levels[from-begin] = 1
			}
		}
		if err := s.bytesPage(c, from-begin); err != nil {
			return err
		}
	}
	c.describe(format.DeltaLengthByteArray)
	return nil
}

// bytesPage adds the page of the texts that were collected.
func (s *source) bytesPage(c *chunk, rows int) (err error) {
	nulls := rows - (len(c.ends) - 1)
	switch {
	case s.nulls == 0:
		c.runs = c.runs[:0]
	case nulls == 0:
		c.sameLevel(rows, 1)
	default:
		c.runs, err = levels.EncodeLevels(c.runs, c.levels[:rows])
	}
	if err != nil {
		return err
	}
	c.encoded, err = new(delta.LengthByteArrayEncoding).EncodeByteArray(slices.Grow(c.encoded[:0], len(c.texts)), c.texts, c.ends)
	if err != nil {
		return err
	}
	return c.addPage(rows, nulls, format.DeltaLengthByteArray)
}
