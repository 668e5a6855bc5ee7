package kit

import (
	"strings"
)

// CompareArchs puts processors first.
func CompareArchs(a, b string) int {
	if x, y := archRank(a), archRank(b); x != y {
		return x - y
	}
	return strings.Compare(a, b)
}
