package decode

import (
	"strconv"
	"strings"

	"dagscope/trace"
)

// numaNames writes on which NUMA nodes the data of a task lies: "0_-1" for the
// first datum on node 0 and the second unknown. Nearly always all are unknown,
// so that the number of data tells the text. Other texts are written when all
// accesses are known and lie in the order of the tasks.
type numaNames struct {
	extended []int32 // entries of Extended.Numa by number of data, all unknown
	task     []int32 // of Task.Numa
	later    []later // whose text is not written yet
}

// later is a row of Extended and its task's.
type later struct{ extended, row int32 }

// maxSameNuma bounds the number of data for which texts are remembered.
const maxSameNuma = 1 << 10

// numaOf is the entry of Extended.Numa for a task with what was told of its
// data so far, None where that is written later.
func (r *rank) numaOf(row, extended int32) int32 {
	n, t := &r.tasks.numa, &r.tasks.more[row]
	switch {
	case t.handles == 0 || !r.d.version.NumaTold:
		return trace.None
	case t.located || t.handles > maxSameNuma:
		n.later = append(n.later, later{extended, row})
		return trace.None
	}
	return allUnknown(&n.extended, t.handles, "_", &r.out.Extended.Numa)
}

// allUnknown is the entry for data none of whose nodes are known.
func allUnknown(same *[]int32, handles int32, between string, to *trace.Strings) int32 {
	for int(handles) >= len(*same) {
		text := strings.TrimPrefix(strings.Repeat(between+"-1", len(*same)), between)
		*same = append(*same, to.Intern(text))
	}
	return (*same)[handles]
}

// finishNuma writes the nodes of the data of all tasks, whose accesses are
// given by row.
func (r *rank) finishNuma(accesses ordered) {
	if !r.d.version.NumaTold {
		return
	}
	n, numa := &r.tasks.numa, &r.out.Task.Numa
	for row := range r.tasks.more {
		switch t := &r.tasks.more[row]; {
		case t.handles == 0:
		case t.located || t.handles > maxSameNuma:
			numa.Index[row] = numa.Intern(r.tasks.access.numaText(accesses.of(row), " "))
		default:
			numa.Index[row] = allUnknown(&n.task, t.handles, " ", numa)
		}
	}
	written := table{} // by row: a task that runs on many workers has its text once
	for _, l := range n.later {
		entry := written.get(uint64(l.row))
		if entry < 0 {
			entry = r.out.Extended.Numa.Intern(r.tasks.access.numaText(accesses.of(int(l.row)), "_"))
			written.put(uint64(l.row), entry)
		}
		r.out.Extended.Numa.Index[l.extended] = entry
	}
}

// numaText writes the nodes of these accesses.
func (c *accessColumns) numaText(accesses []int32, between string) string {
	var s strings.Builder
	for i, access := range accesses {
		if i > 0 {
			s.WriteString(between)
		}
		s.WriteString(numaNodes(c.numaAt(access)))
	}
	return s.String()
}

func (c *accessColumns) numaAt(i int32) int64 {
	if c.numa == nil {
		return -1
	}
	return c.numa[i]
}

// numaNodes writes a set of nodes: "0,2"; what is negative stands for itself.
func numaNodes(bits int64) string {
	if bits < 0 {
		return strconv.FormatInt(bits, 10)
	}
	var nodes []string
	for i := range 63 {
		if bits>>i&1 != 0 {
			nodes = append(nodes, strconv.Itoa(i))
		}
	}
	return strings.Join(nodes, ",")
}
