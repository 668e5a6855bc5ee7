package core

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"dagscope/explain/numbers"
	"dagscope/explain/numbers/panels"
	"dagscope/trace"
)

// NumbersOf computes the numbers behind a drawing for its window. A window in
// which there is nothing gives a table without rows.
func NumbersOf(id string, run *trace.Run, s panels.Settings, q Query) numbers.Table {
	n, err := panels.Find(id)
	if err != nil {
		panic(err) // registered in this package
	}
	s.From, s.To = q.T0, q.T1
	t, err := n.Table(run, &s)
	if missing := (*panels.Missing)(nil); errors.As(err, &missing) {
		return numbers.Table{Columns: n.Columns}
	}
	if err != nil {
		// Opening the view has computed the same numbers for the whole run.
		panic("panel: numbers of " + id + " of a view that was opened: " + err.Error())
	}
	return t
}

// WholeRun are settings without a window.
func WholeRun() panels.Settings { return panels.Settings{From: trace.NoTime, To: trace.NoTime} }

// Drawing completes a panel by what its numbers say already: the title, the
// needs and the columns. Why a run has none of them becomes a sentence.
func Drawing(p Panel) Panel {
	n, err := panels.Find(p.ID)
	if err != nil {
		panic(err) // a panel draws numbers
	}
	p.Title, p.Needs, p.Columns = n.Title, n.Needs, n.Columns
	open := p.Open
	p.Open = func(run *trace.Run, o *Options) (View, error) {
		v, err := open(run, o)
		if missing := (*panels.Missing)(nil); errors.As(err, &missing) {
			return nil, &panels.Missing{Why: sentence(missing.Why)}
		}
		return v, err
	}
	return p
}

// sentence makes an error's text one.
func sentence(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + strings.TrimSuffix(s[size:], ".") + "."
}
