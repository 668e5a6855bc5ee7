package assemble

import (
	"cmp"
	"slices"
)

// Destination is a kind of record in a file and where its lines went: a table,
// "definition" or "log".
type Destination struct{ Record, Table string }

// Lines counts the lines of one file by destination.
type Lines map[Destination]int64

// AccountLines writes the account of a file, in a stable order.
func (p *Parts) AccountLines(file string, lines Lines) {
	keys := make([]Destination, 0, len(lines))
	for d := range lines {
		keys = append(keys, d)
	}
	slices.SortFunc(keys, func(a, b Destination) int {
		return cmp.Or(cmp.Compare(a.Record, b.Record), cmp.Compare(a.Table, b.Table))
	})
	for _, d := range keys {
		p.Account.Add(file, d.Record, d.Table, lines[d])
	}
}

// account corrects the account: all lines of a kind of record went to another
// table than their reader thought.
func (a *assembler) account(from Destination, table string) {
	c := &a.out.Account
	for i := range c.Lines {
		if c.Record.At(i) == from.Record && c.Table.At(i) == from.Table {
			c.Table.Index[i] = c.Table.Intern(table)
		}
	}
}
