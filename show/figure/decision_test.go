package figure

import "dagscope/show/panel"

func init() {
	effects = append(effects, struct {
		yaml string
		want func(s *Spec, o *panel.Options) any
		is   any
	}{"decision: {task: '0_5', rows: 4}", func(_ *Spec, o *panel.Options) any { return o.Decision }, panel.Decision{Task: "0_5", Rows: 4}})
}
