package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"dagscope/internal/wholefile"
	"dagscope/internal/words"
	"dagscope/predict/calibrate"
	"dagscope/predict/workload/sparse"
	"dagscope/show/render"

	"github.com/spf13/cobra"
)

// kernelCalibration is what the flags of calibrate kernels say.
type kernelCalibration struct {
	out, plot, emit, timings string
	contention               []string
	formulas                 []string
	csv                      calibrate.CSVOptions
	weights                  string
	o                        calibrate.Options
	asJSON                   bool

	measure, pureGo bool
	design          calibrate.DesignOptions
	build           calibrate.BuildOptions
	libs, region    string
	threads, kinds  []string

	matrix  sparseAnalysis
	program *sparse.Program
	dpi     float64
}

func newCalibrateKernels() *cobra.Command {
	var c kernelCalibration
	cmd := &cobra.Command{
		Use:   "kernels [TIMINGS.csv|RUN…] -o kernels.yaml",
		Short: "Calibrate the kernels of a sparse QR factorization, or any with a formula",
		Long: `Fit how long the kernels of a multifrontal QR factorization take (Panel, Update,
Do_subtree, Activate, Assemble, Deactivate), or any kernels with a formula, to
timings from tables, to the tasks of runs, or to measurements made here, and print
the regressions with all that tells whether to believe them. With a matrix,
measurements are chosen for the tasks that its factorization has, tables of tasks
get the parameters that tracers do not know, and the report says where models are
extrapolated. docs/calibrate.md goes from a machine to a prediction.`,
		Example: `  dagscope calibrate kernels timings.csv --weights relative -o kernels.yaml --plot residuals.png
  dagscope calibrate kernels --measure --matrix TF15.mtx --workers 8 --threads 1,8 -o kernels.yaml
  dagscope calibrate kernels --emit bench.c --matrix TF15.mtx
  dagscope calibrate kernels tasks.csv.gz --matrix M.mtx --perm perm.csv --workers 8 -o kernels.yaml`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd, args) },
	}
	c.flags(cmd)
	return cmd
}

func (c *kernelCalibration) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&c.out, "output", "o", "", "write the models to this `FILE`")
	f.StringVar(&c.plot, "plot", "", "draw residuals to this `FILE` (svg, pdf, png)")
	f.Float64Var(&c.dpi, "dpi", 120, "resolution of a png")
	f.BoolVar(&c.asJSON, "json", false, "print JSON")
	f.StringArrayVar(&c.formulas, "formula", nil, "terms of a kernel, KIND=`FORMULA`: products of powers of parameters, gflop, with + between")
	f.StringVar(&c.weights, "weights", "", "how measurements count: equal (unless there is a column weight), relative (errors as shares of fitted times), observed (1/t²), given (by that column)")
	f.Float64Var(&c.o.Level, "level", 0.95, "of the intervals of coefficients")
	f.Float64Var(&c.o.Disturbed, "disturbed", 0, "leave out measurements of which wall by CPU time is above this (0: none; 1.05 with --measure)")
	f.StringArrayVar(&c.contention, "contention", nil, "fit the factor of busy workers to this `SOURCE`, a table or run made beside others")
	f.StringVar(&c.csv.Time, "time", "", "`COLUMN` of times in tables: cpu, time, end-start, wall or its name (the first there is)")
	f.StringVar(&c.csv.Unit, "unit", "s", "of times in tables whose column names none: s, ms, us, ns")
	f.StringVar(&c.csv.Kind, "kernel", "", "`KIND` of tables without a column of kernels")
	f.StringVar(&c.csv.Arch, "arch", "cpu", "of the workers that tables are of")

	f.BoolVar(&c.measure, "measure", false, "measure here")
	f.StringVar(&c.emit, "emit", "", "write the program that measures to this `FILE.c`, to be built and run elsewhere; - for standard output")
	f.StringVar(&c.timings, "timings", "", "keep what was measured, or read and completed, in this `FILE.csv`")
	f.BoolVar(&c.pureGo, "pure-go", false, "measure kernels written in Go: no compiler and no LAPACK needed, 10 to 40 times slower than one")
	f.StringVar(&c.build.CC, "cc", "", "C compiler ($CC, cc)")
	f.StringVar(&c.libs, "libs", "", "linker's words for LAPACK (\"-lopenblas\" and others are tried)")
	f.StringVar(&c.region, "region", usualRegion, "sizes to measure without a matrix")
	f.StringSliceVar(&c.kinds, "kinds", nil, "measure these kernels only")
	f.StringSliceVar(&c.threads, "threads", []string{"1"}, "measure beside others on so many threads, one after the other")
	f.IntVar(&c.design.Points, "points", 60, "measurements of each kernel")
	f.IntVar(&c.design.Repeat, "repeat", 3, "times that each is made; the median counts")
	f.Uint64Var(&c.design.Seed, "seed", 1, "of what is chosen and in which order it is measured")
	f.Float64Var(&c.design.MostGFlop, "most-gflop", 20, "work of a measurement at most")

	f.StringVar(&c.matrix.file, "matrix", "", "`M.mtx` whose factorization the models are for")
	f.StringVar(&c.matrix.ordering, "ordering", "colamd", "order of its columns: "+strings.Join(sparse.Orderings, ", "))
	f.StringVar(&c.matrix.perm, "perm", "", "`FILE.csv` with the order of its columns instead")
	f.IntVar(&c.matrix.options.NB, "nb", 128, "columns of a block column")
	f.IntVar(&c.matrix.options.IB, "ib", 32, "inner block size of the kernels")
	f.IntVar(&c.matrix.workers, "workers", 8, "prune its tree for so many workers")
	cmd.MarkFlagsMutuallyExclusive("perm", "ordering")
	cmd.MarkFlagsMutuallyExclusive("measure", "emit")
}

