package kind

import (
	"maps"
	"testing"
)

// Names that may mean several kinds stay what they are.
func TestAlike(t *testing.T) {
	for _, c := range []struct {
		names, other []string
		want         map[string]string
	}{
		{[]string{"GEMM", "gemm", "POTRF"}, []string{"x_gemm", "chol_potrf", "trsm"}, map[string]string{"chol_potrf": "POTRF"}},
		{[]string{"GEMM", "POTRF"}, []string{"chol_model_gemm", "POTRF", "x_potrf"}, map[string]string{"chol_model_gemm": "GEMM", "POTRF": "POTRF"}},
		{[]string{"GEMM"}, []string{"a_gemm", "b_gemm"}, map[string]string{}},
	} {
		if got := Match(c.names, c.other); !maps.Equal(got, c.want) {
			t.Errorf("%v are %v, want %v", c.other, got, c.want)
		}
	}
}
