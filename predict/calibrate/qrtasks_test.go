package calibrate

import (
	"bytes"
	"encoding/csv"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"dagscope/internal/testenv"
)

// The program that executes a factorization's tasks does all of them, on data
// that no two use at a time unless both read, in the order of submission except
// for updates that commute; its table is what kernels can be fitted to.
func TestExecutedTasks(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "qrtasks")
	gcc := testenv.Need(t, "apt-get install gcc", "gcc")
	build := exec.Command(gcc, "-O1", "-fopenmp", testenv.Repo("docs/examples/qrtasks.c"), "-o", program, "-lopenblas", "-lm")
	if out, err := build.CombinedOutput(); err != nil {
		testenv.Missing(t, "OpenBLAS for C", string(lastLine(out)), "apt-get install libopenblas-dev")
	}
	p := someProgram(t, 2)
	var table bytes.Buffer
	if err := p.WriteTasks(&table); err != nil {
		t.Fatal(err)
	}
	list := written(t, "program.csv", table.String())
	cmd := exec.Command(program, list, "8")
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=3", "OMP_MAX_TASK_PRIORITY=2147483647")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(out)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != p.Graph.Tasks()+1 {
		t.Fatalf("found %d tasks, want %d", len(rows)-1, p.Graph.Tasks())
	}
	checkOrder(t, rows)
	samples, err := ReadCSV(written(t, "tasks.csv", string(out)), CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := Complete(samples, p); err != nil {
		t.Fatal(err)
	}
	if fits, err := FitKernels(samples, Options{Weights: Relative}); err != nil || len(fits) != len(Kernels) {
		t.Errorf("found %d fits, %v", len(fits), err)
	}
	if out, err := exec.Command(program, written(t, "bad.csv", "a,b\n1,2\n")).CombinedOutput(); err == nil {
		t.Errorf("found no error for another table: %s", out)
	}
}

// checkOrder wants of each piece of data that a use begins after the last one
// that it must wait for has ended.
func checkOrder(t *testing.T, rows [][]string) {
	t.Helper()
	column := map[string]int{}
	for k, name := range rows[0] {
		column[name] = k
	}
	type use struct {
		mode       string
		start, end float64
	}
	uses := map[string][]use{}
	for _, row := range rows[1:] {
		start, _ := strconv.ParseFloat(row[column["start"]], 64)
		end, _ := strconv.ParseFloat(row[column["end"]], 64)
		for _, access := range strings.Fields(row[column["accesses"]]) {
			mode := strings.TrimRight(access, "0123456789")
			handle := access[len(mode):]
			for _, before := range uses[handle] {
				switch {
				case mode == "R" && before.mode == "R":
				case mode == "C" && before.mode == "C":
					if start < before.end && before.start < end {
						t.Fatalf("handle %s: two updates at a time", handle)
					}
				case start < before.end:
					t.Fatalf("handle %s: %s begins at %v, %s before it ends at %v", handle, mode, start, before.mode, before.end)
				}
			}
			uses[handle] = append(uses[handle], use{mode, start, end})
		}
	}
}
