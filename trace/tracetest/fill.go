package tracetest

import (
	"fmt"
	"slices"
	"strconv"

	"dagscope/trace"
)

// fillTasks makes the task table with all that does not depend on the schedule.
func fillTasks(run *trace.Run, g *graph, o Options) {
	t := &run.Task
	n := g.tasks()
	t.Key.Code, t.Kind.Index, t.Worker = make([]int64, n), make([]int32, n), make([]int32, n)
	t.Start, t.End, t.Submit, t.Ready = make([]int64, n), make([]int64, n), make([]int64, n), make([]int64, n)
	t.Order, t.Priority, t.Iteration = make([]int32, n), make([]int32, n), make([]int32, n)
	t.Generation, t.Internal = make([]bool, n), make([]bool, n)
	for _, name := range kindNames {
		t.Kind.Intern(name)
	}
	if g.nodes() > 1 {
		t.Node = make([]int32, n)
	}
	for node := range g.nodes() {
		key := t.Key.Encode([]byte("0"))
		if g.nodes() > 1 {
			key = t.Key.Encode(fmt.Appendf(nil, "%d_0", node))
		}
		row := g.first[node]
		for w := g.walk(node); w.ok; w.next() {
			t.Key.Code[row] = key + int64(row-g.first[node]) + 1
			t.Kind.Index[row] = int32(newID(w.k, w.n, w.m).kind())
			t.Order[row] = int32(row - g.first[node])
			t.Priority[row] = int32(g.priority(w.k, w.n, w.m))
			t.Iteration[row] = int32(w.k)
			if t.Node != nil {
				t.Node[row] = int32(node)
			}
			row++
		}
	}
	if o.Without&Details == 0 {
		fillDetails(t, g, o)
	}
}

// fillDetails fills the optional columns.
func fillDetails(t *trace.Tasks, g *graph, o Options) {
	n := g.tasks()
	t.GFlop, t.X, t.Y, t.Bytes = make([]float64, n), make([]int32, n), make([]int32, n), make([]int64, n)
	t.Tag, t.Footprint, t.Parameters.Index = make([]uint64, n), make([]uint32, n), make([]int32, n)
	block := fmt.Sprintf("M%[1]dx%[1]dx4", o.TileSize)
	var layouts [4]int32 // by number of tiles
	text := block
	for tiles := 1; tiles <= 3; tiles++ {
		layouts[tiles] = t.Parameters.Intern(text)
		text += "_" + block
	}
	for node := range g.nodes() {
		row := g.first[node]
		for w := g.walk(node); w.ok; w.next() {
			id := newID(w.k, w.n, w.m)
			kind := id.kind()
			tiles := 1 + min(kind, 1) + kind/gemm
			t.GFlop[row] = gflop(kind, o.TileSize)
			t.X[row], t.Y[row] = int32(w.m), int32(w.n)
			t.Bytes[row] = int64(tiles) * int64(o.TileSize) * int64(o.TileSize) * 4
			t.Tag[row] = uint64(kind+1)<<60 | uint64(id)
			t.Footprint[row] = uint32(tiles) * 0x9e3779b1
			t.Parameters.Index[row] = layouts[tiles]
			row++
		}
	}
}

