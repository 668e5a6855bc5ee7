package store

import (
	"bytes"
	"math"
	"path/filepath"
	"testing"

	"dagscope/trace"

	"github.com/parquet-go/parquet-go"
)

// TestPagesHaveTheirBounds reads files with the Parquet library and compares
// the bounds of each page with its values, in columns that are constant, have
// nulls or nothing else, NaNs and zeros of both signs.
func TestPagesHaveTheirBounds(t *testing.T) {
	n := 3*pageRows + 17
	run := &trace.Run{}
	s := &run.Sample
	for i := range n {
		s.Metric.Append("m")
		s.Resource = append(s.Resource, 7)
		s.Time = append(s.Time, int64(i/3-1000))
		v := float64(i%100) * math.Copysign(1, float64(i%7)-3)
		if i%11 == 0 || i < pageRows {
			v = math.NaN()
		}
		s.Value = append(s.Value, v)
		if i >= pageRows && i < 2*pageRows {
			s.Resource[i] = trace.None
		}
	}
	path := filepath.Join(t.TempDir(), "r.dsr")
	mustWrite(t, path, run)
	f := mustOpen(t, path)
	file, err := f.open("sample.parquet")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	entry, _ := f.Manifest().Table("sample")
	pf, err := parquet.OpenFile(file, entry.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range pf.RowGroups()[0].ColumnChunks() {
		checkBounds(t, pf.Schema().Columns()[i][0], c)
	}
}

// checkBounds compares the index of a column chunk with its pages.
func checkBounds(t *testing.T, name string, c parquet.ColumnChunk) {
	index, err := c.ColumnIndex()
	if err != nil || index == nil {
		if name != "metric" && name != "value" { // texts, and a page of NaNs
			t.Errorf("column %s: found no bounds: %v", name, err)
		}
		return
	}
	pages := c.Pages()
	defer pages.Close()
	for p := range index.NumPages() {
		page, err := pages.ReadPage()
		if err != nil {
			t.Fatalf("column %s, page %d: %v", name, p, err)
		}
		values := make([]parquet.Value, page.NumValues())
		if k, _ := page.Values().ReadValues(values); k != len(values) {
			t.Fatalf("column %s, page %d: found %d values, want %d", name, p, k, len(values))
		}
		low, high, nulls := int64(math.MaxInt64), int64(math.MinInt64), int64(0)
		for _, v := range values {
			if v.IsNull() {
				nulls++
			} else if name == "resource" {
				low, high = min(low, int64(v.Int32())), max(high, int64(v.Int32()))
			} else {
				low, high = min(low, v.Int64()), max(high, v.Int64())
			}
		}
		if index.NullCount(p) != nulls || index.NullPage(p) != (nulls == int64(len(values))) {
			t.Errorf("column %s, page %d: found %d nulls, all: %v, want %d of %d", name, p, index.NullCount(p), index.NullPage(p), nulls, len(values))
		}
		if nulls < int64(len(values)) && (asInt(index.MinValue(p)) != low || asInt(index.MaxValue(p)) != high) {
			t.Errorf("column %s, page %d: found bounds %v and %v, want %d and %d", name, p, index.MinValue(p), index.MaxValue(p), low, high)
		}
	}
}

func asInt(v parquet.Value) int64 {
	if v.Kind() == parquet.Int32 {
		return int64(v.Int32())
	}
	return v.Int64()
}

func TestBoundsOfFloats(t *testing.T) {
	e := extremesOf([]float64{math.NaN(), 0, math.NaN()}, 0, false)
	low, high := boundsOfFloats(e.low, e.high)
	wantLow, wantHigh := bounds64(uint64(1)<<63, uint64(0))
	if !e.known || !bytes.Equal(low, wantLow) || !bytes.Equal(high, wantHigh) {
		t.Errorf("found bounds %x and %x (known: %v), want −0 and 0", low, high, e.known)
	}
	if e := extremesOf([]float64{math.NaN()}, 0, false); e.known {
		t.Errorf("found bounds %v of nothing but NaN, want none", e)
	}
}

// TestLargeDictionariesAreNotKept compares what is read of texts that are
// stored one by one with what was written.
func TestLargeDictionariesAreNotKept(t *testing.T) {
	defer func(before int) { maxDictionary = before }(maxDictionary)
	maxDictionary = 16
	run := smallRun(200, 3)
	path := filepath.Join(t.TempDir(), "r.dsr")
	mustWrite(t, path, run)
	read, err := mustOpen(t, path).Load()
	if err != nil {
		t.Fatal(err)
	}
	for i := range run.Task.Kind.Index {
		if got, want := read.Task.Kind.At(i), run.Task.Kind.At(i); got != want {
			t.Fatalf("task %d: found kind %q, want %q", i, got, want)
		}
		if got, want := read.Task.Parameters.At(i), run.Task.Parameters.At(i); got != want {
			t.Fatalf("task %d: found parameters %q, want %q", i, got, want)
		}
	}
}
