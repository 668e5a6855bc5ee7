// Package paraver reads Paraver traces: .prv with .pcf (labels) and .row (names)
// next to it.
//
// The problem: the format has states, events with a numeric type and value, and
// messages, and says nothing of tasks. What a task is depends on who wrote the
// trace: ovni (nOS-V, NODES, Nanos6) or Extrae (two OpenMP libraries).
//
// The approach: the labels of the .pcf file name the dialect, which a table
// (dialect.go) translates into roles of types. The trace is read once, line by
// line; tasks, values that last and counters are followed row by row. The log
// says which dialect was found. Types without a role become states where the
// .pcf file lists their values, else events, so that any Paraver trace is read.
//
// Dependencies, data and priorities are not in the format: none are made up, nor
// are ready times.
package paraver

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"dagscope/internal/text"
	"dagscope/read/format"
	"dagscope/trace"
)

// Format is the row of the table of formats.
func Format() format.Format {
	return format.Format{
		Name: "paraver", Holds: "a Paraver trace", File: "a Paraver trace (.prv)", Directory: "cpu.prv or another *.prv", TimesIn: "the unit that the header names",
		Begins: func(head []byte) bool { return bytes.HasPrefix(head, []byte(magic)) },
		Finds:  func(in *format.Input) bool { path, _ := find(in); return path != "" },
		Read: func(in *format.Input, o format.Options) (*trace.Run, error) {
			path, err := find(in)
			if err != nil {
				return nil, err
			}
			return Read(path, o)
		},
	}
}

const magic = "#Paraver"

var packed = []string{"", ".gz", ".zst"}

// bare is a path without what says how it is compressed.
func bare(path string) string {
	for _, suffix := range packed[1:] {
		path = strings.TrimSuffix(path, suffix)
	}
	return path
}

func base(path string) string { return filepath.Base(path) }

// beside is the file next to a trace with another ending, "" if there is none.
func beside(path, ending string) string {
	stem := strings.TrimSuffix(bare(path), ".prv")
	for _, suffix := range packed {
		if info, err := os.Stat(stem + ending + suffix); err == nil && info.Mode().IsRegular() {
			return stem + ending + suffix
		}
	}
	return ""
}

// find is the trace that an import means: of a directory cpu.prv, or its only
// one; of several files the .prv among them; of a .pcf or .row file the one next
// to it. It is "" where there is none.
func find(in *format.Input) (string, error) {
	if dir, ok := in.Directory(); ok {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return "", fmt.Errorf("read: %w", err)
		}
		var found []string
		for _, e := range entries {
			name := bare(e.Name())
			if !e.Type().IsRegular() || !strings.HasSuffix(name, ".prv") {
				continue
			}
			if name == "cpu.prv" {
				return filepath.Join(dir, e.Name()), nil
			}
			found = append(found, filepath.Join(dir, e.Name()))
		}
		if len(found) == 1 {
			return found[0], nil
		}
		if len(found) > 1 {
			return found[0], fmt.Errorf("read %s: found %d Paraver traces, wanted one, or cpu.prv: name it", dir, len(found))
		}
		return "", fmt.Errorf("read %s: found no Paraver trace, wanted a file *.prv", dir)
	}
	var found []string
	for _, path := range in.Paths {
		switch name := bare(path); {
		case strings.HasSuffix(name, ".pcf"), strings.HasSuffix(name, ".row"):
			if prv := beside(strings.TrimSuffix(strings.TrimSuffix(name, ".pcf"), ".row")+".prv", ".prv"); prv != "" && len(in.Paths) == 1 {
				return prv, nil
			}
		case strings.HasSuffix(name, ".prv") || len(in.Paths) == 1:
			if head, err := text.Head(path, len(magic)); err == nil && string(head) == magic {
				found = append(found, path)
			}
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", fmt.Errorf("read %s: found no file that begins with %q, wanted a Paraver trace (.prv)", in.Paths[0], magic)
	}
	return found[0], fmt.Errorf("read %s: found %d Paraver traces, wanted one: cpu.prv and thread.prv are two views of one run", found[0], len(found))
}

// paraver is a trace that is being read.
type paraver struct {
	path, file string
	progress   *text.Meter
	b          trace.Builder
	names      names
	dialect    *dialect
	header     header
	line       int64 // that is being read
	count      map[destination]int64

	rowsOf map[place]*row
	order  []*row // as they were met
	last   *row
	latest int64 // time of the latest record
	tally
}

// destination is where lines go.
type destination struct{ record, table string }

// place is a thread: application, task and thread count from 1.
type place struct{ appl, task, thread int32 }

// Read reads a trace and what lies next to it.
func Read(path string, o format.Options) (*trace.Run, error) {
	t := &paraver{
		path: path, file: base(path), count: map[destination]int64{}, rowsOf: map[place]*row{},
		names: names{states: map[int64]string{}, types: map[int64]*eventType{}},
		tally: newTally(),
	}
	pcf, rows := beside(path, ".pcf"), beside(path, ".row")
	all := []string{path}
	for _, p := range []string{pcf, rows} {
		if p != "" {
			all = append(all, p)
		}
	}
	t.progress = text.NewMeter(o.ProgressOf(format.Size(all)))
	f, err := text.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	f.Progress = t.progress.File()
	t.b.Run.Meta.Reader = "paraver"
	t.b.Run.Meta.Sources = make([]trace.Source, 1)
	if pcf != "" {
		if err := t.labels(pcf); err != nil {
			return nil, err
		}
	} else {
		t.log(trace.Warning, t.file, 0, "no-labels", "found no %s, wanted it: states and events have numbers for names, and tasks cannot be recognised", base(strings.TrimSuffix(bare(path), ".prv"))+".pcf")
	}
	if pcf != "" && len(t.names.types) == 0 {
		t.log(trace.Warning, base(pcf), 0, "no-labels", "found no EVENT_TYPE, wanted some: events have numbers for names, and tasks cannot be recognised")
	}
	if rows != "" {
		if err := t.rows(rows); err != nil {
			return nil, err
		}
	}
	t.dialect = dialectOf(t.names.types)
	for typ, e := range t.names.types {
		e.role = t.dialect.roleOf(typ, e)
	}
	if err := t.cut(f, t.file, f.Blocks(t.block)); err != nil {
		return nil, err
	}
	t.b.Run.Meta.Sources[0] = trace.Source(f.Source("paraver"))
	if t.header.end == 0 && len(t.order) == 0 {
		return nil, fmt.Errorf("read %s: found no record, wanted lines 1:…, 2:… or 3:… after the header", path)
	}
	return t.finish(o)
}

// cut logs how a file ends before its end; other errors come back.
func (t *paraver) cut(f *text.Reader, name string, err error) error {
	var cut *text.Truncated
	if errors.As(err, &cut) {
		t.log(trace.Error, name, cut.Line, "truncated-file", "%v", cut)
		err = nil
	}
	if line, message, missing := f.MissingEnd(); missing && err == nil {
		t.log(trace.Warning, name, line, "no-line-end", "%s", message)
	}
	return err
}

// log counts an occurrence; its message is formatted for the first one only.
func (t *paraver) log(s trace.Severity, file string, line int64, code, format string, args ...any) {
	l, message := &t.b.Run.Log, ""
	if !l.Seen(s, file, code) {
		message = fmt.Sprintf(format, args...)
	}
	l.Add(s, file, line, code, message)
}
