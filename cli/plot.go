package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dagscope/internal/regular"
	"dagscope/show/figure"
	"dagscope/show/panel/core"
	"dagscope/show/panel/layout"
	"dagscope/show/render"
	"dagscope/show/scene"
	"dagscope/show/setting"
	"dagscope/trace"
)

// plotFlags are the flags that are no keys of a configuration.
type plotFlags struct {
	output string
	config string
	recipe string
	set    []string
	marks  []string
	frames int
}

func newPlot() *cobra.Command {
	var f plotFlags
	cmd := &cobra.Command{
		Use:   "plot RUN… -o FILE.svg|pdf|png",
		Short: "Draw runs as a figure of panels over one time axis",
		Long: `Draw panels of one or several runs on one time axis, as SVG, PDF or PNG by the
ending of FILE. The same arguments give the same bytes. Inside the file is its
recipe: --recipe FILE makes it again. Every flag below that names a key is that
key of a configuration file; docs/plot.md has all of them. FILE.gif with panel
snapshot is an animation.

Panels:
` + panelList(),
		Example: `  dagscope plot run.dsr -o run.pdf --panels st:3,iterations,ready --size column
  dagscope plot dmda.dsr dmdas.dsr lws.dsr -o compare.svg --facets columns
  dagscope plot run.dsr -o run.png --config figure.yaml --set st.alpha=0.4
  dagscope plot --recipe run.png -o again.png`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 && f.recipe == "" {
				return errors.New("found no run, want RUN… or --recipe FILE")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return plot(cmd, args, &f) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "", "figure to write; - for SVG on standard output")
	flags.StringVar(&f.config, "config", "", "take keys from this YAML `FILE`; flags go before it")
	flags.StringVar(&f.recipe, "recipe", "", "make the figure again that is in `FILE` (svg, pdf or png); runs that are given stand for its own")
	flags.StringArrayVar(&f.set, "set", nil, "set a key of the configuration, `KEY=VALUE`")
	flags.IntVar(&f.frames, "frames", 50, "pictures of an animation (FILE.gif with panel snapshot) over the window")
	flags.StringArrayVar(&f.marks, "mark", nil, "vertical line on every panel, `MS` or MS=LABEL")
	for _, k := range figure.Keys() {
		if k.Flag != "" {
			keyFlag(flags, &k)
		}
	}
	cobra.CheckErr(cmd.MarkFlagRequired("output"))
	return cmd
}

// keyFlag declares the flag of a key, with the type in its help.
func keyFlag(flags *pflag.FlagSet, k *figure.Key) {
	doc := fmt.Sprintf("%s (%s)", strings.ReplaceAll(k.Doc, "`", ""), k.Name)
	if k.Type().Kind == setting.Bool {
		flags.String(k.Flag, "", doc)
		flags.Lookup(k.Flag).NoOptDefVal = "true"
		return
	}
	flags.StringArray(k.Flag, nil, doc)
}

func panelList() string {
	var b strings.Builder
	for _, p := range core.All() {
		fmt.Fprintf(&b, "  %-14s%s\n", p.ID, p.Title)
	}
	return b.String()
}

func plot(cmd *cobra.Command, args []string, f *plotFlags) error {
	format := "svg"
	switch {
	case animated(f.output):
		format = "gif"
	case f.output != "-":
		var err error
		if format, err = render.FormatOf(f.output); err != nil {
			return usageError{err}
		}
	}
	spec := figure.Default()
	made, err := f.start(spec, format, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	if err := f.keys(spec, cmd.Flags()); err != nil {
		return usageError{err}
	}
	if format == "gif" {
		if err := f.checkFrames(spec); err != nil {
			return err
		}
	}
	sources, inputs, err := loadSources(args, spec, made)
	if err != nil {
		return err
	}
	if err := warnUnmatched(cmd.ErrOrStderr(), spec, sources); err != nil {
		return err
	}
	if format == "gif" {
		return f.animate(spec, sources)
	}
	fig, err := spec.Figure(sources, func(shown *figure.Spec) []scene.Field { return shown.Fields(version, format, inputs) })
	if err != nil {
		return err
	}
	page, err := scene.Compose(fig)
	if err != nil {
		return err
	}
	write := func(w io.Writer) error {
		return render.Write(w, format, page, render.Options{Scale: spec.Scale(), Outlines: spec.Outlines})
	}
	if f.output == "-" {
		return write(raw(cmd.OutOrStdout()))
	}
	return writeFile(f.output, write)
}

// warnUnmatched says what was asked for and is in none of the runs.
func warnUnmatched(errs io.Writer, spec *figure.Spec, sources []layout.Source) error {
	var runs []*trace.Run
	for _, s := range sources {
		runs = append(runs, s.Run)
	}
	lines, err := spec.Unmatched(runs)
	for _, line := range lines {
		fmt.Fprintln(errs, line)
	}
	return err
}

// start sets the keys of the recipe and of the configuration; made is nil
// without a recipe.
func (f *plotFlags) start(spec *figure.Spec, format string, errs io.Writer) (made *figure.Made, err error) {
	if f.recipe != "" {
		if made, err = readRecipe(f.recipe, spec); err != nil {
			return nil, err
		}
		switch {
		case made.Format != format:
			fmt.Fprintf(errs, "%s: the figure was %s; %s has the same drawing but not the same bytes\n", f.recipe, made.Format, format)
		case made.Version != version:
			fmt.Fprintf(errs, "%s: made by dagscope %s, this is %s: the bytes may differ\n", f.recipe, made.Version, version)
		}
	}
	if f.config == "" {
		return made, nil
	}
	text, err := regular.Read(f.config, maxConfig)
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	notices, err := spec.Parse(f.config, text)
	for _, n := range notices {
		fmt.Fprintf(errs, "%s:%d: %s\n", f.config, n.Line, n.Text)
	}
	if err != nil {
		return nil, usageError{err}
	}
	return made, nil
}

// Sizes of files that a figure is made from.
const (
	maxConfig = 1 << 20   // keys that people write
	maxFigure = 256 << 20 // a drawing with its recipe
)

func readRecipe(file string, spec *figure.Spec) (*figure.Made, error) {
	data, err := regular.Read(file, maxFigure)
	if err != nil {
		return nil, fmt.Errorf("read recipe: %w", err)
	}
	text, _, err := render.Recipe(data)
	if err != nil {
		return nil, fmt.Errorf("read recipe of %s: %w", file, err)
	}
	return spec.ParseRecipe(file, text)
}

// keys sets the keys that flags name.
func (f *plotFlags) keys(spec *figure.Spec, flags *pflag.FlagSet) error {
	for _, k := range figure.Keys() {
		flag := flags.Lookup(k.Flag)
		if k.Flag == "" || !flag.Changed {
			continue
		}
		values := []string{flag.Value.String()}
		if many, ok := flag.Value.(pflag.SliceValue); ok {
			values = many.GetSlice()
			if !k.Type().List {
				values = values[len(values)-1:]
			}
		}
		if err := spec.Set(k.Name, strings.Join(values, ",")); err != nil {
			return fmt.Errorf("--%s: %w", k.Flag, err)
		}
	}
	for _, set := range f.set {
		name, value, ok := strings.Cut(set, "=")
		if !ok {
			return fmt.Errorf("found --set %q, want KEY=VALUE", set)
		}
		if err := spec.Set(name, value); err != nil {
			return err
		}
	}
	return f.mark(spec)
}

// mark adds vertical lines to those of the configuration.
func (f *plotFlags) mark(spec *figure.Spec) error {
	for _, m := range f.marks {
		at, label, _ := strings.Cut(m, "=")
		ms, err := strconv.ParseFloat(at, 64)
		if err != nil {
			return fmt.Errorf("found --mark %q, want MS or MS=LABEL", m)
		}
		for len(spec.MarkLabels) < len(spec.MarkTimes) {
			spec.MarkLabels = append(spec.MarkLabels, "")
		}
		spec.MarkTimes, spec.MarkLabels = append(spec.MarkTimes, ms), append(spec.MarkLabels, label)
	}
	return nil
}

// loadSources loads what the panels need of the runs that are given, or of
// those of the recipe, which must be the same still.
func loadSources(paths []string, spec *figure.Spec, made *figure.Made) ([]layout.Source, []figure.Input, error) {
	given := paths
	if made != nil && len(paths) > 0 && len(paths) != len(made.Runs) {
		return nil, nil, usagef("found %d runs, want %d as in the recipe", len(paths), len(made.Runs))
	}
	if made != nil && len(paths) == 0 {
		for _, r := range made.Runs {
			given = append(given, r.Path)
		}
	}
	if err := apart(given); err != nil {
		return nil, nil, err
	}
	reads, err := spec.Reads()
	if err != nil {
		return nil, nil, err
	}
	var sources []layout.Source
	var inputs []figure.Input
	for i, path := range given {
		r, err := openRun(path)
		if err != nil {
			return nil, nil, err
		}
		input := figure.Input{Path: path, SHA256: r.Checksum()}
		if made != nil {
			if err := made.CheckRun(i, path, input.SHA256); err != nil {
				return nil, nil, err
			}
			input = made.Runs[i]
		}
		loaded, err := r.Load(reads...)
		if err != nil {
			return nil, nil, err
		}
		sources = append(sources, layout.Source{Name: runName(input.Path), Run: loaded})
		inputs = append(inputs, input)
	}
	return sources, inputs, nil
}

// runName is the name of a run in a figure unless it is given another.
func runName(path string) string {
	return strings.TrimSuffix(filepath.Base(filepath.Clean(path)), ".dsr")
}
