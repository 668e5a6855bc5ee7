package yamlform

import (
	"fmt"
	"strings"
	"testing"
)

// bomb is a file of so many levels of lists of nine aliases each.
func bomb(levels int, last string) []byte {
	var b strings.Builder
	b.WriteString("a0: &a0 [x,x,x,x,x,x,x,x,x]\n")
	for i := range levels {
		fmt.Fprintf(&b, "a%d: &a%[1]d [%s]\n", i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i), 9), ","))
	}
	fmt.Fprintf(&b, "%s: *a%d\n", last, levels)
	return []byte(b.String())
}

func TestAliasesRepeatOnlySoMuch(t *testing.T) {
	for text, want := range map[string]string{
		"a: &a [1]\nb: *a\nc: [*a, *a]\n": "",
		string(bomb(2, "panels")):         "",
		string(bomb(8, "panels")):         "read f.yaml:6: found aliases that repeat more than 100000 values",
		"a: &a\n  b: [*a, *a]\n":          "read f.yaml:2: found the alias *a inside of what it repeats",
		"title: 2 * 3\n":                  "",
	} {
		root, err := Parse("f.yaml", []byte(text))
		if want == "" && (err != nil || root == nil) || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
		var out any
		if err := Decode("f.yaml", []byte(text), &out); (err != nil) != (want != "") {
			t.Errorf("%.40q decoded: %v, want %q", text, err, want)
		}
	}
	long := "a: &a [1,2,3,4,5,6,7,8,9]\nb: [" + strings.TrimSuffix(strings.Repeat("*a,", 10_001), ",") + "]\n"
	if _, err := Parse("f.yaml", []byte(long)); err == nil {
		t.Error("10 001 aliases of ten values are taken")
	}
}
