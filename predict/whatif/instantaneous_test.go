package whatif

import (
	"fmt"
	"testing"
)

// Transfers that take no time are no longer than transfers that do, and where there is
// one memory nothing is moved.
func TestInstantaneous(t *testing.T) {
	with, without, err := Instantaneous(recorded(t, fmt.Sprintf(chol, 8, "dmdas"), false))
	if err != nil || without >= with || with <= 0 || without < with/10 {
		t.Errorf("found %d and %d ns (%v), want less without transfers", with, without, err)
	}
	with, without, err = Instantaneous(recorded(t, "workload: {kind: cholesky, tiles: 6}\nplatform: {cpus: 3}\nmodels: {durations: {potrf: 9ms, trsm: 18ms, syrk: 17ms, gemm: 33ms}}\nscheduler: lws\n", false))
	if err != nil || with != without {
		t.Errorf("one memory: found %d and %d ns (%v), want the same", with, without, err)
	}
}
