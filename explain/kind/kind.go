// Package kind answers: what tasks are there, and how long do they take? It
// groups the counted tasks by kind and architecture (and node) and gives the
// statistics of each group. Bounds and outliers build on the same groups.
package kind

import (
	"cmp"
	"slices"

	"dagscope/trace"
)

// Needs names the columns that this package reads.
var Needs = []string{
	"resource.parent", "resource.level", "resource.arch", "resource.node",
	"task.kind", "task.worker", "task.start", "task.end", "task.generation", "task.internal",
	"segment.task", "segment.start", "segment.end",
}

// Options select and group tasks.
type Options struct {
	Generation bool // also count tasks that prepare the input (docs/design/methods.md, Time)
	ByNode     bool // group by node too
}

// Counts tells whether task i enters the statistics: it ran on a worker, is
// the application's, and does not generate the input unless that is asked for.
func (o Options) Counts(t *trace.Tasks, i int) bool {
	return t.Start[i] != trace.NoTime && t.End[i] != trace.NoTime && t.Worker[i] >= 0 &&
		!t.Internal[i] && (o.Generation || !t.Generation[i])
}

// Durations returns how long each task worked, ns: end minus start, or the time
// that its pieces cover together where it was suspended or ran on several
// workers at once (a parallel task takes as long as it takes, however many
// help); 0 for tasks that did not run.
func Durations(run *trace.Run) []int64 {
	t, s := &run.Task, &run.Segment
	d := make([]int64, len(t.Start))
	for i, start := range t.Start {
		if start != trace.NoTime && t.End[i] != trace.NoTime {
			d[i] = max(0, t.End[i]-start)
		}
	}
	covered := trace.NoTime // until when, of this task; pieces come by start
	for k, task := range s.Task {
		if k == 0 || s.Task[k-1] != task {
			d[task], covered = 0, trace.NoTime
		}
		d[task] += max(0, s.End[k]-max(s.Start[k], covered))
		covered = max(covered, s.End[k])
	}
	return d
}

// Workers returns the rows of the resources that can run tasks: those of level
// worker, whether they ran anything or not, and any other that ran a task.
func Workers(run *trace.Run) []int32 {
	re := &run.Resource
	is := make([]bool, len(re.Parent))
	level := re.Level.Find(trace.LevelWorker)
	for i, l := range re.Level.Index {
		is[i] = l == level && level >= 0
	}
	for _, w := range run.Task.Worker {
		if w >= 0 {
			is[w] = true
		}
	}
	var rows []int32
	for i, yes := range is {
		if yes {
			rows = append(rows, int32(i))
		}
	}
	return rows
}

// Groups are the counted tasks by kind, architecture and, if asked, node. Row
// k of Kind, Arch and Node describes the group whose tasks are
// Task[At[k]:At[k+1]], in submission order. Groups are never empty and sorted
// by the names of kind and architecture, then by node.
type Groups struct {
	Kind []int32 // index into run.Task.Kind.Dict
	Arch []int32 // index into run.Resource.Arch.Dict, trace.None if the worker has none
	Node []int32 // rank, trace.None when not grouped by node
	At   []int32 // one more than there are groups
	Task []int32 // rows of run.Task
}

// Len is the number of groups.
func (g *Groups) Len() int { return len(g.Kind) }

// Tasks returns the rows of group k.
func (g *Groups) Tasks(k int) []int32 { return g.Task[g.At[k]:g.At[k+1]] }

// Group sorts the counted tasks into groups in two passes over the columns.
func Group(run *trace.Run, o Options) *Groups {
	c := newCoder(run, o)
	t := &run.Task
	count := make([]int32, c.cells())
	code := make([]int32, len(t.Start))
	total := int32(0)
	for i := range code {
		code[i] = -1
		if o.Counts(t, i) && t.Kind.Index[i] >= 0 {
			code[i] = c.code(t.Kind.Index[i], t.Worker[i])
			count[code[i]]++
			total++
		}
	}
	g := c.groups(run, count)
	next := make([]int32, len(count)) // where the next task of a code goes
	for k := range g.Kind {
		next[c.encode(g.Kind[k], g.Arch[k], c.place(g.Node[k]))] = g.At[k]
	}
	g.Task = make([]int32, total)
	for i, k := range code {
		if k >= 0 {
			g.Task[next[k]] = int32(i)
			next[k]++
		}
	}
	return g
}

// coder numbers the combinations of kind, architecture and node. Nodes count by
// their place among those that exist: ranks may be far apart.
type coder struct {
	kinds, archs, nodes int32
	rank                []int32 // ascending; [trace.None] when not grouped by node
	worker              []int32 // arch and node part of the code, by resource row
}

func newCoder(run *trace.Run, o Options) *coder {
	re := &run.Resource
	c := &coder{kinds: int32(len(run.Task.Kind.Dict)), archs: int32(len(re.Arch.Dict)) + 1, rank: []int32{trace.None}}
	if o.ByNode {
		c.rank = slices.Clone(re.Node)
		slices.Sort(c.rank)
		c.rank = slices.Compact(c.rank)
	}
	c.nodes = int32(len(c.rank))
	c.worker = make([]int32, len(re.Parent))
	for w := range c.worker {
		node := trace.None
		if o.ByNode {
			node = re.Node[w]
		}
		c.worker[w] = c.encode(0, re.Arch.Index[w], c.place(node))
	}
	return c
}

func (c *coder) cells() int32 { return c.kinds * c.archs * c.nodes }

func (c *coder) code(kind, worker int32) int32 { return kind*c.archs*c.nodes + c.worker[worker] }

func (c *coder) encode(kind, arch, place int32) int32 {
	return (kind*c.archs+arch+1)*c.nodes + place
}

// place is the position of a node among those that exist.
func (c *coder) place(node int32) int32 {
	i, _ := slices.BinarySearch(c.rank, node)
	return int32(i)
}

// groups lists the combinations that occur, in order, with their ranges.
func (c *coder) groups(run *trace.Run, count []int32) *Groups {
	var codes []int32
	for k, n := range count {
		if n > 0 {
			codes = append(codes, int32(k))
		}
	}
	kindName, archName := run.Task.Kind.Dict, append([]string{""}, run.Resource.Arch.Dict...)
	per := c.archs * c.nodes
	slices.SortFunc(codes, func(a, b int32) int {
		return cmp.Or(cmp.Compare(kindName[a/per], kindName[b/per]),
			cmp.Compare(archName[a/c.nodes%c.archs], archName[b/c.nodes%c.archs]), cmp.Compare(a%c.nodes, b%c.nodes))
	})
	g := &Groups{At: []int32{0}}
	for _, k := range codes {
		g.Kind = append(g.Kind, k/per)
		g.Arch = append(g.Arch, k/c.nodes%c.archs-1)
		g.Node = append(g.Node, c.rank[k%c.nodes])
		g.At = append(g.At, g.At[len(g.At)-1]+count[k])
	}
	return g
}
