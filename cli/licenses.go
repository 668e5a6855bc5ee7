package cli

import (
	"fmt"

	"dagscope/internal/licenses"

	"github.com/spf13/cobra"
)

func newLicenses() *cobra.Command {
	var full, asJSON bool
	cmd := &cobra.Command{
		Use:   "licenses",
		Short: "What the program is made of, and under which licenses",
		Long: `Write the Go release and the modules that are compiled into dagscope, with their
licenses as SPDX expressions: on all platforms of a release, so a few may not be in
this program. dagscope itself is under the Apache License 2.0.`,
		Example: `  dagscope licenses
  dagscope licenses --full > THIRD_PARTY_LICENSES.txt`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("found %d arguments, want none", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			out := cmd.OutOrStdout()
			if full {
				return licenses.WriteTexts(out)
			}
			all, err := licenses.Components()
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(out, all)
			}
			g := &grid{}
			g.add("module", "version", "license")
			for _, c := range all {
				g.add(c.Name, c.Version, c.License)
			}
			return g.write(out)
		},
	}
	cmd.Flags().BoolVar(&full, "full", false, "print the texts of all licenses and notices")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.MarkFlagsMutuallyExclusive("full", "json")
	return cmd
}
