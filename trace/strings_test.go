package trace

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestStringsKeepTexts compares a column with a plain list of texts.
func TestStringsKeepTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOf(rapid.SampledFrom([]string{"", "a", "b", "POTRF", "Überlauf"})).Draw(t, "texts")
		var c Strings
		for i, s := range texts {
			switch i % 3 {
			case 0:
				c.Append(s)
			case 1:
				c.AppendIndex(c.InternBytes([]byte(s)))
			default: // a column read from a store has no lookup yet
				c = Strings{Dict: c.Dict, Index: c.Index}
				c.AppendIndex(c.Intern(s))
			}
		}
		if c.Len() != len(texts) {
			t.Fatalf("found %d rows, wanted %d", c.Len(), len(texts))
		}
		for i, s := range texts {
			if c.At(i) != s || c.Dict[c.Find(s)] != s {
				t.Fatalf("row %d: found %q, wanted %q", i, c.At(i), s)
			}
		}
		distinct := slices.Compact(slices.Sorted(slices.Values(texts)))
		if sorted := slices.Sorted(slices.Values(c.Dict)); !slices.Equal(sorted, distinct) {
			t.Fatalf("found dictionary %q, wanted %q", sorted, distinct)
		}
	})
}

func TestStringsWithoutText(t *testing.T) {
	var c Strings
	c.AppendIndex(None)
	for _, row := range []int{-1, 0, 1} {
		if got := c.At(row); got != "" {
			t.Errorf("row %d: found %q, wanted no text", row, got)
		}
	}
	if got := c.Find("a"); got != None {
		t.Errorf("find in an empty dictionary: found %d, wanted none", got)
	}
}

func TestInternBytesAllocatesNothingTwice(t *testing.T) {
	var c Strings
	text := []byte("FetchingInput")
	c.InternBytes(text)
	if n := testing.AllocsPerRun(100, func() { c.InternBytes(text) }); n != 0 {
		t.Errorf("found %v allocations, wanted none", n)
	}
}
