package cli

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dagscope/diagnose/finding"
	"dagscope/diagnose/proof"
	"dagscope/diagnose/report"
	"dagscope/explain/bound"
	"dagscope/explain/breakdown"
	"dagscope/explain/efficiency"
	"dagscope/explain/numbers/panels"
	"dagscope/explain/outlier"
	"dagscope/internal/words"
	"dagscope/predict/whatif"
	"dagscope/show/panel/core"
	"dagscope/show/panel/layout"
	"dagscope/show/render"
	"dagscope/show/scene"
	"dagscope/trace"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// reportFlags are the flags of the verb as given.
type reportFlags struct {
	json       bool
	full       bool
	color      string
	html, md   string
	generation string
	counted    bool
	duration   durationFlag
	used       bool
	starvz     bool
	method     string
	byNode     bool
	from, to   float64
	roi        string
	waiting    string
	replay     bool
	run        string // as typed
	exact, all bool
	budget     time.Duration
}

func newReport() *cobra.Command {
	var f reportFlags
	cmd := &cobra.Command{
		Use:   "report RUN",
		Short: "Where the makespan went, how short it could be, what to look at first",
		Long: `Print what cost most in a run, in one sentence, and on one screen what that
follows from: lower bound, efficiencies, what the makespan and the workers' idle
time consisted of, findings. Warnings about the data come first. --full adds all
tables; docs/report.md defines every number.`,
		Args: arguments("RUN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := f.options(cmd.Flags().Changed("from"), cmd.Flags().Changed("to"))
			if err != nil {
				return err
			}
			r, err := openRun(args[0])
			if err != nil {
				return err
			}
			run, err := r.Load(report.Needs...)
			if err != nil {
				return err
			}
			if cmd.Flags().Changed("generation") {
				if err := run.SetGeneration(f.generation); err != nil {
					return usageError{err}
				}
			}
			if f.roi != "" {
				if _, _, err := breakdown.Region(run, f.roi); err != nil {
					return usageError{err}
				}
			}
			if f.starvz {
				report.LikeStarVZ(run, &o)
			}
			if o.Bound.Duration == bound.Model {
				if _, err := bound.ModelHost(run); err != nil {
					return err
				}
			}
			if f.replay {
				if o.Replayed, err = replayed(args[0]); err != nil {
					return err
				}
			}
			f.run = words.Shell(args[0])
			computed := report.Compute(runName(args[0]), run, o)
			verdict := ""
			if !f.exact && !f.starvz && !f.counted && !cmd.Flags().Changed("generation") {
				if verdict, err = f.prove(cmd, args[0], r, computed); err != nil {
					return err
				}
			}
			return f.write(cmd.OutOrStdout(), computed, run, verdict)
		},
	}
	fl := cmd.Flags()
	fl.BoolVar(&f.json, "json", false, "print JSON (docs/report.md has the contract)")
	fl.BoolVar(&f.full, "full", false, "print all tables, not only the first screen")
	fl.BoolVar(&f.replay, "replay", false, "simulate the recorded schedule again, with and without the time of transfers, to divide the communication efficiency (with --full, --json)")
	fl.BoolVar(&f.exact, "no-simulate", false, "print what is known without simulations: gains are upper bounds then")
	fl.DurationVar(&f.budget, "budget", 10*time.Second, "time for simulations; 0 until all is tried")
	fl.BoolVar(&f.all, "all", false, "list findings too whose repair gains less than 1 %, or nothing, when simulated")
	fl.StringVar(&f.color, "color", "auto", "colours: auto (on a terminal, unless NO_COLOR is set), always or never")
	fl.StringVar(&f.html, "html", "", "write a self-contained page with the space-time figure to `FILE`")
	fl.StringVar(&f.md, "md", "", "write Markdown to `FILE`, the figure beside it")
	fl.StringVar(&f.generation, "generation", "", "`REGEX` of the kinds that prepare the input, instead of that of the import; none for none")
	fl.BoolVar(&f.counted, "count-generation", false, "count tasks that prepare the input")
	f.duration.register(fl, durationsDoc)
	fl.BoolVar(&f.used, "used-workers", false, "bounds: count only workers that ran a task, which is one part of what StarVZ does (--starvz)")
	fl.BoolVar(&f.starvz, "starvz", false, "count what StarVZ 0.8.4 counts, to compare with its numbers (docs/report.md)")
	fl.StringVar(&f.method, "outliers", "auto", "how outliers are found: `METHOD[,FACTOR]`, METHOD "+methods()+", FACTOR how many times the usual they take (default 1.2)")
	fl.BoolVar(&f.byNode, "outliers-by-node", false, "find outliers node by node")
	fl.Float64Var(&f.from, "from", 0, "start of the breakdown in ms")
	fl.Float64Var(&f.to, "to", 0, "end of the breakdown in ms (default: the makespan; of OpenMP programs the end of the recording)")
	fl.StringVar(&f.roi, "roi", "", "`REGION` of the breakdown: parallel (first parallel region to the last), or A..B between two marks of the program")
	fl.StringVar(&f.waiting, "waiting-ready", "on", "whether tasks that wait for others which are done count as ready: on or off")
	cmd.MarkFlagsMutuallyExclusive("roi", "from")
	cmd.MarkFlagsMutuallyExclusive("roi", "to")
	cmd.MarkFlagsMutuallyExclusive("json", "html", "md")
	return cmd
}

