package cli

import (
	"fmt"

	"dagscope/explain/lock"
	"dagscope/explain/numbers"
	"dagscope/explain/region"
	"dagscope/trace"
)

// tableless are numbers that no panel draws yet.
var tableless = []struct {
	id, title, doc string
	needs          []string
	table          func(run *trace.Run) (numbers.Table, error)
}{
	{
		"locks", "Locks of OpenMP", "waiting and holding by lock and source line, the most waited for first", lock.Needs,
		func(run *trace.Run) (numbers.Table, error) {
			f := lock.Find(run, 0, 0)
			if f == nil {
				return numbers.Table{}, fmt.Errorf("no numbers for locks: the run records no locks")
			}
			return region.LockTable(f), nil
		},
	},
}
