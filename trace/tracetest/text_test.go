package tracetest

import (
	"bytes"
	"strings"
	"testing"

	"dagscope/trace"

	"pgregory.net/rapid"
)

// fillRandom gives every column of a table n random values, optional ones
// sometimes none. The run is not valid: the text form must not care.
func fillRandom(t *rapid.T, table trace.Table, n int) {
	text := rapid.SampledFrom([]string{"", "-", "?", "a", "two words", "#x", "\"q\"", "é…", "\n", "\xff", "0_51"})
	for _, c := range table.Columns {
		if c.Optional && rapid.Bool().Draw(t, "absent") {
			continue
		}
		for range n {
			switch d := c.Data.(type) {
			case *[]int32:
				*d = append(*d, rapid.Int32().Draw(t, "v"))
			case *[]int64:
				*d = append(*d, rapid.Int64().Draw(t, "v"))
			case *[]uint32:
				*d = append(*d, rapid.Uint32().Draw(t, "v"))
			case *[]uint64:
				*d = append(*d, rapid.Uint64().Draw(t, "v"))
			case *[]float64:
				*d = append(*d, rapid.Float64().Draw(t, "v"))
			case *[]bool:
				*d = append(*d, rapid.Bool().Draw(t, "v"))
			case *trace.Strings:
				if rapid.IntRange(0, 4).Draw(t, "none") == 0 {
					d.AppendIndex(trace.None)
				} else {
					d.Append(text.Draw(t, "v"))
				}
			case *trace.Keys:
				d.AppendString(text.Draw(t, "v"))
			}
		}
	}
}

func TestTextRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := &trace.Run{Meta: trace.Meta{Reader: rapid.SampledFrom([]string{"", "a\n}\n", "paje"}).Draw(t, "reader")}}
		for _, table := range run.Tables() {
			fillRandom(t, table, rapid.IntRange(0, 3).Draw(t, "rows"))
		}
		text := Format(run)
		again, err := Parse(text)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		requireEqual(t, run, again)
		if second := Format(again); !bytes.Equal(text, second) {
			t.Fatalf("formatted\n%s\nbut after parsing\n%s", text, second)
		}
	})
}

// requireEqual compares values column by column, without the text form.
func requireEqual(t *rapid.T, a, b *trace.Run) {
	other := b.Tables()
	for i, table := range a.Tables() {
		for k, c := range table.Columns {
			d := other[i].Columns[k]
			if c.Len() != d.Len() {
				t.Fatalf("%s.%s: %d rows became %d", table.Name, c.Name, c.Len(), d.Len())
			}
			for row := range c.Len() {
				if x, y := value(c, row), value(d, row); x != y {
					t.Fatalf("%s.%s row %d: %v became %v", table.Name, c.Name, row, x, y)
				}
			}
		}
	}
}

// value is one cell; None and "" differ.
func value(c trace.Column, row int) any {
	switch d := c.Data.(type) {
	case *[]int32:
		return (*d)[row]
	case *[]int64:
		return (*d)[row]
	case *[]uint32:
		return (*d)[row]
	case *[]uint64:
		return (*d)[row]
	case *[]float64:
		return (*d)[row]
	case *[]bool:
		return (*d)[row]
	case *trace.Strings:
		if d.Index[row] == trace.None {
			return nil
		}
		return d.At(row)
	case *trace.Keys:
		return d.At(row)
	}
	panic(c.Name)
}

func TestParseFillsWhatIsLeftOut(t *testing.T) {
	run := MustParse(`
# two tasks, the second of which did not run
table task
key kind start
# comment between rows
1   A    0
2   B    -
`)
	task := &run.Task
	if len(task.End) != 2 || task.End[0] != trace.NoTime || task.Worker[1] != trace.None ||
		task.Iteration[0] != -1 || task.Priority[0] != 0 || task.GFlop != nil || task.Start[1] != trace.NoTime {
		t.Errorf("filled wrongly:\n%s", Format(run))
	}
}

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"nonsense":                           `line 1: found "nonsense", wanted`,
		"\ntable tsk\nkey\n":                 `line 2: found table "tsk", wanted one of resource, handle, treenode, task`,
		"table task\nkey colour\n":           `line 2: found column "colour", wanted columns of table task`,
		"table task\nkey key\n":              `line 2: found column "key"`,
		"table task":                         `line 2: found the end, wanted the column names`,
		"table task\nkey start\n1 2\n3 x\n":  `line 4: read task.start: found "x", wanted an integer or -`,
		"table task\nkey start\n1\n":         `line 3: found 1 cells, wanted 2`,
		"table task\nkey start\n1 2 3\n":     `line 3: found "3" after the last of 2 cells`,
		"table task\nkind\n\"a\n":            `line 3: read task.kind: found "a, wanted a quoted text`,
		"table task\ninternal\nmaybe\n":      `line 3: read task.internal: found "maybe", wanted true or false`,
		"table task\nkind\n?\n":              `line 3: read task.kind: found ?`,
		"meta {\n  \"reder\": 1\n}\n":        `line 1: read meta as JSON`,
		"table task\nkey\n1\n\ntable task\n": `line 5: found table task again`,
	} {
		_, err := Parse([]byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("parse %q: error %v, wanted it to contain %q", text, err, want)
		}
	}
}

func TestFormatShape(t *testing.T) {
	run := &trace.Run{}
	run.Dep.From, run.Dep.To = []int32{0, trace.None}, []int32{10, 11}
	run.Dep.Kind.Append("task")
	run.Dep.Kind.Append("communication")
	want := "table dep\nfrom to kind\n0    10 task\n-    11 communication\n"
	if got := string(Format(run)); got != want {
		t.Errorf("found\n%s\nwanted\n%s", got, want)
	}
}
