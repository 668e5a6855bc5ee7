package cli

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dagscope/panel"
	"dagscope/render"
	"dagscope/scene"
	"dagscope/trace"
)

// plotFlags are the flags of the verb as given.
type plotFlags struct {
	output   string
	panels   []string
	from, to float64 // ms
	width    int
	height   int
	scale    float64
	title    string
	nodes    []int32
	workers  []string
	idle     string
	bounds   map[string]string // name=ms
	source   bool
	outliers bool
	outlines bool
	fold     string
}

func newPlot() *cobra.Command {
	var f plotFlags
	cmd := &cobra.Command{
		Use:   "plot RUN… -o FILE.svg|pdf|png",
		Short: "Draw a run as a figure of panels over one time axis",
		Long: `Draw panels of one or several runs above each other on one time axis, as SVG,
PDF or PNG by the ending of FILE. The same arguments give the same bytes; the
recipe is in the file's metadata.

Panels:
` + panelList(),
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return plot(args, &f, cmd.Flags().Changed("from"), cmd.Flags().Changed("to"), cmd.OutOrStdout())
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "", "figure to write; - for SVG on standard output")
	flags.StringSliceVar(&f.panels, "panels", []string{"st"}, "panels from top to bottom")
	flags.Float64Var(&f.from, "from", 0, "left edge of the window in ms (default: the first task)")
	flags.Float64Var(&f.to, "to", 0, "right edge of the window in ms (default: the last task)")
	flags.IntVar(&f.width, "width", 1000, "width of the page in pixels")
	flags.IntVar(&f.height, "height", 0, "height of each panel in pixels (default: by its rows)")
	flags.Float64Var(&f.scale, "scale", 2, "PNG: image pixels per pixel")
	flags.BoolVar(&f.outlines, "outlines", false, "SVG: texts as shapes, for viewers without a font like Arial")
	flags.StringVar(&f.title, "title", "", "title above the figure")
	flags.Int32SliceVar(&f.nodes, "node", nil, "show only these nodes")
	flags.StringSliceVar(&f.workers, "worker", nil, "show only workers with names like these (*, ?, [a-c])")
	flags.StringVar(&f.idle, "idle", "tasks", "idle shares: tasks (time without task), runtime (Idle and Sleeping states) or none")
	flags.StringToStringVar(&f.bounds, "bound", nil, "vertical line NAME=MS")
	flags.BoolVar(&f.source, "source-colors", false, "use the colours that the trace gives")
	flags.BoolVar(&f.outliers, "outliers", true, "show outliers in full colour")
	flags.StringVar(&f.fold, "fold", "auto", "draw the workers of a node and architecture as one row: auto, always or never")
	cobra.CheckErr(cmd.MarkFlagRequired("output"))
	return cmd
}

func panelList() string {
	var b strings.Builder
	for _, p := range panel.All() {
		fmt.Fprintf(&b, "  %-14s%s\n", p.ID, p.Title)
	}
	return b.String()
}

func plot(args []string, f *plotFlags, from, to bool, out io.Writer) error {
	format := "svg"
	if f.output != "-" {
		var err error
		if format, err = render.FormatOf(f.output); err != nil {
			return usageError{err}
		}
	}
	options, err := f.options()
	if err != nil {
		return err
	}
	if err := panel.Drawable(f.panels); err != nil {
		return err
	}
	sources, err := loadSources(args)
	if err != nil {
		return err
	}
	options.Colors = panel.TaskColors(runsOf(sources), f.source)
	fig, err := panel.Figure(sources, f.spec(sources, from, to), options)
	if err != nil {
		return err
	}
	page, err := scene.Compose(fig)
	if err != nil {
		return err
	}
	write := func(w io.Writer) error {
		return render.Write(w, format, page, render.Options{Scale: f.scale, Outlines: f.outlines})
	}
	if f.output == "-" {
		return write(out)
	}
	return writeFile(f.output, write)
}

