package panel

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"dagscope/explain/numbers"
	"dagscope/trace"
)

// numbersOf computes the numbers behind a drawing for its window. A window in
// which there is nothing gives a table without rows.
func numbersOf(id string, run *trace.Run, s Settings, q Query) numbers.Table {
	n, err := FindNumbers(id)
	if err != nil {
		panic(err) // registered in this package
	}
	s.From, s.To = q.T0, q.T1
	t, err := n.Table(run, &s)
	if missing := (*Missing)(nil); errors.As(err, &missing) {
		return numbers.Table{Columns: n.Columns}
	}
	if err != nil {
		// Opening the view has computed the same numbers for the whole run.
		panic("panel: numbers of " + id + " of a view that was opened: " + err.Error())
	}
	return t
}

// wholeRun are settings without a window.
func wholeRun() Settings { return Settings{From: trace.NoTime, To: trace.NoTime} }

// drawing completes a panel by what its numbers say already: the title, the
// needs and the columns. Why a run has none of them becomes a sentence.
func drawing(p Panel) Panel {
	n, err := FindNumbers(p.ID)
	if err != nil {
		panic(err) // a panel draws numbers
	}
	p.Title, p.Needs, p.Columns = n.Title, n.Needs, n.Columns
	open := p.Open
	p.Open = func(run *trace.Run, o *Options) (View, error) {
		v, err := open(run, o)
		if missing := (*Missing)(nil); errors.As(err, &missing) {
			return nil, &Missing{sentence(missing.Why)}
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
