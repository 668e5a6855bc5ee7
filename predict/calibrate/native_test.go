package calibrate

import (
	"fmt"
	"testing"

	"dagscope/predict/workload/sparse"
)

// native are traced factorizations of the real solver on two workers.
var native = []struct {
	matrix, file, ordering string
	nb                     int
}{
	{"Franz6_id1959_aug", "Franz6_id1959_aug.mtx.gz", "metis", 128},
	{"TF14", "TF14.mtx", "metis", 64},
	{"kneser_8_3_1", "kneser_8_3_1.mtx.gz", "colamd", 128},
	{"lp_dfl001", "lp_dfl001.mtx", "metis", 64},
}

// The paper's Table III, on traces of the solver completed from the matrices:
// R² of 0.99, and 0.86 of Assemble there.
func TestKernelsOfTracedRuns(t *testing.T) {
	var all [][]*Samples
	for _, n := range native {
		m, err := sparse.ReadMatrix(reference(t, "matrices/"+n.file))
		if err != nil {
			t.Fatal(err)
		}
		tall, _ := m.Tall()
		perm, err := sparse.ReadPerm(reference(t, fmt.Sprintf("ref/%s/%s/perm.csv", n.matrix, n.ordering)), tall.Cols)
		if err != nil {
			t.Fatal(err)
		}
		a, err := sparse.Analyze(tall, perm, sparse.Options{NB: n.nb, IB: 32})
		if err != nil {
			t.Fatal(err)
		}
		p, err := a.Program(2)
		if err != nil {
			t.Fatal(err)
		}
		s, err := ReadCSV(reference(t, fmt.Sprintf("native/%s/tasks_%s_nb%d_t2.csv.gz", n.matrix, n.ordering, n.nb)), CSVOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := Complete(s, p); err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	joined := Join(all...)
	fits, err := FitKernels(joined, Options{})
	if err != nil {
		t.Fatal(err)
	}
	least := map[string]float64{"Panel": 0.98, "Update": 0.97, "Do_subtree": 0.95, "Activate": 0.98, "Assemble": 0.85, "Deactivate": 0.9}
	for _, f := range fits {
		if got := f.Model.Fit.AdjR2; !(got > least[f.Model.Kind]) {
			t.Errorf("%s: adjusted R² is %.4f, want %.2f", f.Model.Kind, got, least[f.Model.Kind])
		}
		if busy := f.Samples.MeanBusy(); busy < 1.3 || busy > 2 {
			t.Errorf("%s: %.2f workers were busy, want up to 2", f.Model.Kind, busy)
		}
	}
}
