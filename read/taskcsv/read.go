package taskcsv

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"

	"dagscope/internal/csvhead"
	"dagscope/internal/text"
	"dagscope/read/format"
	"dagscope/trace"
)

// Format is the row of the table of formats. Users may say the unit of times.
func Format() format.Format {
	return format.Format{
		Name: "tasks", Holds: "a CSV file of tasks",
		File:   "a CSV file with a line for each task (--as tasks says what its header lacks)",
		Begins: Is,
		Read: func(in *format.Input, o format.Options) (*trace.Run, error) {
			path, err := in.File("a CSV file of tasks")
			if err != nil {
				return nil, err
			}
			return Read(path, Options{TimeUnit: o.TimeUnit, Generation: o.Generation, Progress: o.ProgressOf(format.Size(in.Paths))})
		},
	}
}

// Options of [Read].
type Options struct {
	TimeUnit   string // of times whose column does not name its own: "ns", "us", "ms" or "s"; "": seconds
	Generation string // pattern of the kinds that prepare the input, "" for none
	Progress   func(stored int64)
	Graph      bool // the file lists tasks without times (IsGraph)
}

// Read reads a file. Lines that are no tasks are left out and values that are
// none are left empty; the import log says which and why. It is an error when
// columns are missing without which there is no run, when no line is a task,
// and when two tasks have the same id.
func Read(path string, o Options) (*trace.Run, error) {
	f, err := text.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	f.Progress = o.Progress
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	run, err := read(f, path, info.Size(), o)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return run, nil
}

func read(f *text.Reader, path string, size int64, o Options) (*trace.Run, error) {
	unit, ok := text.UnitOf(o.TimeUnit)
	if !ok {
		unit = text.Sec
	}
	t := &table{file: path, size: size, unit: unit, graph: o.Graph, count: make(map[destination]int64)}
	err := f.Blocks(t.block)
	var cut *text.Truncated
	if errors.As(err, &cut) {
		t.log(trace.Error, cut.Line, "truncated-file", "%v", cut)
		err = nil
	}
	if line, message, missing := f.MissingEnd(); missing {
		t.log(trace.Warning, line, "no-line-end", "%s", message)
	}
	switch {
	case err != nil:
		return nil, err
	case t.header == nil:
		return nil, errors.New("found no line with the names of columns, wanted one")
	case t.rows() == 0:
		return nil, errors.New("found no task, wanted one at least" + t.firstDamage())
	}
	t.b.Run.Meta.Reader = "tasks"
	if o.Graph {
		t.b.Run.Meta.Reader = trace.TaskGraph
	}
	t.b.Run.Meta.Sources = []trace.Source{trace.Source(f.Source("tasks"))}
	return t.run(o)
}

// table is a file that is being read. Columns of tasks are filled as the run
// has them; what names other rows is resolved at the end.
type table struct {
	file   string
	unit   text.Unit
	graph  bool // there are no times
	header *header
	split  csvhead.Splitter
	line   int64 // that is being read
	size   int64 // stored bytes of the file
	count  map[destination]int64

	b          trace.Builder
	workers    trace.Strings // by task, as the file names them, after the node and a slash if it names nodes
	node       []int32       // by task, of the cluster; nil: one
	name       []byte        // of a worker
	arch       trace.Strings // by worker
	startBytes []int64       // by task
	endBytes   []int64
	front      []int64 // by task, noFront
	cpu        []int64 // by task, NoTime
	lines      []int64 // by task
	depends    []dependence
	numbers    int64   // one more than the code of the task called 0; 0: none met
	byNumber   []int32 // one more than the row of data that is called by a number
	parameters []byte  // of the current task
	last       last
}

// dependence is a task that waits for another one, by its name.
type dependence struct {
	on   int64 // code of a key
	task int32
}

// last are dictionary entries of the line before, which repeat often.
type last struct{ kind, worker, mode int32 }

const noFront = math.MinInt64

// destination is where lines go.
type destination struct{ record, table string }

func (t *table) rows() int { return len(t.lines) }

// block reads lines. The first block says how many tasks there will be if the
// file goes on as it began: too few of a compressed file, whose size says less.
func (t *table) block(block []byte, line int64) error {
	if err := t.readLines(block, line); err != nil {
		return err
	}
	if n := t.rows(); line == 1 && n > 0 {
		all := float64(n) * float64(t.size) / float64(len(block))
		t.reserve(int(min(all*17/16, math.MaxInt32)) - n)
	}
	return nil
}

func (t *table) readLines(block []byte, line int64) error {
	for t.line = line; len(block) > 0; t.line++ {
		var l []byte
		switch l, block = text.Line(block); {
		case skip(l):
			t.count[destination{"comment", "definition"}]++
		case t.header == nil:
			if err := t.begin(l); err != nil {
				return fmt.Errorf("line %d: %w", t.line, err)
			}
			t.count[destination{"header", "definition"}]++
		case t.row(t.split.Split(l)):
			t.count[destination{"task", "task"}]++
		default:
			t.count[destination{"damaged line", "log"}]++
		}
		if t.rows() == math.MaxInt32 {
			return fmt.Errorf("line %d: found more than %d tasks, wanted fewer", t.line, math.MaxInt32)
		}
	}
	return nil
}

// begin reads the header.
func (t *table) begin(line []byte) error {
	h, err := parseHeader(line, t.unit)
	if err == nil && !t.graph {
		err = h.complete()
	}
	if err != nil {
		return err
	}
	for i := range h.columns {
		if c := &h.columns[i]; c.field == parameterField && !isName(c.name) {
			t.log(trace.Warning, t.line, "unknown-column", "found column %.80q, wanted one of docs/taskcsv.md or a parameter's name of letters and digits: left out", c.name)
			c.field = fields
		}
		if !slices.Contains([]field{idField, kindField, workerField, nodeField, startField, endField, durationField, fields}, h.columns[i].field) {
			h.optional = append(h.optional, i)
		}
	}
	t.header, t.split.Comma = h, h.comma
	t.last = last{trace.None, trace.None, trace.None}
	return nil
}

// isName reports whether a column may be a parameter that models know by name.
func isName(name string) bool {
	if len(name) > 1 && name[0] == 'p' && name[1] >= '0' && name[1] <= '9' {
		return false // p1 is what formulas call the first parameter, whatever its name
	}
	for i, c := range []byte(name) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != "" && len(name) <= 40
}

// log counts an occurrence; its message is formatted for the first one only.
func (t *table) log(s trace.Severity, line int64, code, format string, args ...any) {
	l, message := &t.b.Run.Log, ""
	if !l.Seen(s, t.file, code) {
		message = fmt.Sprintf(format, args...)
	}
	l.Add(s, t.file, line, code, message)
}

// damaged logs a line that is left out.
func (t *table) damaged(column, found, wanted string) bool {
	t.log(trace.Error, t.line, "damaged-line", "column %s: found %.80q, wanted %s: line left out", column, found, wanted)
	return false
}

// wrong logs a value that is left out.
func (t *table) wrong(c *column, found []byte, wanted string) {
	code := "bad-value-" + c.name
	t.log(trace.Warning, t.line, code, "column %s: found %.80q, wanted %s: left out", c.name, found, wanted)
}

// firstDamage is what was wrong with the first line that was left out.
func (t *table) firstDamage() string {
	l := &t.b.Run.Log
	for i := range l.Count {
		if l.Code.At(i) == "damaged-line" {
			return fmt.Sprintf("; line %d, %s", l.Position[i], l.Message.At(i))
		}
	}
	return ""
}
