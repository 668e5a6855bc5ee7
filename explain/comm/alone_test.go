package comm

import (
	"testing"

	"pgregory.net/rapid"
)

// A transfer is alone where no other of known time overlaps it at either end.
func TestAloneAgainstAllPairs(t *testing.T) {
	both := map[bool]int{}
	rapid.Check(t, func(t *rapid.T) {
		run := drawRun(t)
		for _, ends := range []Ends{Nodes, Memories} {
			l := Find(run, ends)
			for i, got := range l.Alone() {
				start, end, known := l.span(i)
				want := known && start < end
				for j := range l.Row {
					from, to, ok := l.span(j)
					if j != i && ok && (l.From[i] == l.From[j] || l.To[i] == l.To[j]) && max(start, from) < min(end, to) {
						want = false
					}
				}
				if got != want {
					t.Fatalf("transfer %d of %d is alone: %v, want %v", i, len(l.Row), got, want)
				}
				both[got]++
			}
		}
	})
	if both[true] == 0 || both[false] == 0 {
		t.Errorf("alone and not: %v", both)
	}
}
