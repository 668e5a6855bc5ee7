package finding

import (
	"slices"
	"testing"

	"dagscope/diagnose/verdict"
)

// Families of the chain are findings from a fiftieth of the makespan on, tasks on
// slower architectures from a half on; the largest comes first.
func TestFindingsOfTheChain(t *testing.T) {
	for _, c := range []struct {
		costs []verdict.Cost
		want  []string
	}{
		{nil, nil},
		{[]verdict.Cost{{Family: verdict.Memory, NS: 19}, {Family: verdict.SlowerArchitecture, NS: 499}}, nil},
		{[]verdict.Cost{{Family: verdict.Memory, NS: 20}, {Family: verdict.SlowerArchitecture, NS: 500}}, []string{"critical-on-slow", "memory-wait"}},
		{[]verdict.Cost{{Family: verdict.Transfers, NS: 100}, {Family: verdict.Submission, NS: 300}, {Family: verdict.Runtime, NS: 400}}, []string{"late-submission", "transfer-waits"}},
	} {
		var got []string
		for _, f := range Find(Input{Makespan: 1000, Costs: c.costs}) {
			got = append(got, f.ID)
			if f.Title == "" || f.Advice == "" || f.Panel == "" || f.Evidence["chain_ns"] != f.Gain {
				t.Errorf("found %+v", f)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v: found %q, want %q", c.costs, got, c.want)
		}
	}
}
