package campaign

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"dagscope/internal/csvcell"
	"dagscope/internal/regular"
)

// Table is what is known of a campaign: a row for each point that was run.
type Table struct {
	Keys []string
	Rows []Row
}

// header names the columns of the file: the parameters, then the metrics.
func header(keys []string) []string { return append(slices.Clone(keys), columns...) }

// Write writes the table as comma-separated values, as it is read back.
func (t *Table) Write(w io.Writer) error { return t.write(w, func(s string) string { return s }) }

// WriteCSV is [Table.Write] for spreadsheets, which calculate no text of it
// (csvcell).
func (t *Table) WriteCSV(w io.Writer) error { return t.write(w, csvcell.Text) }

func (t *Table) write(w io.Writer, cell func(string) string) error {
	c := csv.NewWriter(w)
	cells := func(line []string) []string {
		for i, s := range line {
			line[i] = cell(s)
		}
		return line
	}
	if err := c.Write(cells(header(t.Keys))); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	for i := range t.Rows {
		if err := c.Write(cells(t.Rows[i].line())); err != nil {
			return fmt.Errorf("write table: %w", err)
		}
	}
	c.Flush()
	if err := c.Error(); err != nil {
		return fmt.Errorf("write table: %w", err)
	}
	return nil
}

func (r *Row) line() []string { return append(slices.Clone(r.Values), r.cells()...) }

// readTable reads a table that may end in half a line, which a killed writer
// leaves: whole is how many bytes hold complete lines. A file that is not there
// is an empty table.
func readTable(file string, keys []string) (t *Table, whole int64, err error) {
	t = &Table{Keys: keys}
	text, err := regular.Read(file, 1<<30)
	if errors.Is(err, fs.ErrNotExist) {
		return t, 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("read table: %w", err)
	}
	c := csv.NewReader(bytes.NewReader(text))
	want := header(keys)
	for line := 0; ; line++ {
		cells, err := c.Read()
		end := c.InputOffset()
		if err == io.EOF {
			return t, whole, nil
		}
		torn := end == int64(len(text)) && (text[end-1] != '\n' || errors.Is(err, csv.ErrQuote)) // a quoted cell may have ends of lines
		switch {
		case torn:
			return t, whole, nil
		case err != nil:
			return nil, 0, fmt.Errorf("read %s: %w", file, err)
		case line == 0 && !slices.Equal(cells, want):
			return nil, 0, fmt.Errorf("read %s: found columns %q, want %q", file, cells, want)
		case line > 0:
			row := Row{Values: slices.Clone(cells[:len(keys)])}
			if err := row.parse(cells[len(keys):]); err != nil {
				return nil, 0, fmt.Errorf("read line %d of %s: %w", line+1, file, err)
			}
			t.Rows = append(t.Rows, row)
		}
		whole = end
	}
}

// add takes over rows of points that the table does not have, or has failed.
func (t *Table) add(rows []Row) {
	at := make(map[string]int, len(t.Rows))
	for i := range t.Rows {
		at[identity(t.Rows[i].Values)] = i
	}
	for _, r := range rows {
		i, known := at[identity(r.Values)]
		switch {
		case !known:
			at[identity(r.Values)] = len(t.Rows)
			t.Rows = append(t.Rows, r)
		case t.Rows[i].Failed():
			t.Rows[i] = r
		}
	}
}

// sort orders rows by their points: key by key, numbers by size, others as they
// come in the plan.
func (t *Table) sort(p *Plan) {
	ranks := make([]map[string]int, len(p.Keys))
	for k := range p.Keys {
		ranks[k] = make(map[string]int)
		for i, v := range Ordered(distinct(p.Points, k)) {
			ranks[k][v] = i
		}
	}
	slices.SortStableFunc(t.Rows, func(a, b Row) int {
		for k, rank := range ranks {
			if d := rank[a.Values[k]] - rank[b.Values[k]]; d != 0 {
				return d
			}
		}
		return 0
	})
}

// Failures counts the runs that could not be simulated, and says why the first
// of them could not.
func (t *Table) Failures() (n int, first string) {
	for i := range t.Rows {
		if r := &t.Rows[i]; r.Failed() {
			if n++; n == 1 {
				first = r.Error
			}
		}
	}
	return n, first
}
