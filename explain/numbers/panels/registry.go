package panels

import (
	"fmt"
	"slices"
	"strings"
)

// All returns the numbers behind every panel, in the order of the docs.
func All() []Numbers {
	return slices.Concat(drawnFirst, taskNumbers, workerNumbers, efficiencyNumbers, irregularNumbers, treeNumbers, counterNumbers, progressNumbers, seriesNumbers, nodeNumbers, blockNumbers, commNumbers, taskingNumbers, decisionNumbers, chainNumbers, causalNumbers)
}

// drawnFirst are numbers that are read off a drawing.
var drawnFirst []Numbers

// Add adds numbers that are read off a drawing: the panel adds them.
func Add(n Numbers) { drawnFirst = append(drawnFirst, n) }

// Find returns the numbers of a panel. The error names those that exist.
func Find(id string) (Numbers, error) {
	var ids []string
	for _, n := range All() {
		if n.ID == id {
			return n, nil
		}
		ids = append(ids, n.ID)
	}
	return Numbers{}, fmt.Errorf("find panel: found %q, want one of %s", id, strings.Join(ids, ", "))
}
