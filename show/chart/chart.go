// Package chart draws the plots that are no panels of a run: heat maps of a
// table, the elimination tree of a sparse factorization, the results of a
// campaign of simulations, and how well models of kernels fit measurements.
//
// Each plot is a struct of what it shows with a method Draw, which composes a
// page of scene's panels. The plots share their scales, units, tick labels and
// colours (this file and scale.go).
//
// It reads no runs, simulates nothing and paints nothing: tables, trees and fits
// come in, pages for package render go out.
package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"dagscope/show/scene"
)

// Options say how the page of any plot looks.
type Options struct {
	Title  string
	Width  float64       // of the page, pixels; elimination trees and fits choose theirs where it is 0
	Recipe []scene.Field // how the figure was made, kept in the file
}

// figure is an empty page.
func (o Options) figure() *scene.Figure {
	return &scene.Figure{Title: o.Title, Width: o.Width, Recipe: o.Recipe}
}

// compose lays the panels of a plot out; what names the plot in errors.
func compose(f *scene.Figure, what string) (*scene.Page, error) {
	page, err := scene.Compose(f)
	if err != nil {
		return nil, fmt.Errorf("draw %s: %w", what, err)
	}
	return page, nil
}

// labelFont is the size of labels of axes, rows and nodes, pixels.
const labelFont = 10

// highlight is the colour of what a reader should look for.
var highlight = scene.RGB(0xd55e00)

// sideLabel is a label at the left of a body.
func sideLabel(s string, y float32) scene.Text {
	return scene.Text{X: -6, Y: y, S: s, Size: labelFont, Color: scene.Soft, Anchor: scene.End}
}

// outline is a rectangle that is not filled.
func outline(x0, x1 float64, y0, y1 float32, color scene.Color, width float32) scene.Line {
	return scene.Line{X: []float64{x0, x1, x1, x0, x0}, Y: []float32{y0, y0, y1, y1, y0}, Color: color, Width: width}
}

// points are squares of so many pixels around the places that are added.
type points struct {
	scene.Rects
	side float32
}

func newPoints(color scene.Color, side float32) *points {
	return &points{scene.Rects{Palette: []scene.Color{color}, MinWidth: side}, side}
}

func (p *points) add(x float64, y float32) { p.Add(x, x, y-p.side/2, p.side, 0) }

// median sorts values and returns their middle, NaN of none. It is the mean of
// the two in the middle, which texts of decimal numbers round as a reader would;
// stat.Quantile interpolates, and differs from it in the last bit.
func median(values []float64) float64 {
	n := len(values)
	if n == 0 {
		return math.NaN()
	}
	slices.Sort(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}

// readable is the name of a column or a key as an axis is labelled with it.
func readable(name string) string { return strings.ReplaceAll(name, "_", " ") }
