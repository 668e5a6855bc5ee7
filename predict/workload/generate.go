package workload

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"time"
)

// Generate puts tasks in front that make the data of a graph: one for each
// handle that is in RAM at the start, column by column, each of which takes the
// duration. The data is allocated when it is made. They are more urgent than
// all others, by half, if there are priorities.
func Generate(g *Graph, kind string, duration time.Duration) (*Graph, error) {
	if duration < 0 || duration > 24*time.Hour {
		return nil, errorf("found tasks of kind %s of %v, want up to a day", kind, duration)
	}
	var made []int32
	for h, home := range g.Home {
		if home == 0 {
			made = append(made, int32(h))
		}
	}
	slices.SortStableFunc(made, func(a, b int32) int { return cmp.Compare(g.HandleY[a], g.HandleY[b]) })
	n := len(made)
	if n+g.Tasks() > maxRows || n+len(g.Handle) > maxRows {
		return nil, errorf("found %d tasks and %d pieces of data to make, want at most %d", g.Tasks(), n, maxRows)
	}
	out := *g
	out.generation(g, made, kind, duration)
	out.shift(g, n)
	return &out, nil
}

// generation fills the columns of tasks of a graph that continues another.
func (out *Graph) generation(g *Graph, made []int32, kind string, duration time.Duration) {
	n := len(made)
	classes := make(map[int64]int32) // by bytes
	out.Classes = slices.Clone(g.Classes)
	out.Class = make([]int32, n, n+len(g.Class))
	for i, h := range made {
		bytes := g.Bytes[h]
		class, known := classes[bytes]
		if !known {
			class = int32(len(out.Classes))
			classes[bytes] = class
			out.Classes = append(out.Classes, Class{Kind: kind, Bytes: bytes, Generation: true, Duration: int64(duration)})
		}
		out.Class[i] = class
	}
	out.Class = append(out.Class, g.Class...)
	urgent := int32(0)
	if len(g.Priority) > 0 {
		urgent = slices.Max(g.Priority)
		urgent += min(urgent/2, math.MaxInt32-max(urgent, 0))
	}
	out.Priority = prefixed(g.Priority, n, func(int) int32 { return urgent })
	out.Iteration = prefixed(g.Iteration, n, func(int) int32 { return -1 })
	out.X = prefixed(g.X, n, func(i int) int32 { return g.HandleX[made[i]] })
	out.Y = prefixed(g.Y, n, func(i int) int32 { return g.HandleY[made[i]] })
	out.Node = prefixed(g.Node, n, func(i int) int32 {
		if g.Owner == nil {
			return 0
		}
		return g.Owner[made[i]]
	})
	out.Duration = prefixed(g.Duration, n, func(int) int64 { return int64(duration) })
	out.Factor = prefixed(g.Factor, n, func(int) float64 { return 1 })
	out.Key = prefixed(g.Key, n, func(i int) string { return kind + "_" + strconv.Itoa(i) })
	nothing := func(int) int64 { return 0 }
	out.StartBytes, out.EndBytes = prefixed(g.StartBytes, n, nothing), prefixed(g.EndBytes, n, nothing)
	out.Sync = prefixed(g.Sync, n, func(int) bool { return false })
	out.Handle = append(slices.Clone(made), g.Handle...)
	out.Mode = prefixed(g.Mode, n, func(int) Mode { return Write })
	out.Home = slices.Clone(g.Home)
	for _, h := range made {
		out.Home[h] = None
	}
}

// prefixed puts n values before a column, unless it is absent.
func prefixed[T any](column []T, n int, value func(i int) T) []T {
	if column == nil {
		return nil
	}
	out := make([]T, n, n+len(column))
	for i := range out {
		out[i] = value(i)
	}
	return append(out, column...)
}

// shift moves what names tasks by n tasks, each of which has one access.
func (out *Graph) shift(g *Graph, n int) {
	d := int32(n)
	out.AccessAt = make([]int32, n, n+len(g.AccessAt))
	for i := range out.AccessAt {
		out.AccessAt[i] = int32(i)
	}
	for _, at := range g.AccessAt {
		out.AccessAt = append(out.AccessAt, at+d)
	}
	out.From, out.To, out.Hints = slices.Clone(g.From), slices.Clone(g.To), slices.Clone(g.Hints)
	for i := range out.From {
		out.From[i] += d
		out.To[i] += d
	}
	for i := range out.Hints {
		out.Hints[i].After += d
	}
}
