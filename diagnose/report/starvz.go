package report

import (
	"strings"

	"dagscope/trace"
)

// LikeStarVZ changes a run and options so that the report counts what StarVZ
// 0.8.4 counts, for comparison: generation tasks enter tasks and the area
// bound (at the zero without them), `analysis` does not, kinds lose the
// prefixes lapack_ and qrm_, and bounds know only workers and pairs that ran.
func LikeStarVZ(run *trace.Run, o *Options) {
	o.Outlier.Factor = 1 // StarVZ has none
	o.Generation = true
	o.Bound.UsedWorkers, o.Bound.LocalPairs = true, true
	t := &run.Task
	kinds := trace.Strings{Index: make([]int32, len(t.Kind.Index))}
	to := make([]int32, len(t.Kind.Dict))
	for i, kind := range t.Kind.Dict {
		to[i] = kinds.Intern(strings.TrimPrefix(strings.TrimPrefix(kind, "lapack_"), "qrm_"))
	}
	analysis := t.Kind.Find("analysis")
	for i, k := range t.Kind.Index {
		kinds.Index[i] = k
		if k < 0 {
			continue
		}
		kinds.Index[i] = to[k]
		if k == analysis {
			t.Internal[i], t.Generation[i] = true, false
		}
	}
	t.Kind = kinds
}
