// Package dag holds directed acyclic graphs of up to some ten million nodes in
// compressed sparse rows and answers what the analyses ask of them: an order,
// longest paths, how much lies before and after each node, and which sets have
// met. It knows nothing of traces: nodes and edges are row numbers.
package dag

import "fmt"

// None stands for "no node" and "no edge".
const None int32 = -1

// Graph is a directed graph in compressed sparse rows, both ways. Node v's
// predecessors are pred[predAt[v]:predAt[v+1]], in the order of the input
// rows; likewise its successors. It is immutable after Build, so that many
// goroutines may read it.
type Graph struct {
	n              int
	predAt, succAt []int32
	pred, succ     []int32
	predRow        []int32
	forward        bool // every edge goes from a smaller to a larger node
}

// Build makes the graph of n nodes whose edge i goes from[i] -> to[i]. Rows
// with a negative end are left out. Parallel edges and self loops are kept; a
// self loop is a cycle. It panics when from and to differ in length or name a
// node beyond n: rows of a validated table cannot. The graph may keep from
// itself, which must not change afterwards.
func Build(n int, from, to []int32) *Graph {
	if len(from) != len(to) {
		panic(fmt.Sprintf("dag: %d edge origins but %d destinations", len(from), len(to)))
	}
	g := &Graph{n: n, predAt: make([]int32, n+1), succAt: make([]int32, n+1), forward: true}
	inOrder := true
	last := int32(0)
	for i, u := range from {
		v := to[i]
		if u < 0 || v < 0 {
			inOrder = false
			continue
		}
		g.predAt[v+1]++
		g.succAt[u+1]++
		g.forward = g.forward && u < v
		inOrder = inOrder && v >= last
		last = v
	}
	accumulate(g.predAt)
	accumulate(g.succAt)
	if inOrder {
		g.pred, g.predRow = from, identity(len(from))
	} else {
		g.pred, g.predRow = scatter(g.predAt, to, from)
	}
	g.succ, _ = scatter(g.succAt, from, to)
	return g
}

// Len is the number of nodes.
func (g *Graph) Len() int { return g.n }

// Edges is the number of edges that were not left out.
func (g *Graph) Edges() int { return len(g.succ) }

// Preds returns the predecessors of v. The caller must not change them.
func (g *Graph) Preds(v int32) []int32 { return g.pred[g.predAt[v]:g.predAt[v+1]] }

// Succs returns the successors of v. The caller must not change them.
func (g *Graph) Succs(v int32) []int32 { return g.succ[g.succAt[v]:g.succAt[v+1]] }

// PredEdges returns the input rows of the edges from Preds(v), in that order.
func (g *Graph) PredEdges(v int32) []int32 { return g.predRow[g.predAt[v]:g.predAt[v+1]] }

// accumulate turns counts shifted by one into start offsets.
func accumulate(at []int32) {
	for i := 1; i < len(at); i++ {
		at[i] += at[i-1]
	}
}

// scatter distributes the edges to the rows of their key node: the other end
// and the input row of each. It uses at as its cursors and puts it back.
func scatter(at, key, other []int32) (ends, rows []int32) {
	total := at[len(at)-1]
	ends, rows = make([]int32, total), make([]int32, total)
	for i, k := range key {
		if k < 0 || other[i] < 0 {
			continue
		}
		p := at[k]
		at[k]++
		ends[p], rows[p] = other[i], int32(i)
	}
	copy(at[1:], at[:len(at)-1])
	at[0] = 0
	return ends, rows
}

func identity(n int) []int32 {
	rows := make([]int32, n)
	for i := range rows {
		rows[i] = int32(i)
	}
	return rows
}
