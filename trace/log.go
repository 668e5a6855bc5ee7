package trace

// Severity of an import-log entry.
type Severity string

// Severities: Info changes nothing, Warning means that something was repaired
// or left out, Error that data is missing from the tables.
const (
	Info    Severity = "info"
	Warning Severity = "warning"
	Error   Severity = "error"
)

// Log is the import log: what readers repaired or could not use. Entries with
// the same severity, source and code are one row that counts them and keeps
// the first position and message.
type Log struct {
	Severity Strings `column:"severity" doc:"info, warning or error"`
	Source   Strings `column:"source,null" doc:"file"`
	Code     Strings `column:"code" doc:"what happened"`
	Position []int64 `column:"position" doc:"line (byte offset in binary files) of the first, 0 if none"`
	Message  Strings `column:"message,null" doc:"the first in words"`
	Count    []int64 `column:"count" doc:"how often"`

	rows map[logKey]int
}

type logKey struct {
	severity     Severity
	source, code string
}

// Add counts one occurrence.
func (l *Log) Add(s Severity, source string, position int64, code, message string) {
	l.AddN(s, source, position, code, message, 1)
}

// AddN counts n occurrences, the first of which is at position. Adding none
// changes nothing.
func (l *Log) AddN(s Severity, source string, position int64, code, message string, n int64) {
	if n <= 0 {
		return
	}
	l.index()
	k := logKey{s, source, code}
	if i, ok := l.rows[k]; ok {
		l.Count[i] += n
		return
	}
	l.rows[k] = len(l.Count)
	l.Severity.Append(string(s))
	l.Source.Append(source)
	l.Code.Append(code)
	l.Position = append(l.Position, position)
	l.Message.Append(message)
	l.Count = append(l.Count, n)
}

// Join counts all that another log has.
func (l *Log) Join(other *Log) {
	for i, n := range other.Count {
		l.AddN(Severity(other.Severity.At(i)), other.Source.At(i), other.Position[i], other.Code.At(i), other.Message.At(i), n)
	}
}

// Seen tells whether an entry exists already, so that callers need not format
// a message for each of a million occurrences.
func (l *Log) Seen(s Severity, source, code string) bool {
	l.index()
	_, ok := l.rows[logKey{s, source, code}]
	return ok
}

// index finds the rows again after the table was read from a store.
func (l *Log) index() {
	if l.rows != nil {
		return
	}
	l.rows = make(map[logKey]int)
	for i := range l.Count {
		l.rows[logKey{Severity(l.Severity.At(i)), l.Source.At(i), l.Code.At(i)}] = i
	}
}

// Total is the number of occurrences of a severity.
func (l *Log) Total(s Severity) (n int64) {
	for i, c := range l.Count {
		if l.Severity.At(i) == string(s) {
			n += c
		}
	}
	return n
}

// Account is the conservation of rows: for each kind of record of each source
// file, how many lines went where. The lines of a source sum to its length.
type Account struct {
	Source Strings `column:"source,null" doc:"file"`
	Record Strings `column:"record" doc:"kind of line"`
	Table  Strings `column:"table" doc:"table, definition or log"`
	Lines  []int64 `column:"lines" doc:"number of lines"`
}

// Add counts lines of one record kind into a destination.
func (a *Account) Add(source, record, table string, lines int64) {
	if lines <= 0 {
		return
	}
	a.Source.Append(source)
	a.Record.Append(record)
	a.Table.Append(table)
	a.Lines = append(a.Lines, lines)
}
