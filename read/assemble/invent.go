package assemble

import (
	"strconv"

	"dagscope/trace"
)

// nodeOf is the resource of a node. One that records mention but no trace names
// is made up, unless the trace is of a single node: then records of another
// one are of another run, and ok is false.
func (a *assembler) nodeOf(rank int32) (row int32, ok bool) {
	if row, ok := a.rank.node[rank]; ok {
		return row, true
	}
	if nodes := a.out.Resource.Node; len(nodes) > 0 && nodes[0] != trace.None {
		return trace.None, false
	}
	return a.inventNode(rank), true
}

func (a *assembler) inventNode(rank int32) int32 {
	if len(a.out.Resource.Parent) == 0 {
		a.inventResource(trace.None, trace.LevelCluster, "root", trace.None, trace.None)
	}
	row := a.inventResource(0, trace.LevelNode, "node"+strconv.Itoa(int(rank)), rank, trace.None)
	a.rank.node[rank] = row
	return row
}

// inventWorker makes up a worker of which only the number is known, None where
// its node cannot be.
func (a *assembler) inventWorker(rank, id int32) int32 {
	node, ok := a.nodeOf(rank)
	if !ok {
		return trace.None
	}
	row := a.inventResource(node, trace.LevelWorker, strconv.Itoa(int(rank))+"_worker"+strconv.Itoa(int(id)), rank, id)
	a.rank.add(trace.LevelWorker, rank, id, row)
	return row
}

func (a *assembler) inventResource(parent int32, level, name string, node, index int32) int32 {
	a.log(trace.Info, "resource-without-trace", "no Pajé trace names the resource: named by its number, architecture unknown", 1)
	row := a.build.AddResource(parent, level, name, "", node, index)
	a.out.Resource.Alias.AppendIndex(trace.None)
	a.out.Resource.Type.AppendIndex(trace.None)
	return row
}
