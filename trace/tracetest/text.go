package tracetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"dagscope/trace"
)

// The text form of a run. Blank lines and lines that begin with # are skipped.
//
//	meta {
//	  "reader": "synthetic",
//	  …
//	}
//
//	table task
//	key kind  worker start end …
//	1   POTRF 3      0     7360000
//	2   TRSM  -      -     -
//
// Each table that has rows is headed by its name and a line of column names,
// as in [trace.Run.Tables]; then one row a line until the next blank line.
// "-" is None, NoTime, NoInt or NoKey. Times are integers in ns. A text is
// quoted as in Go when it is empty, "-", or holds spaces, quotes or #.

// Format writes a run as text. Equal runs have equal text; the order of
// dictionaries does not show.
func Format(run *trace.Run) []byte {
	var b bytes.Buffer
	if !reflect.DeepEqual(run.Meta, trace.Meta{}) {
		text, err := json.MarshalIndent(run.Meta, "", "  ")
		if err != nil {
			panic(fmt.Sprintf("format meta: %v", err)) // only NaN bandwidths can do that
		}
		fmt.Fprintf(&b, "meta %s\n", text)
	}
	for _, t := range run.Tables() {
		if t.Rows() > 0 {
			formatTable(&b, t)
		}
	}
	return b.Bytes()
}

func formatTable(b *bytes.Buffer, t trace.Table) {
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	fmt.Fprintf(b, "table %s\n", t.Name)
	var columns [][]string
	var widths []int
	for _, c := range t.Columns {
		if c.Len() == 0 {
			continue
		}
		cells := make([]string, 1, c.Len()+1)
		cells[0] = c.Name
		width := len(c.Name)
		for i := range c.Len() {
			cell := formatCell(c, i)
			cells = append(cells, cell)
			width = max(width, utf8.RuneCountInString(cell))
		}
		columns, widths = append(columns, cells), append(widths, width)
	}
	for i := range t.Rows() + 1 {
		formatLine(b, columns, widths, i)
	}
}

// formatLine writes one row; columns of an invalid table may be shorter, their
// missing cells are "?", which Parse refuses.
func formatLine(b *bytes.Buffer, columns [][]string, widths []int, row int) {
	for k, cells := range columns {
		cell := "?"
		if row < len(cells) {
			cell = cells[row]
		}
		b.WriteString(cell)
		if k == len(columns)-1 {
			break
		}
		for pad := widths[k] - utf8.RuneCountInString(cell); pad >= 0; pad-- {
			b.WriteByte(' ')
		}
	}
	b.WriteByte('\n')
}

func formatCell(c trace.Column, row int) string {
	switch d := c.Data.(type) {
	case *[]int32:
		if v := (*d)[row]; v != absent32(c) {
			return strconv.Itoa(int(v))
		}
	case *[]int64:
		if v := (*d)[row]; v != trace.NoTime {
			return strconv.FormatInt(v, 10)
		}
	case *[]uint32:
		return strconv.FormatUint(uint64((*d)[row]), 10)
	case *[]uint64:
		return strconv.FormatUint((*d)[row], 10)
	case *[]float64:
		return strconv.FormatFloat((*d)[row], 'g', -1, 64)
	case *[]bool:
		return strconv.FormatBool((*d)[row])
	case *trace.Strings:
		if d.Index[row] != trace.None {
			return quoteCell(d.At(row))
		}
	case *trace.Keys:
		if d.Code[row] != trace.NoKey {
			return quoteCell(d.At(row))
		}
	default:
		panic(fmt.Sprintf("format %s: unknown type %T", c.Name, c.Data))
	}
	return "-"
}

// absent32 is the value that "-" stands for in an int32 column.
func absent32(c trace.Column) int32 {
	if c.Ref != "" {
		return trace.None
	}
	return trace.NoInt
}

func quoteCell(s string) string {
	special := func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r) || r == '"' || r == '#' || r == utf8.RuneError
	}
	if s == "" || s == "-" || s == "?" || strings.ContainsFunc(s, special) {
		return strconv.Quote(s)
	}
	return s
}

