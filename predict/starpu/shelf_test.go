package starpu

import (
	"math/rand/v2"
	"testing"
)

// What is found on shelves is what a look at one chunk after the other finds.
func TestShelvesAgainstList(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 7))
		l, has := &chunkList{}, map[*chunk]traits{}
		for range 3000 {
			changeShelves(r, l, has, seed%2 == 0)
			wanted := []traits{unreferred, unreferred | unawaited, unreferred | duplicate, unreferred | unawaited | duplicate}[r.IntN(4)]
			start := pickChunk(r, l)
			want := start
			for want != nil && has[want]&wanted != wanted {
				want = want.next
			}
			got := start.from(wanted)
			for got != nil && has[got]&wanted != wanted {
				got.lacks(^has[got])
				got = got.next.from(wanted)
			}
			if got != want {
				t.Fatalf("seed %d: found %v of %d chunks with traits %d, want %v", seed, got, l.count, wanted, want)
			}
		}
	}
}

// changeShelves adds, moves or takes away a chunk, or changes its traits.
func changeShelves(r *rand.Rand, l *chunkList, has map[*chunk]traits, growing bool) {
	c := pickChunk(r, l)
	what := r.IntN(10)
	switch {
	case c == nil || what < 2 || growing && what < 4:
		c = &chunk{clean: r.IntN(2) == 0}
		l.pushBack(c)
	case what < 6:
		l.remove(c)
		if what < 5 {
			c.clean = true
			l.pushClean(c)
		} else {
			l.pushBack(c)
		}
	case what < 7:
		l.remove(c)
		delete(has, c)
		return
	}
	has[c] = traits(r.IntN(1 << marks))
	c.may(has[c])
	c.lacks(^has[c])
}

func pickChunk(r *rand.Rand, l *chunkList) *chunk {
	if l.count == 0 {
		return nil
	}
	c := l.first
	for range r.IntN(l.count) {
		c = c.next
	}
	return c
}
