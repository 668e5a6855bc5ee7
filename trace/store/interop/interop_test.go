// Package interop reads run directories with a Parquet implementation that
// shares no code with the one that wrote them, so that the two cannot agree on
// a mistake. It is a module of its own: nobody who builds dagscope needs a
// second Parquet library.
package interop

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dagscope/trace"
	"dagscope/trace/store"

	goparquet "github.com/fraugster/parquet-go"
	"github.com/fraugster/parquet-go/parquet"
	"github.com/klauspost/compress/zstd"
)

type zstdBlocks struct{}

func (zstdBlocks) CompressBlock([]byte) ([]byte, error) { return nil, errors.ErrUnsupported }

func (zstdBlocks) DecompressBlock(block []byte) ([]byte, error) {
	d, err := zstd.NewReader(nil)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.DecodeAll(block, nil)
}

func TestOtherReaderSeesTheRun(t *testing.T) {
	goparquet.RegisterBlockCompressor(parquet.CompressionCodec_ZSTD, zstdBlocks{})
	path := filepath.Join(t.TempDir(), "r.dsr")
	run := makeRun(30_000)
	if err := store.Write(path, run); err != nil {
		t.Fatal(err)
	}
	d, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range run.Tables() {
		entry, ok := d.Manifest().Table(table.Name)
		if !ok {
			t.Fatalf("table %s is not in the manifest", table.Name)
		}
		if err := compare(filepath.Join(path, entry.File), table); err != nil {
			t.Errorf("table %s: %v", table.Name, err)
		}
	}
}

// makeRun fills every column of every table, with and without nulls.
func makeRun(rows int) *trace.Run {
	run := &trace.Run{Meta: trace.Meta{Reader: "synthetic"}}
	for _, table := range run.Tables() {
		for k, c := range table.Columns {
			for row := range rows {
				appendCell(c, row, k%2 == 0 && (row*7+k)%5 == 0)
			}
		}
	}
	return run
}

func appendCell(c trace.Column, row int, null bool) {
	v := int64(row)*0x9e3779b97f4a7c + int64(row*row)
	switch data := c.Data.(type) {
	case *[]int32:
		x := int32(v >> 20)
		switch {
		case null && c.Ref != "":
			x = trace.None
		case null:
			x = trace.NoInt
		case c.Ref != "":
			x = int32(row)
		}
		*data = append(*data, x)
	case *[]int64:
		if null {
			v = trace.NoTime
		}
		*data = append(*data, v)
	case *[]uint32:
		*data = append(*data, uint32(v))
	case *[]uint64:
		*data = append(*data, uint64(v)*3)
	case *[]float64:
		*data = append(*data, math.Sqrt(float64(row)))
	case *[]bool:
		*data = append(*data, v%3 == 0)
	case *trace.Strings:
		if null {
			data.AppendIndex(trace.None)
		} else {
			data.Append(strings.Repeat("é", row%9))
		}
	case *trace.Keys:
		if null {
			data.AppendString("")
		} else {
			data.AppendString(fmt.Sprintf("%s%d", []string{"", "com_", "0_00"}[row%3], row))
		}
	}
}

func compare(file string, table trace.Table) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	r, err := goparquet.NewFileReaderWithOptions(f, goparquet.WithCRC32Validation(true))
	if err != nil {
		return err
	}
	for i, def := range r.GetSchemaDefinition().RootColumn.Children {
		if want := table.Columns[i].Name; def.SchemaElement.Name != want {
			return fmt.Errorf("column %d is %s, want %s", i, def.SchemaElement.Name, want)
		}
	}
	for row := 0; ; row++ {
		got, err := r.NextRow()
		if errors.Is(err, io.EOF) {
			if row != table.Rows() {
				return fmt.Errorf("%d rows, want %d", row, table.Rows())
			}
			return nil
		}
		if err != nil {
			return fmt.Errorf("row %d: %w", row, err)
		}
		for _, c := range table.Columns {
			if g, w := canonical(got[c.Name]), cell(c, row); g != w {
				return fmt.Errorf("row %d, column %s is %#v, want %#v", row, c.Name, g, w)
			}
		}
	}
}

func canonical(v any) any {
	if b, ok := v.([]byte); ok {
		return string(b)
	}
	return v
}

// cell is what a reader that knows nothing of sentinels should see: nil for a
// null. The other library hands unsigned columns out as signed ones.
func cell(c trace.Column, row int) any {
	switch data := c.Data.(type) {
	case *[]int32:
		if v := (*data)[row]; v != trace.NoInt && (c.Ref == "" || v != trace.None) {
			return v
		}
		return nil
	case *[]int64:
		if v := (*data)[row]; v != trace.NoTime {
			return v
		}
		return nil
	case *[]uint32:
		return int32((*data)[row])
	case *[]uint64:
		return int64((*data)[row])
	case *[]float64:
		return (*data)[row]
	case *[]bool:
		return (*data)[row]
	case *trace.Strings:
		if data.Index[row] < 0 {
			return nil
		}
		return data.At(row)
	case *trace.Keys:
		if data.Code[row] < 0 {
			return nil
		}
		return data.At(row)
	}
	panic(fmt.Sprintf("column %s has type %T", c.Name, c.Data))
}
