package store

import (
	"fmt"
	"reflect"
	"unicode/utf8"

	"dagscope/trace"

	"github.com/parquet-go/parquet-go"
)

// source is a column on its way to disk: what it is, and how to get rows of it
// as Parquet values.
type source struct {
	trace.Column
	kind  string // ColumnInfo.Type
	nulls int64
	node  parquet.Node // before OPTIONAL
	dict  []string     // dictionary or prefixes in an order worth keeping, else nil

	// fill sets dst to the rows from … from+len(dst)-1. Values that are not null
	// have definition level 1 if the column has nulls.
	fill func(dst []parquet.Value, from int)
}

// sourceOf checks a column of a table with that many rows and prepares it. It
// returns nil for an absent column.
func sourceOf(c trace.Column, rows int) (*source, error) {
	if c.Len() == 0 && c.Optional {
		return nil, nil
	}
	if c.Len() != rows {
		return nil, fmt.Errorf("column %s has %d rows, want %d", c.Name, c.Len(), rows)
	}
	s := &source{Column: c}
	switch data := c.Data.(type) {
	case *[]int32:
		null := trace.NoInt
		if c.Ref != "" {
			null = trace.None
		}
		s.kind, s.node = "int32", parquet.Encoded(parquet.Leaf(parquet.Int32Type), &parquet.DeltaBinaryPacked)
		s.int32s(*data, null)
	case *[]int64:
		s.kind, s.node = "int64", parquet.Encoded(parquet.Leaf(parquet.Int64Type), &parquet.DeltaBinaryPacked)
		s.int64s(*data, trace.NoTime)
	case *[]uint32:
		s.kind, s.node = "uint32", parquet.Uint(32)
		fillPlain(s, *data, func(v uint32) parquet.Value { return parquet.Int32Value(int32(v)) })
	case *[]uint64:
		s.kind, s.node = "uint64", parquet.Uint(64)
		fillPlain(s, *data, func(v uint64) parquet.Value { return parquet.Int64Value(int64(v)) })
	case *[]float64:
		s.kind, s.node = "float64", parquet.Leaf(parquet.DoubleType)
		fillPlain(s, *data, parquet.DoubleValue)
	case *[]bool:
		s.kind, s.node = "bool", parquet.Leaf(parquet.BooleanType)
		fillPlain(s, *data, parquet.BooleanValue)
	case *trace.Strings:
		return s, s.texts(data)
	case *trace.Keys:
		return s, s.keys(data)
	default:
		return nil, fmt.Errorf("column %s has type %T, which the store does not know", c.Name, c.Data)
	}
	return s, nil
}

func fillPlain[T any](s *source, data []T, value func(T) parquet.Value) {
	s.fill = func(dst []parquet.Value, from int) {
		for i, v := range data[from : from+len(dst)] {
			dst[i] = value(v)
		}
	}
}

// int32s and int64s are written out, not made of one generic function: they are
// most of what is stored, and a call for each value takes longer than the rest.
func (s *source) int32s(data []int32, null int32) {
	s.nulls = count(data, null)
	level := s.level()
	s.fill = func(dst []parquet.Value, from int) {
		data := data[from:][:len(dst)]
		for i, v := range data {
			dst[i] = parquet.Int32Value(v)
		}
		if level > 0 {
			setLevels(dst, data, null)
		}
	}
}

func (s *source) int64s(data []int64, null int64) {
	s.nulls = count(data, null)
	level := s.level()
	s.fill = func(dst []parquet.Value, from int) {
		data := data[from:][:len(dst)]
		for i, v := range data {
			dst[i] = parquet.Int64Value(v)
		}
		if level > 0 {
			setLevels(dst, data, null)
		}
	}
}

func count[T comparable](data []T, null T) (n int64) {
	for _, v := range data {
		if v == null {
			n++
		}
	}
	return n
}

// setLevels makes values of a column with nulls of plain ones.
func setLevels[T int32 | int64](dst []parquet.Value, data []T, null T) {
	for i, v := range data {
		if v == null {
			dst[i] = parquet.Value{}
		} else {
			dst[i] = dst[i].Level(0, 1, 0)
		}
	}
}