func (c *kernelCalibration) run(cmd *cobra.Command, sources []string) error {
	if err := c.check(cmd, sources); err != nil {
		return err
	}
	if c.matrix.file != "" {
		for _, step := range []func() error{c.matrix.read, c.matrix.findOrder, c.matrix.analyze, c.matrix.submit} {
			if err := step(); err != nil {
				return err
			}
		}
		c.program = c.matrix.program
	}
	if c.emit != "" {
		return c.emitProgram(cmd.OutOrStdout())
	}
	samples, beside, err := c.samples(cmd.Context(), cmd.ErrOrStderr(), sources)
	if err != nil {
		return err
	}
	fits, err := c.fit(samples, beside)
	if err != nil {
		return err
	}
	return c.answer(cmd.OutOrStdout(), fits)
}

// check refuses what cannot be done before anything is read or measured.
func (c *kernelCalibration) check(cmd *cobra.Command, sources []string) (err error) {
	if len(sources) == 0 && !c.measure && c.emit == "" {
		return usagef("found no timings, want TIMINGS.csv, RUN, --measure or --emit FILE.c")
	}
	if c.measure && !cmd.Flags().Changed("disturbed") {
		c.o.Disturbed = 1.05
	}
	if err := c.checkFit(); err != nil {
		return err
	}
	if c.design.Points < 1 || c.design.Repeat < 1 {
		return usagef("found --points %d and --repeat %d, want at least 1", c.design.Points, c.design.Repeat)
	}
	if err := c.checkPlot(); err != nil {
		return err
	}
	if c.o.Formulas, err = readFormulas(c.formulas); err != nil {
		return err
	}
	c.csv.Formulas = c.o.Formulas
	if c.matrix.file != "" {
		if err := c.matrix.check(); err != nil {
			return err
		}
	}
	return (&calibration{out: c.out}).target()
}

func (c *kernelCalibration) checkFit() error {
	if c.o.Weights = calibrate.Weighting(c.weights); c.weights != "" && !slices.Contains(calibrate.Weightings, c.o.Weights) {
		return usagef("found --weights %q, want one of %v", c.weights, calibrate.Weightings)
	}
	if err := checkLevel(c.o.Level); err != nil {
		return err
	}
	if c.o.Disturbed != 0 && !(c.o.Disturbed >= 1) {
		return usagef("found --disturbed %g, want 0 or at least 1", c.o.Disturbed)
	}
	return nil
}

func (c *kernelCalibration) checkPlot() error {
	if c.plot == "" {
		return nil
	}
	if _, err := render.FormatOf(c.plot); err != nil {
		return usageError{err}
	}
	if !(c.dpi > 0 && c.dpi <= 1200) {
		return usagef("found --dpi %v, want a resolution up to 1200", c.dpi)
	}
	return nil
}

