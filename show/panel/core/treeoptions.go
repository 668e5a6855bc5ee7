package core

import (
	"dagscope/explain/tree"
)

// TreeOptions are the options of the panel of the elimination tree.
type TreeOptions struct {
	Step         int64         // ns of a slice, 0 for a four-hundredth of the makespan
	Order        tree.RowOrder // of the rows
	Depth        float64       // nodes deeper than this are in the row of their ancestor there, 0 for all rows
	From, To     float64       // the rows that are shown, % from the top; To 0 for all
	HideLoad     bool
	HidePruned   bool
	HideAssembly bool // no strip of the tasks that make, fill and clean
	HideEdges    bool
	HideOutliers bool
}

// TreeOrder is the order of the rows of the tree.
type TreeOrder = tree.RowOrder

// TreeUsage are the options of the panel of the usage of the tree.
type TreeUsage struct {
	Parts []string // what is drawn, nil for all that the run has; see [TreeParts]
	Step  int64    // ns: means over slices this long, 0 for each pixel
}

// TreeParts are the parts of the panel.
var TreeParts = []string{"nodes", "depth", "active", "memory"}
