package serve

import (
	"bufio"
	"encoding/csv"
	"errors"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"

	"dagscope/explain/numbers"
	"dagscope/explain/numbers/panels"
	"dagscope/internal/csvcell"
	"dagscope/trace"
)

// data answers with the numbers behind a panel: those that the verb data writes
// for the same window. Their times are the run's own, also where it is aligned.
func (s *Server) data(r *http.Request) (*answer, error) {
	q, err := s.request(r)
	if err != nil {
		return nil, err
	}
	w := q.window()
	format := q.word("format", "csv", "json")
	step := q.whole("step", 1, mostTime, 0)
	if q.err != nil {
		return nil, q.err
	}
	behind, err := panels.Find(q.panel.ID)
	if err != nil {
		return nil, failure(http.StatusNotFound, "%w", err)
	}
	s.openRuns()
	if err := q.run.wait(r.Context()); err != nil {
		return nil, err
	}
	loaded, err := q.run.load(r.Context(), behind.Reads...)
	if err != nil {
		return nil, err
	}
	m, err := q.align(r.Context())
	if err != nil {
		return nil, err
	}
	mine := own(m, w)
	settings := panels.Settings{From: mine.T0, To: mine.T1, OutlierMethod: "auto", Most: mostSlices}
	if !slices.Contains(behind.Takes, "from") {
		settings.From, settings.To = trace.NoTime, trace.NoTime
	}
	if slices.Contains(behind.Takes, "step") {
		settings.Step = step
	}
	table, err := worked(r.Context(), s.pool, func() (numbers.Table, error) { return behind.Table(only(loaded, behind.Reads), &settings) })
	if missing := (*panels.Missing)(nil); errors.As(err, &missing) {
		err = failure(http.StatusNotFound, "no numbers for panel %s: %s", behind.ID, missing.Why)
	}
	if fine := (*panels.TooFine)(nil); errors.As(err, &fine) {
		err = wrong("numbers of panel %s: %w", behind.ID, fine)
	}
	if err != nil {
		return nil, err
	}
	return tableAnswer(&table, format, fileName(q.run.src.Name()+"-"+q.panel.ID)), nil
}

// mostSlices bounds what one request has computed: the verb data makes more.
const mostSlices = 200_000

const csvKind = "text/csv; charset=utf-8"

func tableAnswer(t *numbers.Table, format, name string) *answer {
	if format == "json" {
		return &answer{kind: "application/json", stream: func(w io.Writer) error { return writeTableJSON(w, t) }}
	}
	return &answer{kind: csvKind, filename: name + ".csv", stream: func(w io.Writer) error { return writeTableCSV(w, t) }}
}

// writeTableCSV writes a header and the rows; what is not known is empty.
func writeTableCSV(out io.Writer, t *numbers.Table) error {
	w := csv.NewWriter(out)
	line := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		line[i] = csvcell.Text(c.Field())
	}
	if err := w.Write(line); err != nil {
		return err
	}
	for row := range t.Rows() {
		for i := range line {
			line[i] = cellText(t.Value(i, row))
		}
		if err := w.Write(line); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

// cellText writes numbers so that reading them gives the same number, and texts
// such that no spreadsheet calculates them.
func cellText(v any) string {
	switch v := v.(type) {
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return string(appendNumber(nil, v))
	case string:
		return csvcell.Text(v)
	}
	return ""
}

// writeTableJSON writes an array of objects, one a line, their keys in the order
// of the columns.
func writeTableJSON(out io.Writer, t *numbers.Table) error {
	w := bufio.NewWriter(out)
	before := "["
	for row := range t.Rows() {
		line := []byte(before + "\n{")
		for i, c := range t.Columns {
			if i > 0 {
				line = append(line, ',')
			}
			line = append(appendText(line, c.Field()), ':')
			line = appendCell(line, t.Value(i, row))
		}
		if _, err := w.Write(append(line, '}')); err != nil {
			return err // the client has gone
		}
		before = ","
	}
	if before == "[" {
		w.WriteString("[")
	}
	w.WriteString("\n]\n")
	return w.Flush()
}

func appendCell(line []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(line, "null"...)
	case string:
		return appendText(line, v)
	case float64:
		// JSON has no infinity: a number that overflows to it.
		if math.IsInf(v, 1) {
			return append(line, "9e999"...)
		} else if math.IsInf(v, -1) {
			return append(line, "-9e999"...)
		}
		return appendNumber(line, v)
	}
	return append(line, cellText(v)...)
}

func appendNumber(b []byte, v float64) []byte {
	format := byte('f')
	if a := math.Abs(v); a != 0 && (a < 1e-5 || a >= 1e15) {
		format = 'g'
	}
	return strconv.AppendFloat(b, v, format, -1, 64)
}
