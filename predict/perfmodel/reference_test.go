package perfmodel_test

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"dagscope/internal/testenv"
	"dagscope/predict/perfmodel"
	"dagscope/read"
	"dagscope/trace"
)

// R's lm on the kernels of a factorization of a sparse matrix (StarVZ's LR, ms
// and GFlop): coefficients, residual error, R².
func TestRegressionOfSparseQR(t *testing.T) {
	dir := testenv.Reference(t, "data/starvz/qr_trace")
	file, err := os.Open(filepath.Join(dir, "regression_models.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	run, err := read.Read(filepath.Join(dir, "raw"), read.Options{})
	if err != nil {
		t.Fatal(err)
	}
	set, err := perfmodel.FitModels([]*trace.Run{run}, perfmodel.FitOptions{Method: perfmodel.Linear})
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, row := range rows {
		if row[0] != "LR" {
			continue
		}
		for i := range set.Models {
			m := &set.Models[i]
			if strings.TrimPrefix(m.Kind, "lapack_") != row[1] {
				continue
			}
			seen++
			for k, got := range []float64{m.Fit.Coef[0].Estimate / 1e6, m.Fit.Coef[1].Estimate / 1e6, m.Fit.Sigma / 1e6, float64(m.Fit.Tasks - 2), m.Fit.R2, m.Fit.AdjR2} {
				want, err := strconv.ParseFloat(row[4+k], 64)
				if err != nil || math.Abs(got-want) > 1e-9*math.Abs(want) {
					t.Errorf("%s: column %s is %v, want %s", m.Kind, rows[0][4+k], got, row[4+k])
				}
			}
		}
	}
	if seen != 4 {
		t.Errorf("%d kernels compared, want 4", seen)
	}
}
