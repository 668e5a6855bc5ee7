package figure

import (
	"fmt"
	"math"
	"path"

	"dagscope/show/panel/core"
	"dagscope/show/setting"
)

// memoryKeys are the options of the panels on memories and pieces of data.
func memoryKeys() []Key {
	o := func(s *Spec) *core.MemoryOptions { return &s.Options.MemoryOptions }
	const conventions = "by the conventions of StarVZ: only traced states, those below 1 µs dropped, the last until the last state of a worker ends"
	return []Key{
		keyOf("memstates.states", "", "states that are shown", several(func(s *Spec) *[]string { return &o(s).MemStates.States }, core.ManagerStates)),
		keyOf("residency.blocks", "", "blocks that get rows, by patterns of their labels (`0,*`), which are coordinates, else names, else # and a row",
			texts(func(s *Spec) *[]string { return &o(s).Residency.Blocks }, aList(setting.Pattern), checkPattern)),
		keyOf("residency.rows", "", "number of blocks that get rows, those that moved most", count(func(s *Spec) *int { return &o(s).Residency.Most }, 0, 400)),
		keyOf("residency.mean", "", "a row with the mean of all blocks", hidden(func(s *Spec) *bool { return &o(s).Residency.NoSum })),
		keyOf("residency.starvz", "", conventions, boolean(func(s *Spec) *bool { return &o(s).Residency.StarVZ })),
		keyOf("block.handle", "", "the block, by its coordinates (`3,1`), its name, its address or # and its row; the one that moved most if none is given, of those that `block.task` uses if there is one; several with `;` between them, or `*` for all that `block.task` uses",
			text(func(s *Spec) *string { return &o(s).Block.Handle }, nil)),
		keyOf("block.task", "", "task, by its key, with lines where its last dependency and the task before it on its worker end",
			text(func(s *Spec) *string { return &o(s).Block.Task }, nil)),
		keyOf("block.requests", "", "circles for requests", hidden(func(s *Spec) *bool { return &o(s).Block.HideRequests })),
		keyOf("snapshot.at", "", "instants, ms: a line of maps for each; the middle of the window if none is given",
			instants(func(s *Spec) *[]int64 { return &o(s).Snapshot.At })),
		keyOf("snapshot.starvz", "", conventions, boolean(func(s *Spec) *bool { return &o(s).Snapshot.StarVZ })),
		starvz("memory.state.select", "state whose share is written beside the rows; the most frequent but for copies if none is given",
			text(func(s *Spec) *string { return &o(s).MemStates.Select }, nil)),
		starvz("memory.state.text", "blocks inside wide states", hidden(func(s *Spec) *bool { return &o(s).MemStates.HideTexts })),
	}
}

func checkPattern(p string) error {
	if _, err := path.Match(p, ""); err != nil {
		return fmt.Errorf("found %q: %w", p, err)
	}
	return nil
}

// instants are times in ms, kept in ns.
func instants(p at[[]int64]) field {
	t := setting.Type{Kind: setting.Number, List: true, Range: setting.Unbounded(), Unit: "ms"}
	return field{typ: t,
		set: func(s *Spec, _ string, v any) error {
			list := []int64{}
			for _, item := range items(v) {
				ms, err := asNumber(item)
				if err != nil || !(math.Abs(ms) <= maxMS) {
					return wrong(item, t)
				}
				list = append(list, nanoseconds(ms))
			}
			*p(s) = list
			return nil
		},
		get: func(s *Spec) any { return anyList(*p(s), func(ns int64) any { return milliseconds(ns) }) }}
}