// Parse reads the text form. It does not validate the run. Columns that are
// left out of a table are absent when they are optional; required ones are
// filled: no reference, no time, no text, iteration, order and owner unknown,
// zero for other numbers. The error names the line, what was found there and
// what was wanted.
func Parse(text []byte) (*trace.Run, error) {
	p := &parser{lines: strings.Split(string(text), "\n"), run: &trace.Run{}}
	for p.at < len(p.lines) {
		if err := p.block(); err != nil {
			return nil, fmt.Errorf("parse run: %w", err)
		}
	}
	return p.run, nil
}

// MustParse is Parse for texts in test code; it panics on an error.
func MustParse(text string) *trace.Run {
	run, err := Parse([]byte(text))
	if err != nil {
		panic(err)
	}
	return run
}

type parser struct {
	lines []string
	at    int // next line, from 0
	run   *trace.Run
}

func (p *parser) errorf(format string, args ...any) error {
	return fmt.Errorf("line %d: %w", p.at+1, fmt.Errorf(format, args...))
}

// block reads a skipped line, the meta block or a table.
func (p *parser) block() error {
	line := strings.TrimRight(p.lines[p.at], " \t\r")
	switch {
	case line == "" || line[0] == '#':
		p.at++
		return nil
	case strings.HasPrefix(line, "meta {"):
		return p.meta()
	case strings.HasPrefix(line, "table "):
		return p.table(strings.TrimSpace(line[len("table "):]))
	}
	return p.errorf("found %q, wanted \"meta {\", \"table NAME\" or a comment", line)
}

func (p *parser) meta() error {
	last := p.at
	for last < len(p.lines)-1 && strings.TrimRight(p.lines[last], "\r") != "}" && p.lines[last] != "meta {}" {
		last++
	}
	text := strings.TrimPrefix(strings.Join(p.lines[p.at:last+1], "\n"), "meta ")
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&p.run.Meta); err != nil {
		return p.errorf("read meta as JSON: %w", err)
	}
	p.at = last + 1
	return nil
}

func (p *parser) table(name string) error {
	t, ok := p.run.Table(name)
	if !ok {
		return p.errorf("found table %q, wanted one of %s", name, tableNames(p.run))
	}
	if t.Rows() > 0 {
		return p.errorf("found table %s again, wanted it once", name)
	}
	p.at++
	columns, err := p.header(t)
	if err != nil {
		return err
	}
	rows := 0
	for p.at++; p.at < len(p.lines); p.at++ {
		line := strings.TrimSpace(p.lines[p.at])
		if line == "" {
			break
		}
		if line[0] == '#' {
			continue
		}
		if err := p.row(t, columns, line); err != nil {
			return err
		}
		rows++
	}
	fill(t, rows)
	return nil
}

func tableNames(run *trace.Run) string {
	var names []string
	for _, t := range run.Tables() {
		names = append(names, t.Name)
	}
	return strings.Join(names, ", ")
}

// header reads the line of column names.
func (p *parser) header(t trace.Table) ([]trace.Column, error) {
	if p.at >= len(p.lines) {
		return nil, p.errorf("found the end, wanted the column names of table %s", t.Name)
	}
	var columns []trace.Column
	seen := map[string]bool{}
	for _, name := range strings.Fields(p.lines[p.at]) {
		c, ok := t.Column(name)
		if !ok || seen[name] {
			return nil, p.errorf("found column %q, wanted columns of table %s, each once", name, t.Name)
		}
		seen[name] = true
		columns = append(columns, c)
	}
	if len(columns) == 0 {
		return nil, p.errorf("found no column, wanted those of table %s", t.Name)
	}
	return columns, nil
}

func (p *parser) row(t trace.Table, columns []trace.Column, line string) error {
	for k, c := range columns {
		cell, quoted, rest, err := nextCell(line)
		if err != nil {
			return p.errorf("read %s.%s: %w", t.Name, c.Name, err)
		}
		if cell == "" && !quoted {
			return p.errorf("found %d cells, wanted %d of table %s", k, len(columns), t.Name)
		}
		if err := appendCell(c, cell, quoted); err != nil {
			return p.errorf("read %s.%s: %w", t.Name, c.Name, err)
		}
		line = rest
	}
	if line != "" {
		return p.errorf("found %q after the last of %d cells, wanted the end of the row", line, len(columns))
	}
	return nil
}

