package assemble

import (
	"bytes"

	"dagscope/trace"
)

// EdgeRows takes the edges of a task graph. StarPU ties a task to a tag by an
// arrow in each direction, drawn dashed; everything else may then name the tag.
// Such ties are no dependencies: names of tied tags are replaced by those of
// the tasks.
type EdgeRows struct {
	parts *Parts
	first int // row of Edge
	tied  map[string]string
}

// EdgeRows begins the edges of a file.
func (p *Parts) EdgeRows() *EdgeRows {
	return &EdgeRows{parts: p, first: p.Edge.From.Len(), tied: make(map[string]string)}
}

// Add adds the edge that from must end before to starts. Names are taken
// without their "task_".
func (e *EdgeRows) Add(from, to []byte) {
	e.parts.Edge.From.Append(bytes.TrimPrefix(from, taskPrefix))
	e.parts.Edge.To.Append(bytes.TrimPrefix(to, taskPrefix))
}

var taskPrefix = []byte("task_")

// Chain adds the edges of names[0] -> names[1] -> … and reports whether they were
// a tie of a tag instead.
func (e *EdgeRows) Chain(names [][]byte) (tie bool) {
	if len(names) == 3 && bytes.Equal(names[0], names[2]) && bytes.HasPrefix(names[0], []byte("tag_")) {
		e.tied[string(names[0])] = string(bytes.TrimPrefix(names[1], taskPrefix))
		return true
	}
	for i := 1; i < len(names); i++ {
		e.Add(names[i-1], names[i])
	}
	return false
}

// Close replaces tags that are tied to tasks. Should a tag have named several
// tasks one after the other, the last one stands for it.
func (e *EdgeRows) Close() {
	if len(e.tied) == 0 {
		return
	}
	for _, keys := range []*trace.Keys{&e.parts.Edge.From, &e.parts.Edge.To} {
		for row := e.first; row < keys.Len(); row++ {
			if task, ok := e.tied[keys.At(row)]; ok {
				keys.Code[row] = keys.Encode([]byte(task))
			}
		}
	}
}
