package taskdot

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dagscope/internal/budget"
	"dagscope/trace"
)

// edgesOf lists the dependencies of a run by the names of its tasks.
func edgesOf(run *trace.Run) (all []string) {
	for i, from := range run.Dep.From {
		all = append(all, run.Task.Key.At(int(from))+">"+run.Task.Key.At(int(run.Dep.To[i])))
	}
	slices.Sort(all)
	return all
}

func TestTasksAndEdges(t *testing.T) {
	run, err := parse("x.dot", []byte(`// by hand
strict digraph "G" {
  node [shape=box];
  d [label="gemm(3,1)" gflop=2.5]
  "a" [kind=potrf, priority=3]
  a -> {b c} -> d
  b [label="trsm 1"]; c [label="trsm_2", flops="1e9", color=red]
  subgraph s { lonely_7 -> 12 }
}`))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := edgesOf(run), []string{"a>b", "a>c", "b>d", "c>d", "lonely_7>12"}; !slices.Equal(got, want) {
		t.Errorf("found edges %q, want %q", got, want)
	}
	var tasks []string
	for i := range run.Task.Start {
		tasks = append(tasks, fmt.Sprintf("%s %s %d %g", run.Task.Key.At(i), run.Task.Kind.At(i), run.Task.Priority[i], run.Task.GFlop[i]))
	}
	slices.Sort(tasks)
	if want := []string{"12 task 0 NaN", "a potrf 3 NaN", "b trsm 0 NaN", "c trsm 0 1", "d gemm 0 2.5", "lonely_7 lonely 0 NaN"}; !slices.Equal(tasks, want) {
		t.Errorf("found tasks %q, want %q", tasks, want)
	}
	for i, from := range run.Dep.From {
		if from >= run.Dep.To[i] {
			t.Errorf("task %d is submitted before %d, which it waits for", run.Dep.To[i], from)
		}
	}
	if run.Meta.Reader != trace.TaskGraph {
		t.Errorf("found reader %q", run.Meta.Reader)
	}
}

// Files whose order is one in which tasks can be submitted keep it.
func TestOrderOfTheFile(t *testing.T) {
	run, err := parse("x.dot", []byte("digraph { z; y; x; z -> x; a; y -> a }"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i := range run.Task.Start {
		names = append(names, run.Task.Key.At(i))
	}
	if got := strings.Join(names, ""); got != "zyxa" {
		t.Errorf("found order %s, want zyxa", got)
	}
}

func TestRefusals(t *testing.T) {
	for text, want := range map[string]string{
		"digraph { a -> b -> a }":         "wait for each other",
		"graph { a -- b }":                "undirected",
		"digraph { }":                     "found no node",
		"digraph { a -> }":                "found no graph in the DOT language",
		`digraph { a [priority="high"] }`: `node "a": found priority "high", want a number`,
		"digraph { a [gflop=-1] }":        `found gflop "-1"`,
		"digraph { a } digraph { b }":     "found 2 graphs",
		"digraph { a [priority=" + strings.Repeat("9", 400) + "] }": "want a number",
	} {
		if _, err := parse("x.dot", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: found error %v, want %q in it", text, err, want)
		}
	}
	if _, err := Read(filepath.Join(t.TempDir(), "absent.dot")); err == nil {
		t.Error("a file that is not there was read")
	}
}

func TestIs(t *testing.T) {
	for text, want := range map[string]bool{
		"digraph G {": true, "strict digraph {": true, "\n// c\n/* d */ # e\ndigraph{": true, "graph {": true,
		"id,kind,deps": false, "digraphs": false, "%EventDef": false, "": false,
	} {
		if got := Is([]byte(text)); got != want {
			t.Errorf("%q: found %v", text, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`digraph { a [kind=x priority=1]; a -> {b c} -> d }`))
	f.Add([]byte("graph { a -- b }"))
	f.Fuzz(func(t *testing.T, text []byte) {
		budget.Watch(t)
		run, err := parse("x.dot", text)
		if err == nil && len(run.Task.Start) == 0 {
			t.Error("a graph without tasks")
		}
	})
}

// A graph that StarPU drew is one of its tasks.
func TestOfStarPU(t *testing.T) {
	files, err := filepath.Glob("../../testdata/starpu/*/dag.dot")
	if err != nil || len(files) == 0 {
		t.Fatal("found no dag.dot", err)
	}
	for _, file := range files {
		run, err := Read(file)
		if err != nil {
			t.Error(err)
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if labels := strings.Count(string(text), "label="); len(run.Task.Start) < labels/2 {
			t.Errorf("%s: found %d tasks, want about %d", file, len(run.Task.Start), labels)
		}
	}
}
