package compare

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The client's wire types name every key of a comparison.
func TestClientKnowsEveryKey(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "web", "src", "api", "types.ts"))
	if err != nil {
		t.Fatal(err)
	}
	_, types, found := strings.Cut(string(text), "export interface Comparison")
	types, _, end := strings.Cut(types, "/** GET runs/{run}/align")
	_, task, ref := strings.Cut(string(text), "export interface TaskRef")
	task, _, refEnd := strings.Cut(task, "}")
	if !found || !end || !ref || !refEnd {
		t.Fatal("find the types of comparisons in types.ts")
	}
	answer, err := os.ReadFile(filepath.Join("testdata", "simulated.json"))
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := json.Unmarshal(answer, &value); err != nil {
		t.Fatal(err)
	}
	for key := range keysOf(value, map[string]bool{}) {
		if !regexp.MustCompile(`\b` + key + `\b`).MatchString(types + task) {
			t.Errorf("types.ts has no %q", key)
		}
	}
}

func keysOf(value any, keys map[string]bool) map[string]bool {
	switch v := value.(type) {
	case map[string]any:
		for k, inner := range v {
			keys[k] = true
			keysOf(inner, keys)
		}
	case []any:
		for _, inner := range v {
			keysOf(inner, keys)
		}
	}
	return keys
}
