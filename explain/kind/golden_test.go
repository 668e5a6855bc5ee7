package kind

import (
	"math"
	"strings"
	"testing"

	"dagscope/explain/internal/golden"
	"dagscope/internal/testenv"
	"dagscope/read"
	"dagscope/trace"
)

// StarVZ's table of durations (ms). It counts the generation of LU's input but
// not the analysis step of sparse QR, from whose kernels it strips prefixes.
func TestStatisticsOfReferenceRuns(t *testing.T) {
	for name, path := range map[string][]string{
		"sg-mirage-n12-dmdas": {"starpu", "sg-mirage-n12-dmdas"},
		"sg-mirage-n60-dmdas": {"starpu", "sg-mirage-n60-dmdas"},
		"sgmpi-np4-n20-dmdas": {"starvz", "sgmpi-np4-n20-dmdas", "raw"},
		"lu_trace":            {"starvz", "lu_trace", "raw"},
		"qr_trace":            {"starvz", "qr_trace", "raw"},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "sg-mirage-n60-dmdas" {
				testenv.Slow(t)
			}
			table := golden.CSV(t, "starvz", name, "per_type.csv")
			run, err := read.Read(golden.Path(t, path...), read.Options{})
			if err != nil {
				t.Fatal(err)
			}
			s := Compute(run, Options{Generation: name != "qr_trace"})
			if s.Len() != table.Len() {
				t.Errorf("%d groups, want %d", s.Len(), table.Len())
			}
			for i := range table.Len() {
				k := s.find(run, table.Text(i, "Value"), table.Text(i, "ResourceType"))
				if k < 0 {
					t.Errorf("no group of %s on %s", table.Text(i, "Value"), table.Text(i, "ResourceType"))
					continue
				}
				for column, got := range map[string]float64{
					"n": float64(s.Count[k]) * 1e6, "sum": float64(s.Total[k]), "mean": s.Mean[k], "min": float64(s.Min[k]),
					"q25": s.Q25[k], "median": s.Median[k], "q75": s.Q75[k], "max": float64(s.Max[k]), "iqr_upper": s.Q75[k] + 1.5*(s.Q75[k]-s.Q25[k]),
				} {
					if want := table.Number(i, column) * 1e6; math.Abs(got-want) > 1e-9*want+1e-3 {
						t.Errorf("%s %s of %s is %v, want %v", name, column, table.Text(i, "Value"), got, want)
					}
				}
				if want := table.Number(i, "sd") * 1e6; s.Count[k] > 1 && math.Abs(s.SD[k]-want) > 1e-6*want+0.01 {
					t.Errorf("%s deviation of %s is %v, want %v", name, table.Text(i, "Value"), s.SD[k], want)
				}
			}
		})
	}
}

// find returns the group that StarVZ calls by a kind and a resource type.
func (s *Statistics) find(run *trace.Run, kind, arch string) int {
	for k := range s.Len() {
		name := run.Task.Kind.Dict[s.Kind[k]]
		for _, prefix := range []string{"lapack_", "qrm_"} {
			name = strings.TrimPrefix(name, prefix)
		}
		if name == kind && strings.EqualFold(ArchName(run, s.Arch[k]), arch) {
			return k
		}
	}
	return -1
}
