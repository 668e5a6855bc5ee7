package kit

import (
	"fmt"

	"dagscope/explain/progress"
)

// RanksLabel names nodes with consecutive ranks.
func RanksLabel(nodes []int32) string {
	first, last := nodes[0], nodes[len(nodes)-1]
	if first == last {
		return NodeLabel(&progress.Series{Node: first})
	}
	return fmt.Sprintf("nodes %d–%d", first, last)
}
