package selection

import (
	"bufio"
	"io"
	"strconv"
	"strings"

	"dagscope/internal/csvcell"
	"dagscope/trace"
)

// CSVColumns are the columns that [Index.WriteCSV] writes. What is not known is
// empty.
var CSVColumns = []struct{ Name, Unit, Doc string }{
	{"key", "", "job id as the runtime printed it"},
	{"kind", "", "codelet or function"},
	{"worker", "", "name of the worker that it ran on"},
	{"arch", "", "architecture of the worker"},
	{"node", "", "rank of the worker's node"},
	{"start", "ns", "start of execution, since the run's zero"},
	{"end", "ns", "end of execution"},
	{"duration", "ns", "time that it worked: less than end minus start where it was suspended"},
	{"ready_delay", "ns", "from when it was ready to its start"},
	{"outlier", "", "1 if it took suspiciously long, else 0"},
	{"priority", "", "priority given by the application"},
	{"tag", "", "tag given by the application"},
	{"x", "", "first coordinate of the first written handle"},
	{"y", "", "second coordinate of the first written handle"},
	{"iteration", "", "outer iteration"},
}

// WriteCSV writes the tasks that touch an area, a line each under a line of the
// names of [CSVColumns], in the order of the page; all of them, whatever its
// offset and limit. Lines are made one by one: besides their order, nothing is
// held. The error is one of the area or of w.
func (x *Index) WriteCSV(w io.Writer, a Area, p Page) error {
	rows, err := x.inArea(a, p)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 1<<16)
	for i, c := range CSVColumns {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString(c.Name)
	}
	out.WriteByte('\n')
	line := newCSVLine(x)
	for _, v := range x.sorted(rows, p, len(rows)) {
		if _, err := out.Write(line.of(int(v))); err != nil {
			return err
		}
	}
	return out.Flush()
}

// csvLine makes lines in one buffer.
type csvLine struct {
	x            *Index
	buffer       []byte
	kinds, names []string // quoted, by kind and by resource row
	archs        []string
}

func newCSVLine(x *Index) *csvLine {
	l := &csvLine{x: x}
	for _, name := range x.run.Task.Kind.Dict {
		l.kinds = append(l.kinds, quoted(name))
	}
	for r := range x.run.Resource.Parent {
		l.names = append(l.names, quoted(x.run.Resource.Name.At(r)))
		l.archs = append(l.archs, quoted(x.run.Resource.Arch.At(r)))
	}
	return l
}

// of is the line of a task, until the next is asked for.
func (l *csvLine) of(v int) []byte {
	t, worker := &l.x.run.Task, l.x.run.Task.Worker[v]
	l.buffer = l.buffer[:0]
	l.key(v)
	l.text(l.kinds, t.Kind.Index[v])
	l.text(l.names, worker)
	l.text(l.archs, worker)
	l.number(int64(l.x.run.Resource.Node[worker]), l.x.run.Resource.Node[worker] != trace.None)
	l.number(t.Start[v], true)
	l.number(t.End[v], true)
	l.number(l.x.durationOf(int32(v)), true)
	delay := l.x.readyDelay(int32(v))
	l.number(delay, delay != last)
	l.buffer = append(l.buffer, ",0"...)
	if l.x.isOutlier(int32(v)) {
		l.buffer[len(l.buffer)-1] = '1'
	}
	l.optional(known(t.Priority, v))
	if l.buffer = append(l.buffer, ','); t.Tag != nil {
		l.buffer = strconv.AppendUint(l.buffer, t.Tag[v], 10)
	}
	l.optional(known(t.X, v))
	l.optional(known(t.Y, v))
	l.optional(l.x.iteration(v))
	return append(l.buffer, '\n')
}

// key begins the line. Names that need quotes, or begin like a formula, are rare.
func (l *csvLine) key(v int) {
	keys := &l.x.run.Task.Key
	l.buffer = keys.AppendTo(l.buffer, keys.Code[v])
	if strings.ContainsAny(string(l.buffer), special) || len(l.buffer) > 0 && strings.IndexByte("=+-@\t\r", l.buffer[0]) >= 0 {
		l.buffer = append(l.buffer[:0], quoted(keys.At(v))...)
	}
}

func (l *csvLine) text(texts []string, i int32) {
	if l.buffer = append(l.buffer, ','); i >= 0 {
		l.buffer = append(l.buffer, texts[i]...)
	}
}

func (l *csvLine) number(n int64, isKnown bool) {
	if l.buffer = append(l.buffer, ','); isKnown {
		l.buffer = strconv.AppendInt(l.buffer, n, 10)
	}
}

func (l *csvLine) optional(n *int32) {
	if n == nil {
		l.number(0, false)
	} else {
		l.number(int64(*n), true)
	}
}

// special are the characters for which a cell must be quoted (RFC 4180).
const special = ",\"\r\n"

func quoted(s string) string {
	s = csvcell.Text(s)
	if !strings.ContainsAny(s, special) {
		return s
	}
	return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
}
