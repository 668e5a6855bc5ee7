//go:build linux && amd64

package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"dagscope/internal/faulty"
	"dagscope/internal/testenv"
)

var faultsTable = flag.Bool("faults-table", false, "write the table of docs/reference/faults.md")

// counted is a row of the table: how many faults of each kind were injected.
type counted struct {
	name     string
	calls    int
	injected map[string]int
}

var table []*counted

func count(name string, kind faulty.Fault, injected, calls int) {
	at := slices.IndexFunc(table, func(c *counted) bool { return c.name == name })
	if at < 0 {
		at, table = len(table), append(table, &counted{name, calls, map[string]int{}})
	}
	table[at].injected[title(kind)] = injected
}

const tableBegins, tableEnds = "<!-- the table: begin -->\n", "<!-- the table: end -->\n"

// TestZFaultsTable writes the table of what TestFaults and TestFaultsRecord did in
// this process, if that is asked for; go test runs it after them.
func TestZFaultsTable(t *testing.T) {
	if !*faultsTable {
		t.Skip("-faults-table is not set: it writes a page")
	}
	if t.Failed() || len(table) == 0 {
		t.Fatal("found no counts, want TestFaults to run before")
	}
	page := testenv.Repo("docs/reference/faults.md")
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), tableBegins)
	_, after, ends := strings.Cut(rest, tableEnds)
	if !ok || !ends {
		t.Fatalf("%s: found no %q and %q", page, tableBegins, tableEnds)
	}
	var b strings.Builder
	b.WriteString("| command | calls |")
	for _, k := range kinds {
		b.WriteString(" " + title(k) + " |")
	}
	b.WriteString(" outcome |\n|--|--:|" + strings.Repeat("--:|", len(kinds)) + "--|\n")
	total := 0
	for _, c := range table {
		fmt.Fprintf(&b, "| `%s` | %d |", c.name, c.calls)
		for _, k := range kinds {
			fmt.Fprintf(&b, " %d |", c.injected[title(k)])
			total += c.injected[title(k)]
		}
		b.WriteString(" as promised |\n")
	}
	fmt.Fprintf(&b, "\n%d faults in all.\n", total)
	if err := os.WriteFile(page, []byte(before+tableBegins+b.String()+tableEnds+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
