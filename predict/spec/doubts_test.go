package spec

import (
	"strings"
	"testing"
)

// What StarPU's dm makes of equal tasks that end at the same instant is said to be
// the scheduler's doing, and nothing is said where it is not.
func TestDoubtsOfTheScheduler(t *testing.T) {
	const chains = "workload: {kind: gemm, tiles: 4}\nplatform: {cpus: 16}\nmodels: {durations: {gemm: 112ms}}\n"
	for spec, want := range map[string]bool{
		chains + "scheduler: dm\ncosts: zero":                                true,
		chains + "scheduler: dmdas\ncosts: zero":                             true,
		chains + "scheduler: dm":                                             false, // ends differ by what submission takes
		chains + "scheduler: eager\ncosts: zero":                             false,
		strings.Replace(chains, "16", "1", 1) + "scheduler: dm\ncosts: zero": false,
	} {
		b, r := simulate(t, spec)
		if doubts := b.Doubts(r); len(doubts) > 0 != want {
			t.Errorf("%s: makespan %d ns, found doubts %q", spec, r.Makespan, doubts)
		}
	}
}

// The plain engine does not offer what it cannot do as StarPU does.
func TestPlainEngineRefusesStarPUsExpectations(t *testing.T) {
	for _, name := range []string{"dm", "dmda", "dmdas", "heft", "modular-heft"} {
		_, err := parse(t, "workload: {kind: gemm, tiles: 2}\nplatform: {cpus: 2}\nmodels: {durations: {gemm: 1ms}}\nscheduler: "+name+"\noptions: {engine: plain}").Build(nil)
		if err == nil || !strings.Contains(err.Error(), "cannot decide as StarPU's does") {
			t.Errorf("%s: found error %v", name, err)
		}
	}
}
