package proof

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dagscope/internal/testenv"
)

var update = flag.Bool("update", false, "write the table of docs/findings.md")

const begin, end = "<!-- made of diagnose/proof: go test ./diagnose/proof -run Doc -update -->\n", "<!-- end -->\n"

// The page's table of experiments is made of Repairs.
func TestFindingsDoc(t *testing.T) {
	path := filepath.Join(testenv.Repo(), "docs", "findings.md")
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(page), begin)
	old, tail, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("found no table between %q and %q in %s", begin, end, path)
	}
	var b strings.Builder
	b.WriteString("| id | experiment | what is different |\n|--|--|--|\n")
	for _, id := range slices.Sorted(maps.Keys(Repairs)) {
		r := Repairs[id]
		where := " at its place"
		if r.everywhere {
			where = ""
		}
		experiment := "`" + r.Experiment + "`"
		if r.Or != "" {
			experiment += ", `" + r.Or + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s%s | %s |\n", id, experiment, where, r.What)
	}
	if old == b.String() {
		return
	}
	if !*update {
		t.Fatalf("the table of %s is not that of the code: go test ./diagnose/proof -run Doc -update", path)
	}
	if err := os.WriteFile(path, []byte(head+begin+b.String()+end+tail), 0o644); err != nil {
		t.Fatal(err)
	}
}
