package store

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dagscope/trace"

	"pgregory.net/rapid"
)

// drawRun draws a run with any values in any columns. References need not
// hold: they are not the store's business.
func drawRun(t *rapid.T) *trace.Run {
	run := &trace.Run{Meta: drawMeta(t)}
	for _, table := range run.Tables() {
		if rapid.Bool().Draw(t, table.Name+" is empty") {
			continue
		}
		rows := rapid.IntRange(1, 60).Draw(t, "rows")
		for _, c := range table.Columns {
			if c.Optional && rapid.Bool().Draw(t, c.Name+" is absent") {
				continue
			}
			drawColumn(t, c, rows)
		}
	}
	return run
}

func drawMeta(t *rapid.T) trace.Meta {
	m := trace.Meta{
		Reader:  rapid.SampledFrom([]string{"", "starpu", "é"}).Draw(t, "reader"),
		Origin:  rapid.Int64().Draw(t, "origin"),
		Horizon: rapid.Int64().Draw(t, "horizon"),
	}
	if rapid.Bool().Draw(t, "rich meta") {
		m.Command = []string{"dagscope", "import", "a<b>&c"}
		m.Sources = []trace.Source{{Path: "paje.trace", Bytes: 12, Lines: 3, Role: "paje"}}
		m.Derived = map[string]string{"task.ready": "predecessors"}
		m.Platform = &trace.Platform{Host: "h", Bandwidth: [][]float64{{0, math.Pi}, {1e300, 0}}}
	}
	return m
}

func drawSlice[T any](t *rapid.T, g *rapid.Generator[T], rows int) []T {
	return rapid.SliceOfN(g, rows, rows).Draw(t, "values")
}

func drawColumn(t *rapid.T, c trace.Column, rows int) {
	switch data := c.Data.(type) {
	case *[]int32:
		edge := rapid.SampledFrom([]int32{trace.None, trace.NoInt, 0, math.MaxInt32})
		*data = drawSlice(t, rapid.OneOf(edge, rapid.Int32()), rows)
	case *[]int64:
		edge := rapid.SampledFrom([]int64{trace.NoTime, -1, 0, math.MaxInt64})
		*data = drawSlice(t, rapid.OneOf(edge, rapid.Int64()), rows)
	case *[]uint32:
		*data = drawSlice(t, rapid.Uint32(), rows)
	case *[]uint64:
		*data = drawSlice(t, rapid.Uint64(), rows)
	case *[]float64:
		edge := rapid.SampledFrom([]float64{math.NaN(), math.Float64frombits(0x7ff0000000000123), math.Inf(-1), math.Copysign(0, -1), 0})
		*data = drawSlice(t, rapid.OneOf(edge, rapid.Float64()), rows)
	case *[]bool:
		*data = drawSlice(t, rapid.Bool(), rows)
	case *trace.Strings:
		data.Dict = rapid.SliceOf(rapid.SampledFrom([]string{"", "potrf", "gemm", "\xff\xfe", "é\x00", "x", "y", "z"})).Draw(t, "dict")
		data.Index = drawSlice(t, rapid.Int32Range(trace.None, int32(len(data.Dict))-1), rows)
	case *trace.Keys:
		names := rapid.OneOf(
			rapid.SampledFrom([]string{"", "621", "0", "007", "mpicom_12", "abc", "0_5051", "1099511627775", "1099511627774", "999999999999", "1234567890123", "\xff1", "a0", "00"}),
			rapid.StringMatching(`[a-c_]{0,3}[0-9]{0,14}`))
		for _, name := range drawSlice(t, names, rows) {
			data.AppendString(name)
		}
	default:
		t.Fatalf("column %s has type %T", c.Name, c.Data)
	}
}

// diffRuns describes the first difference between two runs, "" if every cell of
// want is in got. Texts are compared as texts; that dictionaries keep their
// order is a test of its own.
func diffRuns(want, got *trace.Run) string {
	if w, g := fmt.Sprintf("%+v", want.Meta), fmt.Sprintf("%+v", got.Meta); want.Meta.Platform == nil && w != g {
		return fmt.Sprintf("meta is %s, want %s", g, w)
	}
	gotTables := got.Tables()
	for i, w := range want.Tables() {
		for j, c := range w.Columns {
			if d := diffColumns(c, gotTables[i].Columns[j]); d != "" {
				return w.Name + "." + c.Name + ": " + d
			}
		}
	}
	return ""
}

func diffColumns(want, got trace.Column) string {
	if want.Len() != got.Len() {
		return fmt.Sprintf("%d rows, want %d", got.Len(), want.Len())
	}
	for row := range want.Len() {
		if w, g := cell(want, row), cell(got, row); w != g {
			return fmt.Sprintf("row %d is %#v, want %#v", row, g, w)
		}
	}
	return ""
}

