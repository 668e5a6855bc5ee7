package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"dagscope/internal/words"
	"dagscope/predict/perfmodel"
	"dagscope/trace"
)

// calibration is what the flags of calibrate say.
type calibration struct {
	out      string
	method   string
	formulas []string
	asJSON   bool
	full     bool
	o        perfmodel.FitOptions
}

func newCalibrate() *cobra.Command {
	var c calibration
	var methods []string
	for _, m := range perfmodel.Methods {
		methods = append(methods, string(m))
	}
	cmd := &cobra.Command{
		Use:   "calibrate RUN… -o kernels.yaml",
		Short: "Fit models of how long kernels take, for simulate",
		Long: `Fit a model of the durations of each kind of tasks on each architecture to the
tasks of one or several runs, print how well they fit, and write them as simulate
reads them (models: {file: kernels.yaml}). docs/models.md has the methods, the
columns of the table and the form of the file. calibrate kernels fits those of a
sparse QR factorization to timings of any origin.`,
		Example: `  dagscope calibrate run.dsr -o kernels.yaml
  dagscope calibrate run.dsr --method regression --relative --reject -o kernels.yaml
  dagscope calibrate e18.dsr --method regression --formula 'panel=p1*p2^2 + p2^3*p3' --json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("found no run, want RUN…")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd.OutOrStdout(), args) },
	}
	f := cmd.Flags()
	f.StringVarP(&c.out, "output", "o", "", "write the models to this `FILE`")
	f.StringVar(&c.method, "method", string(perfmodel.History), "one of "+strings.Join(methods, ", "))
	f.StringArrayVar(&c.formulas, "formula", nil, "terms of regressions, `FORMULA` for all kinds or KIND=FORMULA: products of powers of gflop, bytes and the dimensions p1, p2, … of data, with + between")
	f.BoolVar(&c.o.Relative, "relative", false, "errors of regressions count as shares of the duration")
	f.BoolVar(&c.o.Reject, "reject", false, "leave out tasks beyond the quartiles by 1.5 times their distance")
	f.BoolVar(&c.o.ByDevice, "by-device", false, "a model for each GPU instead of each architecture")
	f.Float64Var(&c.o.Level, "level", 0.95, "of the intervals of coefficients")
	f.BoolVar(&c.full, "full", false, "print the entries of histories too")
	f.BoolVar(&c.asJSON, "json", false, "print JSON (docs/models.md has the contract)")
	kernels := newCalibrateKernels()
	asVerb(kernels)
	cmd.AddCommand(kernels)
	return cmd
}

func (c *calibration) run(w io.Writer, paths []string) error {
	if err := c.options(); err != nil {
		return err
	}
	if err := c.target(); err != nil {
		return err
	}
	var runs []*trace.Run
	for _, path := range paths {
		r, err := openRun(path)
		if err != nil {
			return err
		}
		run, err := r.Load(perfmodel.FitNeeds...)
		if err != nil {
			return err
		}
		runs = append(runs, run)
	}
	set, err := perfmodel.FitModels(runs, c.o)
	if err != nil {
		return err
	}
	if c.out != "" {
		if err := writeModels(c.out, set); err != nil {
			return err
		}
	}
	if c.asJSON {
		return writeJSON(w, fitsOf(set))
	}
	return writeFits(w, set, c.full)
}

// writeModels writes a file of models.
func writeModels(path string, set *perfmodel.Set) error {
	text, err := set.YAML()
	if err != nil {
		return fmt.Errorf("write models: %w", err)
	}
	return writeFile(path, func(w io.Writer) error { _, err := w.Write(text); return err })
}

// target makes sure that no file but one of models is replaced.
func (c *calibration) target() error {
	file, err := os.Stat(c.out)
	if err != nil || !file.Mode().IsRegular() || file.Size() == 0 {
		return nil // if it cannot be written to, writing says so
	}
	if _, err := perfmodel.ReadYAML(c.out); err != nil {
		return fmt.Errorf("write models: found a file that holds something else, want a new one or one of models: %w", err)
	}
	return nil
}

// options checks what the flags say before runs are read.
func (c *calibration) options() (err error) {
	if c.o.Method = perfmodel.Method(c.method); !slices.Contains(perfmodel.Methods, c.o.Method) {
		return usagef("found --method %q, want one of %v", c.method, perfmodel.Methods)
	}
	if err := checkLevel(c.o.Level); err != nil {
		return err
	}
	if len(c.formulas) > 0 && c.o.Method != perfmodel.Linear && c.o.Method != perfmodel.NonLinear {
		return usagef("--formula means nothing without --method regression or power")
	}
	if c.o.Formulas, err = readFormulas(c.formulas); err != nil {
		return err
	}
	c.o.Formula = c.o.Formulas[""]
	delete(c.o.Formulas, "")
	return nil
}

func checkLevel(level float64) error {
	if !(level > 0 && level < 1) {
		return usagef("found --level %g, want one between 0 and 1", level)
	}
	return nil
}

// readFormulas reads KIND=FORMULA, or FORMULA for all kinds: those of kind "".
func readFormulas(flags []string) (map[string]string, error) {
	formulas := map[string]string{}
	for _, f := range flags {
		kind, formula, one := strings.Cut(f, "=")
		if !one {
			kind, formula = "", f
		}
		if err := perfmodel.CheckFormula(formula); err != nil {
			return nil, usageError{err}
		}
		formulas[kind] = formula
	}
	return formulas, nil
}

// fitJSON is a model as --json prints it; null where a number has no meaning.
type fitJSON struct {
	Kind          string        `json:"kind"`
	Arch          string        `json:"arch"`
	Device        *int32        `json:"device"` // null: all
	Method        string        `json:"method"`
	Tasks         int           `json:"tasks"`
	Rejected      int           `json:"rejected"`
	Unknown       int           `json:"unknown"`
	Mean          float64       `json:"mean_ns"`
	Deviation     float64       `json:"deviation_ns"`
	RelativeError *float64      `json:"relative_error"`
	Bias          *float64      `json:"bias"`
	Logarithmic   bool          `json:"logarithmic,omitempty"`
	Relative      bool          `json:"relative,omitempty"`
	Sigma         *float64      `json:"residual_error,omitempty"`
	R2            *float64      `json:"r2,omitempty"`
	AdjR2         *float64      `json:"adjusted_r2,omitempty"`
	Condition     *float64      `json:"condition,omitempty"`
	Coefficients  []coefJSON    `json:"coefficients,omitempty"`
	History       []entryJSON   `json:"history,omitempty"`
	Warnings      []warningJSON `json:"warnings"`
}

type coefJSON struct {
	Term     string   `json:"term"`
	Estimate float64  `json:"estimate"`
	StdErr   *float64 `json:"std_err"`
	Low      *float64 `json:"low"`
	High     *float64 `json:"high"`
	T        *float64 `json:"t"`
	P        *float64 `json:"p"`
}

type entryJSON struct {
	Footprint string  `json:"footprint"`
	Bytes     int64   `json:"bytes"`
	GFlop     float64 `json:"gflop"`
	Mean      float64 `json:"mean_ns"`
	Deviation float64 `json:"deviation_ns"`
	Count     int64   `json:"count"`
}

type warningJSON struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

func fitsOf(set *perfmodel.Set) (out struct {
	Models []fitJSON `json:"models"`
}) {
	for i := range set.Models {
		out.Models = append(out.Models, fitOf(&set.Models[i]))
	}
	return out
}

func fitOf(m *perfmodel.Model) fitJSON {
	f := m.Fit
	j := fitJSON{
		Kind: m.Kind, Arch: m.Arch, Method: string(m.Method), Tasks: f.Tasks, Rejected: f.Rejected, Unknown: f.Unknown,
		Mean: f.Observed, Deviation: f.Deviation, RelativeError: known(f.RelError), Bias: known(f.Bias), Logarithmic: f.Log, Relative: f.Relative, Warnings: []warningJSON{},
	}
	if m.Device != perfmodel.Any {
		j.Device = &m.Device
	}
	if len(f.Coef) > 0 {
		j.Sigma, j.R2, j.AdjR2, j.Condition = known(f.Sigma), known(f.R2), known(f.AdjR2), known(f.Cond)
	}
	for _, c := range f.Coef {
		j.Coefficients = append(j.Coefficients, coefJSON{c.Term, c.Estimate, known(c.StdErr), known(c.Low), known(c.High), known(c.T), known(c.P)})
	}
	for _, e := range m.History {
		j.History = append(j.History, entryJSON{fmt.Sprintf("%08x", e.Footprint), e.Bytes, e.GFlop, e.Mean, e.Deviation, e.Count})
	}
	for _, w := range f.Warnings {
		j.Warnings = append(j.Warnings, warningJSON{w.Code, w.Text})
	}
	return j
}

// known is nil for what JSON has no number for.
func known(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// writeFits prints the table of fits for people, then coefficients, histories
// and warnings.
func writeFits(w io.Writer, set *perfmodel.Set, full bool) error {
	g := grid{right: map[int]bool{3: true, 4: true, 5: true, 6: true, 7: true, 8: true}}
	g.add("kind", "on", "method", "tasks", "left out", "mean", "deviation", "relative error", "adjusted R²")
	for i := range set.Models {
		m := &set.Models[i]
		f := m.Fit
		g.add(m.Kind, placeOf(m), string(m.Method), words.Count(f.Tasks), words.Count(f.Rejected+f.Unknown), words.Precise(int64(f.Observed)), words.Precise(int64(f.Deviation)),
			words.Percent(f.RelError), orDash(len(f.Coef) > 0 && !math.IsNaN(f.AdjR2), strconv.FormatFloat(f.AdjR2, 'f', 4, 64)))
	}
	if err := g.write(w); err != nil {
		return err
	}
	for i := range set.Models {
		if err := writeFit(w, &set.Models[i], full); err != nil {
			return err
		}
	}
	return writeFew(w, set)
}

// writeFew names the models that were made of few tasks in one sentence.
func writeFew(w io.Writer, set *perfmodel.Set) error {
	var few []string
	for i := range set.Models {
		m := &set.Models[i]
		if slices.ContainsFunc(m.Fit.Warnings, isFew) {
			few = append(few, fmt.Sprintf("%s on %s (%s)", words.OneLine(m.Kind), placeOf(m), words.Count(m.Fit.Tasks)))
		}
	}
	if len(few) == 0 {
		return nil
	}
	_, err := fmt.Fprintf(w, "\nfew tasks to go by: %s\n", strings.Join(few, ", "))
	return err
}

func isFew(w perfmodel.Warning) bool { return w.Code == perfmodel.WarnFew }

func placeOf(m *perfmodel.Model) string {
	if m.Device == perfmodel.Any {
		return words.OneLine(m.Arch)
	}
	return fmt.Sprintf("%s %d", words.OneLine(m.Arch), m.Device)
}

// writeFit prints what is to be known of one model beyond its line.
func writeFit(w io.Writer, m *perfmodel.Model, full bool) error {
	f := m.Fit
	warnings := slices.DeleteFunc(slices.Clone(f.Warnings), isFew)
	if len(f.Coef) == 0 && len(warnings) == 0 && !(full && len(m.History) > 0) {
		return nil
	}
	fmt.Fprintf(w, "\n%s on %s\n", words.OneLine(m.Kind), placeOf(m))
	if err := writeCoefficients(w, f); err != nil {
		return err
	}
	if full {
		if err := writeHistory(w, m); err != nil {
			return err
		}
	}
	for _, warning := range warnings {
		if _, err := fmt.Fprintf(w, "  %s: %s\n", warning.Code, warning.Text); err != nil {
			return err
		}
	}
	return nil
}

func writeCoefficients(w io.Writer, f *perfmodel.Fit) error {
	if len(f.Coef) == 0 {
		return nil
	}
	g := grid{indent: "  ", right: map[int]bool{1: true, 2: true, 3: true, 4: true, 5: true, 6: true}}
	unit := "estimate (ns)"
	if f.Log {
		unit = "estimate"
	}
	g.add("term", unit, "std. error", "from", "to", "t", "p")
	for _, c := range f.Coef {
		g.add(c.Term, digits(c.Estimate), digits(c.StdErr), digits(c.Low), digits(c.High), digits(c.T), digits(c.P)+stars(c.P))
	}
	if err := g.write(w); err != nil {
		return err
	}
	sigma := words.Precise(int64(f.Sigma))
	switch {
	case f.Log:
		sigma = digits(f.Sigma)
	case f.Relative:
		sigma = words.Percent(f.Sigma)
	}
	_, err := fmt.Fprintf(w, "  %s, R² %s, adjusted %s, residual error %s, condition %s\n", words.Plural(f.Tasks, "task"), digits(f.R2), digits(f.AdjR2), sigma, digits(f.Cond))
	return err
}

// digits shows four significant digits.
func digits(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// stars are those of the paper's tables: p below 0.01, 0.05, 0.1.
func stars(p float64) string {
	for i, limit := range []float64{0.01, 0.05, 0.1} {
		if p < limit {
			return " " + strings.Repeat("*", 3-i) + strings.Repeat(" ", i)
		}
	}
	return "    "
}

func writeHistory(w io.Writer, m *perfmodel.Model) error {
	g := grid{indent: "  ", right: map[int]bool{1: true, 2: true, 3: true, 4: true}}
	g.add("footprint", "bytes", "tasks", "mean", "deviation")
	for _, e := range m.History {
		g.add(fmt.Sprintf("%08x", e.Footprint), words.Count(e.Bytes), words.Count(e.Count), words.Precise(int64(e.Mean)), words.Precise(int64(e.Deviation)))
	}
	if len(m.History) == 0 {
		return nil
	}
	return g.write(w)
}
