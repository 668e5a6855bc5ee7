package campaign

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dagscope/internal/budget"
)

// FuzzAxis reads parameters of sweeps: at most as many values as are promised,
// each once.
func FuzzAxis(f *testing.F) {
	for _, s := range []string{"a=1,2,3", "a.b=1..10", "a=10..60/10", "a=1..512*2", `a={x: [1, 2]},"c,d"`, "a=0..1e9", "a=-9223372036854775808..9223372036854775807", "a=1..2*1.0000001"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		budget.Watch(t)
		a, err := ParseAxis(text)
		if err != nil {
			return
		}
		sorted := slices.Sorted(slices.Values(a.Values))
		if a.Key == "" || len(sorted) == 0 || len(slices.Compact(sorted)) != len(a.Values) {
			t.Errorf("found %q", a)
		}
	})
}

// FuzzPoints reads tables of points: all rows are as long as the first.
func FuzzPoints(f *testing.F) {
	f.Add([]byte("a,b\n1,2\n# c\n3,4\n"))
	f.Add([]byte("\ufeffa;b\r\n\"1;\";2\r\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		budget.Watch(t)
		rows, err := ReadTable(bytes.NewReader(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "read points: ") {
				t.Errorf("error %q", err)
			}
			return
		}
		for _, row := range rows {
			if len(row) != len(rows[0]) {
				t.Fatalf("found %d values, want %d", len(row), len(rows[0]))
			}
		}
	})
}

// FuzzOpen opens any plan and table as a campaign.
//
//fuzz:class file
func FuzzOpen(f *testing.F) {
	row := strings.Join(make([]string, len(columns)+1), ",")
	f.Add([]byte(`{"format":1,"keys":["a"],"points":[["1"],["2"]]}`), []byte("a,"+strings.Join(columns, ",")+"\n1"+row[1:]+"\n"))
	f.Add([]byte(`{"format":2,"keys":["a","b"],"points":[["1","2"]]}`), []byte("a"))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, plan, table []byte) {
		budget.Watch(t)
		for name, text := range map[string][]byte{planFile: plan, resultsFile: table} {
			if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		c, err := Open(dir)
		if err != nil {
			return
		}
		for i := range c.Table.Rows {
			if len(c.Table.Rows[i].Values) != len(c.Plan.Keys) {
				t.Errorf("found %d values, want %d", len(c.Table.Rows[i].Values), len(c.Plan.Keys))
			}
		}
	})
}
