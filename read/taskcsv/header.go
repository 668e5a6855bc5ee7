package taskcsv

import (
	"bytes"
	"fmt"
	"strings"

	"dagscope/internal/text"
)

const mostColumns = 1 << 10

// Is tells whether a file that begins so is in the plain form: its first line
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

// skip tells whether a line says nothing: blank, or a comment.
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

// timed are the fields that are times.
var timed = map[field]bool{submitField: true, readyField: true, startField: true, endField: true, durationField: true, cpuField: true}

// names of columns.
var names = map[string]field{
	"id": idField, "task": idField, "kind": kindField, "worker": workerField, "node": nodeField, "rank": nodeField, "arch": archField,
	"submit": submitField, "ready": readyField, "start": startField, "end": endField, "duration": durationField, "cpu": cpuField,
	"prio": priorityField, "priority": priorityField, "iteration": iterationField,
	"flops": flopsField, "gflop": gflopField,
	"mem_delta_start": startBytesField, "mem_delta_end": endBytesField,
	"deps": dependsField, "accesses": accessField, "front": frontField,
	"x": xField, "i": xField, "y": yField, "j": yField,
}

// column is one column of the file.
type column struct {
	field field
	name  string    // as the file has it
	unit  text.Unit // of times
}

// header is the first line.
type header struct {
	comma   byte
	columns []column
	at      [fields]int // first column of a field, -1 without

	optional []int // columns that set looks at
}

func (h *header) has(f field) bool { return h.at[f] >= 0 }

// parseHeader reads the names of columns; times without a unit are in unit.
func parseHeader(line []byte, unit text.Unit) (*header, error) {
	h := &header{comma: separator(line)}
	for f := range h.at {
		h.at[f] = -1
	}
	s := splitter{comma: h.comma}
	for i, name := range s.split(line) {
		if i == mostColumns {
			return nil, fmt.Errorf("found more than %d columns, wanted fewer", mostColumns)
		}
		c := columnOf(strings.TrimSpace(string(name)), unit)
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

// complete reports columns without which there is no run.
func (h *header) complete() error {
	var missing []string
	for _, f := range []field{kindField, startField} {
		if !h.has(f) {
			missing = append(missing, map[field]string{kindField: "kind", startField: "start"}[f])
		}
	}
	if !h.has(endField) && !h.has(durationField) {
		missing = append(missing, "end (or duration)")
	}
	if missing == nil {
		return nil
	}
	var found []string
	for _, c := range h.columns[:min(len(h.columns), 40)] {
		found = append(found, c.name)
	}
	return fmt.Errorf("found columns %.400q, wanted %s too", strings.Join(found, ","), strings.Join(missing, ", "))
}

// separator is the most frequent of comma, semicolon and tabulator.
func separator(line []byte) byte {
	best := byte(',')
	for _, c := range []byte{';', '\t'} {
		if bytes.Count(line, []byte{c}) > bytes.Count(line, []byte{best}) {
			best = c
		}
	}
	return best
}

// columnOf finds what a column holds. Names may end in a unit: start_us,
// "start [us]", "start (us)".
func columnOf(name string, unit text.Unit) column {
	lower := strings.ToLower(name)
	if f, ok := names[lower]; ok {
		return column{f, name, unit}
	}
	cut := strings.FieldsFunc(lower, func(r rune) bool { return strings.ContainsRune("[]() ", r) })
	if len(cut) != 2 {
		if at := strings.LastIndexByte(lower, '_'); at >= 0 {
			cut = []string{lower[:at], lower[at+1:]}
		}
	}
	if len(cut) == 2 {
		own, isUnit := text.UnitOf(cut[1])
		if f, ok := names[cut[0]]; ok && isUnit && timed[f] {
			return column{f, name, own}
		}
	}
	return column{parameterField, name, unit}
}
