// Package taskdot answers which tasks a graph in the DOT language has, and which
// wait for which: a task graph to be simulated, of which nothing ran.
//
// A node is a task, an edge A -> B says that B waits for A; subgraphs stand for
// all of their nodes. The kind of a task is its attribute kind, else the word that
// its label begins with, else that of its name; priority (or prio) and gflop (or
// flops) are read where they are given. Tasks are submitted in the order in which the file
// first names them, unless one comes before another that it waits for: then in a
// topological order.
//
// All other attributes are for drawing. Undirected graphs are refused. The
// syntax is left to gonum's parser.
package taskdot

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/graph/formats/dot"
	"gonum.org/v1/gonum/graph/formats/dot/ast"

	"dagscope/internal/dag"
	"dagscope/internal/regular"
	"dagscope/trace"
)

// maxBytes is the largest file: the parser holds all of it, many times over.
const maxBytes = 64 << 20

// first matches what a graph begins with, after comments.
var first = regexp.MustCompile(`^\s*(?:(?://|#)[^\n]*\n\s*|/\*(?s:.*?)\*/\s*)*(?:strict\s+)?(?:di)?graph\b`)

// Is reports whether a file that begins so is a graph.
func Is(head []byte) bool { return first.Match(head) }

// Read reads the tasks of a file. They have no times (trace.TaskGraph).
func Read(path string) (*trace.Run, error) {
	content, err := regular.Read(path, maxBytes)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	run, err := parse(path, content)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return run, nil
}

func parse(path string, content []byte) (*trace.Run, error) {
	file, err := dot.ParseBytes(content)
	switch {
	case err != nil:
		return nil, fmt.Errorf("found no graph in the DOT language: %.200v", err)
	case len(file.Graphs) != 1:
		return nil, fmt.Errorf("found %d graphs, want one", len(file.Graphs))
	case !file.Graphs[0].Directed:
		return nil, errors.New("found an undirected graph, want a digraph whose edges lead from a task to those that wait for it")
	}
	g := graph{row: make(map[string]int32)}
	g.statements(file.Graphs[0].Stmts)
	if g.err != nil {
		return nil, g.err
	}
	if len(g.tasks) == 0 {
		return nil, errors.New("found no node, want one at least")
	}
	return g.run(path)
}

// graph is what was read.
type graph struct {
	row      map[string]int32
	tasks    []task
	from, to []int32
	err      error // the first
}

type task struct {
	name, kind, label string
	priority          int32
	gflop             float64 // NaN: not known
}

// statements reads statements, and returns the tasks that they name.
func (g *graph) statements(all []ast.Stmt) (named []int32) {
	for _, s := range all {
		switch s := s.(type) {
		case *ast.NodeStmt:
			t := g.node(s.Node)
			g.attributes(t, s.Attrs)
			named = append(named, t)
		case *ast.EdgeStmt:
			named = append(named, g.edges(s)...)
		case *ast.Subgraph:
			named = append(named, g.statements(s.Stmts)...)
		}
	}
	return named
}

// edges reads A -> B -> C, each of which may be a subgraph.
func (g *graph) edges(s *ast.EdgeStmt) (named []int32) {
	before := g.vertex(s.From)
	named = append(named, before...)
	for e := s.To; e != nil; e = e.To {
		after := g.vertex(e.Vertex)
		for _, a := range before {
			for _, b := range after {
				g.from, g.to = append(g.from, a), append(g.to, b)
			}
		}
		named, before = append(named, after...), after
	}
	return named
}

func (g *graph) vertex(v ast.Vertex) []int32 {
	if s, several := v.(*ast.Subgraph); several {
		return g.statements(s.Stmts)
	}
	return []int32{g.node(v.(*ast.Node))}
}

// node is the task of a name.
func (g *graph) node(n *ast.Node) int32 {
	name := unquoted(n.ID)
	t, known := g.row[name]
	if !known {
		t = int32(len(g.tasks))
		g.row[name] = t
		g.tasks = append(g.tasks, task{name: name, gflop: math.NaN()})
	}
	return t
}

func (g *graph) attributes(at int32, attributes []*ast.Attr) {
	t := &g.tasks[at]
	number := func(a *ast.Attr, low, high, per float64) float64 {
		v, err := strconv.ParseFloat(unquoted(a.Val), 64)
		if (err != nil || !(v >= low && v <= high)) && g.err == nil {
			g.err = fmt.Errorf("node %.80q: found %s %.80q, want a number from %g to %g", t.name, a.Key, unquoted(a.Val), low, high)
		}
		return v / per
	}
	for _, a := range attributes {
		switch strings.ToLower(unquoted(a.Key)) {
		case "kind":
			t.kind = unquoted(a.Val)
		case "label":
			t.label = unquoted(a.Val)
		case "priority", "prio":
			t.priority = int32(number(a, math.MinInt32, math.MaxInt32, 1))
		case "gflop":
			t.gflop = number(a, 0, 1e18, 1)
		case "flops":
			t.gflop = number(a, 0, 1e27, 1e9)
		}
	}
}

// unquoted is an identifier without its quotes.
func unquoted(s string) string {
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		return s
	}
	return strings.ReplaceAll(s[1:len(s)-1], `\"`, `"`)
}

// word is what a label or a name begins with, up to a number or anything else
// that is no part of a word: the GEMM of "GEMM(3,1)", "GEMM_3" and "GEMM 3".
var word = regexp.MustCompile(`^[\pL_]+(?:\d+[\pL]+)*`)

// kindOf is the kind of a task.
func (t *task) kindOf() string {
	if t.kind != "" {
		return t.kind
	}
	for _, text := range []string{t.label, t.name} {
		if kind := strings.Trim(word.FindString(text), "_"); kind != "" {
			return kind
		}
	}
	return "task"
}

// run makes a run of the tasks.
func (g *graph) run(path string) (*trace.Run, error) {
	order, err := g.submissions()
	if err != nil {
		return nil, err
	}
	b := new(trace.Builder)
	r := &b.Run
	r.Meta.Reader = trace.TaskGraph
	r.Meta.Sources = []trace.Source{{Path: path, Role: "tasks"}}
	root := b.AddResource(trace.None, trace.LevelCluster, "root", "", trace.None, trace.None)
	program := b.AddResource(root, trace.LevelNode, "program", "", 0, trace.None)
	memory := b.AddResource(program, trace.LevelMemory, "MEMNODE0", "", 0, 0)
	worker := b.AddResource(memory, trace.LevelWorker, "CPU0", "cpu", 0, 0)
	rows := make([]int32, len(g.tasks))
	for i, t := range order {
		x := &g.tasks[t]
		rows[t] = b.AddTask(trace.TaskRow{
			Key: x.name, Kind: x.kindOf(), Worker: worker, Submit: trace.NoTime, Ready: trace.NoTime,
			Order: int32(i), Priority: x.priority, Iteration: -1,
		})
		r.Task.GFlop = append(r.Task.GFlop, x.gflop)
	}
	for i := range g.from {
		b.AddDep(rows[g.from[i]], rows[g.to[i]], trace.None)
	}
	return b.Finish("")
}

// submissions are the tasks in the order of the file, if none comes before one
// that it waits for there, else in a topological order.
func (g *graph) submissions() ([]int32, error) {
	order, err := dag.Build(len(g.tasks), g.from, g.to).Topological()
	var cycle *dag.CycleError
	if errors.As(err, &cycle) {
		return nil, fmt.Errorf("found nodes that wait for each other, %.80q among them, want none", g.tasks[cycle.Nodes[0]].name)
	}
	return order, err
}
