package show

import (
	"bytes"
	"slices"

	"dagscope/ingest/fxt"
	"dagscope/ingest/fxt/layout"
)

// guesser keeps the first events of a trace, and their shapes.
type guesser struct {
	events []fxt.Event
	seen   map[layout.Shape]int64
}

func newGuesser() *guesser { return &guesser{seen: map[layout.Shape]int64{}} }

func (g *guesser) hold(e *fxt.Event) {
	kept := *e
	kept.Args, kept.Raw = slices.Clone(e.Args), bytes.Clone(e.Raw)
	g.events = append(g.events, kept)
	g.seen[layout.Shape{Code: e.Code, N: len(e.Args)}]++
}
