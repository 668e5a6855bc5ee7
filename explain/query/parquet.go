package query

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// WriteParquet writes one optional Parquet column for each column of the
// result: INT64 if all values are integers, DOUBLE if all are numbers, else
// texts. SQL does not say the types beforehand, so the result is kept in memory.
func WriteParquet(w io.Writer, rows Result) error {
	columns := make([][]any, len(rows.Columns()))
	for rows.Next() {
		for i, v := range rows.Values() {
			columns[i] = append(columns[i], v)
		}
	}
	if rows.Err() != nil {
		return rows.Err()
	}
	group := make(parquet.Group)
	order := make(map[string]int)
	kinds := make([]valueKind, len(columns))
	for i, c := range rows.Columns() {
		kinds[i] = kindOf(columns[i], c.Type)
		group[c.Name] = parquet.Optional(parquet.Compressed(kinds[i].node(), &zstd.Codec{}))
		order[c.Name] = i
	}
	out := parquet.NewGenericWriter[any](w, parquet.NewSchema("query", orderedGroup{group, order}))
	if err := writeColumns(out, columns, kinds); err != nil {
		return fmt.Errorf("write Parquet: %w", err)
	}
	if err := out.Close(); err != nil {
		return fmt.Errorf("write Parquet: %w", err)
	}
	return nil
}

// orderedGroup is a parquet.Group, which sorts its fields by name, with the
// columns in the order of the result.
type orderedGroup struct {
	parquet.Group
	order map[string]int
}

// Fields lists the columns.
func (g orderedGroup) Fields() []parquet.Field {
	fields := g.Group.Fields()
	slices.SortFunc(fields, func(a, b parquet.Field) int { return cmp.Compare(g.order[a.Name()], g.order[b.Name()]) })
	return fields
}

type valueKind int

const (
	integers valueKind = iota
	numbers
	texts
)

var declaredKinds = map[string]valueKind{"INTEGER": integers, "REAL": numbers, "TEXT": texts}

// kindOf is the narrowest kind that holds all values; a column of nothing but
// NULL has the kind that it is declared with.
func kindOf(values []any, declared string) valueKind {
	kind, null := integers, true
	for _, v := range values {
		switch v.(type) {
		case nil:
			continue
		case float64:
			kind = max(kind, numbers)
		case string, []byte, Number:
			kind = texts
		}
		null = false
	}
	if null {
		return declaredKinds[declared]
	}
	return kind
}

func (k valueKind) node() parquet.Node {
	switch k {
	case integers:
		return parquet.Int(64)
	case numbers:
		return parquet.Leaf(parquet.DoubleType)
	}
	return parquet.String()
}

// value converts v, which is not nil, to the kind.
func (k valueKind) value(v any) parquet.Value {
	switch k {
	case integers:
		return parquet.Int64Value(v.(int64))
	case numbers:
		if i, ok := v.(int64); ok {
			return parquet.DoubleValue(float64(i))
		}
		return parquet.DoubleValue(v.(float64))
	}
	return parquet.ByteArrayValue([]byte(text(v, "")))
}

const parquetBatch = 1024

func writeColumns(out *parquet.GenericWriter[any], columns [][]any, kinds []valueKind) error {
	if len(columns) == 0 {
		return nil
	}
	batch := make([]parquet.Row, 0, parquetBatch)
	for row := range columns[0] {
		line := make(parquet.Row, len(columns))
		for i, k := range kinds {
			if v := columns[i][row]; v == nil {
				line[i] = parquet.NullValue().Level(0, 0, i)
			} else {
				line[i] = k.value(v).Level(0, 1, i)
			}
		}
		batch = append(batch, line)
		if len(batch) == parquetBatch || row == len(columns[0])-1 {
			if _, err := out.WriteRows(batch); err != nil {
				return err
			}
			batch = batch[:0]
		}
	}
	return nil
}
