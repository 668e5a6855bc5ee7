package starvz

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dagscope/internal/testenv"
	"dagscope/internal/text"
	"dagscope/read/assemble"
	"dagscope/trace"
)

func wrongs(p *assemble.Parts) string {
	var s []string
	for i := range p.Log.Count {
		if p.Log.Severity.At(i) != string(trace.Info) {
			s = append(s, fmt.Sprintf("%s:%d: %s (%d times): %s", p.Log.Source.At(i), p.Log.Position[i], p.Log.Code.At(i), p.Log.Count[i], p.Log.Message.At(i)))
		}
	}
	return strings.Join(s, "\n")
}

// checkAccounts compares the account of each source with its length.
func checkAccounts(t *testing.T, p *assemble.Parts) {
	t.Helper()
	lines := map[string]int64{}
	for i, n := range p.Account.Lines {
		lines[p.Account.Source.At(i)] += n
	}
	for _, s := range p.Sources {
		if s.Role != "unused" && lines[filepath.Base(s.Path)] != s.Lines {
			t.Errorf("%s: accounted for %d lines of %d", s.Path, lines[filepath.Base(s.Path)], s.Lines)
		}
	}
}

func linesOf(t *testing.T, path string) []string {
	t.Helper()
	r, err := text.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var all bytes.Buffer
	if err := r.Blocks(func(b []byte, _ int64) error { all.Write(b); return nil }); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(all.String(), "\n"), "\n")
}

// rows is the number of rows of each kind of table that the files fill.
func rows(p *assemble.Parts) map[string]int {
	return map[string]int{
		"paje.variable": len(p.Sample.Time), "paje.link": p.Link.Key.Len(), "paje.events": len(p.Event.Time),
		"rec.tasks": p.Task.Job.Len(), "rec.data_handles": p.Data.Handle.Len(), "states": len(p.State.Start),
	}
}

// accounted is the number of lines of a kind that went to a table.
func accounted(p *assemble.Parts, record, table string) (n int) {
	for i, lines := range p.Account.Lines {
		if p.Account.Record.At(i) == record && p.Account.Table.At(i) == table {
			n += int(lines)
		}
	}
	return n
}

// TestRealInputs reads the inputs of StarVZ's own examples and of a run of
// StarPU 1.4 with MPI: every row of every file arrives.
func TestRealInputs(t *testing.T) {
	dirs := testenv.References(t, "data/starvz/*/raw*")
	read := 0
	for _, dir := range dirs {
		if !Sniff(dir) {
			continue
		}
		read++
		name, err := filepath.Rel(testenv.Reference(t, "data/starvz"), dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			var last int64
			p, err := Read(dir, func(n int64) {
				if n < last {
					t.Errorf("progress went back from %d to %d", last, n)
				}
				last = n
			})
			if err != nil {
				t.Fatal(err)
			}
			if s := wrongs(p); s != "" && !strings.HasPrefix(name, "lu_trace") {
				t.Errorf("log: %s", s)
			} else if strings.Count(s, "\n") > 1 {
				// Its entities.csv is that of another run: two user threads and
				// eight workers are missing there.
				t.Errorf("log: %s", s)
			}
			checkAccounts(t, p)
			want := map[string]int{}
			for _, s := range p.Sources {
				if s.Role == "states" {
					want["states"] += int(s.Lines) - 1
				} else if s.Role != "unused" {
					want[stem(s.Path)] = int(s.Lines) - 1
				}
			}
			bare, tasks := accounted(p, "State", "task"), accounted(p, "State with job", "task")
			if bare != tasks {
				t.Errorf("%d tasks stand twice, want all %d", bare, tasks)
			}
			want["states"] -= bare
			got := rows(p)
			for k, n := range got {
				if n != want[k] {
					t.Errorf("%s: %d rows, want %d", k, n, want[k])
				}
			}
			checkExtended(t, p)
			run, err := assemble.Assemble(p, assemble.Options{}) // takes p apart
			if err != nil {
				t.Fatal(err)
			}
			if err := run.Validate(); err != nil {
				t.Error(err)
			}
		})
	}
	if read < 5 {
		t.Errorf("found %d directories of inputs, want 5", read)
	}
}

// checkExtended compares the extended worker states with the records of tasks:
// the same jobs, at the same times, on a worker that exists.
func checkExtended(t *testing.T, p *assemble.Parts) {
	t.Helper()
	task := p.Task.Job.Rows()
	seen := 0
	for row, ext := range p.State.Extended {
		if ext < 0 || p.State.Type.At(row) != "Worker State" {
			continue
		}
		seen++
		code, ok := p.Task.Job.Lookup(p.Extended.Job.At(int(ext)))
		if !ok {
			t.Fatalf("state of job %s, which has no record", p.Extended.Job.At(int(ext)))
		}
		r := task[code]
		if p.Task.Start[r] != p.State.Start[row] || p.Task.Footprint[r] != p.Extended.Footprint[ext] || p.Task.Tag[r] != p.Extended.Tag[ext] {
			t.Fatalf("job %s starts at %d with footprint %x, its record says %d and %x", p.Extended.Job.At(int(ext)),
				p.State.Start[row], p.Extended.Footprint[ext], p.Task.Start[r], p.Task.Footprint[r])
		}
		if g := p.Task.GFlop[r]; !math.IsNaN(g) && math.Abs(g-p.Extended.GFlop[ext]) > 1e-6 {
			t.Fatalf("job %s has %v GFlop, its record says %v", p.Extended.Job.At(int(ext)), p.Extended.GFlop[ext], g)
		}
		if o := p.Task.Order[r]; o != p.Extended.Order[ext] {
			t.Fatalf("job %s is number %d, its record says %d", p.Extended.Job.At(int(ext)), p.Extended.Order[ext], o)
		}
	}
	if seen == 0 {
		t.Error("no extended state of a worker")
	}
}

// TestDagDirection compares dag.csv with the dag.dot that it was made of:
// Dependent is the node that the arrow comes from.
func TestDagDirection(t *testing.T) {
	dir := testenv.Reference(t, "data/starvz/sgmpi-np4-n20-dmdas/raw")
	p, err := Read(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for i := range p.Edge.From.Len() {
		got = append(got, p.Edge.From.At(i)+">"+p.Edge.To.At(i))
	}
	for _, l := range linesOf(t, filepath.Join(dir, "dag.dot.gz")) {
		if from, to, ok := strings.Cut(strings.NewReplacer(`"`, "", "task_", "", " ", "", "\t", "").Replace(l), "->"); ok {
			want = append(want, from+">"+to)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%d edges, want the %d of dag.dot", len(got), len(want))
	}
	ends, starts := map[string]int64{}, map[string]int64{}
	for i := range p.Task.Job.Len() {
		ends[p.Task.Job.At(i)], starts[p.Task.Job.At(i)] = p.Task.End[i], p.Task.Start[i]
	}
	for i := range p.Edge.From.Len() {
		end, start := ends[p.Edge.From.At(i)], starts[p.Edge.To.At(i)]
		if end > 0 && start > 0 && end > start {
			t.Fatalf("%s ends at %d, after %s starts at %d", p.Edge.From.At(i), end, p.Edge.To.At(i), start)
		}
	}
}
