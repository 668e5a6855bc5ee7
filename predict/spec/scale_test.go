package spec

import (
	"strings"
	"testing"
)

// A key that is set to nothing is an error: the spec's value is not what was
// asked for.
func TestSetToNothing(t *testing.T) {
	for _, a := range []string{"workload.tiles=", "workload.tiles= ", "workload.tiles=null", "workload.tiles=~", "models.scale="} {
		if err := parse(t, three).Set(a); err == nil || !strings.Contains(err.Error(), "found no value of "+a[:strings.Index(a, "=")]) {
			t.Errorf("%q: found error %v, want one that says that there is no value", a, err)
		}
	}
}

// Kinds are the same whatever the case of their letters: twice in one place is
// an error, and what is set replaces what the spec has.
func TestScalesOfOneKind(t *testing.T) {
	if _, err := set(t, three, "models.scale={GEMM: 0.5, gemm: 0.8}"); err == nil || !strings.Contains(err.Error(), "found gemm twice, as GEMM too") {
		t.Errorf("found error %v, want one of a kind given twice", err)
	}
	lengths := func(assignments ...string) float64 {
		b := mustSet(t, three, assignments...)
		for c := range b.Graph.Classes {
			if strings.EqualFold(b.Graph.Classes[c].Kind, "gemm") {
				return b.Durations[c][0]
			}
		}
		return 0
	}
	if ns := lengths("models.scale={GEMM: 0.5}", "models.scale.gemm=0.75"); ns != 3e6 {
		t.Errorf("found a GEMM of %g ns, want 3 ms: what is set last", ns)
	}
	if ns := lengths(`models.scale={"*": 2, gemm: 0.75}`); ns != 6e6 {
		t.Errorf("found a GEMM of %g ns, want 6 ms: twice three quarters of 4 ms", ns)
	}
}
