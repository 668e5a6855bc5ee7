package format_test

import (
	"os"
	"strings"
	"testing"

	"dagscope/internal/testenv"
)

// docs/design/adding-a-format.md shows the reader of the example as it is
// tested.
func TestDocsShowTheReader(t *testing.T) {
	page, err := os.ReadFile(testenv.Repo("docs/design/adding-a-format.md"))
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, own, _ := strings.Cut(string(source), "\n)\n\n")
	own, _, _ = strings.Cut(own, "func Example()")
	_, shown, _ := strings.Cut(string(page), "```go\n")
	shown, _, _ = strings.Cut(shown, "\n```")
	if shown != strings.TrimSpace(own) {
		t.Errorf("docs/design/adding-a-format.md shows other code than example_test.go:\n%s", shown)
	}
}
