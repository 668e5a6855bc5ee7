package spacetime

import (
	"testing"

	"dagscope/show/panel/kit"
	"dagscope/show/panel/paneltest"

	"pgregory.net/rapid"
)

// Of nested states exactly the innermost is drawn at each instant.
func TestInnermostOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := paneltest.NestedStates(t)
		lanes := &kit.Lanes{Lanes: make([]kit.Lane, 2), Of: []int32{0, 1}}
		class := []uint8{0, 1, 2, 3, 4, 5, 6, 7}
		s := innermost(run, lanes, class)
		for l := range 2 {
			for at := int64(0); at < 64; at++ {
				want := int32(-1) // the last to start among those that are open
				for i := range run.State.Start {
					if run.State.Resource[i] == int32(l) && run.State.Start[i] <= at && run.State.End[i] > at {
						want = int32(i)
					}
				}
				got := int32(-1)
				for i := s.From[l]; i < s.To[l]; i++ {
					if s.Start[i] <= at && s.End[i] > at {
						if got >= 0 {
							t.Fatalf("two states are drawn at %d", at)
						}
						got = s.Row[i]
					}
				}
				if got != want {
					t.Fatalf("at %d on lane %d state %d is drawn, want %d", at, l, got, want)
				}
			}
		}
	})
}