// options turns the flags into options of panels.
func (f *plotFlags) options() (panel.Options, error) {
	o := panel.Options{Nodes: f.nodes, Workers: f.workers}
	o.SpaceTime.HideOutliers = !f.outliers
	switch f.idle {
	case "tasks":
	case string(panel.IdleRuntime), string(panel.IdleNone):
		o.SpaceTime.Idle = panel.IdleBy(f.idle)
	default:
		return o, usagef("--idle: found %q, want tasks, runtime or none", f.idle)
	}
	switch f.fold {
	case "auto", "always", "never":
		o.SpaceTime.Fold, o.SpaceTime.NoFold = f.fold == "always", f.fold == "never"
	default:
		return o, usagef("--fold: found %q, want auto, always or never", f.fold)
	}
	for _, name := range sortedKeys(f.bounds) {
		ms, err := strconv.ParseFloat(f.bounds[name], 64)
		if err != nil {
			return o, usagef("--bound %s: found %q, want milliseconds", name, f.bounds[name])
		}
		o.SpaceTime.Bounds = append(o.SpaceTime.Bounds, panel.Bound{Name: name, NS: nanoseconds(ms)})
	}
	return o, nil
}

// spec turns the flags into the figure to make; edges of the window that were
// not given are those of the runs.
func (f *plotFlags) spec(sources []panel.Source, from, to bool) panel.FigureSpec {
	s := panel.FigureSpec{Title: f.title, Panels: f.panels, Width: f.width, Recipe: f.recipe(sources, from, to)}
	if !from && !to {
		return s
	}
	s.T0, s.T1, _ = panel.Window(runsOf(sources))
	s.Window = true
	if from {
		s.T0 = nanoseconds(f.from)
	}
	if to {
		s.T1 = nanoseconds(f.to)
	}
	return s
}

// recipe says how to make the figure again: the command with every flag that
// shapes it, and the runs with the checksums of their sources.
func (f *plotFlags) recipe(sources []panel.Source, from, to bool) []scene.Field {
	command := []string{"dagscope", "plot"}
	for _, s := range sources {
		command = append(command, s.Name)
	}
	command = append(command, "--panels", strings.Join(f.panels, ","), "--width", strconv.Itoa(f.width))
	flag := func(given bool, name, value string) {
		if given {
			command = append(command, strings.TrimSpace("--"+name+" "+value))
		}
	}
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	flag(from, "from", number(f.from))
	flag(to, "to", number(f.to))
	flag(f.title != "", "title", strconv.Quote(f.title))
	flag(f.scale != 2, "scale", number(f.scale))
	flag(f.outlines, "outlines", "")
	flag(f.height > 0, "height", strconv.Itoa(f.height))
	flag(f.idle != "tasks", "idle", f.idle)
	flag(f.fold != "auto", "fold", f.fold)
	flag(!f.outliers, "outliers=false", "")
	flag(f.source, "source-colors", "")
	flag(len(f.workers) > 0, "worker", strconv.Quote(strings.Join(f.workers, ",")))
	for _, n := range f.nodes {
		flag(true, "node", strconv.Itoa(int(n)))
	}
	for _, name := range sortedKeys(f.bounds) {
		flag(true, "bound", name+"="+f.bounds[name])
	}
	fields := []scene.Field{{Name: "made by", Value: "dagscope " + version}, {Name: "command", Value: strings.Join(command, " ")}}
	for _, s := range sources {
		for _, file := range s.Run.Meta.Sources {
			fields = append(fields, scene.Field{Name: "source of " + s.Name, Value: filepath.Base(file.Path) + " sha256 " + file.SHA256})
		}
	}
	return fields
}

// plotTables is what the panels read.
var plotTables = []string{"resource", "task", "segment", "state"}

func loadSources(paths []string) ([]panel.Source, error) {
	var sources []panel.Source
	for _, path := range paths {
		r, err := openRun(path)
		if err != nil {
			return nil, err
		}
		loaded, err := r.Load(plotTables...)
		if err != nil {
			return nil, err
		}
		sources = append(sources, panel.Source{Name: filepath.Base(filepath.Clean(path)), Run: loaded})
	}
	return sources, nil
}

func runsOf(sources []panel.Source) []*trace.Run {
	var runs []*trace.Run
	for _, s := range sources {
		runs = append(runs, s.Run)
	}
	return runs
}

func sortedKeys(m map[string]string) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func nanoseconds(ms float64) int64 { return int64(math.Round(ms * float64(time.Millisecond))) }
