package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"dagscope/explain/tree"
	"dagscope/internal/words"
	"dagscope/show/chart"
	"dagscope/show/render"
	"dagscope/show/scene"
	"dagscope/trace"

	"github.com/spf13/cobra"
)

func newSparseTree() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "tree RUN -o FILE.svg|pdf|png",
		Short: "Draw the elimination tree of a run, with the time of each front",
		Long: `Draw the elimination tree of a run whose tasks name the fronts that they work on:
fronts as large as their tasks took time together. Panel tree (dagscope plot) has
the same tree over time.`,
		Example: `  dagscope sparse tree run.dsr -o tree.svg`,
		Args:    arguments("RUN"),
		RunE: func(_ *cobra.Command, args []string) error {
			format, err := render.FormatOf(out)
			if err != nil {
				return usageError{err}
			}
			page, err := drawRunTree(args[0])
			if err != nil {
				return err
			}
			return writeFile(out, func(w io.Writer) error { return render.Write(w, format, page, render.Options{Scale: 2}) })
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "figure to write")
	cobra.CheckErr(cmd.MarkFlagRequired("output"))
	return cmd
}

func drawRunTree(path string) (*scene.Page, error) {
	r, err := openRun(path)
	if err != nil {
		return nil, err
	}
	run, err := r.Load(tree.Needs...)
	if err != nil {
		return nil, err
	}
	t, err := tree.New(run)
	if err != nil {
		return nil, fmt.Errorf("draw the tree of %s: %w", path, err)
	}
	fronts, total := frontsOfRun(run, t)
	plot := chart.ElimTree{
		Fronts: fronts, Unit: "s",
		Facts: []string{words.Plural(len(fronts), "front"), fmt.Sprintf("%.4g s of work by %s", total, words.Plural(t.Workers, "worker"))},
	}
	return plot.Draw(chart.Options{
		Title:  strings.TrimSuffix(filepath.Base(path), ".dsr"),
		Recipe: []scene.Field{{Name: "program", Value: "dagscope " + version}, {Name: "run", Value: path}},
	})
}

// frontsOfRun are the fronts of a run as they are drawn, and the seconds of
// all their tasks.
func frontsOfRun(run *trace.Run, t *tree.Tree) (fronts []chart.Front, total float64) {
	fronts = make([]chart.Front, len(t.Parent))
	for _, v := range t.Order {
		n := &fronts[v]
		n.Name, n.Parent = strconv.FormatInt(run.TreeNode.Key[v], 10), t.Parent[v]
		n.Work = float64(t.Compute[v].Length()+t.Rest[v].Length()) / 1e9
		total += n.Work
		if t.Pruned[v] {
			n.State = chart.Task
		}
	}
	for k := len(t.Order) - 1; k >= 0; k-- { // parents first
		v := t.Order[k]
		if p := t.Parent[v]; p >= 0 && fronts[p].State != chart.Cut {
			fronts[v].State = chart.Inside
		}
	}
	return fronts, total
}
