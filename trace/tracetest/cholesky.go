package tracetest

import (
	"fmt"
	"math"

	"dagscope/trace"
)

// Options say which Cholesky factorisation to make. The zero value of a field
// is its default.
type Options struct {
	Tiles    int    // matrix of Tiles × Tiles tiles; default 12
	TileSize int    // rows of a tile of single precision; default 960
	Nodes    int    // ranks; more than one distributes tiles 2D block-cyclically; default 1
	CPUs     int    // CPU workers per node
	GPUs     int    // CUDA workers per node; 9 CPUs and 3 GPUs when both are 0
	Seed     uint64 // of the noise; equal options give equal runs
	Pace     int64  // ns between two submissions of a node; default 5000
	Exact    bool   // durations without noise and outliers
	Without  Part   // parts to leave out
}

// Part is a set of what large runs may do without.
type Part uint

// Parts. Without Transfers data is everywhere within a node, at no cost;
// messages between nodes remain.
const (
	States       Part = 1 << iota // runtime states between tasks
	Counters                      // samples
	Transfers                     // between memory nodes
	Accesses                      // handles and accesses
	Details                       // optional columns of tasks: gflop, x, y, tag, footprint, bytes, parameters
	Dependencies                  // edges
)

// Bare leaves out all parts: 64 bytes a task while it is made.
const Bare = States | Counters | Transfers | Accesses | Details | Dependencies

// maxTiles keeps the rows of tasks and, at three a task, edges in an int32.
const maxTiles = 1600

// Cholesky makes the run of a tiled Cholesky factorisation (right-looking, lower
// triangle) in the way of StarPU's cholesky_implicit. Nothing in it is drawn
// but the durations: one thread per node submits tasks at a pace; the graph is
// that of sequential task flow; a task that becomes ready is queued on the
// worker that would finish it first (as dmdas does), counting the transfers it
// needs; workers take the most urgent task of their queue. Durations are a mean
// per kernel and architecture with log-normal noise and a few outliers.
// Gaps between tasks are filled by the states that StarPU would show.
//
// The graph is never stored while scheduling: a task is a triple (k, n, m) that
// writes tile (m, n) in step k, and its neighbours are arithmetic (graph.go).
// Memory beyond the run itself is a byte a task, and four more with states,
// counters or several nodes. The platform is invented: no measured model.
//
// It panics on options out of range.
func Cholesky(o Options) *trace.Run {
	o = o.withDefaults()
	run := &trace.Run{}
	run.Meta = trace.Meta{Reader: "synthetic", Command: []string{fmt.Sprintf("cholesky %+v", o)}}
	g := newGraph(o.Tiles, o.Nodes)
	m := newPlatform(run, o)
	fillTasks(run, g, o)
	e := newEngine(run, g, m, o)
	e.schedule()
	run.Meta.Horizon = e.end + shutdown
	perm := e.data.finish(run)
	if o.Without&Dependencies == 0 {
		fillDeps(run, g, e.data, perm)
	}
	if o.Without&Accesses == 0 {
		fillHandles(run, g, o)
		fillAccesses(run, g, o)
	}
	if o.Without&States == 0 {
		fillStates(run, m, e)
	}
	if o.Without&Counters == 0 {
		fillSamples(run, m, e)
	}
	shift(run, e.zero)
	return run
}

// CholeskyTasks is Cholesky with the number of tiles that makes about n tasks.
func CholeskyTasks(n int, o Options) *trace.Run {
	o.Tiles = TilesFor(n)
	return Cholesky(o)
}

// TilesFor is the number of tiles whose number of tasks, N(N+1)(N+2)/6, is
// nearest to n.
func TilesFor(n int) int {
	tiles := max(1, int(math.Cbrt(6*float64(n)))-1)
	for abs(tasksOf(tiles+1)-n) < abs(tasksOf(tiles)-n) {
		tiles++
	}
	return tiles
}

func tasksOf(tiles int) int { return tiles * (tiles + 1) * (tiles + 2) / 6 }

func abs(x int) int { return max(x, -x) }

func (o Options) withDefaults() Options {
	set := func(v *int, to int) {
		if *v == 0 {
			*v = to
		}
	}
	set(&o.Tiles, 12)
	set(&o.TileSize, 960)
	set(&o.Nodes, 1)
	if o.CPUs == 0 && o.GPUs == 0 {
		o.CPUs, o.GPUs = 9, 3
	}
	if o.Pace == 0 {
		o.Pace = 5000
	}
	if o.Tiles < 1 || o.Tiles > maxTiles || o.TileSize < 1 || o.TileSize > 1<<14 || o.Nodes < 1 ||
		o.CPUs < 0 || o.GPUs < 0 || o.GPUs > 30 || o.Pace < 0 {
		panic(fmt.Sprintf("tracetest: found Cholesky options %+v, wanted 1 to %d tiles of 1 to %d rows, at least one node, at most 30 GPUs, no negative number",
			o, maxTiles, 1<<14))
	}
	return o
}

// shift makes t the zero of all times.
func shift(run *trace.Run, t int64) {
	run.Meta.Origin += t
	run.Meta.Horizon -= t
	for _, table := range run.Tables() {
		for _, c := range table.Columns {
			times, ok := c.Data.(*[]int64)
			if !ok || c.Unit != "ns" {
				continue
			}
			for i, v := range *times {
				if v != trace.NoTime {
					(*times)[i] = v - t
				}
			}
		}
	}
}
