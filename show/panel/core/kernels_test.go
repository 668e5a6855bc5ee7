package core

import (
	"testing"

	"dagscope/trace"
)

// ran is a run of a task of each kind.
func ran(kinds ...string) *trace.Run {
	b := &trace.Builder{}
	w := b.AddResource(trace.None, trace.LevelWorker, "CPU0", "cpu", 0, 0)
	for i, k := range kinds {
		b.AddTask(trace.TaskRow{Kind: k, Worker: w, Start: int64(i) * 10, End: int64(i)*10 + 9, Submit: trace.NoTime, Ready: trace.NoTime, Order: int32(i), Iteration: -1})
	}
	return &b.Run
}

// Names of one kernel in several runs have one colour; kinds that one run keeps
// apart have two.
func TestOneKernelHasOneColor(t *testing.T) {
	c := TaskColors([]*trace.Run{ran("GEMM", "TRSM", "fill"), ran("chol_model_gemm", "chol_model_trsm", "spmv"), ran("dgemm", "dtrsm", "dgemm_tail")}, false)
	for _, same := range [][2]string{{"GEMM", "chol_model_gemm"}, {"TRSM", "chol_model_trsm"}, {"TRSM", "dtrsm"}} {
		if c.Of(same[0]) != c.Of(same[1]) {
			t.Errorf("%s is %s, %s is %s", same[0], c.Of(same[0]).Hex(), same[1], c.Of(same[1]).Hex())
		}
	}
	for _, other := range [][2]string{{"GEMM", "TRSM"}, {"fill", "spmv"}, {"dgemm", "dgemm_tail"}, {"fill", "GEMM"}} {
		if c.Of(other[0]) == c.Of(other[1]) {
			t.Errorf("%s and %s are both %s", other[0], other[1], c.Of(other[0]).Hex())
		}
	}
	if two := TaskColors([]*trace.Run{ran("GEMM"), ran("dgemm"), ran("GEMM", "dgemm")}, false); two.Of("GEMM") == two.Of("dgemm") {
		t.Error("a run that has GEMM and dgemm has one colour for both")
	}
}
