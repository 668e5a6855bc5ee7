package cli

import (
	"slices"

	"dagscope/explain/numbers"
	"dagscope/explain/numbers/panels"
	"dagscope/explain/query"
	"dagscope/trace"
)

// chainTables are the numbers that SQL has as views: they are the same as those of
// `dagscope data`.
var chainTables = []string{"chain", "blame", "idle"}

// computed are the views that are computed of a run when a query names them.
func computed(src query.Source) (list []query.Computed) {
	for _, id := range chainTables {
		n, err := panels.Find(id)
		if err != nil {
			panic(err) // registered in package panel
		}
		c := query.Computed{Name: id, Doc: n.Doc, Compute: func() ([]any, error) {
			run, err := src.Load(n.Reads...)
			if err != nil {
				return nil, err
			}
			t, err := n.Table(run, &panels.Settings{From: trace.NoTime, To: trace.NoTime})
			return t.Data, err
		}}
		for _, column := range n.Columns {
			c.Columns = append(c.Columns, trace.Column{Name: column.Name, Unit: column.Unit, Doc: column.Doc, Data: typeOf(column)})
		}
		list = append(list, c)
	}
	return list
}

// typeOf is the type of a column of these tables; queries refuse data of another.
func typeOf(c numbers.Column) any {
	switch {
	case c.Unit == "ns":
		return (*[]int64)(nil)
	case c.Name == "node":
		return (*[]int32)(nil)
	case c.Name == "share":
		return (*[]float64)(nil)
	case slices.Contains([]string{"key", "enabler", "transfer"}, c.Name):
		return (*trace.Keys)(nil)
	}
	return (*trace.Strings)(nil)
}
