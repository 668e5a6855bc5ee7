package figure

import (
	"fmt"
	"path"

	"dagscope/show/panel"
)

// memoryKeys are the options of the panels on memories and pieces of data.
func memoryKeys() []Key {
	o := func(s *Spec) *panel.MemoryOptions { return &s.Options.MemoryOptions }
	const conventions = "by the conventions of StarVZ: only traced states, those below 1 µs dropped, the last until the last state of a worker ends"
	return []Key{
		keyOf("memstates.states", "", "states that are shown", texts(func(s *Spec) *[]string { return &o(s).MemStates.States },
			"a list of "+joinWords(panel.ManagerStates), oneOfTexts(panel.ManagerStates))),
		keyOf("residency.blocks", "", "blocks that get rows, by patterns of their labels (`0,*`), which are coordinates, else names, else # and a row",
			texts(func(s *Spec) *[]string { return &o(s).Residency.Blocks }, "a list of patterns", checkPattern)),
		keyOf("residency.rows", "", "number of blocks that get rows, those that moved most", wholeNumber(func(s *Spec) *int { return &o(s).Residency.Most }, 400)),
		keyOf("residency.mean", "", "a row with the mean of all blocks", hidden(func(s *Spec) *bool { return &o(s).Residency.NoSum })),
		keyOf("residency.starvz", "", conventions, boolean(func(s *Spec) *bool { return &o(s).Residency.StarVZ })),
		keyOf("block.handle", "", "the block, by its coordinates (`3,1`), its name, its address or # and its row; the one that moved most if none is given, of those that `block.task` uses if there is one",
			text(func(s *Spec) *string { return &o(s).Block.Handle }, nil)),
		keyOf("block.task", "", "task, by its key, with lines where its last dependency and the task before it on its worker end",
			text(func(s *Spec) *string { return &o(s).Block.Task }, nil)),
		keyOf("block.requests", "", "circles for requests", hidden(func(s *Spec) *bool { return &o(s).Block.HideRequests })),
		keyOf("snapshot.at", "", "instants, ms: a line of maps for each; the middle of the window if none is given",
			instants(func(s *Spec) *[]int64 { return &o(s).Snapshot.At })),
		keyOf("snapshot.starvz", "", conventions, boolean(func(s *Spec) *bool { return &o(s).Snapshot.StarVZ })),
		keyOf("presence.starvz", "", conventions, boolean(func(s *Spec) *bool { return &o(s).Presence.StarVZ })),
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

// wholeNumber is a number of things; unset is 0.
func wholeNumber(p at[int], most int) field {
	want := fmt.Sprintf("a whole number from 1 to %d", most)
	return field{want: want,
		set: func(s *Spec, _ string, v any) error {
			f, err := asNumber(v)
			if err != nil || f != float64(int(f)) || f < 1 || f > float64(most) {
				return wrong(v, want)
			}
			*p(s) = int(f)
			return nil
		},
		get: func(s *Spec) any {
			if *p(s) == 0 {
				return nil
			}
			return float64(*p(s))
		}}
}

// instants are times in ms, kept in ns.
func instants(p at[[]int64]) field {
	const want = "a list of ms"
	return field{want: want, list: true,
		set: func(s *Spec, _ string, v any) error {
			list := []int64{}
			for _, item := range items(v) {
				ms, err := asNumber(item)
				if err != nil || !(ms >= -maxMS && ms <= maxMS) {
					return wrong(item, want)
				}
				list = append(list, nanoseconds(ms))
			}
			*p(s) = list
			return nil
		},
		get: func(s *Spec) any { return anyList(*p(s), func(ns int64) any { return milliseconds(ns) }) }}
}
