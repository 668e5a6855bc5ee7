package render

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"dagscope/show/scene"
)

// Whatever the recipe, each format gives it back as it was.
func TestRecipeComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &scene.Page{W: 90, H: 40, Title: "title"}
		var want strings.Builder
		for i := range rapid.IntRange(1, 4).Draw(t, "lines") {
			// Printable text of the basic plane; callers escape the rest.
			v := rapid.StringMatching(`[ -~µé\x{2013}]{0,40}`).Draw(t, "value")
			p.Recipe = append(p.Recipe, scene.Field{Name: fmt.Sprintf("key%d", i), Value: v})
			fmt.Fprintf(&want, "key%d: %s\n", i, v)
		}
		for _, format := range Formats() {
			var b bytes.Buffer
			if err := Write(&b, format, p, Options{Scale: 1}); err != nil {
				t.Fatal(err)
			}
			got, of, err := Recipe(b.Bytes())
			if err != nil || of != format || got != want.String() {
				t.Fatalf("%s as %s gave %q, %v, want %q", format, of, got, err, want.String())
			}
		}
	})
}

func TestNoRecipe(t *testing.T) {
	p := &scene.Page{W: 90, H: 40}
	for _, format := range Formats() {
		var b bytes.Buffer
		if err := Write(&b, format, p, Options{}); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Recipe(b.Bytes()); !errors.Is(err, ErrNoRecipe) {
			t.Errorf("%s without recipe: %v", format, err)
		}
		// A file cut anywhere is an error, never a panic.
		for n := range min(b.Len(), 400) {
			if text, _, err := Recipe(b.Bytes()[:n]); err == nil {
				t.Errorf("%s cut after %d bytes has the recipe %q", format, n, text)
			}
		}
	}
	if _, _, err := Recipe([]byte("hello")); err == nil || !strings.Contains(err.Error(), "neither SVG, PDF nor PNG") {
		t.Errorf("a text file gave %v", err)
	}
}
