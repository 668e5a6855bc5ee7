package starpu

import (
	"math/rand/v2"
	"testing"
)

// TestChunkIndexAgainstList holds the index against a search through the list.
func TestChunkIndexAgainstList(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 7))
		l, has := &memChunkList{}, map[*memChunk]evictFlags{}
		for range 3000 {
			changeChunks(r, l, has, seed%2 == 0)
			wanted := []evictFlags{unreferenced, unreferenced | notPrefetched, unreferenced | otherReplica, unreferenced | notPrefetched | otherReplica}[r.IntN(4)]
			start := pickChunk(r, l)
			want := start
			for want != nil && has[want]&wanted != wanted {
				want = want.next
			}
			got := start.nextWith(wanted)
			for got != nil && has[got]&wanted != wanted {
				got.clearFlags(^has[got])
				got = got.next.nextWith(wanted)
			}
			if got != want {
				t.Fatalf("seed %d: found %v of %d chunks with traits %d, want %v", seed, got, l.count, wanted, want)
			}
		}
	}
}

// changeChunks adds, moves or takes away a chunk, or changes its traits.
func changeChunks(r *rand.Rand, l *memChunkList, has map[*memChunk]evictFlags, growing bool) {
	c := pickChunk(r, l)
	what := r.IntN(10)
	switch {
	case c == nil || what < 2 || growing && what < 4:
		c = &memChunk{clean: r.IntN(2) == 0}
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
	has[c] = evictFlags(r.IntN(1 << flagCount))
	c.setFlags(has[c])
	c.clearFlags(^has[c])
}

func pickChunk(r *rand.Rand, l *memChunkList) *memChunk {
	if l.count == 0 {
		return nil
	}
	c := l.first
	for range r.IntN(l.count) {
		c = c.next
	}
	return c
}
