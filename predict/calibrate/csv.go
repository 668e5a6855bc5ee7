package calibrate

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"dagscope/internal/csvhead"
	"dagscope/internal/text"
	"dagscope/predict/perfmodel"
)

// The problem: timings come in tables of every origin: a benchmark's, a
// spreadsheet's, a tracer's list of tasks. What columns are called, in which
// unit times are and which time is meant differs.
//
// The approach: columns are known by their header, with usual synonyms; a unit
// is read off the header (time_ms, "time [ms]") before an option is asked. The
// parameters of known kernels are looked for by name; of any other kernel those
// that its formula names.
//
// What it does not do: guess units or the meaning of columns without header.

// CSVOptions complete what tables do not say.
type CSVOptions struct {
	Time     string            // the column to take times from, "" for the first there is of cpu, time, end − start, wall
	Unit     string            // of times whose column names none: s, ms, us or ns; "" for s
	Kind     string            // of tables without a column of kinds
	Arch     string            // of the workers, "" for CPUs
	Formulas map[string]string // of kinds; the parameters that they name are read too
}

// ReadCSV reads a table of timings: one measurement per line below a header,
// separated by commas, semicolons or tabs; plain, gzip or zstd. Lines that
// begin with # are passed over. Errors name file and line.
func ReadCSV(file string, o CSVOptions) ([]*Samples, error) {
	r, err := text.Open(file)
	if err != nil {
		return nil, fmt.Errorf("read timings: %w", err)
	}
	defer r.Close()
	t := &table{file: file, o: o}
	err = r.Blocks(func(block []byte, first int64) error {
		for line := first; len(block) > 0; line++ {
			var row []byte
			row, block = text.Line(block)
			if err := t.line(row, line); err != nil {
				return fmt.Errorf("read %s:%d: %w", file, line, err)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return t.samples()
}

// table is a file being read.
type table struct {
	file   string
	o      CSVOptions
	split  csvhead.Splitter
	fields []string // of the line
	header *header
	tasks  []interval // by row, where the table says when tasks ran
	of     []rowOf    // by row
	byKind []*Samples
}

// rowOf is where a row of the table went.
type rowOf struct {
	kind int32
	at   int32
}

func (t *table) line(row []byte, line int64) error {
	row = bytes.TrimRight(row, " \r")
	if len(row) == 0 || row[0] == '#' {
		return nil
	}
	if t.header == nil {
		found := csvhead.Parse(row)
		t.split.Comma = found.Comma
		var err error
		t.header, err = readHeader(found, &t.o)
		return err
	}
	t.fields = t.fields[:0]
	for _, field := range t.split.Split(row) {
		t.fields = append(t.fields, string(field))
	}
	if len(t.fields) != t.header.columns {
		return fmt.Errorf("found %d fields, want %d as in the header", len(t.fields), t.header.columns)
	}
	return t.row()
}

// row keeps the measurement of a line.
func (t *table) row() error {
	h := t.header
	kind := t.o.Kind
	if h.kind >= 0 {
		if kind = strings.TrimSpace(t.fields[h.kind]); kind == "" {
			return errors.New("found no kernel, want its name")
		}
	}
	at := t.kindOf(kind)
	s := t.byKind[at]
	times, err := h.times(t.fields)
	if err != nil {
		return err
	}
	for j, c := range h.params {
		v, err := number(t.fields[c.at], c.name)
		if err != nil {
			return err
		}
		s.Param[j] = append(s.Param[j], v*c.scale+0) // −0 becomes 0
	}
	for _, c := range h.others(s) {
		v, err := number(t.fields[c.at], c.name)
		if err != nil {
			return err
		}
		*c.to = append(*c.to, v*c.scale)
	}
	t.of = append(t.of, rowOf{int32(at), int32(s.Len())})
	s.Time = append(s.Time, times.taken)
	if h.hasWall() {
		s.Wall, s.CPU = append(s.Wall, times.wall), append(s.CPU, times.cpu)
	}
	if h.start != nil && h.end != nil {
		t.tasks = append(t.tasks, interval{times.start, times.end})
	}
	return nil
}

// kindOf is the place of a kernel's samples.
func (t *table) kindOf(name string) int {
	if k := kernelOf(name); k != nil {
		name = k.Kind
	}
	at := slices.IndexFunc(t.byKind, func(s *Samples) bool { return s.Kind == name })
	if at < 0 {
		s := &Samples{Kind: name, Arch: perfmodel.ArchOf(t.o.Arch), told: t.header.busy != nil, From: []string{t.file}, Param: make([][]float64, len(t.header.params))}
		for _, c := range t.header.params {
			s.Names = append(s.Names, c.name)
		}
		t.byKind = append(t.byKind, s)
		return len(t.byKind) - 1
	}
	return at
}

// samples completes what was read.
func (t *table) samples() ([]*Samples, error) {
	if t.header == nil {
		return nil, fmt.Errorf("read %s: found nothing, want a header and timings", t.file)
	}
	if len(t.of) == 0 {
		return nil, fmt.Errorf("read %s: found a header without timings, want a line for each", t.file)
	}
	if t.tasks != nil && t.header.busy == nil {
		for row, busy := range busyWorkers(t.tasks) {
			s := t.byKind[t.of[row].kind]
			s.Busy = append(s.Busy, busy)
		}
	}
	for k, s := range t.byKind {
		t.byKind[k] = s.tidy(namedBy(t.o.Formulas))
	}
	return t.byKind, nil
}

// tidy leaves out parameters of which nothing is known or that nobody asks for,
// and puts those of known kernels into the order in which workloads have them.
func (s *Samples) tidy(asked []string) *Samples {
	out := *s
	out.Names, out.Param = nil, nil
	keep := func(name string) {
		if c := s.param(name); slices.ContainsFunc(c, func(v float64) bool { return !math.IsNaN(v) }) {
			out.Names, out.Param = append(out.Names, name), append(out.Param, c)
		}
	}
	var first []string
	if k := kernelOf(s.Kind); k != nil {
		first = k.Parameters
	}
	for _, name := range first {
		keep(name)
	}
	for _, name := range s.Names {
		if !slices.Contains(first, name) && slices.Contains(asked, name) {
			keep(name)
		}
	}
	return &out
}
