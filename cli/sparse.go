package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"dagscope/internal/words"
	"dagscope/predict/campaign"
	"dagscope/predict/workload/sparse"
	"dagscope/show/render"

	"github.com/spf13/cobra"
)

func newSparse() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sparse",
		Short: "Analyse a sparse matrix for its QR factorization",
		Long: `Analyse a sparse matrix for its multifrontal QR factorization, as qr_mumps would
factorize it: what fills, the fronts and what they cost, the tasks for a number of
workers. docs/sparse.md goes from a matrix to an insight.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("found no job, want analyze, generate or tree")
			}
			return fmt.Errorf("found unknown job %q, want analyze, generate or tree", args[0])
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, job := range []*cobra.Command{newSparseAnalyze(), newSparseGenerate(), newSparseTree()} {
		asVerb(job)
		cmd.AddCommand(job)
	}
	return cmd
}

// sparseAnalysis is what the flags of sparse analyze say.
type sparseAnalysis struct {
	file           string
	perm, ordering string
	options        sparse.Options
	workers        int
	fronts, tasks  string
	tree, order    string
	asJSON         bool
	silent         bool // a table is on standard output instead of the report
	matrix         *sparse.Matrix
	analysis       *sparse.Analysis
	pruning        *sparse.Pruning
	program        *sparse.Program // once it is submitted
	permutation    []int32
	answer         sparseAnswer
	lastTime       time.Time
}

func newSparseAnalyze() *cobra.Command {
	var s sparseAnalysis
	cmd := &cobra.Command{
		Use:   "analyze M.mtx",
		Short: "Find the fronts of a matrix and the tasks of its factorization",
		Long: `Find what the multifrontal QR factorization of a matrix takes: entries of R,
