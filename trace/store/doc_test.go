package store

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"dagscope/trace"
)

var update = flag.Bool("update", false, "rewrite the generated part of docs/run-format.md")

const (
	formatDoc = "../../docs/run-format.md"
	docMarker = "<!-- generated from here on -->\n"
)

// The documentation lists every column as it is written.
func TestFormatDoc(t *testing.T) {
	text := string(read(t, formatDoc))
	prose, tables, ok := strings.Cut(text, docMarker)
	if !ok {
		t.Fatalf("%s has no line %q", formatDoc, docMarker)
	}
	want := "\n" + tablesDoc(t)
	if *update {
		if err := os.WriteFile(formatDoc, []byte(prose+docMarker+want), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if tables != want {
		t.Errorf("%s does not match the schema: go test ./trace/store -run TestFormatDoc -update", formatDoc)
	}
}

func tablesDoc(t *testing.T) string {
	var b strings.Builder
	for i, table := range smallRun(8, 0).Tables() {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "### %s\n\n%s.\n\n| column | Parquet type | unit | or | meaning |\n|--|--|--|--|--|\n",
			table.Name, strings.ToUpper(table.Doc[:1])+table.Doc[1:])
		for _, c := range table.Columns {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", c.Name, typeDoc(t, c), unitDoc(c), missingDoc(c), c.Doc)
		}
	}
	return b.String()
}

// typeDoc asks the writer itself.
func typeDoc(t *testing.T, c trace.Column) string {
	s, err := sourceOf(c, c.Len())
	if err != nil {
		t.Fatal(err)
	}
	physical := s.node.Type().Kind().String()
	if l := s.node.Type().LogicalType(); l != nil && l.Value != nil {
		physical += " " + fmt.Sprint(l.Value)
	}
	return physical
}

func unitDoc(c trace.Column) string {
	if c.Ref != "" {
		return "row of " + c.Ref
	}
	return c.Unit
}

func missingDoc(c trace.Column) string {
	var or []string
	switch c.Data.(type) {
	case *[]int32, *[]int64, *trace.Strings, *trace.Keys:
		or = append(or, "null")
	}
	if c.Optional {
		or = append(or, "absent")
	}
	return strings.Join(or, ", ")
}
