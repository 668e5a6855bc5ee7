package query

import (
	"fmt"
	"strings"

	"modernc.org/sqlite"
)

// guard lets a statement read tables and call functions, and nothing else: no
// writes, no other databases, no files, no settings. SQLite asks it about
// every operation while it compiles a statement.
type guard struct {
	on     bool
	denied denial // the first refusal, since SQLite's own error does not name it
}

// denial is an operation that was refused.
type denial struct {
	what  string   // what is not possible, for people
	words []string // SQL words that may have asked for it
}

// describePragmas only describe the schema.
var describePragmas = map[string]bool{"table_info": true, "table_xinfo": true, "table_list": true}

func (g *guard) authorize(action sqlite.AuthorizerActionCode, arg1, arg2, _, _ string) sqlite.AuthorizerReturnCode {
	if !g.on {
		return sqlite.AuthorizerOK
	}
	d := refuse(action, arg1, arg2)
	if d.what == "" {
		return sqlite.AuthorizerOK
	}
	if g.denied.what == "" {
		g.denied = d
	}
	return sqlite.AuthorizerDeny
}

// refuse says why an operation is refused; the zero denial allows it.
func refuse(action sqlite.AuthorizerActionCode, arg1, arg2 string) denial {
	switch action {
	case sqlite.AuthSelect, sqlite.AuthRead, sqlite.AuthRecursive:
		return denial{}
	case sqlite.AuthFunction:
		if strings.EqualFold(arg2, "load_extension") {
			return denial{"extensions cannot be loaded", []string{"load_extension"}}
		}
		return denial{}
	case sqlite.AuthPragma:
		if describePragmas[strings.ToLower(arg1)] {
			return denial{}
		}
		return denial{"settings cannot be changed", []string{"pragma", "pragma_" + arg1}}
	case sqlite.AuthAttach, sqlite.AuthDetach:
		return denial{"other databases cannot be opened", []string{"attach", "detach", "vacuum"}}
	case sqlite.AuthTransaction, sqlite.AuthSavepoint:
		return denial{"there are no transactions", []string{"begin", "commit", "end", "rollback", "savepoint", "release"}}
	}
	return denial{"a run cannot be changed", []string{
		"insert", "update", "delete", "replace", "create", "drop", "alter", "reindex", "analyze", "vacuum",
	}}
}

// at turns the refusal into an error that points to the word that caused it.
func (d denial) at(statement string) error {
	e := &Error{Message: "queries only read: " + d.what, SQL: statement, Offset: -1}
	for _, t := range tokens(statement) {
		for _, w := range d.words {
			if t.kind == word && strings.EqualFold(t.text, w) {
				e.Offset = t.offset
				return e
			}
		}
	}
	return e
}

// checkSingle refuses everything but one statement.
func checkSingle(statement string) error {
	all := tokens(statement)
	ended := false
	for _, t := range all {
		if ended && t.text != ";" {
			return &Error{Message: "one statement at a time", SQL: statement, Offset: t.offset}
		}
		ended = ended || t.text == ";"
	}
	if len(all) == 0 || all[0].text == ";" {
		return &Error{Message: "the query is empty", SQL: statement, Offset: -1}
	}
	if i := strings.IndexByte(statement, 0); i >= 0 {
		return &Error{Message: fmt.Sprintf("found a NUL byte at offset %d", i), SQL: statement, Offset: -1}
	}
	return nil
}
