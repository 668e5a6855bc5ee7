package store

import (
	"fmt"
	"reflect"
	"unicode/utf8"

	"dagscope/trace"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/plain"
	"github.com/parquet-go/parquet-go/format"
)

// source is a column on its way to disk: what it is, and how to make pages of it.
type source struct {
	trace.Column
	kind  string // ColumnInfo.Type
	nulls int64
	node  parquet.Node // before OPTIONAL
	dict  []string     // dictionary or prefixes in an order worth keeping, else nil

	// pages fills a chunk with rows from … to-1.
	pages func(c *chunk, from, to int) error
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
		plainPages(s, *data, null, &numbersOf[int32]{
			nullable: true, exact: true, encoding: format.DeltaBinaryPacked, bounds: bounds32[int32],
			encode:  new(delta.BinaryPackedEncoding).EncodeInt32,
			present: func(s *scratch) *[]int32 { return &s.int32s },
		})
	case *[]int64:
		s.kind, s.node = "int64", parquet.Encoded(parquet.Leaf(parquet.Int64Type), &parquet.DeltaBinaryPacked)
		plainPages(s, *data, trace.NoTime, &numbersOf[int64]{
			nullable: true, exact: true, encoding: format.DeltaBinaryPacked, bounds: bounds64[int64],
			encode:  new(delta.BinaryPackedEncoding).EncodeInt64,
			present: func(s *scratch) *[]int64 { return &s.int64s },
		})
	case *[]uint32:
		s.kind, s.node = "uint32", parquet.Uint(32)
		plainPages(s, *data, 0, &numbersOf[uint32]{
			exact: true, encoding: format.Plain, bounds: bounds32[uint32], encode: encodeUint32s,
		})
	case *[]uint64:
		s.kind, s.node = "uint64", parquet.Uint(64)
		plainPages(s, *data, 0, &numbersOf[uint64]{
			exact: true, encoding: format.Plain, bounds: bounds64[uint64], encode: encodeUint64s,
		})
	case *[]float64:
		s.kind, s.node = "float64", parquet.Leaf(parquet.DoubleType)
		plainPages(s, *data, 0, &numbersOf[float64]{
			encoding: format.Plain, bounds: boundsOfFloats, encode: new(plain.Encoding).EncodeDouble,
		})
	case *[]bool:
		s.kind, s.node = "bool", parquet.Leaf(parquet.BooleanType)
		s.pages = func(c *chunk, from, to int) error { return writeBits(c, (*data)[from:to]) }
	case *trace.Strings:
		return s, s.texts(data)
	case *trace.Keys:
		return s, s.keys(data)
	default:
		return nil, fmt.Errorf("column %s has type %T, which the store does not know", c.Name, c.Data)
	}
	return s, nil
}

// plainPages makes the pages of numbers that lie in memory as p wants them.
func plainPages[T number](s *source, data []T, null T, p *numbersOf[T]) {
	if p.null = null; p.nullable {
		s.nulls = count(data, null)
		p.nullable = s.nulls > 0
	}
	p.rows = func(_ *chunk, from, to int) []T { return data[from:to] }
	s.pages = p.write
}

func count[T comparable](data []T, null T) (n int64) {
	for _, v := range data {
		if v == null {
			n++
		}
	}
	return n
}

// texts prepares a column of interned texts.
func (s *source) texts(c *trace.Strings) error {
	n := len(c.Dict)
	for row, i := range c.Index {
		if i < 0 {
			s.nulls++
		} else if int(i) >= n {
			return fmt.Errorf("column %s, row %d: text %d of a dictionary of %d", s.Name, row, i, n)
		}
	}
	order := orderOf{}
	for _, i := range c.Index {
		if order.settled(n) {
			break
		}
		if i >= 0 {
			order.add(int(i))
		}
	}
	s.setText("text", c.Dict, order)
	s.node = parquet.Encoded(s.node, &parquet.RLEDictionary)
	s.pages = func(ch *chunk, from, to int) error { return s.writeTexts(ch, c, from, to) }
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
	s.pages = func(c *chunk, from, to int) error {
		names := newNaming(k)
		return s.writeBytes(c, from, to, func(t *pageTexts, from, to int) {
			for _, code := range k.Code[from:to] {
				if t.full() {
					return
				}
				if code >= 0 {
					t.bytes = names.appendTo(t.bytes, code)
				}
				t.end(code >= 0)
			}
		})
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

// settled tells whether further rows make no difference with n entries.
func (o *orderOf) settled(n int) bool { return o.mixed || o.next == n }

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
