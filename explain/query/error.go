package query

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"modernc.org/sqlite"
)

// Error is a mistake in a query.
type Error struct {
	Message string // "no such column: strat"
	SQL     string
	Offset  int // of the offending word in SQL, in bytes; -1 if unknown
}

// Error gives message and position in one line.
func (e *Error) Error() string {
	if e.Offset < 0 {
		return e.Message
	}
	line, column := e.Position()
	return fmt.Sprintf("%s (line %d, column %d of the query)", e.Message, line, column)
}

// Position is the 1-based line and column, the latter in characters; 0, 0 if unknown.
func (e *Error) Position() (line, column int) {
	if e.Offset < 0 {
		return 0, 0
	}
	before := e.SQL[:e.Offset]
	start := strings.LastIndexByte(before, '\n') + 1
	return strings.Count(before, "\n") + 1, len([]rune(before[start:])) + 1
}

var (
	wrapping = regexp.MustCompile(`(?s)^(?:SQL logic error: )?(.*?)(?: \(\d+\))?$`)
	syntaxAt = regexp.MustCompile(`^near "((?s:.*))": syntax error$`)
	badToken = regexp.MustCompile(`^unrecognized token: "((?s:.*))"$`)
	badName  = regexp.MustCompile(`^(?:no such (?:column|table|function)|ambiguous column name): (\S+)`)
	badUse   = regexp.MustCompile(`^(?:misuse of (?:aggregate|window) function|misuse of aggregate:|wrong number of arguments to function) (\w+)\(\)`)
)

const noSuchTable = "no such table: "

// locate finds the place that an error of SQLite is about. (SQLite knows it,
// but the driver passes on only the text.)
func (db *DB) locate(statement string, err error) error {
	var own *sqlite.Error
	if !errors.As(err, &own) {
		return err
	}
	e := &Error{Message: wrapping.FindStringSubmatch(err.Error())[1], SQL: statement, Offset: -1}
	if m := syntaxAt.FindStringSubmatch(e.Message); m != nil {
		e.Offset = db.syntaxError(statement, m[1], e.Message)
	} else if m := badToken.FindStringSubmatch(e.Message); m != nil {
		e.Offset = strings.Index(statement, m[1])
	} else if m := badName.FindStringSubmatch(e.Message); m != nil {
		e.Offset = findName(statement, m[1])
	} else if m := badUse.FindStringSubmatch(e.Message); m != nil {
		e.Offset = findName(statement, m[1])
	} else if e.Message == "incomplete input" {
		e.Offset = len(strings.TrimRight(statement, " \t\n;"))
	}
	if strings.HasPrefix(e.Message, noSuchTable) {
		e.Message += "; there are " + strings.Join(db.tableNames(), ", ")
	}
	return e
}

// syntaxError finds which of the equal tokens is meant: SQLite reads from left
// to right, so it is the first one at which the statement cut off after it
// fails in the same way.
func (db *DB) syntaxError(statement, token, message string) int {
	for _, t := range tokens(statement) {
		if t.text != token {
			continue
		}
		// Another connection, an empty database: syntax comes before names.
		prepared, err := db.db.Prepare(statement[:t.offset+len(t.text)])
		if err == nil {
			prepared.Close()
		} else if wrapping.FindStringSubmatch(err.Error())[1] == message {
			return t.offset
		}
	}
	return -1
}

// findName finds the first mention of a table, column or function. A qualified
// name is looked up by its last part.
func findName(statement, name string) int {
	name = unquote(name[strings.LastIndexByte(name, '.')+1:])
	for _, t := range tokens(statement) {
		if t.kind == word && strings.EqualFold(unquote(t.text), name) {
			return t.offset
		}
	}
	return -1
}
