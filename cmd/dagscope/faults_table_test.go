//go:build linux && amd64

package main

import (
	"slices"

	"dagscope/internal/faulty"
)

// counted is a row of the table: how many faults of each kind were injected.
type counted struct {
	name       string
	calls      int
	injected   map[string]int
	violations int
}

var table []*counted

func count(name string, kind faulty.Fault, injected, violations, calls int) {
	at := slices.IndexFunc(table, func(c *counted) bool { return c.name == name })
	if at < 0 {
		at, table = len(table), append(table, &counted{name: name, calls: calls, injected: map[string]int{}})
	}
	table[at].injected[title(kind)] = injected
	table[at].violations += violations
}

const tableBegins, tableEnds = "<!-- the table: begin -->\n", "<!-- the table: end -->\n"
