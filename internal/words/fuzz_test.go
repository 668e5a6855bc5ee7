package words

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzVisible shows any text: nothing that controls a terminal is left, and what
// is shown is shown as it is the second time.
func FuzzVisible(f *testing.F) {
	for _, s := range []string{"GEMM", "\x1b[2J", "a\u202eb", "\x9b1m", "\u009b", "\xff", "a\tb\nc\r", "\x7f"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		line, text := OneLine(s), Visible(s)
		for _, r := range line {
			if Controls(r) {
				t.Errorf("%q has %U", line, r)
			}
		}
		for _, r := range text {
			if Controls(r) && r != '\n' && r != '\t' {
				t.Errorf("%q has %U", text, r)
			}
		}
		if !utf8.ValidString(line) || OneLine(line) != line || Visible(text) != text {
			t.Errorf("%q is %q, then %q", s, line, OneLine(line))
		}
		if strings.Count(text, "\n") != strings.Count(s, "\n") {
			t.Errorf("%q has another number of lines than %q", text, s)
		}
	})
}
