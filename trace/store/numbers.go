package store

import (
	"encoding/binary"
	"math"

	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/format"
)

type number interface {
	int32 | int64 | uint32 | uint64 | float64
}

// numbersOf makes the pages of a column of numbers.
type numbersOf[T number] struct {
	rows     func(c *chunk, from, to int) []T // of a page
	null     T
	nullable bool
	exact    bool // equal values are the same: not so 0 and −0
	encoding format.Encoding
	encode   func(dst []byte, values []T) ([]byte, error)
	bounds   func(low, high T) (lowest, highest []byte) // nil for none
	present  func(s *scratch) *[]T                      // room for values that are not null
}

// write makes the pages of rows from … to-1.
func (p *numbersOf[T]) write(c *chunk, from, to int) error {
	var all, before extremes[T]
	constant := false // the page before
	c.ascending = true
	for ; from < to; from += pageRows {
		rows := p.rows(c, from, min(from+pageRows, to))
		e := p.look(rows)
		same := p.exact && e.known && e.nulls == 0 && e.low == e.high
		if same && constant && e.low == before.low && len(rows) == c.last.rows {
			c.again()
		} else if err := p.page(c, rows, e.nulls); err != nil {
			return err
		}
		if p.bounds != nil {
			p.index(c, e, len(rows))
			c.ascending = c.ascending && (!e.known || !before.known || before.low <= e.low && before.high <= e.high)
			all.add(e)
		}
		if constant = same; e.known {
			before = e
		}
	}
	if all.known {
		c.meta.Statistics.MinValue, c.meta.Statistics.MaxValue = p.bounds(all.low, all.high)
	}
	c.describe(p.encoding)
	return nil
}

// look finds the extremes of rows; without bounds, enough of them to see whether
// all rows are equal.
func (p *numbersOf[T]) look(rows []T) extremes[T] {
	if p.bounds != nil {
		return extremesOf(rows, p.null, p.nullable)
	}
	e := extremes[T]{low: rows[0], high: rows[0], known: true}
	if p.nullable {
		e.nulls = int(count(rows, p.null))
	}
	for _, v := range rows {
		if v != e.low {
			e.high = v
			break
		}
	}
	return e
}

// page adds a page of rows.
func (p *numbersOf[T]) page(c *chunk, rows []T, nulls int) (err error) {
	values := rows
	switch {
	case !p.nullable:
		c.runs = c.runs[:0]
	case nulls == 0:
		c.sameLevel(len(rows), 1)
	case nulls == len(rows):
		c.sameLevel(len(rows), 0)
		values = nil
	default:
		room := p.present(c.scratch)
		values = apart(*room, &c.levels, rows, p.null)
		*room = values
		if c.runs, err = levels.EncodeLevels(c.runs, c.levels); err != nil {
			return err
		}
	}
	if c.encoded, err = p.encode(c.encoded, values); err != nil {
		return err
	}
	return c.addPage(len(rows), nulls, p.encoding)
}

var levels = rle.Encoding{BitWidth: 1}

// apart takes rows apart into the values that are not null and levels.
func apart[T number](values []T, levels *[]byte, rows []T, null T) []T {
	values, *levels = sized(values, len(rows)), sized(*levels, len(rows))
	n := 0
	for i, v := range rows {
		level := byte(1)
		if v == null {
			level = 0
		}
		(*levels)[i], values[n] = level, v
		n += int(level)
	}
	return values[:n]
}

// sized is a slice of n elements, the same one if it is large enough.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// index notes the bounds of a page. They are left out of the file where a page
// has values and no bounds: NaNs.
func (p *numbersOf[T]) index(c *chunk, e extremes[T], rows int) {
	var low, high []byte
	if e.known {
		low, high = p.bounds(e.low, e.high)
	}
	x := &c.index
	c.unbounded = c.unbounded || !e.known && e.nulls < rows
	x.NullPages = append(x.NullPages, !e.known)
	x.MinValues, x.MaxValues = append(x.MinValues, low), append(x.MaxValues, high)
}

// extremes are the least and the greatest value of rows, NaNs apart.
type extremes[T number] struct {
	low, high T
	known     bool // there is one
	nulls     int
}

func (e *extremes[T]) add(o extremes[T]) {
	switch {
	case !o.known:
	case !e.known:
		*e = o
	default:
		e.low, e.high = min(e.low, o.low), max(e.high, o.high)
	}
}

func extremesOf[T number](rows []T, null T, nullable bool) (e extremes[T]) {
	i := 0
	for ; i < len(rows); i++ {
		if v := rows[i]; nullable && v == null {
			e.nulls++
		} else if v == v {
			e.low, e.high, e.known = v, v, true
			break
		}
	}
	low, high, nulls := e.low, e.high, e.nulls
	if !nullable {
		for _, v := range rows[i:] {
			if v < low {
				low = v
			}
			if v > high {
				high = v
			}
		}
	} else {
		for _, v := range rows[i:] {
			switch {
			case v == null:
				nulls++
			case v < low:
				low = v
			case v > high:
				high = v
			}
		}
	}
	e.low, e.high, e.nulls = low, high, nulls
	return e
}

// bounds32 and its like encode bounds as Parquet's PLAIN encoding does.
func bounds32[T int32 | uint32](low, high T) (lowest, highest []byte) {
	return binary.LittleEndian.AppendUint32(nil, uint32(low)), binary.LittleEndian.AppendUint32(nil, uint32(high))
}

func bounds64[T int64 | uint64](low, high T) (lowest, highest []byte) {
	return binary.LittleEndian.AppendUint64(nil, uint64(low)), binary.LittleEndian.AppendUint64(nil, uint64(high))
}

// boundsOfFloats takes 0 for less than 0, as the format demands: readers need
// not tell 0 from −0.
func boundsOfFloats(low, high float64) (lowest, highest []byte) {
	if low == 0 {
		low = math.Copysign(0, -1)
	}
	if high == 0 {
		high = 0
	}
	return bounds64(math.Float64bits(low), math.Float64bits(high))
}

func encodeUint32s(dst []byte, values []uint32) ([]byte, error) {
	dst = dst[:0]
	for _, v := range values {
		dst = binary.LittleEndian.AppendUint32(dst, v)
	}
	return dst, nil
}

func encodeUint64s(dst []byte, values []uint64) ([]byte, error) {
	dst = dst[:0]
	for _, v := range values {
		dst = binary.LittleEndian.AppendUint64(dst, v)
	}
	return dst, nil
}

// writeBits makes the pages of a column of truth values, a bit each.
func writeBits(c *chunk, rows []bool) error {
	for len(rows) > 0 {
		n := min(pageRows, len(rows))
		c.runs, c.encoded = c.runs[:0], sized(c.encoded, (n+7)/8)
		clear(c.encoded)
		set := 0
		for i, v := range rows[:n] {
			if v {
				c.encoded[i>>3] |= 1 << (i & 7)
				set++
			}
		}
		if err := c.addPage(n, 0, format.Plain); err != nil {
			return err
		}
		x := &c.index
		x.NullPages = append(x.NullPages, false)
		x.MinValues, x.MaxValues = append(x.MinValues, truth(set == n)), append(x.MaxValues, truth(set > 0))
		rows = rows[n:]
	}
	c.describe(format.Plain)
	return nil
}

// truth is a bound of truth values.
func truth(v bool) []byte {
	if v {
		return []byte{1}
	}
	return []byte{0}
}