// designed chooses the measurements.
func (c *kernelCalibration) designed() (*calibrate.Design, error) {
	c.design.IB, c.design.Kinds = c.matrix.options.IB, c.kinds
	if c.program != nil {
		return calibrate.DesignOf(c.program, c.design)
	}
	region, err := readRegion(c.region)
	if err != nil {
		return nil, usageError{err}
	}
	return calibrate.DesignIn(region, c.design)
}

// usualRegion is what is measured without a matrix.
const usualRegion = "MB=32-6000,NB=32-320,BK=1-24"

// readRegion reads a text like the usual region, whose ranges hold where others
// are not given.
func readRegion(text string) (r calibrate.Region, err error) {
	if text != usualRegion {
		if r, err = readRegion(usualRegion); err != nil {
			return r, err
		}
	}
	of := map[string]*[2]int{"MB": &r.MB, "NB": &r.NB, "BK": &r.BK}
	for part := range strings.SplitSeq(text, ",") {
		name, bounds, _ := strings.Cut(strings.TrimSpace(part), "=")
		low, high, ranged := strings.Cut(bounds, "-")
		if !ranged {
			high = low
		}
		to := of[name]
		from, err1 := strconv.Atoi(low)
		until, err2 := strconv.Atoi(high)
		if to == nil || err1 != nil || err2 != nil {
			return r, fmt.Errorf("found --region %q, want ranges such as MB=32-6000,NB=32-320,BK=1-24", text)
		}
		*to = [2]int{from, until}
	}
	return r, nil
}

func (c *kernelCalibration) emitProgram(out io.Writer) error {
	d, err := c.designed()
	if err != nil {
		return err
	}
	if c.emit == "-" {
		_, err := io.WriteString(out, d.C())
		return err
	}
	if err := writeFile(c.emit, func(w io.Writer) error { _, err := io.WriteString(w, d.C()); return err }); err != nil {
		return err
	}
	program := strings.TrimSuffix(filepath.Base(c.emit), ".c")
	_, err = fmt.Fprintf(out, "%s of %s, %.3g GFlop in all:\n  cc -O2 %s -o %s -lopenblas -lpthread -lm\n  ./%s > timings.csv\n  dagscope calibrate kernels timings.csv --disturbed 1.05%s -o kernels.yaml\n",
		words.Plural(len(d.Points)*d.Repeat, "measurement"), strings.Join(d.Kinds(), ", "), d.Gflop(), filepath.Base(c.emit), program, program, c.matrixFlags())
	return err
}

// matrixFlags are those that name the matrix that was given, to be given again.
func (c *kernelCalibration) matrixFlags() string {
	m := &c.matrix
	if m.file == "" {
		return ""
	}
	order := "--ordering " + m.ordering
	if m.perm != "" {
		order = "--perm " + m.perm
	}
	file := m.file
	if strings.Contains(file, " ") {
		file = strconv.Quote(file)
	}
	return fmt.Sprintf(" --matrix %s %s --nb %d --ib %d --workers %d", file, order, m.options.NB, m.options.IB, m.workers)
}

// samples reads and measures: what was made alone, and beside others.
func (c *kernelCalibration) samples(ctx context.Context, errs io.Writer, sources []string) (alone, beside []*calibrate.Samples, err error) {
	var all, others [][]*calibrate.Samples
	for _, source := range sources {
		s, err := c.read(source)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, s)
	}
	for _, source := range c.contention {
		s, err := c.read(source)
		if err != nil {
			return nil, nil, err
		}
		others = append(others, s)
	}
	if c.measure {
		s, err := c.measured(ctx, errs)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, s)
	}
	joined := calibrate.Join(all...)
	if c.timings != "" && !c.measure {
		if err := writeFile(c.timings, func(w io.Writer) error { return calibrate.WriteCSV(w, joined) }); err != nil {
			return nil, nil, err
		}
	}
	alone, beside = calibrate.SplitBusy(joined)
	return alone, calibrate.Join(append(others, beside)...), nil
}

// read takes timings from a table or a run.
func (c *kernelCalibration) read(source string) ([]*calibrate.Samples, error) {
	if !isTable(source) {
		r, err := openRun(source)
		if err != nil {
			return nil, err
		}
		run, err := r.Load(calibrate.RunNeeds...)
		if err != nil {
			return nil, err
		}
		return calibrate.FromRun(run, source), nil
	}
	s, err := calibrate.ReadCSV(source, c.csv)
	if err != nil {
		return nil, err
	}
	if c.program != nil && slices.ContainsFunc(s, func(s *calibrate.Samples) bool { return s.Task != nil }) {
		if err := calibrate.Complete(s, c.program); err != nil {
			return nil, fmt.Errorf("read %s: %w", source, err)
		}
	}
	return s, nil
}

