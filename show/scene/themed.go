package scene

// What a live view asks of scenes that it composes itself.

// Of is what a colour becomes under the theme; its opacity stays.
func (t *Theme) Of(c Color) Color { return t.of(c) }

// InkOn is the ink that is read best on a fill.
func InkOn(fill Color) Color { return inkOn(fill) }

// Extent is the box around the layers of a margin, texts as measured; it
// contains the origin.
func Extent(layers []Layer) Rectangle { return extent(layers) }
