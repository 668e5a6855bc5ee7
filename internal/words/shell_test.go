package words_test

import (
	"testing"

	"dagscope/internal/words"
)

func TestShell(t *testing.T) {
	for in, want := range map[string]string{"a.dsr": "a.dsr", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "$(x)": "'$(x)'", "*": "'*'", "a\nb": "'a\nb'"} {
		if got := words.Shell(in); got != want {
			t.Errorf("%q: found %s, want %s", in, got, want)
		}
	}
}