// nextCell splits the first cell off a line.
func nextCell(line string) (cell string, quoted bool, rest string, err error) {
	if strings.HasPrefix(line, `"`) {
		q, err := strconv.QuotedPrefix(line)
		if err != nil {
			return "", false, "", fmt.Errorf("found %s, wanted a quoted text: %w", line, err)
		}
		cell, err = strconv.Unquote(q)
		return cell, true, strings.TrimLeft(line[len(q):], " \t"), err
	}
	if end := strings.IndexAny(line, " \t"); end >= 0 {
		return line[:end], false, strings.TrimLeft(line[end:], " \t"), nil
	}
	return line, false, "", nil
}

// appendCell adds one value to a column.
func appendCell(c trace.Column, cell string, quoted bool) error {
	missing := cell == "-" && !quoted
	if cell == "?" && !quoted {
		return fmt.Errorf("found ?, the mark of a column that is too short, wanted a value")
	}
	var err error
	switch d := c.Data.(type) {
	case *[]int32:
		v := int64(absent32(c))
		if !missing {
			v, err = strconv.ParseInt(cell, 10, 32)
		}
		*d = append(*d, int32(v))
	case *[]int64:
		v := trace.NoTime
		if !missing {
			v, err = strconv.ParseInt(cell, 10, 64)
		}
		*d = append(*d, v)
	case *[]uint32:
		var v uint64
		v, err = strconv.ParseUint(cell, 10, 32)
		*d = append(*d, uint32(v))
	case *[]uint64:
		var v uint64
		v, err = strconv.ParseUint(cell, 10, 64)
		*d = append(*d, v)
	case *[]float64:
		var v float64
		v, err = strconv.ParseFloat(cell, 64)
		*d = append(*d, v)
	case *[]bool:
		var v bool
		v, err = strconv.ParseBool(cell)
		*d = append(*d, v)
	case *trace.Strings:
		if missing {
			d.AppendIndex(trace.None)
		} else {
			d.Append(cell)
		}
	case *trace.Keys:
		if missing {
			cell = ""
		}
		d.AppendString(cell)
	default:
		return fmt.Errorf("found a column of type %T, wanted one that the text form knows", d)
	}
	if err != nil {
		return fmt.Errorf("found %q, wanted %s: %w", cell, kindOf(c.Data), err)
	}
	return nil
}

func kindOf(data any) string {
	kind := strings.TrimPrefix(fmt.Sprintf("%T", data), "*[]")
	switch kind {
	case "int32", "int64":
		return "an integer or -"
	case "bool":
		return "true or false"
	}
	return "a number (" + kind + ")"
}

// unknown32 are the required int32 columns that are not references and whose
// absent value is not 0.
var unknown32 = map[string]int32{
	"resource.index": trace.None, "handle.x": trace.NoInt, "handle.y": trace.NoInt,
	"handle.owner": trace.None, "task.order": trace.None, "task.iteration": -1,
}

// fill gives the required columns that the text leaves out absent values.
func fill(t trace.Table, rows int) {
	for _, c := range t.Columns {
		if c.Optional || c.Len() == rows {
			continue
		}
		switch d := c.Data.(type) {
		case *[]int32:
			v := unknown32[t.Name+"."+c.Name]
			if c.Ref != "" {
				v = trace.None
			}
			*d = repeat(v, rows)
		case *[]int64:
			var v int64
			if c.Unit == "ns" {
				v = trace.NoTime
			}
			*d = repeat(v, rows)
		case *[]uint32:
			*d = make([]uint32, rows)
		case *[]uint64:
			*d = make([]uint64, rows)
		case *[]float64:
			*d = make([]float64, rows)
		case *[]bool:
			*d = make([]bool, rows)
		case *trace.Strings:
			d.Index = repeat(trace.None, rows)
		case *trace.Keys:
			d.Code = repeat(trace.NoKey, rows)
		}
	}
}

func repeat[T any](v T, n int) []T {
	s := make([]T, n)
	for i := range s {
		s[i] = v
	}
	return s
}
