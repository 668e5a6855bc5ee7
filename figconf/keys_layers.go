package figconf

import "dagscope/panel"

// layerKeys are those of the layers of the space-time panel.
func layerKeys() []Key {
	o := func(s *Spec) *panel.SpaceTime { return &s.Options.SpaceTime }
	return []Key{
		keyOf("idle", "idle", "idle shares beside the rows: time without task, in the runtime's Idle and Sleeping states, or none",
			word(func(s *Spec) *panel.IdleBy { return &o(s).Idle }, "tasks", "runtime", "none")),
		keyOf("bound", "bound", "bounds that were computed elsewhere, `NAME=MS`",
			texts(func(s *Spec) *[]string { return &s.Given }, "a list of NAME=MS", func(t string) error { _, err := parseBound(t); return err })),
	}
}
