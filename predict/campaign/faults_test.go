package campaign

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"dagscope/predict/spec"
	"dagscope/predict/starpu"
)

// A run that cannot be written ends the campaign with the error, and is simulated
// again by the next: it is no matter of the point.
func TestRunIsNotWritten(t *testing.T) {
	text, dir := specFile(t), filepath.Join(t.TempDir(), "c")
	p, err := NewPlan("test", text, "", nil, over(t, "workload.tiles=2..5"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := Start(dir, p, false)
	if err != nil {
		t.Fatal(err)
	}
	full := errors.New("no space left")
	var kept atomic.Int32
	err = c.Run(context.Background(), Options{Jobs: 1, Keep: func(string, *spec.Simulation, *starpu.Result) error {
		if kept.Add(1) == 3 {
			return full
		}
		return nil
	}})
	if !errors.Is(err, full) {
		t.Errorf("found error %v, want %v", err, full)
	}
	if n, why := c.Table.Failures(); n != 0 || len(c.Table.Rows) != 2 {
		t.Errorf("found %d rows, %d of them failed (%s), want two", len(c.Table.Rows), n, why)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	c = simulated(t, dir, text, over(t, "workload.tiles=2..5"), Options{Keep: func(string, *spec.Simulation, *starpu.Result) error { return nil }})
	if n, why := c.Table.Failures(); n != 0 || len(c.Table.Rows) != 4 {
		t.Errorf("found %d rows, %d of them failed (%s), want four", len(c.Table.Rows), n, why)
	}
}

// Half a line that ends within a cell of several lines is torn like any other.
func TestTornInQuotes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "results.csv")
	table := Table{Keys: []string{"seed"}, Rows: []Row{
		{Values: []string{"1"}, Metrics: Failure(errors.New("one"))}, {Values: []string{"two\nlines"}, Metrics: Failure(errors.New("two"))},
	}}
	var whole strings.Builder
	if err := table.Write(&whole); err != nil {
		t.Fatal(err)
	}
	for end := strings.Index(whole.String(), "\n\"two") + 1; end < whole.Len(); end++ {
		if err := os.WriteFile(file, []byte(whole.String()[:end]), 0o666); err != nil {
			t.Fatal(err)
		}
		if got, _, err := readTable(file, table.Keys); err != nil || len(got.Rows) != 1 {
			t.Fatalf("%q: found %v, %v, want one row", whole.String()[:end], got, err)
		}
	}
}

// After half a line nothing more is written.
func TestJournalFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "results.csv")
	j, err := openJournal(file, []string{"seed"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	row := Row{Values: []string{"1"}, Metrics: Failure(errors.New("one"))}
	broken := j.file
	if err := broken.Close(); err != nil {
		t.Fatal(err)
	}
	if err := j.append(&row); err == nil {
		t.Fatal("found no error")
	}
	if j.file, err = os.OpenFile(file, os.O_WRONLY|os.O_APPEND, 0); err != nil { // there is room again
		t.Fatal(err)
	}
	defer j.file.Close()
	if err := j.append(&row); err == nil {
		t.Error("found no error, want that of the line before")
	}
}
