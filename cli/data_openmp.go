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
		"regions", "Regions and loops of OpenMP", "where the time of each parallel region and worksharing construct went, the longest first", append([]string{"resource.name"}, region.Needs...),
		func(run *trace.Run) (numbers.Table, error) {
			f := region.Find(run, 0, 0, nil)
			if f == nil {
				return numbers.Table{}, fmt.Errorf("no numbers for regions: the run records no parallel regions")
			}
			return f.Table(run), nil
		},
	},
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
