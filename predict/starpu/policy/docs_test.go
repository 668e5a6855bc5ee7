package policy_test

import (
	"os"
	"strings"
	"testing"

	"dagscope/internal/testenv"
	"dagscope/predict/starpu/policy"
)

// docs/policies.md shows the example as it is tested, and names every policy.
func TestDocsShowTheExample(t *testing.T) {
	page, err := os.ReadFile(testenv.Repo("docs/policies.md"))
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, own, _ := strings.Cut(string(source), "\n)\n\n")
	blocks := strings.Split(string(page), "```go\n")[1:]
	var shown []string
	for _, b := range blocks {
		code, _, _ := strings.Cut(b, "```")
		shown = append(shown, strings.TrimSpace(code))
	}
	if got := strings.Join(shown, "\n\n"); got != strings.TrimSpace(own) {
		t.Errorf("docs/policies.md shows other code than example_test.go:\n%s", got)
	}
	for _, name := range policy.Names() {
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("docs/policies.md does not name %s", name)
		}
	}
}