// cell is a comparable form of one cell: floats by their bits, absent texts
// apart from empty ones.
func cell(c trace.Column, row int) any {
	switch data := c.Data.(type) {
	case *[]int32:
		return (*data)[row]
	case *[]int64:
		return (*data)[row]
	case *[]uint32:
		return (*data)[row]
	case *[]uint64:
		return (*data)[row]
	case *[]float64:
		return math.Float64bits((*data)[row])
	case *[]bool:
		return (*data)[row]
	case *trace.Strings:
		if data.Index[row] < 0 {
			return nil
		}
		return data.At(row)
	case *trace.Keys:
		return data.At(row)
	}
	panic(fmt.Sprintf("column %s has type %T", c.Name, c.Data))
}

// benchRun makes a run like those of a tiled factorization: sorted times that
// differ by microseconds, a few kinds and workers, ten per cent unknown ready
// times, keys in order.
func benchRun(tasks int) *trace.Run {
	r := rand.New(rand.NewPCG(1, 2))
	run := &trace.Run{Meta: trace.Meta{Reader: "synthetic"}}
	ta := &run.Task
	kinds := []string{"potrf", "trsm", "syrk", "gemm"}
	now := int64(0)
	for i := range tasks {
		now += r.Int64N(40_000)
		ta.Key.AppendString(fmt.Sprintf("0_%d", 100+i))
		ta.Kind.Append(kinds[min(3, r.IntN(8))])
		ta.Worker = append(ta.Worker, int32(r.IntN(40)))
		ta.Start = append(ta.Start, now)
		ta.End = append(ta.End, now+r.Int64N(3_000_000))
		ta.Submit = append(ta.Submit, int64(i)*900+r.Int64N(500))
		ready := now - r.Int64N(1_000_000)
		if r.IntN(10) == 0 {
			ready = trace.NoTime
		}
		ta.Ready = append(ta.Ready, ready)
		ta.Order = append(ta.Order, int32(i))
		ta.Priority = append(ta.Priority, int32(r.IntN(100)))
		ta.Iteration = append(ta.Iteration, int32(i/5000))
	}
	ta.Generation, ta.Internal = make([]bool, tasks), make([]bool, tasks)
	ta.Footprint = make([]uint32, tasks)
	ta.GFlop = make([]float64, tasks)
	for i := range tasks {
		ta.Footprint[i] = 0x9e3779b9 * uint32(1+r.IntN(4))
		ta.GFlop[i] = float64(r.IntN(5)) * 1.769472
	}
	return run
}

// smallRun has a row in every table and every column.
func smallRun(rows int, seed int64) *trace.Run {
	run := &trace.Run{Meta: trace.Meta{Reader: "synthetic", Origin: seed}}
	for _, table := range run.Tables() {
		for k, c := range table.Columns {
			for row := range rows {
				appendCell(c, seed+int64(row*(k+1)))
			}
		}
	}
	return run
}

func appendCell(c trace.Column, v int64) {
	null := v%7 == 3
	switch data := c.Data.(type) {
	case *[]int32:
		switch {
		case null && c.Ref != "":
			v = int64(trace.None)
		case null:
			v = int64(trace.NoInt)
		}
		*data = append(*data, int32(v))
	case *[]int64:
		if null {
			v = trace.NoTime
		}
		*data = append(*data, v*1_000_003%(1<<40))
		if null {
			(*data)[len(*data)-1] = trace.NoTime
		}
	case *[]uint32:
		*data = append(*data, math.MaxUint32-uint32(v))
	case *[]uint64:
		*data = append(*data, math.MaxUint64-uint64(v))
	case *[]float64:
		*data = append(*data, float64(v)/3)
	case *[]bool:
		*data = append(*data, v%3 == 0)
	case *trace.Strings:
		if null {
			data.AppendIndex(trace.None)
			return
		}
		data.Append(fmt.Sprintf("text %d", v%11))
	case *trace.Keys:
		if null {
			data.AppendString("")
			return
		}
		data.AppendString(fmt.Sprintf("%s%d", []string{"", "com_", "0_"}[v%3], v))
	}
}

func mustWrite(t testing.TB, path string, run *trace.Run) {
	t.Helper()
	if err := Write(path, run); err != nil {
		t.Fatal(err)
	}
}

func mustOpen(t testing.TB, path string) *Dir {
	t.Helper()
	d, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func mustLoad(t testing.TB, path string, want ...string) *trace.Run {
	t.Helper()
	run, err := mustOpen(t, path).Load(want...)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func sameStrings(a, b []string) bool { return slices.Equal(a, b) }
