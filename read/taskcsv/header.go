package taskcsv

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"dagscope/internal/csvhead"
	"dagscope/internal/text"
)

const mostColumns = 1 << 10

// Is reports whether a file that begins so is in the plain form: its first line
// that is no comment names the columns kind, start, and end or duration.
func Is(head []byte) bool {
	for len(head) > 0 {
		var line []byte
		if line, head = text.Line(head); skip(line) {
			continue
		}
		h, err := parseHeader(line, text.Sec)
		return err == nil && h.has(kindField) && h.has(startField) && (h.has(endField) || h.has(durationField))
	}
	return false
}

// IsGraph reports whether a file that begins so lists tasks without times: its
// first line that is no comment names the column kind, and deps or accesses, and
// no times.
func IsGraph(head []byte) bool {
	for len(head) > 0 {
		var line []byte
		if line, head = text.Line(head); skip(line) {
			continue
		}
		h, err := parseHeader(line, text.Sec)
		return err == nil && h.has(kindField) && (h.has(dependsField) || h.has(accessField)) && !h.timed()
	}
	return false
}

// skip reports whether a line says nothing: blank, or a comment.
func skip(line []byte) bool {
	if len(line) > 0 && line[0] > '#' {
		return false
	}
	line = bytes.TrimSpace(line)
	return len(line) == 0 || line[0] == '#'
}

// field is what a column holds.
type field int

const (
	idField field = iota
	kindField
	workerField
	nodeField
	archField
	submitField
	readyField
	startField
	endField
	durationField
	cpuField
	priorityField
	iterationField
	flopsField
	gflopField
	startBytesField
	endBytesField
	dependsField
	accessField
	frontField
	xField
	yField
	parameterField // any other name
	fields
)

// terms are what columns hold, by field.
var terms = [parameterField]csvhead.Term{
	idField:         {Words: []string{"id", "task"}},
	kindField:       {Words: []string{"kind"}, Near: []string{"kernel", "codelet", "name", "type"}},
	workerField:     {Words: []string{"worker"}},
	nodeField:       {Words: []string{"node", "rank"}},
	archField:       {Words: []string{"arch"}},
	submitField:     {Words: []string{"submit"}, Timed: true},
	readyField:      {Words: []string{"ready"}, Timed: true},
	startField:      {Words: []string{"start"}, Timed: true, Near: []string{"begin", "starttime", "start_time", "begin_time"}},
	endField:        {Words: []string{"end"}, Timed: true, Near: []string{"stop", "endtime", "end_time", "finish"}},
	durationField:   {Words: []string{"duration"}, Timed: true, Near: []string{"time", "elapsed"}},
	cpuField:        {Words: []string{"cpu"}, Timed: true},
	priorityField:   {Words: []string{"prio", "priority"}},
	iterationField:  {Words: []string{"iteration"}},
	flopsField:      {Words: []string{"flops"}},
	gflopField:      {Words: []string{"gflop"}},
	startBytesField: {Words: []string{"mem_delta_start"}},
	endBytesField:   {Words: []string{"mem_delta_end"}},
	dependsField:    {Words: []string{"deps"}},
	accessField:     {Words: []string{"accesses"}},
	frontField:      {Words: []string{"front"}},
	xField:          {Words: []string{"x", "i"}},
	yField:          {Words: []string{"y", "j"}},
}

// column is one column of the file.
type column struct {
	field field
	name  string    // as the file has it
	unit  text.Unit // of times
}

// header is the first line.
type header struct {
	comma    byte
	columns  []column
	at       [fields]int // first column of a field, -1 without
	optional []int       // columns that set looks at
	read     *csvhead.Header
}

func (h *header) has(f field) bool { return h.at[f] >= 0 }

// parseHeader reads the names of columns; times without a unit are in unit.
func parseHeader(line []byte, unit text.Unit) (*header, error) {
	h := &header{read: csvhead.Parse(line)}
	h.comma = h.read.Comma
	for f := range h.at {
		h.at[f] = -1
	}
	if len(h.read.Columns) > mostColumns {
		return nil, fmt.Errorf("found more than %d columns, wanted fewer", mostColumns)
	}
	for i := range h.read.Columns {
		c := columnOf(&h.read.Columns[i], unit)
		if c.field != parameterField && h.has(c.field) {
			return nil, fmt.Errorf("found column %q beside %q, wanted one of them", c.name, h.columns[h.at[c.field]].name)
		}
		if !h.has(c.field) {
			h.at[c.field] = i
		}
		h.columns = append(h.columns, c)
	}
	return h, nil
}

// timed reports whether the file says when tasks ran.
func (h *header) timed() bool { return h.has(startField) || h.has(endField) || h.has(durationField) }

// complete reports columns without which there is no run.
func (h *header) complete() error {
	var missing []string
	for _, f := range []field{kindField, startField} {
		if !h.has(f) {
			missing = append(missing, terms[f].Words[0]+h.read.NearMiss(&terms[f]))
		}
	}
	if !h.has(endField) && !h.has(durationField) {
		missing = append(missing, "end (or duration)"+cmp.Or(h.read.NearMiss(&terms[endField]), h.read.NearMiss(&terms[durationField])))
	}
	if missing == nil {
		return nil
	}
	return fmt.Errorf("found columns %q, wanted %s too", h.read, strings.Join(missing, ", "))
}

// columnOf finds what a column holds.
func columnOf(named *csvhead.Column, unit text.Unit) column {
	for f := range terms {
		if is, inUnit := named.Is(&terms[f]); is {
			if inUnit {
				unit = named.Unit
			}
			return column{field(f), named.Name, unit}
		}
	}
	return column{parameterField, named.Name, unit}
}
