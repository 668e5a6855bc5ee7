package paje

import (
	"strings"
	"testing"

	"dagscope/read/assemble"
)

// TestGenericLinksKeepTheirTypes: of links of other programs the name of the
// type is all that says what they mean, also when there are several.
func TestGenericLinksKeepTheirTypes(t *testing.T) {
	second := strings.Replace(header, `105 L P W W "moved"`, `105 L P W W "moved"`+"\n"+`105 M P W W "waited for"`, 1)
	p, err := parse([]byte(second + "18 1.0 L p 1 w0 a\n19 2.0 L p 1 w1 a\n18 3.0 M p 1 w0 b\n19 4.0 M p 1 w1 b\n"))
	if err != nil {
		t.Fatal(err)
	}
	run, err := assemble.Assemble(p, assemble.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"moved", "waited for"} {
		if kind, mode := run.Transfer.Kind.At(i), run.Transfer.Mode.At(i); kind != "link" || mode != want {
			t.Errorf("transfer %d is %q %q, wanted link %q", i, kind, mode, want)
		}
	}
}