// texts prepares a column of interned texts: each dictionary entry is made a
// Parquet value once.
func (s *source) texts(c *trace.Strings) error {
	order := orderOf{}
	for row, i := range c.Index {
		switch {
		case i < 0:
			s.nulls++
		case int(i) >= len(c.Dict):
			return fmt.Errorf("column %s, row %d: text %d of a dictionary of %d", s.Name, row, i, len(c.Dict))
		default:
			order.add(int(i))
		}
	}
	s.setText("text", c.Dict, order)
	s.node = parquet.Encoded(s.node, &parquet.RLEDictionary)
	values := make([]parquet.Value, len(c.Dict))
	for i, text := range c.Dict {
		values[i] = parquet.ByteArrayValue([]byte(text)).Level(0, s.level(), 0)
	}
	s.fill = func(dst []parquet.Value, from int) {
		for i, t := range c.Index[from : from+len(dst)] {
			if t < 0 {
				dst[i] = parquet.Value{}
			} else {
				dst[i] = values[t]
			}
		}
	}
	return nil
}

// keys prepares a column of packed names, which are written as text so that
// any reader sees "0_5051".
func (s *source) keys(k *trace.Keys) error {
	order := orderOf{}
	for row, code := range k.Code {
		switch p, _ := k.Split(code); {
		case code < 0:
			s.nulls++
		case int(p) >= len(k.Prefix):
			return fmt.Errorf("column %s, row %d: prefix %d of %d", s.Name, row, p, len(k.Prefix))
		default:
			order.add(int(p))
		}
	}
	s.setText("key", k.Prefix, order)
	s.node = parquet.Encoded(s.node, &parquet.DeltaLengthByteArray)
	level := s.level()
	s.fill = func(dst []parquet.Value, from int) {
		// A growing buffer leaves the texts before it where they are.
		buf := make([]byte, 0, 16*len(dst))
		for i, code := range k.Code[from : from+len(dst)] {
			if code < 0 {
				dst[i] = parquet.Value{}
				continue
			}
			start := len(buf)
			buf = k.AppendTo(buf, code)
			dst[i] = parquet.ByteArrayValue(buf[start:len(buf):len(buf)]).Level(0, level, 0)
		}
	}
	return nil
}

// setText chooses between UTF-8 and bytes, and keeps the order of dict if it is
// not the one that reading restores by itself.
func (s *source) setText(kind string, dict []string, order orderOf) {
	s.kind, s.node = kind, parquet.String()
	size := 0
	for _, text := range dict {
		size += len(text)
		if !utf8.ValidString(text) {
			s.kind, s.node = kind+" (binary)", parquet.Leaf(parquet.ByteArrayType)
		}
	}
	if !order.natural(len(dict)) && size+len(dict) <= maxKeptDict {
		s.dict = dict
	}
}

func (s *source) level() int {
	if s.nulls > 0 {
		return 1
	}
	return 0
}

// leaf is the column's node in the file's schema.
func (s *source) leaf() parquet.Node {
	if s.nulls > 0 {
		return parquet.Optional(s.node)
	}
	return s.node
}

// maxKeptDict is the size in bytes up to which the order of a dictionary is
// kept in the footer. Tables may be sorted by dictionary index, of which there
// are few; names of a million handles are not worth a megabyte of footer.
const maxKeptDict = 1 << 20

// orderOf notices whether dictionary entries first appear in the order of their
// index, every one of them: that is the dictionary that reading rebuilds.
type orderOf struct {
	next  int
	mixed bool
}

func (o *orderOf) add(i int) {
	if i == o.next {
		o.next++
	} else if i > o.next {
		o.mixed = true
	}
}

func (o *orderOf) natural(n int) bool { return !o.mixed && o.next == n }

// tableNode is a Parquet group that keeps its columns in schema order;
// parquet.Group sorts them by name.
type tableNode struct {
	parquet.Group
	fields []parquet.Field
}

func newTableNode(sources []*source) tableNode {
	t := tableNode{Group: parquet.Group{}}
	for _, s := range sources {
		t.Group[s.Name] = s.leaf()
		t.fields = append(t.fields, tableField{s.leaf(), s.Name})
	}
	return t
}

// Fields returns the columns in schema order.
func (t tableNode) Fields() []parquet.Field { return t.fields }

type tableField struct {
	parquet.Node
	name string
}

// Name returns the column's name.
func (f tableField) Name() string { return f.name }

// Value is part of parquet.Field for rows made by reflection, which the store
// never uses.
func (f tableField) Value(reflect.Value) reflect.Value { return reflect.Value{} }
