package panel_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"dagscope/explain/numbers/panels"
	"dagscope/internal/testenv"
	"dagscope/show/panel/core"
	"dagscope/trace"
)

var docsFile = testenv.Repo("docs/panels.md")

// TestDocsNameEveryColumn compares docs/panels.md with the registry; -update
// rewrites it.
func TestDocsNameEveryColumn(t *testing.T) {
	want := docs()
	if *update {
		if err := os.WriteFile(docsFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(docsFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the registry says: go test ./show/panel -run Docs -update", docsFile)
	}
}

const docsHead = `<!-- Written by go test ./show/panel -run Docs -update: change explain/numbers/panels instead. -->

# Panels: the numbers behind them

` + "`dagscope data RUN PANEL`" + ` prints the numbers behind a panel: an aligned table, with
` + "`--csv`" + ` or ` + "`--json`" + ` (an array with an object a line) for programs. ` + "`query`" + ` has the tables of
the run themselves, ` + "`report`" + ` what follows from the numbers.

- The columns below are those of CSV and JSON: they end in their unit. Times are
  ns since the run's zero, integers but for means and quantiles; numbers are
  exact. The table for people shows times in ms and other numbers rounded to six
  digits.
- What is not known or does not exist is an empty field, ` + "`null`" + ` or ` + "`-`" + `. Truth values
  are 0 and 1.
- Texts that a spreadsheet would calculate (they begin with ` + "`= + - @`" + `, a tab or a carriage
  return, and are no numbers) have an apostrophe before them in CSV. JSON has them as they are.
- Only the columns of the run that a panel needs are read. A run that lacks them
  makes ` + "`data`" + ` say which and exit with 1.
- ` + "`--generation REGEX`" + ` chooses anew, for every panel, which kinds prepare the input; it
  moves the run's zero ([import.md](import.md)).
`

func docs() string {
	var b strings.Builder
	b.WriteString(docsHead)
	b.WriteString("\n| panel | shows | drawn by `plot` |\n|--|--|--|\n")
	for _, n := range panels.All() {
		drawn := "no"
		if layer, ok := map[string]string{"outliers": "outliers", "lastpath": "last-path", "workers": "idle"}[n.ID]; ok {
			drawn = "[st](panels/st.md) with `--" + layer + "`"
		}
		if _, err := core.Find(n.ID); err == nil {
			drawn = fmt.Sprintf("[yes](panels/%s.md)", n.ID)
		}
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s |\n", n.ID, n.ID, n.Title, drawn)
	}
	b.WriteString("\n## Settings\n\nA flag that means nothing for a panel is refused.\n\n| flag | is |\n|--|--|\n")
	for _, f := range panels.Flags {
		fmt.Fprintf(&b, "| `--%s` | %s |\n", f.Name, f.Doc)
	}
	for _, n := range panels.All() {
		fmt.Fprintf(&b, "\n## %s\n\n%s: %s\n\n", n.ID, n.Title, n.Doc)
		if len(n.Takes) > 0 {
			fmt.Fprintf(&b, "Takes `--%s`.\n\n", strings.Join(n.Takes, "`, `--"))
		}
		b.WriteString("| column | is |\n|--|--|\n")
		for _, c := range n.Columns {
			fmt.Fprintf(&b, "| `%s` | %s |\n", c.Field(), c.Doc)
		}
	}
	return b.String()
}

// TestRegistryIsConsistent finds names that lead nowhere.
func TestRegistryIsConsistent(t *testing.T) {
	seen := map[string]bool{}
	run := &trace.Run{}
	for _, n := range panels.All() {
		if seen[n.ID] || n.ID == "" || n.Title == "" || n.Doc == "" || n.Compute == nil {
			t.Errorf("panel %q: twice, or not described", n.ID)
		}
		seen[n.ID] = true
		for _, name := range n.Takes {
			if !slices.ContainsFunc(panels.Flags, func(f panels.Flag) bool { return f.Name == name }) {
				t.Errorf("panel %s takes --%s, which does not exist", n.ID, name)
			}
		}
		for _, read := range n.Reads {
			table, _, one := strings.Cut(read, ".")
			if _, ok := run.Table(table); !ok || one && !exists(run, read) {
				t.Errorf("panel %s reads %s, which does not exist", n.ID, read)
			}
		}
		fields := map[string]bool{}
		for _, c := range n.Columns {
			if fields[c.Field()] || c.Doc == "" {
				t.Errorf("panel %s: column %s twice, or without a doc", n.ID, c.Field())
			}
			fields[c.Field()] = true
		}
	}
	for _, p := range core.All() {
		if !seen[p.ID] {
			t.Errorf("panel %s can be drawn but has no numbers", p.ID)
		}
	}
}

func exists(run *trace.Run, name string) bool {
	table, column, _ := strings.Cut(name, ".")
	of, _ := run.Table(table)
	_, ok := of.Column(column)
	return ok
}
