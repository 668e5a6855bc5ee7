package csvhead

import (
	"bytes"
	"testing"

	"dagscope/internal/budget"
)

// FuzzReadRows reads tables: all rows are as long as the first, and there are two.
func FuzzReadRows(f *testing.F) {
	f.Add([]byte("a,b\n1,2\n# c\n3,4\n"))
	f.Add([]byte("\ufeffa;b\r\n\"1;\";2\r\n"))
	f.Add([]byte("a\tb\n\t\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		budget.Watch(t)
		rows, err := ReadRows(bytes.NewReader(text))
		if err != nil {
			return
		}
		if len(rows) < 2 {
			t.Fatalf("found %d rows", len(rows))
		}
		for _, row := range rows {
			if len(row) != len(rows[0]) {
				t.Fatalf("found %d values, want %d", len(row), len(rows[0]))
			}
		}
	})
}

// FuzzParse reads lines of names.
func FuzzParse(f *testing.F) {
	f.Add([]byte("kind;start (ns);\"end\"\"\""))
	f.Add([]byte("a,b\tc"))
	f.Fuzz(func(t *testing.T, line []byte) {
		budget.Watch(t)
		if Parse(line) == nil {
			t.Error("found no header")
		}
	})
}
