package cli

import (
	"io"
	"path/filepath"
	"slices"
	"strings"

	"dagscope/show/figure"
	"dagscope/show/panel/layout"
	"dagscope/show/render"
	"dagscope/show/scene"
)

// Animations: a figure with panel snapshot is drawn for many instants.

// animated tells whether a figure is to be an animation.
func animated(file string) bool { return strings.EqualFold(filepath.Ext(file), ".gif") }

const maxFrames = 2000

// checkFrames checks what an animation needs.
func (f *plotFlags) checkFrames(spec *figure.Spec) error {
	if f.frames < 1 || f.frames > maxFrames {
		return usagef("found --frames %d, want 1 to %d", f.frames, maxFrames)
	}
	ids, _, err := spec.Choices()
	if err != nil {
		return err
	}
	if !slices.Contains(ids, "snapshot") {
		return usagef("write animation %s: found panels %s, want snapshot among them (--panels snapshot): it is what an animation shows over time",
			f.output, strings.Join(ids, ", "))
	}
	return nil
}

// animate writes the figure at instants evenly over its window; other panels
// have a line there.
func (f *plotFlags) animate(spec *figure.Spec, sources []layout.Source) error {
	fig, err := spec.Figure(sources, noRecipe)
	if err != nil {
		return err
	}
	t0, t1 := fig.T0, fig.T1
	a := render.Animation{Frames: f.frames, Page: func(i int) (*scene.Page, error) {
		at := t0 + (t1-t0)*(float64(i)+0.5)/float64(f.frames)
		one := *spec
		one.Options.Snapshot.At = []int64{int64(at)}
		one.MarkTimes = append(slices.Clone(spec.MarkTimes), at/1e6)
		fig, err := one.Figure(sources, noRecipe)
		if err != nil {
			return nil, err
		}
		return scene.Compose(fig)
	}}
	scale := spec.Scale()
	if spec.DPI <= 0 {
		scale = figure.ScreenScale // nobody prints what moves
	}
	return writeFile(f.output, func(w io.Writer) error { return render.GIF(w, a, render.Options{Scale: scale}) })
}

func noRecipe(*figure.Spec) []scene.Field { return nil }
