package figure

import "dagscope/show/panel/core"

func init() {
	effects = append(effects, struct {
		yaml string
		want func(s *Spec, o *core.Options) any
		is   any
	}{"decision: {task: '0_5', rows: 4}", func(_ *Spec, o *core.Options) any { return o.Decision }, core.Decision{Task: "0_5", Rows: 4}})
}
