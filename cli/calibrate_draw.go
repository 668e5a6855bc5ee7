package cli

import (
	"io"
	"strings"

	"dagscope/predict/calibrate"
	"dagscope/show/chart"
	"dagscope/show/render"
	"dagscope/show/scene"
)

// draw writes the figure of residuals.
func (c *kernelCalibration) draw(all []*calibrate.Fit) error {
	format, err := render.FormatOf(c.plot)
	if err != nil {
		return usageError{err}
	}
	var from []string
	for _, f := range all {
		from = append(from, f.Samples.From...)
	}
	page, err := chart.Fits(all).Draw(chart.Options{Title: "Kernels: measured against expected times", Recipe: []scene.Field{
		{Name: "program", Value: "dagscope " + version}, {Name: "timings", Value: strings.Join(from, " ")}, {Name: "weights", Value: c.weights}}})
	if err != nil {
		return err
	}
	return writeFile(c.plot, func(w io.Writer) error { return render.Write(w, format, page, render.Options{Scale: c.dpi / 96}) })
}
