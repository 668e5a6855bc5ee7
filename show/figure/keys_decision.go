package figure

import "dagscope/show/panel/core"

// decisionKeys are the options of the panel on how a task was placed.
func decisionKeys() []Key {
	o := func(s *Spec) *core.Decision { return &s.Options.Decision }
	return []Key{
		keyOf("decision.task", "", "the task, by its key; if none is given the one whose placing went wrong most",
			text(func(s *Spec) *string { return &o(s).Task }, nil)),
		keyOf("decision.rows", "", "number of workers that are shown, those with the least fitness", count(func(s *Spec) *int { return &o(s).Rows }, 0, 400)),
	}
}