// isTable tells tables of timings from runs: by their name, since both may be
// compressed text.
func isTable(path string) bool {
	base := filepath.Base(path)
	for _, end := range []string{".gz", ".zst"} {
		base = strings.TrimSuffix(base, end)
	}
	file, err := os.Stat(path)
	return (err != nil || !file.IsDir()) && slices.Contains([]string{".csv", ".tsv", ".txt"}, strings.ToLower(filepath.Ext(base)))
}

// measured makes the measurements here.
func (c *kernelCalibration) measured(ctx context.Context, errs io.Writer) (s []*calibrate.Samples, err error) {
	d, err := c.designed()
	if err != nil {
		return nil, err
	}
	threads, err := c.threadCounts()
	if err != nil {
		return nil, err
	}
	dir, err := wholefile.TempDir("dagscope-calibrate")
	if err != nil {
		return nil, fmt.Errorf("measure: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	file := filepath.Join(dir, "timings.csv")
	if c.timings != "" {
		file = c.timings
	}
	started := time.Now()
	with, err := c.runBenchmark(ctx, d, dir, file, threads)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(errs, "measured %s points, %d times each, in %.1f s: %s\n", words.Count(len(d.Points)), d.Repeat, time.Since(started).Seconds(), with)
	for _, k := range calibrate.Kernels {
		if n := d.Left[k.Kind]; n > 0 {
			fmt.Fprintf(errs, "%s of %s are too large to be measured (--most-gflop): models are extrapolated\n", words.Plural(n, "task"), k.Kind)
		}
	}
	return calibrate.ReadCSV(file, c.csv)
}

// runBenchmark measures into a file and says with what.
func (c *kernelCalibration) runBenchmark(ctx context.Context, d *calibrate.Design, dir, file string, threads []int) (string, error) {
	if c.pureGo {
		if len(threads) != 1 || threads[0] != 1 {
			return "", usagef("found --threads %s with --pure-go, want 1", strings.Join(c.threads, ","))
		}
		return "kernels written in Go, far slower than a LAPACK: for trying out only", writeFile(file, func(w io.Writer) error { return d.MeasureGo(ctx, w) })
	}
	if c.libs != "" {
		c.build.Libs = strings.Fields(c.libs)
	}
	p, err := d.Build(ctx, dir, c.build)
	if err != nil {
		return "", err
	}
	return p.With, p.Run(ctx, file, threads)
}

func (c *kernelCalibration) threadCounts() (out []int, err error) {
	for _, text := range c.threads {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 4096 {
			return nil, usagef("found --threads %s, want numbers from 1 with commas between", strings.Join(c.threads, ","))
		}
		out = append(out, n)
	}
	return out, nil
}

// fit fits all kernels, and the contention of those that were measured beside
// others.
func (c *kernelCalibration) fit(alone, beside []*calibrate.Samples) ([]*calibrate.Fit, error) {
	fits, err := calibrate.FitKernels(alone, c.o)
	if err != nil {
		return nil, err
	}
	for _, s := range beside {
		if c.o.Disturbed > 0 {
			s = s.Undisturbed(c.o.Disturbed)
		}
		at := slices.IndexFunc(fits, func(f *calibrate.Fit) bool { return f.Model.Kind == s.Kind && f.Model.Arch == s.Arch })
		if at < 0 || s.Len() == 0 {
			continue
		}
		if err := fits[at].FitContention(s, c.o); err != nil {
			return nil, err
		}
	}
	return fits, nil
}

// answer writes the models, the figure and the report.
func (c *kernelCalibration) answer(out io.Writer, fits []*calibrate.Fit) error {
	set, err := calibrate.SetOf(fits)
	if err != nil {
		return err
	}
	if c.out != "" {
		if err := writeModels(c.out, set); err != nil {
			return err
		}
	}
	if c.plot != "" {
		if err := c.draw(fits); err != nil {
			return err
		}
	}
	var needed []calibrate.Needed
	if c.program != nil {
		needed = calibrate.NeededBy(c.program, set)
	}
	if c.asJSON {
		return writeJSON(out, kernelsJSON(fits, needed, c))
	}
	return writeKernels(out, fits, needed, c)
}
