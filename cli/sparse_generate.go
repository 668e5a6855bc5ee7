package cli

import (
	"fmt"
	"io"
	"strings"

	"dagscope/predict/workload/sparse"

	"github.com/spf13/cobra"
)

func newSparseGenerate() *cobra.Command {
	var out string
	var seed uint64
	cmd := &cobra.Command{
		Use:   "generate FAMILY NUMBERS… -o M.mtx",
		Short: "Make a matrix of a known family",
		Long:  "Make a matrix of a known family, as a Matrix Market file (M.mtx, M.mtx.gz or M.mtx.zst):\n\n" + generatorHelp(),
		Example: `  dagscope sparse generate tf 16 -o TF16.mtx
  dagscope sparse generate grad3d 30 30 30 -o grad.mtx.gz`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("found no argument, want FAMILY NUMBERS…")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := sparse.Generate(args[0], args[1:], seed)
			if err != nil {
				return usageError{err}
			}
			if out == "-" {
				return e.Write(raw(cmd.OutOrStdout()))
			}
			return writeFile(out, func(w io.Writer) error { return packed(w, out, e.Write) })
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "`FILE` to write, compressed if it ends in .gz or .zst; - for standard output")
	cmd.Flags().Uint64Var(&seed, "seed", sparse.UsualSeed, "for what is random: the same seed, the same matrix")
	cobra.CheckErr(cmd.MarkFlagRequired("output"))
	return cmd
}

// generatorHelp lists the families.
func generatorHelp() string {
	var b strings.Builder
	g := grid{indent: "  "}
	for _, family := range sparse.Generators {
		g.add(family.Name+" "+family.Usage, family.What)
	}
	cobra.CheckErr(g.write(&b))
	return strings.TrimRight(b.String(), "\n")
}
