package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"dagscope/predict/campaign"
	"dagscope/show/chart"
	"dagscope/show/render"
	"dagscope/show/scene"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// chartFlags say how a campaign is drawn.
type chartFlags struct {
	file, x, color, title string
	panels                []string
	width, dpi            float64
	linear                bool
}

func (c *chartFlags) add(f *pflag.FlagSet) {
	f.StringVar(&c.file, "plot", "", "figure to write, `FILE.svg|pdf|png` (default: sweep.svg in DIR when runs were simulated)")
	f.StringVar(&c.x, "x", "", "`KEY` that goes to the right (default: that with most numbers)")
	f.StringVar(&c.color, "color", "", "`KEY` of which each value has its colour (default: the next that varies)")
	f.StringSliceVar(&c.panels, "panels", nil, "what to draw, some of "+strings.Join(chart.Measures(), ", "))
	f.StringVar(&c.title, "title", "", "title of the figure")
	f.Float64Var(&c.width, "width", 0, "width of the figure in `pixels` (default 640, of several columns 960)")
	f.Float64Var(&c.dpi, "dpi", 192, "resolution of a PNG; 96 is a pixel for each of --width")
	f.BoolVar(&c.linear, "linear", false, "no logarithmic axes")
}

// check refuses before the first run what would only be noticed after the last.
func (f *chartFlags) check(keys []string) error {
	if f.file != "" {
		if _, err := render.FormatOf(f.file); err != nil {
			return usageError{err}
		}
	}
	if f.width != 0 && !(f.width > 0 && f.width < 1e5) || !(f.dpi > 0 && f.dpi <= 1200) {
		return usagef("found --width %v and --dpi %v, want pixels and a resolution up to 1200", f.width, f.dpi)
	}
	return f.of(nil).Check(keys)
}

// of is the plot of a campaign's table.
func (f *chartFlags) of(t *campaign.Table) *chart.Campaign {
	return &chart.Campaign{Table: t, X: f.x, Color: f.color, Measures: f.panels, Linear: f.linear}
}

// figureFile is the figure of a campaign.
const figureFile = "sweep.svg"

// errNoFigure is that there is nothing to draw, or no way to.
var errNoFigure = errors.New("no figure")

// draw writes the figure. One that nobody asked for need not be one that can be
// drawn.
func (s *sweep) draw(cmd *cobra.Command, c *campaign.Campaign) error {
	file, asked := s.chart.file, s.chart.file != ""
	if !asked {
		if !s.working() || len(c.Plan.Keys) == 0 {
			return nil
		}
		file = filepath.Join(c.Dir, figureFile)
	}
	err := s.chart.write(file, c)
	if errors.Is(err, errNoFigure) && !asked {
		fmt.Fprintf(cmd.ErrOrStderr(), "beware: %s: %v\n", file, err)
		return nil
	}
	return err
}

func (f *chartFlags) write(file string, c *campaign.Campaign) error {
	format, err := render.FormatOf(file)
	if err != nil {
		return usageError{err}
	}
	width := f.width
	if width == 0 {
		if width = 640; severalColumns(c.Table) {
			width = 960
		}
	}
	if !(width > 0 && width < 1e5) || !(f.dpi > 0 && f.dpi <= 1200) {
		return usagef("found --width %v and --dpi %v, want pixels and a resolution up to 1200", width, f.dpi)
	}
	page, err := f.of(c.Table).Draw(chart.Options{Title: f.title, Width: width, Recipe: f.recipe(c)})
	if err != nil {
		return fmt.Errorf("%w: %w", errNoFigure, err)
	}
	return writeFile(file, func(w io.Writer) error { return render.Write(w, format, page, render.Options{Scale: f.dpi / 96}) })
}

// severalColumns tells whether a third parameter varies.
func severalColumns(t *campaign.Table) bool {
	varying := 0
	for k, key := range t.Keys {
		if key != "seed" && slices.ContainsFunc(t.Rows, func(r campaign.Row) bool { return r.Values[k] != t.Rows[0].Values[k] }) {
			varying++
		}
	}
	return varying > 2
}

// recipe says how the figure was made.
func (f *chartFlags) recipe(c *campaign.Campaign) []scene.Field {
	return []scene.Field{
		{Name: "program", Value: "dagscope " + version}, {Name: "campaign", Value: c.Dir}, {Name: "simulated by", Value: c.Plan.Version},
		{Name: "spec", Value: c.Plan.Spec}, {Name: "set", Value: strings.Join(c.Plan.Set, " ")}, {Name: "parameters", Value: strings.Join(c.Plan.Keys, ",")},
	}
}