// replayed are the makespans of the recorded schedule with and without transfers.
func replayed(path string) (*efficiency.Replayed, error) {
	run, err := loadRecorded(path)
	if err != nil {
		return nil, err
	}
	r := &efficiency.Replayed{}
	r.Makespan, r.Instant, err = whatif.Instantaneous(run)
	return r, err
}

func methods() string {
	names := make([]string, len(outlier.Methods))
	for i, m := range outlier.Methods {
		names[i] = string(m)
	}
	return strings.Join(names, ", ")
}

// options turns the flags into options of the report; from and to say whether
// --from and --to were given.
func (f *reportFlags) options(from, to bool) (o report.Options, err error) {
	o.Generation, o.Region = f.counted, f.roi
	if f.budget < 0 {
		return o, usagef("found --budget %v, want none below 0", f.budget)
	}
	if !slices.Contains([]string{"auto", "always", "never"}, f.color) {
		return o, usagef("found --color %q, want auto, always or never", f.color)
	}
	waiting, ok := panels.WaitingOf(f.waiting)
	if !ok {
		return o, usagef("found --waiting-ready %q, want on or off", f.waiting)
	}
	o.Breakdown.WaitingNotReady = waiting == panels.WaitingNotReady
	o.Bound.UsedWorkers = f.used
	if o.Bound.Duration, o.Bound.Sources, o.Sources, err = f.duration.read(); err != nil {
		return o, err
	}
	method, factor, err := outlier.Parse(f.method)
	if err != nil {
		return o, usagef("found --outliers %q: %v", f.method, err)
	}
	o.Outlier = outlier.Options{Method: method, Factor: factor, ByNode: f.byNode}
	for _, edge := range []float64{f.from, f.to} {
		if math.IsNaN(edge) || math.Abs(edge) > 1e12 {
			return o, usagef("found --from %g --to %g, want milliseconds", f.from, f.to)
		}
	}
	if from || to {
		o.Window = report.Window{Extent: report.ToEnd, From: int64(math.Round(f.from * 1e6))}
	}
	if to {
		o.Window.Extent, o.Window.To = report.Between, int64(math.Round(f.to*1e6))
		if f.to <= f.from {
			return o, usagef("found --from %g and --to %g, want a window of positive length", f.from, f.to)
		}
	}
	return o, nil
}

