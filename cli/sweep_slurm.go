package cli

import (
	"dagscope/campaign"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

type slurmFlags struct{ part string }

func (c *slurmFlags) add(f *pflag.FlagSet) {}
func (s *sweep) share(cmd *cobra.Command) error { return nil }
func (s *sweep) submit(cmd *cobra.Command, c *campaign.Campaign) error { return nil }
