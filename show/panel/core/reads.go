package core

import (
	"fmt"
	"slices"

	"dagscope/explain/numbers/panels"
)

// Reads names the columns that drawing these panels of a run may use: load
// these and no others. It fails for a panel that does not exist or cannot be
// drawn.
func Reads(ids []string, o *Options) ([]string, error) {
	// What every figure needs: the window, the colours, the rows.
	out := panels.Joined(panels.TaskTimes, []string{"task.kind", "task.internal", "task.generation", "resource"})
	for _, id := range ids {
		p, err := Find(id)
		if err != nil {
			return nil, err
		}
		switch n, err := panels.Find(id); {
		case p.Reads != nil:
			out = append(out, p.Reads(o)...)
		case err == nil:
			out = append(out, n.Reads...)
		default:
			return nil, fmt.Errorf("find what panel %s reads: %w", id, err)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}
