//go:build linux && amd64

package main

import (
	"flag"
	"slices"

	"dagscope/internal/faulty"
)

var faultsTable = flag.Bool("faults-table", false, "write the table of docs/reference/faults.md")

// counted is a row of the table: how many faults of each kind were injected.
type counted struct {
	name     string
	calls    int
	injected map[string]int
}

var (
	table    []*counted
	violated bool // by any fault
)

func count(name string, kind faulty.Fault, injected, calls int) {
	at := slices.IndexFunc(table, func(c *counted) bool { return c.name == name })
	if at < 0 {
		at, table = len(table), append(table, &counted{name, calls, map[string]int{}})
	}
	table[at].injected[title(kind)] = injected
}

const tableBegins, tableEnds = "<!-- the table: begin -->\n", "<!-- the table: end -->\n"
