package figure

import (
	"fmt"

	"dagscope/show/panel"
)

func init() {
	add := func(yaml string, want func(o *panel.MemoryOptions) any, is any) {
		effects = append(effects, struct {
			yaml string
			want func(s *Spec, o *panel.Options) any
			is   any
		}{yaml, func(_ *Spec, o *panel.Options) any { return want(&o.MemoryOptions) }, is})
	}
	add("{memstates: {states: [Allocating]}, memory: {state: {select: Allocating, text: FALSE}}}", func(o *panel.MemoryOptions) any { return o.MemStates },
		panel.MemStates{States: []string{"Allocating"}, Select: "Allocating", HideTexts: true})
	add("residency: {blocks: ['0,*'], rows: 20, mean: FALSE, starvz: TRUE}", func(o *panel.MemoryOptions) any { return o.Residency },
		panel.Residency{Blocks: []string{"0,*"}, Most: 20, NoSum: true, StarVZ: true})
	add("block: {handle: '3,1', task: 0_5, requests: FALSE}", func(o *panel.MemoryOptions) any { return o.Block },
		panel.Block{Handle: "3,1", Task: "0_5", HideRequests: true})
	add("snapshot: {at: [1.5, 20], starvz: TRUE}", func(o *panel.MemoryOptions) any { return fmt.Sprint(o.Snapshot) }, "{[1500000 20000000] true}")
	add("presence.starvz: TRUE", func(o *panel.MemoryOptions) any { return o.Presence.StarVZ }, true)
}
