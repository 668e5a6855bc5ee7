package figure

import (
	"slices"

	"dagscope/explain/numbers/panels"
	"dagscope/show/panel/core"
)

// commKeys are those of the panels on communication and of messages on the
// space-time panel.
func commKeys() []Key {
	o := func(s *Spec) *core.CommunicationOptions { return &s.Options.CommunicationOptions }
	m := func(s *Spec) *core.Messages { return &s.Options.SpaceTime.Messages }
	return []Key{
		keyOf("mpibandwidth.source", "", "where the curve comes from: what the runtime counted, what follows from the times of messages, or the first where it was traced",
			word(func(s *Spec) *panels.Origin { return &o(s).MPIBandwidth.Source }, "best", string(panels.FromCounters), string(panels.Reconstructed))),
		keyOf("mpibandwidth.total", "", "one row for the whole run", boolean(func(s *Spec) *bool { return &o(s).MPIBandwidth.Total })),
		keyOf("mpiconcurrent.total", "", "one row for the whole run", boolean(func(s *Spec) *bool { return &o(s).MPIConcurrent.Total })),
		keyOf("messages.show", "messages", "messages between nodes as arrows on the space-time panel", boolean(func(s *Spec) *bool { return &m(s).Show })),
		keyOf("messages.from", "", "only messages from these nodes", ranks(func(s *Spec) *[]int32 { return &m(s).From })),
		keyOf("messages.to", "", "only messages to these nodes", ranks(func(s *Spec) *[]int32 { return &m(s).To })),
		keyOf("messages.most", "", "most messages that are drawn on 1000 pixels of width, the longest under way first", count(func(s *Spec) *int { return &m(s).Budget }, 0, many)),
	}
}

// starvzCommKeys are StarVZ's of the same panels.
func starvzCommKeys() []Key {
	o := func(s *Spec) *core.CommunicationOptions { return &s.Options.CommunicationOptions }
	curve := func(key string, of func(*Spec) *core.Curve) []Key {
		return []Key{
			starvz(key+".step", "draw means over slices this long, ms", length(func(s *Spec) *int64 { return &of(s).Step })),
			starvz(key+".limit", "value at the upper edge", number(func(s *Spec) *float64 { return &of(s).Top }, positive, "")),
		}
	}
	return slices.Concat(
		curve("mpibandwidth", func(s *Spec) *core.Curve { return &o(s).MPIBandwidth }),
		curve("mpiconcurrent", func(s *Spec) *core.Curve { return &o(s).MPIConcurrent }),
		curve("mpiconcurrentout", func(s *Spec) *core.Curve { return &o(s).MPIConcurrent }),
		void("rows are nodes; those that would meet are labelled together", "mpistate.label", "mpistate.labels"),
		void("states have no scale", "mpistate.limit"),
	)
}
