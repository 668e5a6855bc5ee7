package report_test

import (
	"bytes"
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"dagscope/diagnose/report"
	"dagscope/internal/testenv"
	"dagscope/read"
	"dagscope/trace"
	"dagscope/trace/tracetest"
)

// efficiencies are the lines of that section of the text form.
func efficiencies(t *testing.T, r *report.Report) []string {
	t.Helper()
	var text bytes.Buffer
	if err := r.WriteText(&text, report.TextOptions{}); err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(text.String(), "\nEfficiencies ")
	if !ok {
		return nil
	}
	section, _, _ = strings.Cut(section, "\n\n")
	return strings.Split("Efficiencies "+strings.TrimRight(section, "\n"), "\n")
}

// The section has five lines at most, none wider than the terminal, and the
// parallel efficiency is the area bound over the makespan that the report prints.
func TestEfficienciesOfRealRuns(t *testing.T) {
	paths, err := filepath.Glob(testenv.Repo("testdata", "starpu*", "*"))
	if err != nil || len(paths) < 8 {
		t.Fatalf("found bundled runs %q, %v", paths, err)
	}
	for _, path := range paths {
		run, err := read.Read(path, read.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r := report.Compute(filepath.Base(path), run, report.Options{})
		checkLines(t, r)
		e := r.Efficiency
		if want := float64(r.Bounds.ABE) / float64(r.Makespan); math.Abs(*e.Parallel-want) > 1e-6 || e.Makespan != r.Makespan {
			t.Errorf("%s: parallel efficiency %v, want %v", r.Run, *e.Parallel, want)
		}
	}
}

func checkLines(t *testing.T, r *report.Report) {
	t.Helper()
	lines := efficiencies(t, r)
	if len(lines) < 2 || len(lines) > 5 {
		t.Errorf("%s: found %d lines, want 2 to 5:\n%s", r.Run, len(lines), strings.Join(lines, "\n"))
	}
	for _, line := range lines {
		if utf8.RuneCountInString(line) > 100 {
			t.Errorf("%s: found a line of %d columns: %s", r.Run, utf8.RuneCountInString(line), line)
		}
	}
}

// A run with all there is to say: nodes, architectures, MPI, kinds with long
// names that never ran somewhere, workers that are not known.
func TestEfficienciesStayShort(t *testing.T) {
	run := tracetest.Cholesky(tracetest.Options{Tiles: 8, Nodes: 4, CPUs: 2, GPUs: 1})
	for i := range run.Task.Kind.Dict {
		run.Task.Kind.Dict[i] = "starpu_slu_lu_model_kernel_with_a_long_name_" + run.Task.Kind.Dict[i]
	}
	for i := range run.Resource.Name.Dict {
		run.Resource.Name.Dict[i] += "_" + strings.Repeat("name_", 6)
	}
	run.Task.Worker[7] = trace.None
	r := report.Compute("long", run, report.Options{})
	checkLines(t, r)
	withMPI := *run
	withMPI.State = trace.States{}
	for w := range run.Resource.Node {
		if s := &withMPI.State; run.Resource.Level.At(w) == trace.LevelWorker {
			s.Resource, s.Start, s.End, s.Depth = append(s.Resource, int32(w)), append(s.Start, 10), append(s.End, 20_000+int64(w)), append(s.Depth, 0)
			s.Type.Append("Worker State")
			s.Kind.Append("MPI_Barrier")
		}
	}
	r = report.Compute("MPI", &withMPI, report.Options{})
	checkLines(t, r)
	lines := efficiencies(t, r)
	if r.Efficiency.MPI == nil || !strings.Contains(lines[2], "MPI ") || !strings.Contains(lines[3], "inside of ranks ") {
		t.Errorf("found\n%s", strings.Join(lines, "\n"))
	}
}

// What cannot be said is absent, not null.
func TestEfficienciesOfRunsThatLackThem(t *testing.T) {
	run := tracetest.Fork(3, 2)
	text, err := json.Marshal(report.Compute("fork", run, report.Options{}).Efficiency)
	if err != nil || strings.Contains(string(text), "null") || strings.Contains(string(text), `"distribution"`) || strings.Contains(string(text), `"mpi"`) {
		t.Errorf("found %s, %v", text, err)
	}
	for i := range run.Task.Worker {
		run.Task.Worker[i] = trace.None
	}
	r := report.Compute("nowhere", run, report.Options{})
	if r.Efficiency != nil || efficiencies(t, r) != nil {
		t.Errorf("found efficiencies of tasks that ran nowhere: %+v", r.Efficiency)
	}
}
