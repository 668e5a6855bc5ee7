// Package render paints scenes: the same [scene.Page] as SVG, PDF or PNG.
//
// The files are reproducible: the same page gives the same bytes, whenever and
// wherever it is painted. The recipe of the figure goes into the metadata of
// each format.
package render

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"dagscope/show/scene"
)

// Options are what a painter may want to know besides the page.
type Options struct {
	Scale    float64 // PNG: device pixels per page pixel, 2 if zero
	Pixels   int     // PNG: most that an image may have, 250 million if zero
	Outlines bool    // SVG: texts as shapes, for viewers without a matching font
	// Stop is asked now and then while a page is painted: an error ends that, and is
	// returned. It may be nil.
	Stop func() error
}

func (o Options) scale() float64 {
	if o.Scale <= 0 {
		return 2
	}
	return o.Scale
}

func (o Options) pixels() int {
	if o.Pixels <= 0 {
		return maxPixels
	}
	return o.Pixels
}

// each calls draw for every drawing of a page, until Stop ends that.
func (o Options) each(p *scene.Page, draw func(*scene.Op)) error {
	for i := range p.Ops {
		if o.Stop != nil && i%opsBetween == 0 {
			if err := o.Stop(); err != nil {
				return err
			}
		}
		draw(&p.Ops[i])
	}
	return nil
}

// opsBetween is how many drawings are painted before Stop is asked.
const opsBetween = 64

// painter writes a page in one format.
type painter func(w io.Writer, p *scene.Page, o Options) error

var painters = map[string]painter{"svg": SVG, "pdf": PDF, "png": PNG}

// Formats lists the formats in alphabetical order.
func Formats() []string {
	var names []string
	for name := range painters {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// FormatOf is the format that a file name asks for by its ending. It fails for
// any other ending.
func FormatOf(file string) (string, error) {
	format := strings.ToLower(strings.TrimPrefix(filepath.Ext(file), "."))
	if _, ok := painters[format]; !ok {
		return "", fmt.Errorf("write figure %s: found ending %q, want one of %s",
			file, filepath.Ext(file), strings.Join(Formats(), ", "))
	}
	return format, nil
}

// Write paints a page in a format that Formats lists.
func Write(w io.Writer, format string, p *scene.Page, o Options) error {
	paint, ok := painters[format]
	if !ok {
		return fmt.Errorf("write figure: found format %q, want one of %s", format, strings.Join(Formats(), ", "))
	}
	return paint(w, p, o)
}
