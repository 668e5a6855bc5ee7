package words

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"
)

func TestControlsAreShown(t *testing.T) {
	for _, c := range []struct{ in, line, text string }{
		{"POTRF", "POTRF", "POTRF"},
		{"", "", ""},
		{"– 12 µs → 3\u2009000 …", "– 12 µs → 3\u2009000 …", "– 12 µs → 3\u2009000 …"},
		{"\x1b[31mRED\x1b[0m", `\x1b[31mRED\x1b[0m`, `\x1b[31mRED\x1b[0m`},
		{"\x1b]0;owned\a", `\x1b]0;owned\x07`, `\x1b]0;owned\x07`},
		{"a\nb\tc\rd", `a\nb\tc\rd`, "a\nb\tc" + `\rd`},
		{"\x7f\b", `\x7f\x08`, `\x7f\x08`},
		{"\u009b31m", `\u009b31m`, `\u009b31m`},
		{"\x9b31m\xc2", `\x9b31m\xc2`, `\x9b31m\xc2`},
		{"x\u202egnp.exe\u2066\u200f\u061c", `x\u202egnp.exe\u2066\u200f\u061c`, `x\u202egnp.exe\u2066\u200f\u061c`},
		{"a\u2028b", `a\u2028b`, `a\u2028b`},
		{"\ufffd", "\ufffd", "\ufffd"},
	} {
		if got := OneLine(c.in); got != c.line {
			t.Errorf("OneLine(%q) is %q, want %q", c.in, got, c.line)
		}
		if got := Visible(c.in); got != c.text {
			t.Errorf("Visible(%q) is %q, want %q", c.in, got, c.text)
		}
	}
}

// Every character is either as it was or written in ASCII, and none that Unicode
// calls a control, or one of direction, is left.
func TestNoControlIsLeft(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		s := string(r)
		got := OneLine(s)
		left := strings.ContainsFunc(got, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) })
		if left || got != s && !strings.HasPrefix(got, `\`) {
			t.Fatalf("OneLine(%q) is %q", s, got)
		}
	}
}

// JSON with escapes means the same, and has no control but ends of lines.
func TestInJSON(t *testing.T) {
	for r := rune(0); r <= 0x3000; r++ { // none is beyond
		want := "a" + string(r) + "b"
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		text = InJSON(text)
		if bytes.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }) {
			t.Fatalf("%q has a control", text)
		}
		var got string
		if err := json.Unmarshal(text, &got); err != nil || got != want {
			t.Fatalf("%q is %q, %v, want %q", text, got, err, want)
		}
	}
	if got := string(InJSON([]byte("{\n\t\"µ\": \"\u2028\xff\"\n}"))); got != "{\n\t\"µ\": \"\\u2028\xff\"\n}" {
		t.Errorf("found %q", got)
	}
}

func TestPlainTextCostsNothing(t *testing.T) {
	s := strings.Repeat("POTRF(1,2) ", 100)
	if n := testing.AllocsPerRun(10, func() { s = OneLine(s) }); n != 0 {
		t.Errorf("found %v allocations, want none", n)
	}
}
