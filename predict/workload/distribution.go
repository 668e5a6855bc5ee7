package workload

import "fmt"

// MostNodes is how many nodes data can be distributed over.
const MostNodes = 1 << 16

// Distribute puts the data and the tasks of a graph on the nodes of a cluster:
// owner is the node of each handle, and the owner computes. A task runs on the
// node that owns what it writes, as starpu_mpi_task_insert has it; one that
// writes data of several nodes, or none, runs where most bytes of its data are,
// counting what it reads and what it writes, on the first of such nodes.
//
// It sets Owner and Node. It is an error, which leaves the graph as it was, when
// a handle has no owner or one that is not below nodes.
func Distribute(g *Graph, owner []int32, nodes int) error {
	if err := checkOwners(g, owner, nodes); err != nil {
		return err
	}
	node := make([]int32, g.Tasks())
	at := make([]int64, nodes) // bytes on each node, all 0 between tasks
	for t := range node {
		from, to := g.AccessAt[t], g.AccessAt[t+1]
		node[t] = executee(g.Handle[from:to], g.Mode[from:to], owner, g.Bytes, at)
	}
	g.Owner, g.Node = owner, node
	return nil
}

func checkOwners(g *Graph, owner []int32, nodes int) error {
	switch {
	case nodes < 1 || nodes > MostNodes:
		return fmt.Errorf("distribute data: found %d nodes, want 1 to %d", nodes, MostNodes)
	case len(owner) != len(g.Bytes):
		return fmt.Errorf("distribute data: found owners of %d pieces of data, want those of %d", len(owner), len(g.Bytes))
	}
	for h, o := range owner {
		if o < 0 || int(o) >= nodes {
			return fmt.Errorf("distribute data: found %s on node %d, want 0 to %d", g.handleName(int32(h)), o, nodes-1)
		}
	}
	return nil
}

// executee is the node that runs a task with these accesses: the owner of what
// it writes, or without a single one, the node with most bytes.
func executee(handles []int32, modes []Mode, owner []int32, bytes, at []int64) int32 {
	chosen := None
	for i, h := range handles {
		switch {
		case modes[i]&Write == 0 || modes[i]&Scratch != 0:
		case chosen == None:
			chosen = owner[h]
		case chosen != owner[h]:
			return mostBytes(handles, modes, owner, bytes, at)
		}
	}
	if chosen == None {
		return mostBytes(handles, modes, owner, bytes, at)
	}
	return chosen
}

// mostBytes is the first node with most bytes of some accesses: data that is
// read has to come, data that is written has to go back, updates do both.
func mostBytes(handles []int32, modes []Mode, owner []int32, bytes, at []int64) int32 {
	for i, h := range handles {
		if modes[i]&Scratch != 0 {
			continue
		}
		if modes[i]&Read != 0 {
			at[owner[h]] += bytes[h]
		}
		if modes[i]&Write != 0 {
			at[owner[h]] += bytes[h]
		}
	}
	best, most := int32(0), int64(0)
	for _, h := range handles {
		if o := owner[h]; at[o] > most || at[o] == most && most > 0 && o < best {
			best, most = o, at[o]
		}
	}
	for _, h := range handles {
		at[owner[h]] = 0
	}
	return best
}

// handleName is what messages call a handle.
func (g *Graph) handleName(h int32) string {
	switch {
	case g.Names != nil && g.Names[h] != "":
		return fmt.Sprintf("data %d (%s)", h, g.Names[h])
	case g.HandleX != nil:
		return fmt.Sprintf("data %d (%d, %d)", h, g.HandleX[h], g.HandleY[h])
	}
	return fmt.Sprintf("data %d", h)
}

// BlockCyclic deals tiles to a grid of p × q nodes as ScaLAPACK does: rows of
// tiles to rows of nodes in turn, columns to columns. Tile (x, y), in row x and
// column y, goes to node (x mod p)·q + y mod q. It is the owner of each handle,
// for Distribute.
//
// StarPU's mpi_cholesky has p = dblocky and q = dblockx.
func BlockCyclic(g *Graph, p, q int) ([]int32, error) {
	if p < 1 || q < 1 || p > MostNodes || q > MostNodes/p {
		return nil, fmt.Errorf("distribute data: found a grid of %d × %d nodes, want 1 to %d nodes", p, q, MostNodes)
	}
	return g.byTile(func(x, y int32) int32 {
		return x%int32(p)*int32(q) + y%int32(q)
	})
}

// byTile is the owner of each handle by its coordinates.
func (g *Graph) byTile(node func(x, y int32) int32) ([]int32, error) {
	owner := make([]int32, len(g.Bytes))
	for h := range owner {
		if g.HandleX == nil || g.HandleX[h] < 0 || g.HandleY[h] < 0 {
			return nil, fmt.Errorf("distribute data: found %s without coordinates, want those of a tile", g.handleName(int32(h)))
		}
		owner[h] = node(g.HandleX[h], g.HandleY[h])
	}
	return owner, nil
}

// Grid is the most square grid of nodes, p ≤ q, as StarPU's mpi_cholesky
// chooses it: p is the largest divisor of nodes up to its root.
func Grid(nodes int) (p, q int) {
	p = 1
	for f := 1; f*f <= nodes; f++ {
		if nodes%f == 0 {
			p = f
		}
	}
	return p, max(nodes, 1) / p
}
