package decode

import (
	"strconv"
	"strings"
)

// numaNames writes on which NUMA nodes the data of a task lies: "0_-1" for the
// first datum on node 0 and the second unknown. Nearly always all are unknown,
// so that the number of data tells the text.
type numaNames struct {
	extended []int32 // entries of Extended.Numa by number of data, all unknown
	task     []int32 // of Task.Numa
}

func (n *numaNames) init(*rank) {}

// maxSameNuma bounds the number of data for which texts are remembered.
const maxSameNuma = 1 << 10

// numaOf is the entry of Extended.Numa for a task.
func (r *rank) numaOf(row int32) int32 {
	return r.tasks.numa.entry(r, row, &r.tasks.numa.extended, "_", r.Extended.Numa.Intern)
}

// spaced is the entry of Task.Numa for a task.
func (n *numaNames) spaced(r *rank, row int32) int32 {
	return n.entry(r, row, &n.task, " ", r.Task.Numa.Intern)
}

func (n *numaNames) entry(r *rank, row int32, same *[]int32, between string, intern func(string) int32) int32 {
	t := &r.tasks.more[row]
	count := int(t.handles)
	if count == 0 || !r.d.version.NumaTold {
		return -1
	}
	if t.located || count > maxSameNuma {
		return intern(r.numaText(row, between))
	}
	for count >= len(*same) {
		text := strings.TrimPrefix(strings.Repeat(between+"-1", len(*same)), between)
		*same = append(*same, intern(text))
	}
	return (*same)[count]
}

// numaText writes the nodes of a task's data that was told so far. It lies
// among the last accesses, or is looked for in all.
func (r *rank) numaText(row int32, between string) string {
	c := &r.tasks.access
	var parts []string
	for i := len(c.row) - 1; i >= 0 && len(parts) < int(r.tasks.more[row].handles); i-- {
		if c.row[i] == row {
			parts = append(parts, numaNodes(c.numaAt(i)))
		}
	}
	var s strings.Builder
	for i := len(parts) - 1; i >= 0; i-- {
		s.WriteString(parts[i])
		if i > 0 {
			s.WriteString(between)
		}
	}
	return s.String()
}

func (c *accessColumns) numaAt(i int) int64 {
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
