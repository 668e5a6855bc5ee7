package show

import (
	"bytes"
	"slices"

	"dagscope/read/fxt"
	"dagscope/read/fxt/layout"
)

// guesser keeps the first events of a trace, and what they tell of StarPU's
// version.
type guesser struct {
	events []fxt.Event
	seen   layout.Seen
}

func (g *guesser) hold(e *fxt.Event) {
	kept := *e
	kept.Args, kept.Raw = slices.Clone(e.Args), bytes.Clone(e.Raw)
	g.events = append(g.events, kept)
	g.seen.Add(e.Code, e.Args)
}
