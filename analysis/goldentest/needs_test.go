package goldentest

import (
	"strings"
	"testing"

	"dagscope/analysis/aggregate"
	"dagscope/analysis/breakdown"
	"dagscope/analysis/comm"
	"dagscope/analysis/depend"
	"dagscope/analysis/lane"
	"dagscope/analysis/memory"
	"dagscope/analysis/progress"
	"dagscope/analysis/tasking"
	"dagscope/trace"
)

func TestNeedsNameColumns(t *testing.T) {
	for name, needs := range map[string][]string{
		"aggregate": aggregate.Needs, "breakdown": breakdown.Needs, "depend": depend.Needs, "delays": depend.DelayNeeds,
		"comm": comm.Needs, "waits": comm.WaitNeeds, "owners": comm.DistributionNeeds,
		"lane": lane.Needs, "memory": memory.Needs, "states": lane.StateNeeds, "progress": progress.Needs, "tasking": tasking.Needs,
	} {
		for _, need := range needs {
			table, column, _ := strings.Cut(need, ".")
			known, ok := new(trace.Run).Table(table)
			if ok {
				_, ok = known.Column(column)
			}
			if !ok {
				t.Errorf("%s needs %q, which is no column", name, need)
			}
		}
	}
}
