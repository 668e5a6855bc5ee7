package campaign

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
)

// Never is more inside than fits, but for one that does not fit at all; and all
// come through.
func TestGate(t *testing.T) {
	const room = 100
	g := newGate(room)
	var inside, used atomic.Int64
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			n := rand.New(rand.NewPCG(uint64(i), 4)).Int64N(150)
			g.enter(n)
			many, sum := inside.Add(1), used.Add(n)
			if sum > room && many > 1 {
				t.Errorf("%d inside take %d of %d", many, sum, room)
			}
			used.Add(-n)
			inside.Add(-1)
			g.leave(n)
		})
	}
	all.Wait()
	if g.free != room || g.inside != 0 {
		t.Errorf("%d free and %d inside at the end", g.free, g.inside)
	}
}

func TestRunNames(t *testing.T) {
	keys := []string{"platform.gpus", "scheduler"}
	if got := runName(keys, []string{"2", "dmdas"}); got != "gpus=2,scheduler=dmdas" {
		t.Errorf("name %s", got)
	}
	seen := map[string]bool{}
	for _, v := range []string{"a/b", "a_b", "a:b", "..", "{a: 1}", string(make([]byte, 300))} {
		name := runName([]string{"x"}, []string{v})
		if seen[name] || name == "" || name[0] == '.' || len(name) > 120 {
			t.Errorf("name of %q is %q", v, name)
		}
		seen[name] = true
	}
}
