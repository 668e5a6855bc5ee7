package numbers

import (
	"math"
	"testing"

	"dagscope/trace"
)

func TestFields(t *testing.T) {
	for want, c := range map[string]Column{
		"start_ns":     {Name: "start", Unit: "ns"},
		"rate_gflop_s": {Name: "rate", Unit: "GFlop/s"},
		"used_mb":      {Name: "used", Unit: "MB"},
		"kind":         {Name: "kind"},
	} {
		if got := c.Field(); got != want {
			t.Errorf("field %s, want %s", got, want)
		}
	}
}

// A cell is a value for programs and a text; what is not known is nil and
// nothing, or a mark where the text says exactly what is stored.
func TestCells(t *testing.T) {
	texts, keys := new(trace.Strings), new(trace.Keys)
	texts.Append("gemm")
	texts.AppendIndex(trace.None)
	keys.AppendString("0_51")
	keys.AppendString("")
	for name, c := range map[string]struct {
		data   any
		values [2]any
		cells  [2]string
	}{
		"texts":     {texts, [2]any{"gemm", nil}, [2]string{"gemm", ""}},
		"keys":      {keys, [2]any{"0_51", nil}, [2]string{"0_51", ""}},
		"integers":  {[]int32{-1, trace.NoInt}, [2]any{int64(-1), nil}, [2]string{"-1", "-2147483648"}},
		"times":     {[]int64{5, trace.NoTime}, [2]any{int64(5), nil}, [2]string{"5", ""}},
		"fractions": {[]float64{0.1, math.NaN()}, [2]any{0.1, nil}, [2]string{"0.1", "NaN"}},
		"truths":    {[]bool{true, false}, [2]any{int64(1), int64(0)}, [2]string{"true", "false"}},
	} {
		table := &Table{Columns: []Column{{Name: name}}, Data: []any{c.data}}
		if table.Rows() != 2 {
			t.Errorf("%s: found %d rows, want 2", name, table.Rows())
		}
		for row := range 2 {
			if got := table.Value(0, row); got != c.values[row] {
				t.Errorf("%s: found value %v in row %d, want %v", name, got, row, c.values[row])
			}
			if got := string(table.AppendCell(nil, 0, row)); got != c.cells[row] {
				t.Errorf("%s: found cell %q in row %d, want %q", name, got, row, c.cells[row])
			}
		}
	}
	if (&Table{}).Rows() != 0 {
		t.Error("a table without columns has rows")
	}
}
