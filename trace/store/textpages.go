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
		return s.writeBytes(c, from, to, func(p *pageTexts, from, to int) {
			for _, i := range t.Index[from:to] {
				if p.full() {
					return
				}
				if i >= 0 {
					p.bytes = append(p.bytes, t.Dict[i]...)
				}
				p.end(i >= 0)
			}
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

// pageTexts are the texts of a page.
type pageTexts struct {
	bytes  []byte
	ends   []uint32 // after a 0, of those that are not null
	levels []byte   // of all rows
}

func (t *pageTexts) full() bool { return len(t.bytes) >= pageText }

// end ends a row; there is false for null.
func (t *pageTexts) end(there bool) {
	if !there {
		t.levels = append(t.levels, 0)
		return
	}
	t.levels, t.ends = append(t.levels, 1), append(t.ends, uint32(len(t.bytes)))
}

// writeBytes makes the pages of texts one by one: collect takes rows from … to-1
// or as many of them as are a page.
func (s *source) writeBytes(c *chunk, from, to int, collect func(t *pageTexts, from, to int)) error {
	for from < to {
		t := pageTexts{c.texts[:0], append(c.ends[:0], 0), c.levels[:0]}
		collect(&t, from, min(from+pageRows, to))
		c.texts, c.ends, c.levels = t.bytes, t.ends, t.levels
		if err := s.bytesPage(c); err != nil {
			return err
		}
		from += len(t.levels)
	}
	c.describe(format.DeltaLengthByteArray)
	return nil
}

// bytesPage adds the page of the texts that were collected.
func (s *source) bytesPage(c *chunk) (err error) {
	rows := len(c.levels)
	nulls := rows - (len(c.ends) - 1)
	switch {
	case s.nulls == 0:
		c.runs = c.runs[:0]
	case nulls == 0:
		c.sameLevel(rows, 1)
	default:
		c.runs, err = levels.EncodeLevels(c.runs, c.levels)
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
