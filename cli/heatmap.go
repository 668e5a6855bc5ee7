package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"dagscope/internal/regular"
	"dagscope/show/chart"
	"dagscope/show/render"
	"dagscope/show/scene"
)

type heatmapFlags struct {
	output, x, y, title string
	value               []string
	width, dpi          float64
	shared, log         bool
}

func newHeatmap() *cobra.Command {
	var f heatmapFlags
	cmd := &cobra.Command{
		Use:   "heatmap TABLE.csv --x COLUMN --y COLUMN --value COLUMN,… -o FILE.svg|pdf|png",
		Short: "Draw a table of measurements over two parameters as heat maps",
		Long: `Draw columns of a table as heat maps over two others, one beside the other: for
example parallel time, work, idleness and overhead over threads and task grain
(docs/grain.md). Commas, semicolons or tabs separate the fields of the table; the
names of its columns are in the first line; - reads standard input. Rows with the
same parameters, as of repeated runs, count with their median. Columns whose names
end in _ns, _us, _ms, _s or _share are written in a fitting unit.`,
		Example: `  dagscope heatmap grain.csv --x threads --y tasks_per_loop --value time_ns,work_ns,idleness_ns,overhead_ns -o grain.svg`,
		Args:    arguments("TABLE.csv"),
		RunE:    func(cmd *cobra.Command, args []string) error { return drawHeatmap(cmd, args[0], &f) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "", "figure to write; - for SVG on standard output")
	flags.StringVar(&f.x, "x", "", "`column` that goes to the right")
	flags.StringVar(&f.y, "y", "", "`column` that goes up")
	flags.StringSliceVar(&f.value, "value", nil, "`columns` to draw, a heat map each")
	flags.StringVar(&f.title, "title", "", "title of the figure")
	flags.Float64Var(&f.width, "width", 0, "width of the figure in `pixels` (default 960, of a single heat map 560)")
	flags.Float64Var(&f.dpi, "dpi", 192, "resolution of a PNG; 96 is a pixel for each of --width")
	flags.BoolVar(&f.shared, "shared", false, "one scale of colours for all values")
	flags.BoolVar(&f.log, "log", false, "colours by the logarithm of the values")
	for _, name := range []string{"output", "x", "y", "value"} {
		cobra.CheckErr(cmd.MarkFlagRequired(name))
	}
	return cmd
}

func drawHeatmap(cmd *cobra.Command, path string, f *heatmapFlags) error {
	format := "svg"
	if f.output != "-" {
		var err error
		if format, err = render.FormatOf(f.output); err != nil {
			return usageError{err}
		}
	}
	if f.width == 0 {
		f.width = 560
		if len(f.value) > 1 {
			f.width = 960
		}
	}
	if !(f.width > 0 && f.width < 1e5) || !(f.dpi > 0 && f.dpi <= 1200) {
		return usagef("found --width %v and --dpi %v, want pixels and a resolution up to 1200", f.width, f.dpi)
	}
	grids, err := readGrids(cmd, path, f)
	if err != nil {
		return err
	}
	page, err := (&chart.HeatMap{Grids: grids, Shared: f.shared, Log: f.log}).Draw(chart.Options{Title: f.title, Width: f.width, Recipe: f.recipe(path)})
	if err != nil {
		return err
	}
	write := func(w io.Writer) error { return render.Write(w, format, page, render.Options{Scale: f.dpi / 96}) }
	if f.output == "-" {
		return write(raw(cmd.OutOrStdout()))
	}
	return writeFile(f.output, write)
}

// lastByte keeps the last byte that was read.
type lastByte struct {
	io.Reader
	b byte
}

func (l *lastByte) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	if n > 0 {
		l.b = p[n-1]
	}
	return n, err
}

func readGrids(cmd *cobra.Command, path string, f *heatmapFlags) (grids []*chart.Grid, err error) {
	in := &lastByte{Reader: cmd.InOrStdin()}
	if path != "-" {
		file, err := regular.Open(path, regular.Text)
		if err != nil {
			return nil, fmt.Errorf("read table: %w", err)
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		in.Reader = file
	}
	table, err := chart.ReadTable(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if in.b != '\n' { // half a number reads like a whole one
		warnOfCut(cmd.ErrOrStderr(), path)
	}
	for _, value := range f.value {
		g, err := table.Grid(f.x, f.y, value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		grids = append(grids, g)
	}
	return grids, nil
}

// recipe says how the figure was made.
func (f *heatmapFlags) recipe(path string) []scene.Field {
	return []scene.Field{
		{Name: "program", Value: "dagscope " + version}, {Name: "table", Value: path},
		{Name: "x", Value: f.x}, {Name: "y", Value: f.y}, {Name: "value", Value: strings.Join(f.value, ",")},
	}
}
