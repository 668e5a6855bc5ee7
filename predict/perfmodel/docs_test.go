package perfmodel

import (
	"os"
	"regexp"
	"testing"

	"dagscope/internal/testenv"
)

// The examples of the documentation can be read.
func TestExamplesOfDocs(t *testing.T) {
	text, err := os.ReadFile(testenv.Repo("docs/models.md"))
	if err != nil {
		t.Fatal(err)
	}
	examples := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(text, -1)
	if len(examples) == 0 {
		t.Fatal("found no example")
	}
	for _, e := range examples {
		if _, err := ParseYAML("example.yaml", e[1]); err != nil {
			t.Errorf("%v in\n%s", err, e[1])
		}
	}
}
