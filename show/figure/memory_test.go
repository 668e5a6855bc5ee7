package figure

import (
	"fmt"

	"dagscope/show/panel/core"
)

func init() {
	add := func(yaml string, want func(o *core.MemoryOptions) any, is any) {
		effects = append(effects, struct {
			yaml string
			want func(s *Spec, o *core.Options) any
			is   any
		}{yaml, func(_ *Spec, o *core.Options) any { return want(&o.MemoryOptions) }, is})
	}
	add("{memstates: {states: [Allocating]}, memory: {state: {select: Allocating, text: FALSE}}}", func(o *core.MemoryOptions) any { return o.MemStates },
		core.MemStates{States: []string{"Allocating"}, Select: "Allocating", HideTexts: true})
	add("residency: {blocks: ['0,*'], rows: 20, mean: FALSE, starvz: TRUE}", func(o *core.MemoryOptions) any { return o.Residency },
		core.Residency{Blocks: []string{"0,*"}, Most: 20, NoSum: true, StarVZ: true})
	add("block: {handle: '3,1', task: 0_5, requests: FALSE}", func(o *core.MemoryOptions) any { return o.Block },
		core.Block{Handle: "3,1", Task: "0_5", HideRequests: true})
	add("snapshot: {at: [1.5, 20], starvz: TRUE}", func(o *core.MemoryOptions) any { return fmt.Sprint(o.Snapshot) }, "{[1500000 20000000] true}")
	effects = append(effects, effect{"presence.starvz: TRUE", values("presence.starvz"), "true"})
}