fronts, operations, memory, and the tasks that qr_mumps submits when it prunes the
elimination tree for a number of workers. M.mtx is a Matrix Market file, which may
be compressed (gzip, zstd), or a family that "sparse generate" knows with its numbers,
such as "tf 16". A matrix with fewer rows than columns is transposed;
everything, also the permutation, is then about the transpose.`,
		Example: `  dagscope sparse analyze TF16.mtx --workers 40
  dagscope sparse analyze TF16.mtx --ordering nd --tree tree.svg --fronts fronts.csv
  dagscope sparse analyze M.mtx.gz --perm perm.csv --nb 64 --ib 32 --workers 8 --json`,
		Args: arguments("M.mtx"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s.file = args[0]
			return s.run(cmd)
		},
	}
	f := cmd.Flags()
	f.StringVar(&s.ordering, "ordering", "colamd", "order of the columns: "+strings.Join(sparse.Orderings, ", "))
	f.StringVar(&s.perm, "perm", "", "`FILE.csv` with the order of the columns instead: a line \"col\", then column numbers from 0")
	f.IntVar(&s.options.NB, "nb", 128, "columns of a block column")
	f.IntVar(&s.options.IB, "ib", 32, "inner block size of the kernels")
	f.IntVar(&s.options.MB, "mb", 0, "rows of a block; only 0, whole block columns, is built")
	f.IntVar(&s.workers, "workers", 8, "prune the tree for so many workers")
	f.StringVar(&s.fronts, "fronts", "", "write the table of fronts to this `FILE.csv`; - for standard output")
	f.StringVar(&s.tasks, "tasks", "", "write the table of tasks to this `FILE.csv`; - for standard output")
	f.StringVar(&s.order, "write-perm", "", "write the order of the columns that was found to this `FILE.csv`; - for standard output")
	f.StringVar(&s.tree, "tree", "", "draw the tree of fronts to this `FILE` (svg, pdf, png)")
	f.BoolVar(&s.asJSON, "json", false, "print JSON")
	cmd.MarkFlagsMutuallyExclusive("perm", "ordering")
	return cmd
}

func (s *sparseAnalysis) run(cmd *cobra.Command) error {
	if err := s.check(); err != nil {
		return err
	}
	s.lastTime = time.Now()
	for _, step := range []struct {
		what *float64
		do   func() error
	}{
		{&s.answer.Seconds.Read, s.read}, {&s.answer.Seconds.Order, s.findOrder},
		{&s.answer.Seconds.Analyze, s.analyze},
	} {
		if err := step.do(); err != nil {
			return err
		}
		now := time.Now()
		*step.what = now.Sub(s.lastTime).Seconds()
		s.lastTime = now
	}
	s.fill()
	if err := s.chain(); err != nil {
		return err
	}
	if err := s.write(raw(cmd.OutOrStdout())); err != nil {
		return err
	}
	if s.silent {
		return nil
	}
	s.answer.Memory = peakMemory()
	if s.asJSON {
		return writeJSON(cmd.OutOrStdout(), &s.answer)
	}
	return s.answer.write(cmd.OutOrStdout())
}

// check refuses what cannot be done before anything is read.
func (s *sparseAnalysis) check() error {
	if s.workers < 1 || s.workers > 1<<20 {
		return usagef("found --workers %d, want 1 to %d", s.workers, 1<<20)
	}
	if nb, ib := s.options.NB, s.options.IB; nb < 1 || ib < 1 || nb > math.MaxInt32 || ib > math.MaxInt32 {
		return usagef("found --nb %d and --ib %d, want 1 to %d", nb, ib, math.MaxInt32)
	}
	if s.options.MB > 0 {
		return usagef("found --mb %d: blocks of rows (2D) are not built yet, want 0: fronts are cut into whole block columns", s.options.MB)
	}
	if s.perm == "" && !slices.Contains(sparse.Orderings, s.ordering) {
		return usagef("found --ordering %q, want one of %s", s.ordering, strings.Join(sparse.Orderings, ", "))
	}
	if err := s.checkOutput(); err != nil {
		return err
	}
	if s.tree != "" {
		if _, err := render.FormatOf(s.tree); err != nil {
			return usageError{err}
		}
	}
	return nil
}

// checkOutput makes sure that there is one answer on standard output: the report,
// or a table instead.
func (s *sparseAnalysis) checkOutput() error {
	var on []string
	for _, f := range []struct{ name, path string }{{"--fronts -", s.fronts}, {"--tasks -", s.tasks}, {"--write-perm -", s.order}, {"--tree -", s.tree}} {
		if f.path == "-" {
			on = append(on, f.name)
		}
	}
	if s.asJSON && len(on) > 0 {
		on = append(on, "--json")
	}
	if len(on) > 1 {
		return usagef("found %s, want one of them on standard output", strings.Join(on, " and "))
	}
	s.silent = len(on) > 0
	return nil
}

func (s *sparseAnalysis) read() (err error) {
	m, err := sparse.Load(s.file, nil)
	if err != nil {
		return err
	}
	s.matrix, s.answer.Transposed = m.Tall()
	return nil
}

func (s *sparseAnalysis) findOrder() (err error) {
	if s.perm != "" {
		s.answer.Ordering = s.perm
		s.permutation, err = sparse.ReadPerm(s.perm, s.matrix.Cols)
		return err
	}
	s.answer.Ordering = s.ordering
	s.permutation, err = sparse.Order(s.matrix, s.ordering)
	return err
}

func (s *sparseAnalysis) analyze() (err error) {
	if s.analysis, err = sparse.Analyze(s.matrix, s.permutation, s.options); err == nil {
		s.pruning = s.analysis.Prune(s.workers)
	}
	return err
}

// bytesOfTask is about how much memory a task takes until it is simulated.
const bytesOfTask = 60

// submit makes the tasks, if there is room for them.
func (s *sparseAnalysis) submit() (err error) {
	tasks := s.analysis.Work(s.pruning).Total()
	if free := campaign.FreeMemory(); tasks > free/bytesOfTask {
		return fmt.Errorf("submit %s: found %s with block columns of %d, which take about %.1f GB of memory, want %.1f GB at most, what is free: larger blocks (--nb)", s.analysis.Name, words.Plural(tasks, "task"), s.analysis.NB, float64(tasks)*bytesOfTask/1e9, float64(free)/1e9)
	}
	s.program, err = s.analysis.Program(s.workers)
	return err
}

// maxForChain is up to how many tasks the longest chain is looked for: that
// takes them all in memory, 50 bytes each.
const maxForChain = 1 << 24

// chain finds the longest chain of operations.
func (s *sparseAnalysis) chain() error {
	if s.answer.TaskCount > maxForChain {
		return nil
	}
	if err := s.submit(); err != nil {
		return err
	}
	s.answer.Chain = s.program.Chain()
	if s.answer.Chain > 0 {
		s.answer.Parallelism = float64(s.answer.Flops) / float64(s.answer.Chain)
	}
	return nil
}

func (s *sparseAnalysis) writeTasks(w io.Writer) error {
	if s.program == nil {
		if err := s.submit(); err != nil {
			return err
		}
	}
	return s.program.WriteTasks(w)
}

// write writes the tables and the drawing that were asked for.
func (s *sparseAnalysis) write(out io.Writer) error {
	for _, f := range []struct {
		path  string
		write func(io.Writer) error
	}{
		{s.fronts, func(w io.Writer) error { return s.analysis.WriteFronts(w, s.pruning) }},
		{s.tasks, s.writeTasks},
		{s.order, func(w io.Writer) error { return sparse.WritePerm(w, s.permutation) }},
		{s.tree, s.drawTree},
	} {
		var err error
		switch f.path {
		case "":
		case "-":
			err = f.write(out)
		default:
			err = writeFile(f.path, f.write)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
