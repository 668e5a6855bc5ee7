package layout

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"dagscope/internal/testenv"
)

// marks are those of a table's parameters that the documentation leaves out.
var marks = regexp.MustCompile(`:[dx]`)

// TestDocumentedEvents wants each event of the newest release in
// docs/fxt-events.md, with the parameters that it has.
func TestDocumentedEvents(t *testing.T) {
	text, err := os.ReadFile(testenv.Repo("docs/fxt-events.md"))
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]string{}
	_, tables, _ := strings.Cut(string(text), "## Events of StarPU 1.4")
	tables, _, _ = strings.Cut(tables, "## FxT's own")
	for _, line := range strings.Split(tables, "\n") {
		cells := strings.Split(line, "|")
		if len(cells) != 5 {
			continue
		}
		for _, name := range strings.Split(cells[1], "/") {
			documented[strings.Trim(name, " `")] = strings.TrimSpace(cells[2])
		}
	}
	v, err := Named("1.4")
	if err != nil {
		t.Fatal(err)
	}
	for i := range v.Events {
		e := &v.Events[i]
		want := marks.ReplaceAllString(e.Signature(), "")
		if got, ok := documented[e.Name]; e.Category != "FXT" && (!ok || got != want) {
			t.Errorf("%s is documented with %q, has %q", e.Name, got, want)
		}
	}
}

func TestDocumentedVersions(t *testing.T) {
	text, err := os.ReadFile(testenv.Repo("docs/fxt-events.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range Versions() {
		if !strings.Contains(string(text), "| `"+v.Name+"` |") {
			t.Errorf("version %s is not documented", v.Name)
		}
	}
}
