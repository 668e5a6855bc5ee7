package goldentest

import (
	"strings"
	"testing"

	"dagscope/explain/aggregate"
	"dagscope/explain/breakdown"
	"dagscope/explain/chain"
	"dagscope/explain/comm"
	"dagscope/explain/depend"
	"dagscope/explain/efficiency"
	"dagscope/explain/memory"
	"dagscope/explain/progress"
	"dagscope/explain/schedule"
	"dagscope/explain/tasking"
	"dagscope/trace"
)

func TestNeedsNameColumns(t *testing.T) {
	for name, needs := range map[string][]string{
		"aggregate": aggregate.Needs, "breakdown": breakdown.Needs, "depend": depend.Needs, "chain": chain.Needs, "more of chain": chain.More, "names": chain.NameNeeds,
		"comm": comm.Needs, "waits": comm.WaitNeeds, "owners": comm.DistributionNeeds,
		"lane": schedule.Needs, "memory": memory.Needs, "states": schedule.StateNeeds, "progress": progress.Needs, "tasking": tasking.Needs,
		"efficiency": efficiency.Needs, "efficiency states": efficiency.StateNeeds,
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
