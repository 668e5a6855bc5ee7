package figconf

import (
	"dagscope/panel"
)

// irregularKeys are the options of the panels on irregular kernels.
func irregularKeys() []Key {
	o := func(s *Spec) *panel.PanelOptions { return &s.Options.PanelOptions }
	return []Key{
		keyOf("models.bytes", "", "the work of a task is the bytes that it touches, not the GFlop that it declares",
			boolean(func(s *Spec) *bool { return &o(s).Models.Bytes })),
		keyOf("models.linear", "", "linear axes", boolean(func(s *Spec) *bool { return &o(s).Models.Linear })),
		keyOf("models.method", "", "how lines are fitted",
			word(func(s *Spec) *panel.ModelMethod { return &o(s).Models.Method }, panel.ModelMethods[0], panel.ModelMethods[1:]...)),
	}
}