// prove tries the findings by simulation. On a terminal it prints first what needs
// none, and returns the verdict that it printed.
func (f *reportFlags) prove(cmd *cobra.Command, path string, source run, r *report.Report) (verdict string, _ error) {
	found, gap := r.Candidates()
	if !proof.Worthwhile(found, gap) {
		return "", nil
	}
	out := cmd.OutOrStdout()
	if file, ok := onTerminal(out); ok && term.IsTerminal(int(file.Fd())) && !f.json && f.html == "" && f.md == "" {
		o, w := f.text(out)
		if err := r.WriteExact(w, o); err != nil {
			return "", err
		}
		verdict = r.Verdict.Text
	}
	recorded, err := source.Load(recordedColumns()...)
	if err != nil {
		return "", err
	}
	tell, finish := countProgress(cmd.ErrOrStderr(), "simulating repairs")
	defer finish()
	r.Prove(proof.Prove(cmd.Context(), recorded, found, proof.Options{
		Path: path, Budget: f.budget, Gap: gap, Seen: func(_ *finding.Proofs, done, planned int) { tell(done, planned) },
	}), f.all)
	return verdict, nil
}

func (f *reportFlags) write(out io.Writer, r *report.Report, run *trace.Run, verdict string) error {
	switch {
	case f.json:
		return writeJSON(out, r)
	case f.html != "":
		svg, err := reportFigure(r, run)
		if err != nil {
			return err
		}
		return writeFile(f.html, func(w io.Writer) error { return r.WriteHTML(w, svg) })
	case f.md != "":
		return writeMarkdown(f.md, r, run)
	}
	o, w := f.text(out)
	if verdict != "" {
		return r.WriteFindings(w, o, verdict)
	}
	return r.WriteText(w, o)
}

// text is how the report is printed on a stream, and where: a report with colours
// escapes names itself.
func (f *reportFlags) text(out io.Writer) (o report.TextOptions, w io.Writer) {
	o.Full, o.Width, o.Run = f.full, columns(out), f.run
	if f.color == "always" || f.color == "auto" && colored(out) {
		o.Colors, o.ClassColor = true, core.ClassColor
		return o, raw(out)
	}
	return o, out
}

func writeMarkdown(path string, r *report.Report, run *trace.Run) error {
	svg, err := reportFigure(r, run)
	if err != nil {
		return err
	}
	figure := ""
	if svg != nil {
		figure = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) + ".svg"
		file := filepath.Join(filepath.Dir(path), figure)
		if err := writeFile(file, func(w io.Writer) error { _, err := w.Write(svg); return err }); err != nil {
			return err
		}
	}
	return writeFile(path, func(w io.Writer) error { return r.WriteMarkdown(w, figure) })
}

// reportFigure draws the space-time panel with the bounds; nil when the run
// has nothing to draw.
func reportFigure(r *report.Report, run *trace.Run) ([]byte, error) {
	if _, _, ok := core.Window([]*trace.Run{run}); !ok {
		return nil, nil
	}
	o := core.Options{Colors: core.TaskColors([]*trace.Run{run}, false)}
	if b := r.Bounds; b != nil {
		o.SpaceTime.Bounds = []core.Bound{{Name: "ABE", NS: b.ABE}, {Name: "CPE", NS: b.CPE}}
	}
	fig, err := layout.Figure([]layout.Source{{Name: r.Run, Run: run}}, layout.Spec{Panels: []string{"st"}, Width: 1000}, o)
	if err != nil {
		return nil, fmt.Errorf("draw figure: %w", err)
	}
	p, err := scene.Compose(fig)
	if err != nil {
		return nil, fmt.Errorf("draw figure: %w", err)
	}
	var b bytes.Buffer
	if err := render.Write(&b, "svg", p, render.Options{}); err != nil {
		return nil, fmt.Errorf("draw figure: %w", err)
	}
	return b.Bytes(), nil
}