// fillDeps makes the edges, in order. row is that of each transfer as appended.
func fillDeps(run *trace.Run, g *graph, d *data, row []int32) {
	total := 0
	for node := range g.nodes() {
		for w := g.walk(node); w.ok; w.next() {
			total += int(waits(w.k, w.n, w.m))
		}
	}
	e := &run.Dep
	e.From, e.To, e.Kind.Index = make([]int32, 0, total), make([]int32, 0, total), make([]int32, 0, total)
	byTask, byMessage := e.Kind.Intern(trace.DepTask), e.Kind.Intern(trace.DepComm)
	if g.nodes() > 1 {
		e.Via = make([]int32, 0, total)
	}
	type edge struct{ from, via int32 }
	var edges []edge
	var tiles []int
	for node := range g.nodes() {
		to := g.first[node]
		for w := g.walk(node); w.ok; w.next() {
			edges = edges[:0]
			if w.k > 0 {
				edges = append(edges, edge{g.rowOf(w.k-1, w.n, w.m), trace.None})
			}
			tiles = reads(w.k, w.n, w.m, tiles[:0])
			for _, m := range tiles {
				via := trace.None
				if g.owner(m, w.k) != node {
					via = row[d.via[tile(m, w.k)*g.nodes()+node]]
				}
				edges = append(edges, edge{g.rowOf(w.k, w.k, m), via})
			}
			slices.SortFunc(edges, func(a, b edge) int { return int(a.from) - int(b.from) })
			for _, x := range edges {
				kind := byTask
				if x.via != trace.None {
					kind = byMessage
				}
				e.From, e.To, e.Kind.Index = append(e.From, x.from), append(e.To, int32(to)), append(e.Kind.Index, kind)
				if e.Via != nil {
					e.Via = append(e.Via, x.via)
				}
			}
			to++
		}
	}
}

// fillHandles registers every tile on every node, as StarPU-MPI does.
func fillHandles(run *trace.Run, g *graph, o Options) {
	h := &run.Handle
	name, layout := h.Name.Intern("A"), h.Description.Intern(fmt.Sprintf("M%[1]dx%[1]dx4", o.TileSize))
	var text []byte
	for node := range g.nodes() {
		for m := range g.n {
			for n := range m + 1 {
				owner := g.owner(m, n)
				home := int32(0)
				if owner != node {
					home = -1
				}
				text = strconv.AppendUint(text[:0], 0x55d0bf400000+uint64(tile(m, n))*0x700, 16)
				h.Key.AppendIndex(h.Key.InternBytes(text))
				h.Node = append(h.Node, int32(node))
				h.Name.AppendIndex(name)
				h.Bytes = append(h.Bytes, int64(o.TileSize)*int64(o.TileSize)*4)
				h.X, h.Y = append(h.X, int32(m)), append(h.Y, int32(n))
				text = strconv.AppendInt(append(strconv.AppendInt(text[:0], int64(m), 10), ' '), int64(n), 10)
				h.Coordinates.AppendIndex(h.Coordinates.InternBytes(text))
				h.Home = append(h.Home, home)
				h.Description.AppendIndex(layout)
				h.Owner = append(h.Owner, int32(owner))
				h.Tag = append(h.Tag, int64(tile(m, n)))
			}
		}
	}
}

// fillAccesses lists the tiles that tasks read, then the one that they update.
func fillAccesses(run *trace.Run, g *graph, o Options) {
	total := 0
	for node := range g.nodes() {
		for w := g.walk(node); w.ok; w.next() {
			total += 1 + int(waits(w.k, w.n, w.m))
		}
	}
	a := &run.Access
	a.Task, a.Handle, a.Mode.Index = make([]int32, 0, total), make([]int32, 0, total), make([]int32, 0, total)
	read, update := a.Mode.Intern("R"), a.Mode.Intern("RW")
	add := func(row, handle int, mode int32) {
		a.Task, a.Handle, a.Mode.Index = append(a.Task, int32(row)), append(a.Handle, int32(handle)), append(a.Mode.Index, mode)
	}
	var tiles []int
	for node := range g.nodes() {
		row, base := g.first[node], node*g.tiles()
		for w := g.walk(node); w.ok; w.next() {
			tiles = reads(w.k, w.n, w.m, tiles[:0])
			for _, m := range tiles {
				add(row, base+tile(m, w.k), read)
			}
			add(row, base+tile(w.m, w.n), update)
			row++
		}
	}
	a.Bytes = repeat(int64(o.TileSize)*int64(o.TileSize)*4, len(a.Task))
}
