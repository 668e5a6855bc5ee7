package utilization

import (
	"math"
	"testing"

	"dagscope/explain/internal/golden"
	"dagscope/internal/testenv"
	"dagscope/read"
)

// StarVZ's idleness labels, in percent to two decimals. It leaves out workers
// that ran nothing, which must be wholly idle here.
func TestIdlenessOfReferenceRuns(t *testing.T) {
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
			table := golden.CSV(t, "starvz", name, "idleness.csv")
			run, err := read.Read(golden.Path(t, path...), read.Options{})
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]float64{}
			for i := range table.Len() {
				want[table.Text(i, "ResourceId")] = table.Number(i, "Idleness")
			}
			w := ByWorker(run, WorkerOptions{})
			for i, r := range w.Worker {
				worker := run.Resource.Name.At(int(r))
				percent, ok := want[worker]
				if !ok {
					percent = 100
				}
				delete(want, worker)
				if got := 100 * w.Share(i); math.Abs(got-percent) > 0.005+1e-9 {
					t.Errorf("%s is idle for %v %%, want %v", worker, got, percent)
				}
			}
			if len(want) > 0 {
				t.Errorf("workers are missing: %v", want)
			}
			t.Logf("all %d workers: %.6f %%", len(w.Worker), 100*w.Total())
		})
	}
}
