package trace

import (
	"fmt"
	"slices"
)

// ascending are columns that name rows of their own table, each an earlier one: who
// follows them comes to an end.
var ascending = []string{"resource.parent", "treenode.parent", "task.parent", "construct.parent"}

// ranks are columns by whose numbers arrays are made.
var ranks = []string{"resource.node", "handle.node", "task.node"}

// CheckBounds checks, of the columns that a run holds, that references are rows of
// their tables, texts those of their dictionaries, parents before their children and
// ranks not above [MaxRank]: what nobody checks again who takes a number for an
// index. Rows are those of whole tables, of which a run may hold some columns. It
// takes a pass over the columns; [Run.Validate] checks all else that is promised.
func (r *Run) CheckBounds(rows func(table string) int) error {
	for _, t := range r.Tables() {
		for _, c := range t.Columns {
			name := t.Name + "." + c.Name
			switch d := c.Data.(type) {
			case *[]int32:
				low, high := NoInt, int32(1<<31-1)
				if c.Ref != "" {
					low, high = c.lowest(), int32(min(rows(c.Ref), 1<<31-1)-1)
				} else if slices.Contains(ranks, name) {
					low, high = None, MaxRank
				}
				earlier := slices.Contains(ascending, name)
				for i, v := range *d {
					if v < low && (v != NoInt || c.Ref != "") || v > high || earlier && int(v) >= i {
						return fmt.Errorf("check %s: found %d in row %d, wanted %s", name, v, i, wantedBound(c.Ref, earlier, high))
					}
				}
			case *Strings:
				if at := outside(d.Index, c.lowest(), len(d.Dict)); at >= 0 {
					return fmt.Errorf("check %s: found text %d of %d in row %d, wanted one of the dictionary", name, d.Index[at], len(d.Dict), at)
				}
			}
		}
	}
	return nil
}

func wantedBound(table string, earlier bool, high int32) string {
	switch {
	case earlier:
		return "an earlier row, or none"
	case table != "":
		return fmt.Sprintf("one of %d rows of %s", high+1, table)
	}
	return fmt.Sprintf("a rank up to %d", high)
}

// outside is the first row whose number is not from low to n-1, -1 if there is none.
func outside(index []int32, low int32, n int) int {
	return slices.IndexFunc(index, func(v int32) bool { return v < low || int(v) >= n })
}
