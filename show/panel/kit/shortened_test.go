package kit

import (
	"strings"
	"testing"

	"dagscope/show/scene"

	"pgregory.net/rapid"
)

// The shortest cut from the middle that fits is found.
func TestShortened(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		width := rapid.Float64Range(0, 200).Draw(t, "width")
		want := text
		runes := []rune(text)
		for cut := 1; scene.TextWidth(want, 11, false) > width && cut < len(runes); cut++ {
			head := (len(runes) - cut) / 2
			want = string(runes[:head]) + "…" + string(runes[head+cut:])
		}
		if got := Shortened(text, 11, width); got != want {
			t.Fatalf("%q becomes %q, want %q", text, got, want)
		}
	})
}

// Names of traces may be of any length: cutting them takes a search, not a pass
// for each letter. A quadratic one would take an hour here.
func TestLongNamesAreCutQuickly(t *testing.T) {
	long := strings.Repeat("ab", 500_000)
	if got := Shortened(long, 11, 200); len(got) < 10 || len(got) > 100 {
		t.Errorf("a name of a million letters becomes one of %d", len(got))
	}
	if got := scene.Ellipsis(long, 11, false, 200); len(got) < 10 || len(got) > 100 {
		t.Errorf("a name of a million letters becomes one of %d", len(got))
	}
}
